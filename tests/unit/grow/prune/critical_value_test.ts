import { assertEquals } from "@std/assert";
import { trainCart } from "../../../../src/algorithms/cart.ts";
import { countedRows } from "../../../support/counted_rows.ts";

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
