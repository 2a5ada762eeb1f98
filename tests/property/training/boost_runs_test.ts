import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { schemaFromDataset } from "../../../src/data/dataset/schema.ts";
import type { Dataset } from "../../../src/data/types.ts";
import { boost } from "../../../src/ensemble/boosting/booster.ts";
import type { BoostPlan, CheckpointState } from "../../../src/ensemble/plan.ts";
import { squaredLoss } from "../../../src/loss/squared.ts";
import { metricByName } from "../../../src/metric/metrics.ts";
import { createModel } from "../../../src/model/model.ts";
import type { Ensemble } from "../../../src/model/types.ts";
import { createRng } from "../../../src/util/rng.ts";

/** A smooth function of four features with noise; the third is a category of 8 levels. */
function makeData(numRows: number, seed: number): Dataset {
  const rng = createRng(seed);
  const column = () => Float64Array.from({ length: numRows }, () => rng.nextFloat() * 4 - 2);
  const [a, b, c] = [column(), column(), column()];
  const codes = Int32Array.from({ length: numRows }, () => rng.nextInt(8));
  for (let i = 0; i < numRows; i += 9) c[i] = NaN;
  const y = a.map((x, i) => Math.sin(2 * x) + 0.5 * x + b[i] * (codes[i] % 2) + rng.nextFloat());
  return {
    numRows,
    features: [
      { kind: "numeric", name: "a", values: a },
      { kind: "numeric", name: "b", values: b },
      { kind: "categorical", name: "k", codes, categories: [..."abcdefgh"] },
      { kind: "numeric", name: "c", values: c },
    ],
    target: { kind: "regression", name: "y", values: y },
  };
}

function predict(data: Dataset, ensemble: Ensemble): Float64Array {
  const model = createModel({
    schema: schemaFromDataset(data, { missingLearnt: [true, true, true, true] }),
    ensemble,
    info: { version: "0", algorithm: "boost" },
  });
  return model.predictRaw(data).data;
}

/** Trees without their histories, to compare runs. */
const bytesOf = ({ trees, treeWeight, baseScore }: Ensemble) => [
  [...trees.feature],
  [...trees.threshold],
  [...trees.leaf],
  [...trees.cover],
  [...trees.categoryPool],
  [...treeWeight],
  [...baseScore],
];

const data = makeData(600, 1);
const valid = makeData(300, 2);
const base: BoostPlan = {
  loss: squaredLoss(),
  rounds: 12,
  learningRate: 0.3,
  seed: 4,
  maxDepth: 4,
  metrics: [metricByName("rmse")],
};

const PLANS: { readonly [name: string]: Partial<BoostPlan> } = {
  plain: {},
  drawn: { subsample: 0.6, featuresPerTree: 0.7, featuresPerLevel: 0.8, featuresPerNode: 0.8 },
  "leaf-wise with smoothing": { growth: "leaf", maxDepth: 0, maxLeaves: 12, pathSmooth: 3 },
  "bins of two bytes": { maxBins: 600 },
  bootstrap: { sampling: "bootstrap" },
  goss: { sampling: "goss", learningRate: 0.5 },
  "parallel trees": { parallelTrees: 3, subsample: 0.5 },
  committee: {
    committee: { members: 3, partOf: Uint8Array.from({ length: data.numRows }, (_, i) => i % 3) },
    subsample: 0.7,
    featuresPerNode: 0.8,
  },
  pruned: { gamma: 2, postPrune: true },
  dart: {
    dart: {
      dropRate: 0.3,
      skipDrop: 0.1,
      maxDrop: 0,
      oneDrop: false,
      dropBy: "uniform",
      dropScale: "tree",
    },
  },
  "dart, weighted": {
    subsample: 0.8,
    dart: {
      dropRate: 0.4,
      skipDrop: 0,
      maxDrop: 3,
      oneDrop: true,
      dropBy: "weighted",
      dropScale: "lightgbm",
    },
  },
};

for (const [name, extra] of Object.entries(PLANS)) {
  const plan = { ...base, ...extra };

  Deno.test(`boost(): the reported metric is the model's own (${name})`, async () => {
    const { ensemble, history } = await boost(data, plan, { valid });
    const raw = predict(valid, ensemble);
    const { values } = valid.target as { values: Float64Array };
    const mse = values.reduce((sum, y, i) => sum + (y - raw[i]) ** 2, 0) / values.length;
    assertAlmostEquals(history[11].metrics.valid.rmse, Math.sqrt(mse), 1e-9);
    assert(history[11].metrics.valid.rmse < history[0].metrics.valid.rmse);
  });

  Deno.test(`boost(): resumed from a checkpoint gives the same trees (${name})`, async () => {
    let state: CheckpointState | undefined;
    const whole = await boost(data, {
      ...plan,
      checkpoint: { every: 5, save: (s) => void (state ??= s) },
    }, { valid });
    assertEquals(state!.round, 5);
    const resumed = await boost(data, { ...plan, resume: state! }, { valid });
    assertEquals(bytesOf(resumed.ensemble), bytesOf(whole.ensemble));
    assertEquals(
      resumed.history.map(({ metrics }) => metrics),
      whole.history.map(({ metrics }) => metrics),
    );
  });

  Deno.test(`boost(): stopping early gives exactly the shorter run (${name})`, async () => {
    const short = await boost(data, { ...plan, rounds: 7 });
    const best = await boost(data, {
      ...plan,
      earlyStopping: {
        // Falls until round 7, then rises.
        metric: { name: "fake", higherIsBetter: false, value: fakeMetric() },
        set: "valid",
        rounds: 3,
      },
      metrics: [{ name: "fake", higherIsBetter: false, value: fakeMetric() }],
    }, { valid });
    assertEquals(best.best?.round, 7);
    assertEquals(bytesOf(best.ensemble), bytesOf(short.ensemble));
  });
}

function fakeMetric(): () => number {
  let round = 0;
  return () => Math.abs(++round - 7);
}

Deno.test("boost(): DART with rate 0 is plain boosting", async () => {
  const dart = { ...PLANS.dart.dart!, dropRate: 0 };
  const [a, b] = [await boost(data, base), await boost(data, { ...base, dart })];
  assertEquals(bytesOf(a.ensemble), bytesOf(b.ensemble));
});

Deno.test("boost(): monotone constraints hold for every pair of rows", async () => {
  const plan: BoostPlan = { ...base, rounds: 30, monotone: [1, -1, 0, 0], lambda: 0.1 };
  for (const extra of [{}, { growth: "leaf", maxLeaves: 20, maxDepth: 0 } as const]) {
    const { ensemble } = await boost(data, { ...plan, ...extra });
    const steps = 60;
    for (const [feature, direction] of [[0, 1], [1, -1]]) {
      for (let row = 0; row < 20; row++) {
        const line: Dataset = {
          numRows: steps,
          features: data.features.map((column, f) =>
            column.kind === "categorical"
              ? { ...column, codes: new Int32Array(steps).fill(column.codes[row]) }
              : {
                ...column,
                values: Float64Array.from(
                  { length: steps },
                  (_, i) => f === feature ? (i / steps) * 5 - 2.5 : column.values[row],
                ),
              }
          ),
        };
        const raw = predict(line, ensemble);
        for (let i = 1; i < steps; i++) {
          assert(direction * (raw[i] - raw[i - 1]) >= -1e-12, `feature ${feature}, row ${row}`);
        }
      }
    }
  }
});

Deno.test("boost(): interaction constraints hold on every path", async () => {
  const { ensemble } = await boost(data, { ...base, interactions: [[0, 1], [2, 3]] });
  const { trees } = ensemble;
  const parent = new Int32Array(trees.kind.length).fill(-1);
  trees.firstChild.forEach((child, node) => {
    if (child >= 0) parent[child] = parent[child + 1] = node;
  });
  let paths = 0;
  trees.kind.forEach((kind, node) => {
    if (kind !== 0) return;
    const used = new Set<number>();
    for (let at = parent[node]; at >= 0; at = parent[at]) used.add(trees.feature[at]);
    if (used.size > 1) paths++;
    assert([...used].every((f) => f < 2) || [...used].every((f) => f >= 2), `${[...used]}`);
  });
  assert(paths > 0);
});

Deno.test("boost(): features of weight 0 are never used", async () => {
  const { ensemble } = await boost(data, { ...base, featureWeights: [0, 1, 1, 1] });
  assertEquals(ensemble.trees.feature.includes(0), false);
  assertEquals(ensemble.trees.feature.includes(1), true);
});
