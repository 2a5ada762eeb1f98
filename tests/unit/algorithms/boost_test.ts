import { assert, assertAlmostEquals, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { trainBoost } from "../../../src/algorithms/boost.ts";
import { train } from "../../../src/algorithms/train.ts";
import { createDataset } from "../../../src/data/dataset.ts";
import type { Dataset } from "../../../src/data/types.ts";
import { DataError, ParameterError } from "../../../src/errors.ts";
import { evaluate } from "../../../src/evaluate/evaluate.ts";
import { explainShap } from "../../../src/explain/mod.ts";
import { decodeModel, encodeModel } from "../../../src/format/binary.ts";
import { createRng } from "../../../src/util/rng.ts";

function numeric(name: string, values: number[]) {
  return { kind: "numeric", name, values: Float64Array.from(values) } as const;
}

function regression(x: number[], y: number[]): Dataset {
  return createDataset([numeric("x", x)], {
    kind: "regression",
    name: "y",
    values: Float64Array.from(y),
  });
}

/** y = 3a − 2b + noise; classes by sign. */
function noisy(numRows: number, seed: number): { numbers: Dataset; classes: Dataset } {
  const rng = createRng(seed);
  const a = Array.from({ length: numRows }, () => rng.nextFloat());
  const b = Array.from({ length: numRows }, () => rng.nextFloat());
  const y = a.map((value, i) => 3 * value - 2 * b[i] - 0.5 + 0.4 * (rng.nextFloat() - 0.5));
  const features = [numeric("a", a), numeric("b", b)];
  return {
    numbers: createDataset(features, {
      kind: "regression",
      name: "y",
      values: Float64Array.from(y),
    }),
    classes: createDataset(features, {
      kind: "classification",
      name: "y",
      codes: Int32Array.from(y, (value) => value > 0 ? 1 : 0),
      classes: ["no", "yes"],
    }),
  };
}

Deno.test("trainBoost() takes the split of the closed form with NaN going right", async () => {
  // ALGORITHMS 6.2: x 1 2 3 NaN, y 0 0 1 1, base 0.5, λ 1, η 0.3: x < 3, missing right, leaves ∓0.1.
  const model = await trainBoost(regression([1, 2, 3, NaN], [0, 0, 1, 1]), {
    preset: "xgboost@2",
    treeMethod: "exact",
    rounds: 1,
    maxDepth: 1,
    baseScore: 0.5,
  });
  const { trees } = model.ensemble;
  assertEquals([trees.kind.length, trees.missing[0]], [3, 1]);
  assertAlmostEquals(trees.gain[0], 2 / 3, 1e-7); // float32 gain
  const values = model.predictValue([{ x: 1 }, { x: 2 }, { x: 3 }, { x: null }]);
  for (const [i, wanted] of [0.4, 0.4, 0.6, 0.6].entries()) {
    assertAlmostEquals(values[i], wanted, 1e-7);
  }
});

Deno.test("trainBoost() learns numbers and classes well below the base rate", async () => {
  const { numbers, classes } = noisy(600, 1);
  const fresh = noisy(400, 2);
  const regressor = await trainBoost(numbers, { rounds: 60 });
  assert(evaluate(regressor, fresh.numbers).metrics.r2 > 0.95);
  const classifier = await trainBoost(classes, { rounds: 60 });
  const { metrics } = evaluate(classifier, fresh.classes);
  assert(metrics.logLoss < 0.25 && metrics.accuracy > 0.9, JSON.stringify(metrics));
  assertEquals(Object.keys(metrics), ["logLoss", "auc", "accuracy"]);
});

Deno.test("trainBoost() with 0 rounds predicts the base rate", async () => {
  const { classes } = noisy(50, 3);
  const model = await trainBoost(classes, { rounds: 0 });
  const codes = classes.target!.kind === "classification" ? [...classes.target!.codes] : [];
  const share = codes.reduce((a, b) => a + b, 0) / 50;
  assertAlmostEquals(model.predictProba({ a: 0, b: 0 }).data[1], share, 1e-6); // float32 margin
});

Deno.test("trainBoost() returns the best prefix under early stopping and stores how", async () => {
  const { classes } = noisy(120, 4);
  const valid = noisy(200, 5).classes;
  const values: number[] = [];
  const model = await trainBoost(
    classes,
    { rounds: 200, learningRate: 0.5, earlyStoppingRounds: 5 },
    { valid, onRound: (r) => values.push(r.metrics.valid.logLoss) },
  );
  const best = model.info.best!;
  assertEquals([best.metric, best.set], ["logLoss", "valid"]);
  assertEquals(best.round, values.indexOf(Math.min(...values)) + 1);
  assertEquals(model.numRounds, best.round);
  assertEquals(values.length, best.round + 5);
  assertAlmostEquals(evaluate(model, valid).metrics.logLoss, best.value, 1e-12);
});

// F1: the model is the best prefix, in memory and in the file.
for (const treeMethod of ["hist", "exact"] as const) {
  Deno.test(`trainBoost() keeps no round after the best one, ${treeMethod}`, async () => {
    const x = Float64Array.from({ length: 8 }, (_, i) => i);
    const data = (step: number) =>
      createDataset(
        [{ kind: "numeric", name: "x", values: x }],
        { kind: "regression", name: "y", values: x.map((v) => v > 3 ? step : 0) },
      );
    // Rounds halve the rest of a step of 1; the held-out step is what three of them reach.
    const params = {
      treeMethod,
      rounds: 10,
      learningRate: 0.5,
      lambda: 0,
      minChildWeight: 0,
      minRowsPerLeaf: 1,
      baseScore: 0,
    };
    const valid = data(0.875);
    const model = await trainBoost(
      data(1),
      { ...params, earlyStoppingRounds: 10 },
      { valid },
    );
    assertEquals([model.info.best?.round, model.numRounds, model.numTrees], [3, 3, 3]);
    const loaded = decodeModel(encodeModel(model));
    assertEquals(loaded.numTrees, 3);
    assertEquals(loaded.predictValue(valid), model.predictValue(valid));
    assertEquals([...loaded.predictValue(valid)], [0, 0, 0, 0, 0.875, 0.875, 0.875, 0.875]);
    const all = await trainBoost(data(1), params);
    assertEquals(all.predictValue(valid, { rounds: 3 }), model.predictValue(valid));
  });
}

Deno.test("trainBoost() lets one metric on one set decide, in any order of listing", async () => {
  const { classes } = noisy(120, 4);
  const sets = { one: noisy(100, 5).classes, two: noisy(100, 6).classes };
  const params = {
    rounds: 30,
    learningRate: 0.5,
    earlyStoppingRounds: 5,
    earlyStoppingSet: "two",
    earlyStoppingMetric: "auc",
  };
  const a = await trainBoost(classes, { ...params, metrics: ["auc", "logLoss"] }, { valid: sets });
  const b = await trainBoost(classes, { ...params, metrics: ["logLoss", "auc"] }, {
    valid: { two: sets.two, one: sets.one },
  });
  assertEquals(a.info.best, b.info.best);
  assertEquals([a.info.best!.metric, a.info.best!.set], ["auc", "two"]);
});

Deno.test("trainBoost() holds rows out for early stopping and says so", async () => {
  const warnings: string[] = [];
  const model = await trainBoost(noisy(200, 7).classes, { rounds: 50, earlyStoppingRounds: 3 }, {
    onWarning: (message) => warnings.push(message),
  });
  assertEquals(model.info.numRows, 180);
  assertEquals(model.info.best!.set, "heldOut");
  assert(warnings[0].includes("held out 20 of 200 rows"), warnings[0]);
});

Deno.test("trainBoost() refuses a deciding set or metric that is not there", async () => {
  const { classes } = noisy(50, 8);
  for (
    const params of [{ earlyStoppingSet: "nope" }, {
      earlyStoppingMetric: "rmsle",
      metrics: ["auc"],
    }]
  ) {
    const run = trainBoost(classes, { earlyStoppingRounds: 2, ...params }, { valid: classes });
    if ("metrics" in params) await run; // a deciding metric is computed even when not listed
    else {
      const error = await assertRejects(() => run, ParameterError);
      assertEquals(error.code, "E_PARAM_CONFLICT");
    }
  }
});

Deno.test("trainBoost() matches validation columns by name and classes by label", async () => {
  const { classes } = noisy(100, 9);
  const [a, b] = classes.features;
  const target = classes.target!;
  assert(target.kind === "classification");
  const turned: Dataset = {
    ...classes,
    features: [b, a],
    target: { ...target, codes: target.codes.map((code) => 1 - code), classes: ["yes", "no"] },
  };
  const read = async (valid: Dataset) => {
    const found: number[] = [];
    await trainBoost(classes, { rounds: 5 }, {
      valid,
      onRound: (r) => found.push(r.metrics.valid.logLoss),
    });
    return found;
  };
  assertEquals(await read(turned), await read(classes));
});

Deno.test("trainBoost() weight 2 equals a doubled row", async () => {
  const { numbers } = noisy(40, 10);
  const rows = Int32Array.from({ length: 40 }, (_, i) => i);
  const weight = Float64Array.from(rows, (i) => i % 3 === 0 ? 2 : 1);
  const doubled = [...rows].flatMap((i) => i % 3 === 0 ? [i, i] : [i]);
  const { selectRows } = await import("../../../src/data/dataset.ts");
  const once = await trainBoost({ ...numbers, sampleWeight: weight }, {
    rounds: 10,
    minRowsPerLeaf: 1,
  });
  const twice = await trainBoost(selectRows(numbers, Int32Array.from(doubled)), {
    rounds: 10,
    minRowsPerLeaf: 1,
  });
  const [p, q] = [once.predictValue(numbers), twice.predictValue(numbers)];
  p.forEach((value, i) => assertAlmostEquals(value, q[i], 1e-5));
});

Deno.test("trainBoost() takes the prior out of weighted classes", async () => {
  const { classes } = noisy(2000, 11);
  const plain = await trainBoost(classes, { rounds: 0, positiveWeight: 5 });
  const corrected = await trainBoost(classes, {
    rounds: 0,
    positiveWeight: 5,
    priorCorrection: true,
  });
  const base = await trainBoost(classes, { rounds: 0 });
  const at = { a: 0.5, b: 0.5 };
  assert(plain.predictProba(at).data[1] > base.predictProba(at).data[1] + 0.2);
  assertAlmostEquals(corrected.predictProba(at).data[1], base.predictProba(at).data[1], 1e-6);
  assertEquals(corrected.info.priorCorrection, [-Math.log(5)]);
});

Deno.test("trainBoost() refuses both ways of weighing classes at once", async () => {
  const error = await assertRejects(
    () => trainBoost(noisy(20, 1).classes, { positiveWeight: 2, classWeights: "balanced" }),
    ParameterError,
  );
  assertEquals(error.code, "E_PARAM_CONFLICT");
});

Deno.test("trainBoost() starts beside offsets at the constant that fits", async () => {
  // Counts are 2 × exposure exactly: the constant is ln 2.
  const exposure = [1, 2, 5, 10];
  const data = createDataset(
    [numeric("x", [0, 0, 0, 0])],
    { kind: "regression", name: "y", values: Float64Array.from(exposure, (e) => 2 * e) },
    undefined,
    { offset: Float64Array.from(exposure, Math.log) },
  );
  const model = await trainBoost(data, { loss: "poisson", rounds: 3 });
  assertAlmostEquals(model.ensemble.baseScore[0], Math.log(2), 1e-6);
  assertAlmostEquals(model.predictValue(data)[2], 10, 1e-5);
});

Deno.test("trainBoost() reads 0/1 classes as numbers where the loss is for numbers", async () => {
  const data = createDataset([numeric("x", [1, 2, 3, 4])], {
    kind: "classification",
    name: "y",
    codes: Int32Array.of(0, 0, 1, 1),
    classes: ["0", "1"],
  });
  const model = await trainBoost(data, { loss: "poisson", rounds: 1 });
  assertEquals([model.schema.task, model.schema.classes.length], ["regression", 0]);
});

Deno.test("trainBoost() same data, same bytes", async () => {
  const { classes } = noisy(100, 12);
  const leaves = async () => [...(await trainBoost(classes, { rounds: 5 })).ensemble.trees.leaf];
  assertEquals(await leaves(), await leaves());
});

Deno.test("train() knows algorithms by their aliases", async () => {
  const { numbers } = noisy(30, 13);
  const model = await train(numbers, { algorithm: "xgboost", n_estimators: 3 });
  assertEquals([model.info.algorithm, model.numRounds], ["boost", 3]);
  assertEquals(model.info.params, { preset: "treeline@1", rounds: 3 });
});

Deno.test("trainBoost() takes larger steps in late rounds where learningRateGrowth says so", async () => {
  // Two rows that a tree fits exactly: each round leaves 1 − η·f(t) of what is left to learn.
  const model = await trainBoost(regression([0, 1], [-1, 1]), {
    rounds: 200,
    learningRate: 0.01,
    learningRateGrowth: 3,
    lambda: 0,
    minRowsPerLeaf: 1,
    subsample: 1,
  });
  let left = 0.99 ** 50 * 0.97 ** 51; // rounds 1 to 50, and 150 to 200
  for (let round = 51; round < 150; round++) left *= 1 - 0.0002 * round;
  // Leaves are whole multiples of 2⁻³¹ or so of the largest gradient before they are scaled.
  assertAlmostEquals(model.predictValue([{ x: 1 }])[0], 1 - left, 1e-7);
  const steady = await trainBoost(regression([0, 1], [-1, 1]), {
    rounds: 60,
    learningRate: 0.01,
    lambda: 0,
    minRowsPerLeaf: 1,
    subsample: 1,
  });
  assertAlmostEquals(steady.predictValue([{ x: 1 }])[0], 1 - 0.99 ** 60, 1e-7);
});

Deno.test("trainBoost() refuses learningRateGrowth where each round has its own weight", async () => {
  for (const other of [{ dropRate: 0.5 }, { treeMethod: "exact" }]) {
    const error = await assertRejects(
      () => trainBoost(noisy(60, 1).numbers, { learningRateGrowth: 2, rounds: 3, ...other }),
      ParameterError,
    );
    assertEquals(error.code, "E_PARAM_CONFLICT");
  }
});

Deno.test("trainBoost() bounds leaves by maxDeltaStep, also those that a loss sets itself", async () => {
  const x = Float64Array.from({ length: 40 }, (_, i) => i);
  const data = createDataset([{ kind: "numeric", name: "x", values: x }], {
    kind: "regression",
    name: "y",
    values: x.map((value) => 10 * value),
  });
  for (const loss of ["squared", "absolute", "quantile", "mape", "huber"]) {
    const params = { loss, rounds: 2, learningRate: 1, maxDeltaStep: 0.5 };
    const { leaf, kind } = (await trainBoost(data, params)).ensemble.trees;
    const largest = leaf.reduce(
      (most, value, i) => kind[i] === 0 ? Math.max(most, Math.abs(value)) : most,
      0,
    );
    assertEquals([loss, largest], [loss, 0.5]);
  }
});

Deno.test("a part of a DART model is refused by predict and explain; its leaves are told", async () => {
  const { numbers } = noisy(80, 2);
  const model = await trainBoost(numbers, { rounds: 6, dropRate: 0.5, oneDrop: true });
  const row = [{ a: 0.2, b: 0.7 }];
  for (
    const part of [
      () => model.predictRaw(row, { rounds: 3 }),
      () => model.predictValue(row, { rounds: 0 }),
      () => explainShap(model, row, { rounds: 3 }),
    ]
  ) {
    assertThrows(part, ParameterError, "expected a whole number from 6 to 6");
  }
  assertEquals(model.predictRaw(row, { rounds: 6 }).data, model.predictRaw(row).data);
  assertEquals(model.predictLeaf(row, { rounds: 3 }).data.length, 3);
});

Deno.test("trainBoost() refuses weights that are negative, not finite, or all 0", async () => {
  const { numbers } = noisy(40, 1);
  for (const [row, value] of [[3, -1], [5, NaN], [0, Infinity]]) {
    const sampleWeight = new Float64Array(40).fill(1).with(row, value);
    const error = await assertRejects(
      () => trainBoost({ ...numbers, sampleWeight }, { rounds: 1 }),
      DataError,
      `row ${row + 1}`,
    );
    assertEquals(error.code, "E_DATA_TYPE");
  }
  const none = { ...numbers, sampleWeight: new Float64Array(40) };
  await assertRejects(() => trainBoost(none, { rounds: 1 }), DataError, "all are 0");
  await assertRejects(
    () => trainBoost(numbers, { rounds: 1 }, { valid: { late: none } }),
    DataError,
    "set late",
  );
});

Deno.test("trainBoost() refuses featureWeights that are no chances, or leave nothing to draw", async () => {
  const { numbers } = noisy(40, 1);
  for (const featureWeights of [{ a: -1 }, { a: Infinity }, { a: 0, b: 0 }]) {
    const error = await assertRejects(
      () => trainBoost(numbers, { rounds: 1, featureWeights, featuresPerNode: 0.5 }),
      ParameterError,
    );
    assertEquals([error.code, error.details.param], ["E_PARAM_RANGE", "featureWeights"]);
  }
  const given = { rounds: 3, featureWeights: { a: 0 }, featuresPerNode: 0.5 };
  const { trees } = (await trainBoost(numbers, given)).ensemble;
  assert(trees.feature.every((f, node) => trees.firstChild[node] < 0 || f === 1));
});

Deno.test("trainBoost() refuses a query whose rows are torn apart", async () => {
  const { numbers } = noisy(40, 1);
  const relevance = Float64Array.from({ length: 40 }, (_, row) => row % 3);
  const ranked = (group: Int32Array): Dataset => ({
    ...numbers,
    group,
    target: { kind: "regression", name: "y", values: relevance },
  });
  const torn = ranked(Int32Array.from({ length: 40 }, (_, row) => row % 4));
  const whole = ranked(Int32Array.from({ length: 40 }, (_, row) => row >> 3));
  const params = { loss: "pairwise", rounds: 1 };
  for (
    const run of [() => trainBoost(torn, params), () => trainBoost(whole, params, { valid: torn })]
  ) {
    const error = await assertRejects(run, DataError, "not adjacent");
    assertEquals(error.code, "E_DATA_SHAPE");
  }
  assertEquals((await trainBoost(whole, params)).numRounds, 1);
});

Deno.test("exact splits send infinities where the model sends them", async () => {
  const [low, high] = [-Infinity, Infinity];
  for (
    const x of [[low, low, 2, 3], [low, low, high, high], [1, 2, high, high], [low, low, NaN, NaN]]
  ) {
    const values = Float64Array.from(x);
    const target = {
      kind: "regression",
      name: "y",
      values: new Float64Array([0, 0, 8, 8]),
    } as const;
    const data = {
      numRows: 4,
      features: [{ kind: "numeric", name: "x", values }],
      target,
    } as const;
    const params = { treeMethod: "exact", rounds: 2, learningRate: 1, minRowsPerLeaf: 1 } as const;
    let told: number | undefined;
    const model = await trainBoost(data, { ...params, metrics: ["rmse"], trainMetrics: true }, {
      onRound: ({ metrics }) => told = metrics.train.rmse,
    });
    const raw = model.predictRaw(data).data;
    const mse = raw.reduce((sum, score, i) => sum + (score - target.values[i]) ** 2, 0) / 4;
    assertAlmostEquals(told!, Math.sqrt(mse), 1e-6); // scores are float32
  }
});
