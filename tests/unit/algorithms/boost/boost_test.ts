import { assert, assertAlmostEquals, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { trainBoost } from "../../../../src/algorithms/boost/boost.ts";
import { train } from "../../../../src/algorithms/train.ts";
import { createDataset } from "../../../../src/data/dataset/dataset.ts";
import { ParameterError } from "../../../../src/errors.ts";
import { evaluate } from "../../../../src/evaluate/evaluate.ts";
import { explainShap } from "../../../../src/explain/mod.ts";
import { noisy, numeric, regression } from "../../../support/data/boost_data.ts";

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
  for (const other of [{ dropRate: 0.5 }, { treeMethod: "exact" }] as const) {
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
