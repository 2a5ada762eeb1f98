/**
 * Numbers of more bins than a byte holds, and of fewer.
 *
 * @module
 */
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import type { Dataset } from "../../../../src/data/types.ts";
import { boost } from "../../../../src/ensemble/boosting/booster.ts";
import type { BoostPlan } from "../../../../src/ensemble/plan.ts";
import { squaredLoss } from "../../../../src/loss/squared.ts";
import { createRng } from "../../../../src/util/rng.ts";

const PLAN: BoostPlan = {
  loss: squaredLoss(),
  rounds: 1,
  learningRate: 1,
  seed: 1,
  maxDepth: 1,
  maxBins: 1000,
  lambda: 1,
};

function tableOf(columns: readonly Float64Array[], values: Float64Array): Dataset {
  return {
    numRows: values.length,
    features: columns.map((x, f) => ({ kind: "numeric", name: `x${f}`, values: x })),
    target: { kind: "regression", name: "y", values },
  };
}

/** What a root gains by each feature, threshold and side of missing values; squared loss, λ = 1. */
function mostOf(
  columns: readonly Float64Array[],
  y: Float64Array,
  leastRows: number,
): { gain: number; feature: number } {
  const mean = y.reduce((sum, value) => sum + value) / y.length;
  const best = { gain: 0, feature: -1 };
  columns.forEach((x, feature) => {
    const order = [...x.keys()].filter((row) => x[row] === x[row]).sort((a, b) => x[a] - x[b]);
    const missing = [...x.keys()].filter((row) => x[row] !== x[row]);
    for (const first of [[], missing]) {
      let g = first.reduce((sum, row) => sum + mean - y[row], 0);
      order.forEach((row, i) => {
        g += mean - y[row];
        const h = first.length + i + 1;
        const isLast = i + 1 === order.length;
        if (isLast ? h === y.length : x[order[i + 1]] === x[row]) return;
        if (h < leastRows || y.length - h < leastRows) return;
        // The sums of all are 0 and the number of rows: a root gains nothing by itself.
        const gain = g ** 2 / (h + 1) + g ** 2 / (y.length - h + 1);
        if (gain > best.gain + 1e-9) Object.assign(best, { gain, feature });
      });
    }
  });
  return best;
}

// Scores with a bound on steps are not the kernels' matter; so large a one bounds none.
for (
  const [maxDeltaStep, minRowsPerLeaf] of [[0, 1], [0, 200], [1e6, 1], [1e6, 200]]
) {
  Deno.test(`boost() takes the best of all thresholds written out of numbers of a thousand bins: steps below ${maxDeltaStep}, leaves of ${minRowsPerLeaf} rows`, async () => {
    const seen = new Set<number>();
    for (let seed = 0; seed < 12; seed++) {
      const rng = createRng(seed);
      const draw = (numValues: number) =>
        Float64Array.from(
          { length: 700 },
          () => rng.nextInt(9) === 0 ? NaN : rng.nextInt(numValues),
        );
      const columns = [draw(12), draw(600), draw(900)];
      const said = columns[seed % 3];
      const y = said.map((x) => (x > 3 ? 1 : x < 2 ? -1 : 0) + 3 * rng.nextFloat());
      const most = mostOf(columns, y, minRowsPerLeaf);
      const plan = { ...PLAN, maxDeltaStep, minRowsPerLeaf };
      // With weights, second derivatives do not count rows.
      const data = { ...tableOf(columns, y), sampleWeight: new Float64Array(700).fill(1) };
      const { ensemble: { trees } } = await boost(data, plan);
      assertEquals(trees.feature[0], most.feature, `seed ${seed}`);
      assertAlmostEquals(trees.gain[0], most.gain, 1e-5 * most.gain, `seed ${seed}`); // float32
      seen.add(most.feature);
    }
    assertEquals(seen.size, 3);
  });
}

Deno.test("of equal gains the lower feature is split on, whatever the bytes of its bins", async () => {
  const many = Float64Array.from({ length: 700 }, (_, row) => row);
  const two = many.map((x) => x < 350 ? 0 : 1);
  for (const columns of [[many, two], [two, many]]) {
    const { ensemble: { trees } } = await boost(tableOf(columns, two), PLAN);
    assertEquals(trees.feature[0], 0);
  }
});

// So many rows have packed histograms.
Deno.test("boost() finds the step of a number of few and of many bins in many rows", async () => {
  const rng = createRng(6);
  const n = 70_000;
  // Whole numbers and eighths, which are coded in different ways.
  const kinds = [[1000, 1], [100, 1], [900, 8], [90, 8]];
  const columns = kinds.map(([size, parts]) =>
    Float64Array.from({ length: n }, () => rng.nextInt(size) / parts)
  );
  for (const [feature, x] of columns.entries()) {
    const [size, parts] = kinds[feature];
    const step = (0.6 * size + 0.5) / parts;
    const y = x.map((value) => value > step ? 1 : 0);
    const { ensemble: { trees } } = await boost(tableOf(columns, y), PLAN, { threads: 1 });
    assertEquals([trees.feature[0], trees.threshold[0]], [feature, step]);
    // Both sides are off by as much: those below by the mean, each.
    const above = y.reduce((sum, value) => sum + value);
    const g = (n - above) * above / n;
    const gain = g ** 2 / (n - above + 1) + g ** 2 / (above + 1);
    assertAlmostEquals(trees.gain[0], gain, 1e-4 * gain); // quanta of 16 bits
  }
});

Deno.test("features are drawn for each of two siblings by itself", async () => {
  const rng = createRng(3);
  const columns = Array.from(
    { length: 2 },
    () => Float64Array.from({ length: 400 }, () => rng.nextFloat()),
  );
  const y = columns[0].map((x, row) => 3 * x + 3 * columns[1][row] + rng.nextFloat());
  const plan = { ...PLAN, rounds: 60, learningRate: 0.01, maxDepth: 2, featuresPerNode: 0.5 };
  const { ensemble: { trees } } = await boost(tableOf(columns, y), plan);
  const alike = [...trees.treeStart.subarray(0, 60)].filter((root) =>
    trees.feature[root + 1] === trees.feature[root + 2]
  );
  // Half of 60 with a standard deviation of 4; five of them.
  assert(Math.abs(alike.length - 30) < 20, `${alike.length}`);
});
