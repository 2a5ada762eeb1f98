/** CASES C: categories are values, unknown is not missing. */
import { assert, assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import {
  DataError,
  decodeModel,
  encodeModel,
  type InputReport,
  parseCsv,
  splitDataset,
  trainBoost,
  trainCart,
} from "../../mod.ts";
import { createRng } from "../../src/util/rng.ts";

const small = { rounds: 8, learningRate: 0.5, minChildWeight: 0, lambda: 0, minRowsPerLeaf: 1 };
const csv = (text: string) => text.replaceAll("|", "\n") + "\n";
const repeat = (row: string, times: number) => Array(times).fill(row).join("|");

Deno.test("CASES C1: a category scores alike alone and in the whole file", async () => {
  const text = `c,y|${repeat("a,0", 9)}|${repeat("b,1", 9)}|${repeat("c,0", 9)}`;
  const data = parseCsv(csv(text), { target: "y" });
  const model = await trainBoost(data, small);
  const all = model.predictValue(data);
  for (const [category, row] of [["a", 0], ["b", 9], ["c", 18]] as const) {
    assertEquals(model.predictValue(parseCsv(csv(`c|${category}`)))[0], all[row]);
    assertEquals(model.predictValue({ c: category })[0], all[row]);
  }
  assert(all[9] > all[18] + 0.3);
});

Deno.test("CASES C3: an unseen category follows the model's policy and is reported", async () => {
  // One split: a (0) against b and missing values (1).
  const text = `c,y|${repeat("a,0", 6)}|${repeat("b,1", 3)}|${repeat(",1", 2)}`;
  const data = parseCsv(csv(text), { target: "y" });
  const expected = { heavier: 0, missing: 1, node: 5 / 11 } as const;
  for (const unknown of ["heavier", "missing", "node"] as const) {
    const model = decodeModel(encodeModel(await trainCart(data, { unknown })));
    let report: InputReport | undefined;
    const row = model.predictProba({ c: "z" }, { onReport: (seen) => report = seen });
    assertEquals(report?.unknown, new Map([["c", 1]]), unknown);
    assertEquals(row.data[1], expected[unknown], unknown);
    assertEquals(model.predictProba(parseCsv("c\nz\n")).data, row.data, unknown);
  }
  const strict = decodeModel(encodeModel(await trainCart(data, { unknown: "error" })));
  assertThrows(() => strict.predictValue({ c: "z" }), DataError, `"z"`);
});

Deno.test("CASES C4: policy node stops where the category is tested, with the node's own value", async () => {
  const data = parseCsv(csv("c,y|a,10|a,10|a,10|b,20"), { target: "y" });
  const model = await trainCart(data, { unknown: "node", minRowsPerLeaf: 1 });
  assertEquals([...model.predictValue([{ c: "a" }, { c: "b" }])], [10, 20]);
  assertEquals(model.predictValue({ c: "z" })[0], 12.5);
});

Deno.test("CASES C5: unknown does not inherit what missing means", async () => {
  const text = csv(`c,y|${repeat("a,0", 5)}|${repeat("b,0", 5)}|${repeat(",1", 5)}`);
  const data = parseCsv(text, { target: "y" });
  const model = await trainBoost(data, { ...small, rounds: 30 });
  assert(model.predictValue({ c: null })[0] > 0.9);
  assert(model.predictValue({ c: "z" })[0] < 0.3);
});

Deno.test("CASES C8: 100,000 levels are scored in less than 50 MB beyond the data", async () => {
  const count = 100_000;
  const rows = Array.from({ length: count }, (_, i) => `k${i},${i % 7}`).join("\n");
  const data = parseCsv(`c,y\n${rows}\n`, { target: "y", task: "regression" });
  const model = await trainBoost(data, { rounds: 2, maxDepth: 3 });
  const before = Deno.memoryUsage().external + Deno.memoryUsage().heapUsed;
  const values = model.predictValue(data);
  const grown = Deno.memoryUsage().external + Deno.memoryUsage().heapUsed - before;
  assertEquals(values.length, count);
  assert(grown < 50e6, `${(grown / 1e6).toFixed(1)} MB`);
});

Deno.test("CASES C10: an id for each row teaches nothing by default", async () => {
  const rng = createRng(5);
  const rows = Array.from({ length: 2000 }, (_, i) => `u${i},${rng.nextInt(2)}`).join("\n");
  const data = parseCsv(`id,y\n${rows}\n`, { target: "y" });
  const [train, valid] = splitDataset(data, { seed: 1, stratify: true });
  const model = await trainBoost(train);
  const loss = (part: typeof data) => {
    const target = part.target!;
    if (target.kind !== "classification") throw new Error("not classes");
    const p = model.predictValue(part);
    const losses = p.map((value, row) => -Math.log(target.codes[row] === 1 ? value : 1 - value));
    return losses.reduce((sum, value) => sum + value) / p.length;
  };
  assert(loss(train) > 0.3, `train ${loss(train)}`);
  assertAlmostEquals(loss(valid), Math.LN2, 0.02); // the constant model's, up to the split's luck
});
