import { assertAlmostEquals, assertEquals } from "@std/assert";
import { trainCart } from "../../../../src/algorithms/classic/cart.ts";
import { countedRows } from "../../../support/data/counted_rows.ts";

/**
 * Gini gains: 2 · 22 · 8 / 30 − 2 · 8 · 2 / 10 = 8.533 at the root, 0.2844 per row of its 30; 3.2
 * below it, 0.32 per row of its 10.
 */
const DATA = countedRows(["no", "yes"], [[1, 0, 20], [2, 1, 8], [3, 0, 2]]);

async function leavesOf(params: { readonly [name: string]: string | number }): Promise<number> {
  const model = await trainCart(DATA, params);
  return model.ensemble.trees.kind.filter((kind) => kind === 0).length;
}

Deno.test("criticalValue keeps a weak split above a strong one", async () => {
  assertEquals(await leavesOf({ criticalValue: 0.28 }), 3);
  assertEquals(await leavesOf({ criticalValue: 0.3 }), 3);
  assertEquals(await leavesOf({ criticalValue: 0.33 }), 1);
});

Deno.test('stop "critical-value" ends growth at the weak split', async () => {
  assertEquals(await leavesOf({ stop: "critical-value", criticalValue: 0.28 }), 3);
  assertEquals(await leavesOf({ stop: "critical-value", criticalValue: 0.3 }), 1);
});

Deno.test("criticalValue takes a strong split above a weak one", async () => {
  // (2 · 28 · 12 / 40 − 2 · 1 · 12 / 13) / 40 = 0.374 per row at the root, and below it
  // (2 · 1 · 12 / 13 − 2 · 1 · 5 / 6) / 13 = 0.0138.
  const data = countedRows(["no", "yes"], [[1, 0, 27], [2, 0, 1], [2, 1, 5], [3, 1, 7]]);
  const leaves = async (criticalValue: number) =>
    (await trainCart(data, { criticalValue })).ensemble.trees.kind.filter((k) => k === 0).length;
  assertEquals(await leaves(0.01), 3);
  assertEquals(await leaves(0.05), 2);
  assertEquals(await leaves(0.4), 1);
});

Deno.test("criticalValue prunes the trees of cross-validation too", async () => {
  // Fold 0: 10 no at 1, 4 yes at 2, 2 no at 3. Fold 1: 10 no at 1, 4 yes at 2.
  const data = countedRows(["no", "yes"], [
    [1, 0, 10],
    [2, 1, 4],
    [3, 0, 2],
    [1, 0, 10],
    [2, 1, 4],
  ]);
  const foldOfRow = Array.from({ length: 30 }, (_, row) => row < 16 ? 0 : 1);
  const table = async (criticalValue: number) => {
    const model = await trainCart(data, { pruning: "cv", criticalValue, foldOfRow });
    return model.info.cpTable as unknown as {
      readonly cp: number;
      readonly splits: number;
      readonly relativeError: number;
      readonly xerror: number;
      readonly xstd: number;
    }[];
  };
  // All rows: gains 0.284 and 0.32 per row, so nothing is left above 0.42. Grown on fold 1 the root
  // gains (2 · 10 · 4 / 14) / 14 = 0.408 and goes as well: 4 yes of fold 0 are wrong. Grown on
  // fold 0 the lower split gains (2 · 4 · 2 / 6) / 6 = 0.444 and stays: fold 1 is right throughout.
  const [pruned, ...rest] = await table(0.42);
  assertEquals(rest, []);
  assertEquals([pruned.splits, pruned.relativeError, pruned.xerror], [0, 1, 4 / 8]);
  assertAlmostEquals(pruned.xstd, Math.sqrt(4 - 4 * 4 / 30) / 8, 1e-15);
  // Up to 0.3 every tree stays whole. Risks 8, 2 and 0 give links of 6 and 2 of 8; at the last row
  // the tree of fold 1 answers yes at 3, where fold 0 has 2 no.
  const whole = await table(0.3);
  assertEquals(whole.map(({ cp, splits, relativeError }) => [cp, splits, relativeError]), [
    [0.75, 0, 1],
    [0.25, 1, 0.25],
    [0, 2, 0],
  ]);
  assertEquals(whole[2].xerror, 2 / 8);
});
