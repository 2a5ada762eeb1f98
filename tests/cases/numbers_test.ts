/** CASES A1, A2, A4, A5, A8: thresholds, sums and metrics keep the precision they were made with. */
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { importModel, type Model } from "../../mod.ts";
import { HERE, runJob } from "../../src/metric/job.ts";
import { meanJob } from "../../src/metric/mean.ts";
import { createModel } from "../../src/model/model.ts";
import { createTreeBuilder, packTrees } from "../../src/model/trees.ts";
import { nextDown32, nextUp32 } from "../../src/util/float.ts";
import { numbersModel } from "../support/models/small.ts";
import { lightgbmStump, xgboostStump } from "../support/models/foreign_stumps.ts";

const read = (text: string) => importModel(new TextEncoder().encode(text));
const scores = (model: Model, values: readonly (number | string)[]) => [
  ...model.predictRaw(values.map((x) => ({ x }))).data,
];

Deno.test("CASES A1: XGBoost's x < t compares both sides as float32", () => {
  // predict() of xgboost 3.2.0 with the same file, fed float64. In doubles 0.671 is below.
  const model = read(xgboostStump("0.671000004"));
  const values = [0.671, 0.67099, 0.6709999442100525, 0.671000004, 0.68, 0.67099996];
  // The last one is nearer to the float32 below the threshold: the row is rounded too.
  assertEquals(scores(model, values), [20, 10, 10, 20, 20, 10]);
  // The decimals a user types, as texts of a form or a CSV file.
  assertEquals(scores(model, ["0.671", "0.67099"]), [20, 10]);
});

Deno.test("CASES A2: the float32 below, on and above a threshold, and its decimals", () => {
  const model = read(xgboostStump("3.91000009"));
  const stored = Math.fround(3.91000009);
  // predict() of xgboost 3.2.0. Every threshold of every stored file is probed so, against slow
  // evaluators, in tests/golden/boundary_test.ts.
  const values = [3.91, 3.9099998, 3.9100003, 3.91000009, nextDown32(stored), nextUp32(stored)];
  assertEquals(scores(model, values), [20, 10, 20, 20, 10, 20]);
  assertEquals(scores(model, [stored, 3.9099999]), [20, 10]);
});

Deno.test("CASES A4: LightGBM's x <= t rounds neither side", () => {
  // predict() of lightgbm 4.7.0 for the same files, alike for all these kinds of missing values.
  const zero = 1.0000000180025095e-35;
  const values = [0, 1e-36, 1e-34, zero, 1.0000000180025097e-35, -1e-34];
  for (const decision of [0, 2, 6, 8, 10]) {
    const found = scores(read(lightgbmStump(zero, decision)), values);
    assertEquals(found, [10, 10, 1, 10, 1, 10], `decision_type ${decision}`);
  }
  // As float32 this threshold is 0.6710000038…, and the second value would go right.
  const model = read(lightgbmStump(0.671000004, 2));
  assertEquals(
    scores(model, [0.671, 0.671000004, 0.6710000041, Math.fround(0.671000004)]),
    [10, 10, 1, 10],
  );
});

Deno.test("CASES A5: 200 leaves of 1000.1 average to 1000.1, row by row and in batches", () => {
  const constant = () => {
    const tree = createTreeBuilder(1);
    tree.setValue(0, [1000.1]);
    return tree;
  };
  const { schema, ensemble, info } = numbersModel();
  const model = createModel({
    schema,
    info,
    ensemble: {
      ...ensemble,
      trees: packTrees(Array.from({ length: 200 }, constant)),
      treeOutput: new Int32Array(200),
      treeWeight: new Float64Array(200).fill(1),
      aggregate: "average",
    },
  });
  // 1e-9: what the case asks for. Sums in float32 are off by some 1e-2.
  for (const rows of [1, 1000]) {
    for (const score of model.predictValue(Array.from({ length: rows }, () => ({ a: 0, b: 0 })))) {
      assertAlmostEquals(score, 1000.1, 1e-9);
    }
  }
});

Deno.test("CASES A8: the mean of 10,000,000 losses of 1e-7 is 1e-7", () => {
  const found = runJob(meanJob(1e7, undefined, () => 1e-7, HERE));
  assert(Math.abs(found / 1e-7 - 1) <= 1e-12, String(found)); // the case's own bound
});
