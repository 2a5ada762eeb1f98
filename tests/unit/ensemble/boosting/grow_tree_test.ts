import { assert, assertEquals } from "@std/assert";
import type { Dataset } from "../../../../src/data/types.ts";
import { boost } from "../../../../src/ensemble/boosting/booster.ts";
import { treesAlone } from "../../../../src/ensemble/engine/alone_choice.ts";
import type { BoostPlan } from "../../../../src/ensemble/plan.ts";
import { squaredLoss } from "../../../../src/loss/squared.ts";
import { softmaxLoss } from "../../../../src/loss/softmax.ts";
import { metricByName } from "../../../../src/metric/metrics.ts";
import { createRng } from "../../../../src/util/rng.ts";

Deno.test("treesAlone() leaves to all threads what would keep most of them waiting", () => {
  assertEquals(treesAlone(7, 2, 1e6), 6); // the seventh by both
  assertEquals(treesAlone(7, 3, 1e6), 6);
  assertEquals(treesAlone(7, 4, 1e6), 7); // four, then three of four
  assertEquals(treesAlone(7, 8, 1e6), 7);
  assertEquals(treesAlone(3, 8, 1e6), 0); // five would wait
  // Sharing a short tree gains less than half of the threads do by another.
  assertEquals(treesAlone(7, 2, 2e5), 7);
  assertEquals(treesAlone(7, 3, 2e5), 6);
  assertEquals(treesAlone(6, 4, 2e5), 6);
  assertEquals(treesAlone(4, 8, 2e5), 0);
  assertEquals(treesAlone(1, 2, 2e5), 0);
});

const CLASSES = 5;

/** Numbers with gaps, a category of nine levels, five 0/1 columns that exclude each other. */
function makeData(numRows: number, seed: number): Dataset {
  const rng = createRng(seed);
  const numeric = Array.from(
    { length: 3 },
    () =>
      Float64Array.from({ length: numRows }, () => rng.nextFloat() < 0.1 ? NaN : rng.nextFloat()),
  );
  const levels = Int32Array.from({ length: numRows }, () => rng.nextInt(10) - 1);
  const hot = Array.from({ length: 5 }, () => new Float64Array(numRows));
  const codes = new Int32Array(numRows);
  for (let row = 0; row < numRows; row++) {
    const which = rng.nextInt(5);
    hot[which][row] = 1;
    const x = (numeric[0][row] || 0.5) + ((levels[row] + 1) % 3) / 3 + (which % 2) / 2;
    codes[row] = Math.min(CLASSES - 1, Math.floor(2 * x + rng.nextFloat()));
  }
  return {
    numRows,
    features: [
      ...[...numeric, ...hot].map((
        values,
        f,
      ) => ({ kind: "numeric", name: `x${f}`, values } as const)),
      { kind: "categorical", name: "k", codes: levels, categories: [..."abcdefghi"] },
    ],
    target: { kind: "classification", name: "y", codes, classes: [..."vwxyz"] },
  };
}

const base: BoostPlan = {
  loss: softmaxLoss(CLASSES),
  rounds: 4,
  learningRate: 0.4,
  seed: 1,
  maxDepth: 4,
  metrics: [metricByName("logLoss")],
  trainMetrics: true,
};

const PLANS: { readonly [name: string]: Partial<BoostPlan> } = {
  "plain": {},
  "pruned, no limit of depth": { maxDepth: 0, maxLeaves: 12, gamma: 2, postPrune: true },
  "rows and columns drawn": {
    subsample: 0.6,
    featuresPerTree: 0.9,
    featuresPerLevel: 0.8,
    featureWeights: [1, 2, 3, 1, 1, 1, 1, 1, 0.5],
  },
  "constraints": {
    monotone: [1, -1, 0, 0, 0, 0, 0, 0, 0],
    interactions: [[0, 1, 8], [2, 3, 4, 5]],
  },
};

for (const [name, plan] of Object.entries(PLANS)) {
  Deno.test(`trees of classes are the same by one thread each as by all: ${name}`, async () => {
    const data = makeData(400, 1);
    const run = async (threads: number) => {
      const { ensemble, history } = await boost(data, { ...base, ...plan }, {
        threads,
        valid: makeData(200, 2),
      });
      return { ensemble, metrics: history.map(({ metrics }) => metrics) };
    };
    const one = await run(1);
    // Of two threads each grows two trees or three by itself; of four each one, and all the last.
    assertEquals(await run(2), one);
    assertEquals(await run(4), one);
  });
}

Deno.test("rows of a root that is split on a category are parted by its levels", async () => {
  const levels = Int32Array.from({ length: 500 }, (_, row) => row % 8);
  // Odd levels are 10, even ones 2: one set of levels says it all, no range of them does.
  const values = Float64Array.from(levels, (level) => level & 1 ? 10 : 2);
  const data: Dataset = {
    numRows: 500,
    features: [{ kind: "categorical", name: "k", codes: levels, categories: [..."abcdefgh"] }],
    target: { kind: "regression", name: "y", values },
  };
  const { history } = await boost(data, {
    loss: squaredLoss(),
    rounds: 1,
    learningRate: 1,
    seed: 1,
    lambda: 0,
    maxDepth: 2,
    metrics: [metricByName("rmse")],
    trainMetrics: true,
  }, { threads: 1 });
  assert(history[0].metrics.train.rmse < 1e-6, `${history[0].metrics.train.rmse}`); // float32 leaves
});
