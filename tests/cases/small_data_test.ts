/** CASES H: degenerate and tiny data. */
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import fc from "fast-check";
import {
  DataError,
  parseCsv,
  train,
  trainBoost,
  trainCart,
  trainExtraTrees,
  TrainingError,
  trainRandomForest,
} from "../../mod.ts";
import { ALGORITHM_NAMES } from "../../src/params/table.ts";
import { cli } from "../support/cli.ts";

const csv = (text: string) => text.replaceAll("|", "\n") + "\n";

Deno.test("CASES H2: constant features give the constant model", async () => {
  const data = parseCsv(csv("x,y|1,2|1,4|1,6"), { target: "y" });
  const warnings: string[] = [];
  const model = await trainBoost(data, {}, { onWarning: (message) => warnings.push(message) });
  assertEquals(model.predictValue({ x: 1 })[0], 4);
  assert(warnings.some((message) => /split/.test(message)), `${warnings}`);
  await assertRejects(() => trainBoost(data, { requireSplit: true }), TrainingError, "split");
  assertEquals((await trainCart(data)).predictValue({ x: 9 })[0], 4);
});

Deno.test("CASES H2: data without features give the constant model, of every trainer", async () => {
  // Readers refuse such tables; what scripts select may have nothing left.
  const table = (text: string) => ({ ...parseCsv(csv(text), { target: "y" }), features: [] });
  const numbers = table("x,y|1,2|2,4|3,6");
  const classes = table("x,y|1,a|2,b|3,c|4,a");
  for (const threads of [1, 2]) {
    for (const algorithm of ALGORITHM_NAMES) {
      const model = await train(classes, { algorithm }, { threads });
      assertEquals(model.predictClass({}), ["a"], algorithm);
    }
    for (const growth of ["depth", "leaf"] as const) {
      const model = await train(numbers, { rounds: 3, growth }, { threads });
      assertEquals([...model.predictValue({})], [4]);
    }
  }
});

Deno.test("CASES H2: a column of nothing but missing values is no obstacle", async () => {
  const data = parseCsv(csv("x,gone,y|1,,2|2,NA,4|3,?,6|4,,8"), { target: "y" });
  const model = await trainBoost(data, { minChildWeight: 0, minRowsPerLeaf: 1, rounds: 50 });
  assert(Math.abs(model.predictValue({ x: 4, gone: null })[0] - 8) < 1);
});

Deno.test("CASES H3: one class needs permission, and then has one column of 1", async () => {
  const text = csv("x,y|1,a|2,a");
  assertThrows(() => parseCsv(text, { target: "y" }), DataError, `"a"`);
  // Said once, where the data is read; every trainer then takes it.
  const data = parseCsv(text, { target: "y", allowSingleClass: true });
  for (const algorithm of ALGORITHM_NAMES) {
    if (algorithm === "id3") continue; // takes categories only
    const model = await train(data, { algorithm });
    const proba = model.predictProba([{ x: 1 }, { x: 5 }]);
    assertEquals([proba.rows, proba.cols, ...proba.data], [2, 1, 1, 1], algorithm);
    assertEquals(model.predictClass({ x: 1 }), ["a"], algorithm);
  }
});

Deno.test("CASES H5: a one-hot identity is learnt, and the cut lies between the values", async () => {
  const text = csv("a,b,c,d,y|1,0,0,0,0|0,1,0,0,1|0,0,1,0,2|0,0,0,1,3");
  const grown = { minRowsPerLeaf: 1, minRowsSplit: 2, maxDepth: 10, ccpAlpha: 0 };
  const data = parseCsv(text, { target: "y" });
  assertEquals([...(await trainCart(data, grown)).predictValue(data)], [0, 1, 2, 3]);
  const steps = parseCsv(csv("x,y|1,a|1,b|2,b"), { target: "y" });
  const model = await trainCart(steps, { ...grown, maxDepth: 1 });
  const { threshold, kind } = model.ensemble.trees;
  assertEquals([...threshold].filter((_, node) => kind[node] === 1), [1.5]);
});

Deno.test("CASES H6: every trainer takes 1 to 20 rows", async () => {
  const row = fc.tuple(
    fc.integer({ min: 0, max: 9 }),
    fc.constantFrom("", "p", "q"),
    fc.integer({ min: 0, max: 5 }),
  );
  const rows = fc.array(row, { minLength: 1, maxLength: 20 });
  const trainers = [
    (data: Parameters<typeof trainCart>[0]) => trainCart(data, { minRowsPerLeaf: 5 }),
    (data: Parameters<typeof trainCart>[0]) =>
      trainRandomForest(data, { trees: 5, minRowsPerLeaf: 5 }),
    (data: Parameters<typeof trainCart>[0]) => trainExtraTrees(data, { trees: 5 }),
    (data: Parameters<typeof trainCart>[0]) => trainBoost(data, { rounds: 5 }, { threads: 1 }),
  ];
  await fc.assert(
    fc.asyncProperty(rows, fc.constantFrom(...trainers), async (table, trainer) => {
      const text = table.map((cells) => cells.join(",")).join("\n");
      const data = parseCsv(`value,kind,score\n${text}\n`, { target: "score", task: "regression" });
      const model = await trainer(data);
      const values = model.predictValue(data);
      assert(values.every((value) => value >= -1 && value <= 6), `${values}`);
    }),
    { numRuns: 60 },
  );
});

Deno.test("CASES H: the command line trains on 10 rows", async () => {
  const lines = Array.from({ length: 10 }, (_, i) => `${i},${i % 3},${i < 5 ? "no" : "yes"}`);
  const path = await Deno.makeTempFile({ suffix: ".csv" });
  try {
    await Deno.writeTextFile(path, `a,b,y\n${lines.join("\n")}\n`);
    const run = await cli(["train", path, "--target", "y", "--out", "-"]);
    assertEquals(run.code, 0, run.stderr);
    assert(run.bytes.length > 0);
  } finally {
    await Deno.remove(path);
  }
});
