import fc from "fast-check";
import { assertEquals } from "@std/assert";
import type { Column, Dataset } from "../../../src/data/types.ts";
import { boost } from "../../../src/ensemble/boosting/booster.ts";
import type { EngineOptions } from "../../../src/ensemble/engine/engine.ts";
import type { BoostPlan } from "../../../src/ensemble/plan.ts";
import type { RoundReport } from "../../../src/ensemble/types.ts";
import { logisticLoss } from "../../../src/loss/logistic.ts";
import { softmaxLoss } from "../../../src/loss/softmax.ts";
import { squaredLoss } from "../../../src/loss/squared.ts";
import { rmse } from "../../../src/metric/regression.ts";
import { createRng } from "../../../src/util/rng.ts";

/** Numbers, of few values and with gaps; flags that share a byte; few and many levels. */
function makeData(numRows: number, classes: number, seed: number): Dataset {
  const rng = createRng(seed);
  const numbers = (name: string, of: (row: number) => number): Column => ({
    kind: "numeric",
    name,
    values: Float64Array.from({ length: numRows }, (_, row) => of(row)),
  });
  const levels = (name: string, count: number): Column => ({
    kind: "categorical",
    name,
    codes: Int32Array.from({ length: numRows }, () => rng.nextInt(count + 1) - 1),
    categories: Array.from({ length: count }, (_, level) => `${level}`),
  });
  const which = Int32Array.from({ length: numRows }, () => rng.nextInt(9));
  const all = [
    numbers("a", () => rng.nextFloat()),
    numbers("b", () => rng.nextInt(4) === 0 ? NaN : rng.nextInt(5)),
    numbers("f", (row) => which[row] === 0 ? 1 : 0),
    numbers("g", (row) => which[row] === 1 ? 1 : 0),
    levels("k", 4),
    levels("l", 60),
  ];
  const features = all.filter((_, i) => i === 0 || rng.nextInt(4) > 0);
  const a = (all[0] as { readonly values: Float64Array }).values;
  const l = (all[5] as { readonly codes: Int32Array }).codes;
  const y = Float64Array.from(a, (x, row) => 3 * x + l[row] % 3 + rng.nextFloat());
  return {
    numRows,
    features,
    target: classes === 1 ? { kind: "regression", name: "y", values: y } : {
      kind: "classification",
      name: "y",
      codes: Int32Array.from(y, (value) => Math.floor(value + 3) % classes),
      classes: Array.from({ length: classes }, (_, label) => `${label}`),
    },
  };
}

async function grow(data: Dataset, plan: BoostPlan, options: EngineOptions) {
  const { ensemble: { trees } } = await boost(data, plan, options);
  return trees;
}

const plans = fc.record({
  learningRate: fc.constantFrom(0.3, 1),
  seed: fc.nat(1000),
  maxDepth: fc.integer({ min: 1, max: 9 }),
  maxBins: fc.constantFrom(16, 256, 300),
  lambda: fc.constantFrom(0, 1, 10),
  alpha: fc.constantFrom(0, 0.3),
  gamma: fc.constantFrom(0, 0.05),
  postPrune: fc.boolean(),
  // Of the most that a tree of its depth has.
  shareOfLeaves: fc.constantFrom(0, 0, 0.55, 0.7, 0.9),
  minChildWeight: fc.constantFrom(0, 1, 4),
  minRowsPerLeaf: fc.constantFrom(1, 5),
  minRowsPerCategory: fc.constantFrom(1, 4),
  subsample: fc.constantFrom(1, 0.6),
});

Deno.test("trees that kernels grow level by level are those of the grower of all trees", async () => {
  const losses = [squaredLoss(), logisticLoss(), softmaxLoss(3)];
  const sizes = fc.constantFrom(1, 3, 30, 400, 2500);
  await fc.assert(
    fc.asyncProperty(plans, fc.integer({ min: 1, max: 3 }), sizes, async (some, classes, rows) => {
      const data = makeData(rows, classes, some.seed);
      const { shareOfLeaves, ...others } = some;
      const maxLeaves = Math.floor(shareOfLeaves * 2 ** some.maxDepth);
      const plan = { ...others, maxLeaves, loss: losses[classes - 1], rounds: 2 };
      const expected = await grow(data, plan, { threads: 1, levels: false });
      assertEquals(await grow(data, plan, { threads: 1 }), expected);
      if (some.seed % 4 > 0) return;
      assertEquals(await grow(data, plan, { threads: 2 + some.seed % 3 }), expected);
    }),
    { numRuns: 60 },
  );
});

// 16 bins leave no gap between the tables of splits; 300 have codes of two bytes, of the root, too.
Deno.test("rows of a validation set go down these trees as those of training do", async () => {
  for (const numValues of [16, 400]) {
    const rng = createRng(8);
    const numbers = (of: () => number) => Float64Array.from({ length: 600 }, of);
    // Most missing values go right.
    const values = numbers(() => [...Array(numValues).keys(), NaN][rng.nextInt(numValues + 1)]);
    const y = values.map((x) => (x < 7 ? x : 30 + x || 40) + rng.nextFloat());
    const data: Dataset = {
      numRows: 600,
      features: [{ kind: "numeric", name: "x", values }],
      target: { kind: "regression", name: "y", values: y },
    };
    const told: RoundReport["metrics"][] = [];
    await boost(data, {
      ...{ loss: squaredLoss(), rounds: 4, learningRate: 0.5, seed: 1, maxDepth: 4, maxBins: 300 },
      ...{ trainMetrics: true, metrics: [rmse()] },
    }, { threads: 1, valid: data, onRound: ({ metrics }) => void told.push(metrics) });
    assertEquals(told.length, 4);
    for (const { train, valid } of told) assertEquals(valid, train);
  }
});

// 66,000 rows: histograms are packed, and threads share the rows of large nodes.
Deno.test("so they are of many rows, on any threads", async () => {
  for (const classes of [1, 2, 3]) {
    const loss = [squaredLoss(), logisticLoss(), softmaxLoss(3)][classes - 1];
    const data = makeData(66_000, classes, 4 + classes);
    // Where there is a least number of rows, that of nodes counts: of all their blocks.
    const minRowsPerLeaf = classes === 1 ? 1 : 50;
    const plan = { loss, rounds: 2, learningRate: 0.5, seed: 1, maxDepth: 5, minRowsPerLeaf };
    const expected = await grow(data, plan, { threads: 1, levels: false });
    for (const threads of [1, 2, 3]) assertEquals(await grow(data, plan, { threads }), expected);
  }
});
