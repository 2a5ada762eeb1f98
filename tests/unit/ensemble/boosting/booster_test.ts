import { assert, assertAlmostEquals, assertEquals, assertRejects } from "@std/assert";
import type { Dataset } from "../../../../src/data/types.ts";
import { boost } from "../../../../src/ensemble/boosting/booster.ts";
import type { BoostPlan } from "../../../../src/ensemble/plan.ts";
import { TrainingError } from "../../../../src/errors.ts";
import { logisticLoss } from "../../../../src/loss/logistic.ts";
import { squaredLoss } from "../../../../src/loss/squared.ts";
import { softmaxLoss } from "../../../../src/loss/softmax.ts";
import { metricByName } from "../../../../src/metric/metrics.ts";
import { createRng } from "../../../../src/util/rng.ts";

const squared: BoostPlan = { loss: squaredLoss(), rounds: 1, learningRate: 1, seed: 0 };

function numeric(columns: readonly number[][], y: readonly number[]): Dataset {
  return {
    numRows: y.length,
    features: columns.map((values, i) => ({
      kind: "numeric",
      name: `x${i}`,
      values: Float64Array.from(values),
    })),
    target: { kind: "regression", name: "y", values: Float64Array.from(y) },
  };
}

/** Rows of noisy numbers, with missing values and a text column. */
function mixed(numRows: number, classes: number): Dataset {
  const rng = createRng(7);
  const column = () => Float64Array.from({ length: numRows }, () => rng.nextFloat());
  const [a, b] = [column(), column()];
  const codes = Int32Array.from({ length: numRows }, () => rng.nextInt(9));
  const y = Int32Array.from(a, (x, i) => {
    const score = 3 * x + b[i] + (codes[i] % 3) + rng.nextFloat();
    return Math.min(classes - 1, Math.floor((score * classes) / 7));
  });
  for (let i = 0; i < numRows; i += 7) b[i] = NaN;
  return {
    numRows,
    features: [
      { kind: "numeric", name: "a", values: a },
      { kind: "numeric", name: "b", values: b },
      { kind: "categorical", name: "c", codes, categories: [..."abcdefghi"] },
    ],
    target: {
      kind: "classification",
      name: "y",
      codes: y,
      classes: Array.from({ length: classes }, (_, i) => `${i}`),
    },
  };
}

Deno.test("boost() finds the one split of four rows", async () => {
  const data = numeric([[1, 2, 3, 4]], [0, 0, 1, 1]);
  const { ensemble } = await boost(data, { ...squared, maxDepth: 1, lambda: 0 });
  assertEquals(ensemble.baseScore, new Float64Array([0.5]));
  assertEquals(ensemble.trees.threshold[0], 2.5);
  assertEquals([...ensemble.trees.leaf.subarray(1)], [-0.5, 0.5]);
  // Gain of the formula: (−1)²/2 … each side G = ±1, H = 2; parent G = 0.
  assertAlmostEquals(ensemble.trees.gain[0], 1, 1e-6);
  assertEquals([...ensemble.trees.cover], [4, 2, 2]);
});

Deno.test("boost() shrinks leaves by lambda and the learning rate", async () => {
  const data = numeric([[1, 2, 3, 4]], [0, 0, 1, 1]);
  const { ensemble } = await boost(data, { ...squared, maxDepth: 1, lambda: 2, learningRate: 0.5 });
  // −G / (H + λ) = 1 / 4, halved.
  assertEquals([...ensemble.trees.leaf.subarray(1)], [-0.125, 0.125]);
});

Deno.test("boost() learns the side of missing values", async () => {
  const data = numeric([[1, 2, NaN, NaN, 5, 6]], [0, 0, 1, 1, 1, 1]);
  const { ensemble, missingLearnt } = await boost(data, { ...squared, maxDepth: 1, lambda: 0 });
  assertEquals(missingLearnt, [true]);
  assertEquals(ensemble.trees.missing[0], 1);
  assertEquals(ensemble.trees.threshold[0], 3.5);
  const other = numeric([[1, 2, NaN, NaN, 5, 6]], [1, 1, 1, 1, 0, 0]);
  assertEquals((await boost(other, { ...squared, maxDepth: 1 })).ensemble.trees.missing[0], 0);
});

Deno.test("boost() parts missing from present values", async () => {
  const data = numeric([[1, 2, NaN, NaN]], [0, 0, 1, 1]);
  const { ensemble } = await boost(data, { ...squared, maxDepth: 1, lambda: 0 });
  assertEquals([...ensemble.trees.leaf.subarray(1)], [-0.5, 0.5]);
  assertEquals(ensemble.trees.missing[0], 1);
});

Deno.test("boost() splits categories by sets, and unknown ones follow the heavier child", async () => {
  const data: Dataset = {
    numRows: 10,
    features: [{
      kind: "categorical",
      name: "c",
      codes: Int32Array.from([0, 0, 1, 1, 2, 2, 3, 3, 3, 3]),
      categories: ["a", "b", "c", "d", "e", "f"],
    }],
    target: {
      kind: "regression",
      name: "y",
      values: Float64Array.from([0, 0, 1, 1, 0, 0, 1, 1, 1, 1]),
    },
  };
  const plan = { ...squared, maxDepth: 1, lambda: 0, catSmooth: 0 };
  const { ensemble } = await boost(data, plan);
  const { categoryPool, leaf } = ensemble.trees;
  // Levels a and c have the same mean, b and d the other; e, f and unknown (bit 6) go where 6 of 10
  // rows are. 0.6 is the base score.
  const lowLeft = (categoryPool[0] & 1) === 1;
  assertEquals(categoryPool[0], lowLeft ? 0b0000101 : 0b1111010);
  assertAlmostEquals(leaf[1], lowLeft ? -0.6 : 0.4, 1e-6);
});

Deno.test("boost() respects minRowsPerLeaf and minChildWeight", async () => {
  const data = numeric([[1, 2, 3, 4, 5, 6]], [9, 0, 0, 0, 0, 0]);
  for (const limit of [{ minRowsPerLeaf: 3 }, { minChildWeight: 3 }]) {
    const { ensemble } = await boost(data, { ...squared, maxDepth: 3, ...limit });
    assertEquals(ensemble.trees.threshold[0], 3.5);
    assertEquals(ensemble.trees.kind.length, 3);
  }
});

Deno.test("boost() grows leaf-wise to maxLeaves leaves", async () => {
  const data = mixed(500, 2);
  const plan: BoostPlan = {
    loss: logisticLoss(),
    rounds: 3,
    learningRate: 0.3,
    seed: 1,
    growth: "leaf",
    maxDepth: 0,
    maxLeaves: 7,
  };
  const { trees } = (await boost(data, plan)).ensemble;
  for (let t = 0; t < 3; t++) {
    const kinds = trees.kind.subarray(trees.treeStart[t], trees.treeStart[t + 1]);
    assertEquals(kinds.filter((kind) => kind === 0).length, 7);
  }
});

Deno.test("boost() lowers the loss of three classes, one tree a class and round", async () => {
  const data = mixed(600, 3);
  const valid = mixed(300, 3);
  const plan: BoostPlan = {
    loss: softmaxLoss(3),
    rounds: 20,
    learningRate: 0.3,
    seed: 1,
    metrics: [metricByName("logLoss")],
  };
  const { ensemble, history } = await boost(data, plan, { valid });
  assertEquals(ensemble.treeOutput.length, 60);
  const loss = history.map(({ metrics }) => metrics.valid.logLoss);
  assert(loss[19] < 0.6 * loss[0], `${loss[0]} → ${loss[19]}`);
});

for (const curvature of ["treeline", "lightgbm"] as const) {
  Deno.test(`boost() takes the same trees from the softmax kernel and from the loss itself: ${curvature}`, async () => {
    const rng = createRng(8);
    const x = Float64Array.from({ length: 400 }, () => rng.nextFloat());
    const data: Dataset = {
      numRows: 400,
      features: [{ kind: "numeric", name: "x", values: x }],
      target: {
        kind: "classification",
        name: "y",
        codes: Int32Array.from(x, (value) => Math.floor(value * 2.9 + rng.nextFloat() * 0.4) % 3),
        classes: ["a", "b", "c"],
      },
    };
    const { kernel, ...slow } = softmaxLoss(3, curvature);
    assertEquals(kernel, "softmax");
    const plan = { rounds: 6, learningRate: 0.3, seed: 1, minChildWeight: 0 };
    const fast = await boost(data, { ...plan, loss: softmaxLoss(3, curvature) });
    const own = await boost(data, { ...plan, loss: slow });
    assertEquals(fast.ensemble.trees, own.ensemble.trees);
  });
}

Deno.test("boost() returns the best prefix", async () => {
  const plan: BoostPlan = {
    loss: logisticLoss(),
    rounds: 200,
    learningRate: 0.5,
    seed: 0,
    metrics: [metricByName("logLoss")],
    earlyStopping: { metric: metricByName("logLoss"), set: "valid", rounds: 5 },
  };
  const data = mixed(400, 2);
  const rows = mixed(1200, 2);
  const valid = {
    ...rows,
    numRows: 300,
    features: rows.features.map((f) =>
      f.kind === "numeric"
        ? { ...f, values: f.values.slice(900) }
        : { ...f, codes: f.codes.slice(900) }
    ),
    target: { ...rows.target!, codes: (rows.target as { codes: Int32Array }).codes.slice(900) },
  } as Dataset;
  const { ensemble, history, best } = await boost(data, plan, { valid });
  const loss = history.map(({ metrics }) => metrics.valid.logLoss);
  assertEquals(best!.round, loss.indexOf(Math.min(...loss)) + 1);
  assertEquals(history.length, best!.round + 5);
  assertEquals(ensemble.treeWeight.length, best!.round);
});

Deno.test("boost() rejects with the best so far when aborted", async () => {
  const control = new AbortController();
  const plan: BoostPlan = { loss: logisticLoss(), rounds: 100, learningRate: 0.1, seed: 0 };
  const error = await assertRejects(
    () =>
      boost(mixed(200, 2), plan, {
        signal: control.signal,
        onRound: ({ round }) => round === 3 && control.abort(),
      }),
    TrainingError,
  );
  assertEquals(error.code, "E_TRAIN_ABORTED");
  const { best } = error.details as { best: { ensemble: { treeWeight: Float64Array } } };
  assertEquals(best.ensemble.treeWeight.length, 3);
});

Deno.test("boost() treats weight 2 like a doubled row", async () => {
  const data = numeric([[1, 2, 3, 4, 5]], [0, 1, 1, 5, 5]);
  const weighted = { ...data, sampleWeight: new Float64Array([1, 2, 1, 1, 2]) };
  const doubled = numeric([[1, 2, 2, 3, 4, 5, 5]], [0, 1, 1, 1, 5, 5, 5]);
  const plan = { ...squared, rounds: 3, learningRate: 0.5, minChildWeight: 0 };
  const [a, b] = [await boost(weighted, plan), await boost(doubled, plan)];
  assertEquals(a.ensemble.trees.threshold, b.ensemble.trees.threshold);
  a.ensemble.trees.leaf.forEach((value, i) =>
    assertAlmostEquals(value, b.ensemble.trees.leaf[i], 1e-6) // leaves are float32
  );
});

Deno.test("boost() makes one leaf of constant features", async () => {
  const { ensemble } = await boost(numeric([[1, 1, 1]], [1, 2, 3]), squared);
  assertEquals(ensemble.trees.kind.length, 1);
});
