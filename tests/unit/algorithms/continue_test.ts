import { assert, assertAlmostEquals, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { trainBoost } from "../../../src/algorithms/boost.ts";
import { continueBoost } from "../../../src/algorithms/continue.ts";
import { keepRounds } from "../../../src/algorithms/keep_rounds.ts";
import { leafStepsOf } from "../../../src/algorithms/leaf_steps.ts";
import { refitBoost, refitBoostOnThreads } from "../../../src/algorithms/refit.ts";
import { createDataset, selectRows } from "../../../src/data/dataset.ts";
import type { Dataset } from "../../../src/data/types.ts";
import { DataError, ModelError, ParameterError } from "../../../src/errors.ts";
import { evaluate } from "../../../src/evaluate/evaluate.ts";
import { calibrate } from "../../../src/evaluate/calibrate.ts";
import { encodeModel } from "../../../src/format/binary.ts";
import { shrinkModel } from "../../../src/format/shrink/shrink.ts";
import { createModel, type Model } from "../../../src/model/model.ts";
import type { BoostParams } from "../../../src/params/typed.ts";
import type { RoundReport } from "../../../src/ensemble/types.ts";
import { createRng } from "../../../src/util/rng.ts";

function table(seed: number, slope = 3, numRows = 300): Dataset {
  const rng = createRng(seed);
  const a = Float64Array.from({ length: numRows }, () => rng.nextFloat());
  const codes = Int32Array.from({ length: numRows }, () => rng.nextInt(3));
  const y = a.map((value, i) => slope * value + codes[i] + 0.1 * rng.nextFloat());
  return createDataset([
    { kind: "numeric", name: "a", values: a },
    { kind: "categorical", name: "c", codes, categories: ["p", "q", "r"] },
  ], { kind: "regression", name: "y", values: y });
}

function classes(data: Dataset): Dataset {
  const { target } = data;
  assert(target?.kind === "regression");
  const codes = Int32Array.from(target.values, (y) => y > 2.5 ? 1 : 0);
  return { ...data, target: { kind: "classification", name: "y", codes, classes: ["lo", "hi"] } };
}

const RUNS: { readonly [what: string]: BoostParams } = {
  "all rows": { subsample: 1 },
  "drawn rows and columns": { subsample: 0.6, featuresPerTree: 0.5, featuresPerNode: 0.5, seed: 3 },
  bootstrap: { sampling: "bootstrap", subsample: 0.7 },
  goss: { sampling: "goss", learningRate: 0.15, seed: 2 }, // begins to draw in round 7
  "parallel trees": { parallelTrees: 3, subsample: 0.5 },
  "a committee": { committee: 3, subsample: 0.7 },
  "a committee with linear leaves": { committee: 3, linearTree: true, subsample: 0.7 },
  "absolute loss": { loss: "absolute", subsample: 0.7 },
  "lightgbm's loop": { preset: "lightgbm@4" },
  "xgboost's exact loop": { preset: "xgboost@2", treeMethod: "exact" },
};

for (const [what, params] of Object.entries(RUNS)) {
  Deno.test(`continueBoost() after n rounds is n + m rounds at once: ${what}`, async () => {
    const whole = table(1);
    const data = what.startsWith("xgboost")
      ? { ...whole, features: whole.features.slice(0, 1) }
      : whole;
    const valid = { ...table(2), features: table(2).features.slice(0, data.features.length) };
    const once = await trainBoost(data, { ...params, rounds: 12 }, { valid });
    const start = await trainBoost(data, { ...params, rounds: 5 }, { valid });
    const seen: number[] = [];
    const onRound = ({ metrics }: RoundReport) =>
      seen.push(metrics.valid[Object.keys(metrics.valid)[0]]);
    const more = await continueBoost(start, data, { rounds: 7 }, { valid, onRound });
    assertEquals(more.numRounds, 12);
    assertEquals(more.ensemble, once.ensemble);
    assertEquals(seen.at(-1), Object.values(evaluate(more, valid).metrics)[0]);
  });
}

Deno.test("continueBoost() gives each member of a committee its offsets, and zeros that are missing", async () => {
  const data = table(1);
  const holes = data.features.map((column) =>
    column.kind === "numeric"
      ? { ...column, values: column.values.map((value) => value < 0.4 ? 0 : value) }
      : column
  );
  const offset = Float64Array.from({ length: data.numRows }, (_, row) => row % 5);
  const runs: [Dataset, BoostParams][] = [
    [{ ...data, offset }, { committee: 3 }],
    [{ ...data, features: holes }, { committee: 3, linearTree: true, zeroAsMissing: true }],
  ];
  for (const [rows, params] of runs) {
    const once = await trainBoost(rows, { ...params, rounds: 9 });
    const start = await trainBoost(rows, { ...params, rounds: 4 });
    const more = await continueBoost(start, rows, { rounds: 5 });
    const [p, q] = [once.predictRaw(rows).data, more.predictRaw(rows).data];
    p.forEach((value, i) => assertAlmostEquals(value, q[i], 1e-9));
  }
});

Deno.test("continueBoost() with class weights and a prior correction is one run of all rounds", async () => {
  const data = classes(table(1));
  const params = { positiveWeight: 10, priorCorrection: true, subsample: 0.8 };
  const once = await trainBoost(data, { ...params, rounds: 12 });
  const start = await trainBoost(data, { ...params, rounds: 5 });
  const more = await continueBoost(start, data, { rounds: 7 });
  assertEquals(more.ensemble.baseScore, once.ensemble.baseScore);
  // The correction is taken out again: base + shift − shift may differ in its last bit.
  const [p, q] = [once.predictValue(data), more.predictValue(data)];
  p.forEach((value, i) => assertAlmostEquals(value, q[i], 1e-6));
  for (const change of [{ positiveWeight: 2 }, { priorCorrection: false }]) {
    const error = await assertRejects(() => continueBoost(start, data, change), ParameterError);
    assertEquals(error.code, "E_PARAM_CONFLICT");
  }
});

Deno.test("continueBoost() with XE-NDCG draws on as one run of all rounds", async () => {
  const rng = createRng(5);
  const x = Float64Array.from({ length: 120 }, () => rng.nextFloat());
  const values = x.map((value) => Math.floor(3 * value * rng.nextFloat()));
  const group = Int32Array.from(x, (_, i) => Math.floor(i / 6));
  const data: Dataset = {
    ...createDataset([{ kind: "numeric", name: "x", values: x }], {
      kind: "regression",
      name: "y",
      values,
    }),
    group,
  };
  const params = { loss: "xendcg", subsample: 0.8 };
  const once = await trainBoost(data, { ...params, rounds: 9 });
  const more = await continueBoost(await trainBoost(data, { ...params, rounds: 4 }), data, {
    rounds: 5,
  });
  assertEquals(more.ensemble, once.ensemble);
});

Deno.test("continueBoost() refuses DART, whose later rounds would rescale the model's trees", async () => {
  const data = table(1);
  const model = await trainBoost(data, { rounds: 6, dropRate: 0.3, seed: 1 });
  const error = await assertRejects(
    () => continueBoost(model, data, { rounds: 2 }),
    ParameterError,
  );
  assertEquals([error.code, error.details.param], ["E_PARAM_CONFLICT", "dropRate"]);
  const plain = await continueBoost(model, data, { rounds: 2, dropRate: 0 });
  assertEquals(plain.numRounds, 8);
});

Deno.test("continueBoost() of a committee is judged out of fold only on its own rows", async () => {
  const data = classes(table(1));
  const model = await trainBoost(data, { committee: 3, earlyStoppingRounds: 3, learningRate: 0.3 });
  const error = await assertRejects(() => continueBoost(model, classes(table(2))), ParameterError);
  assertEquals([error.code, error.details.param], ["E_PARAM_CONFLICT", "rounds"]);
  const other = await continueBoost(model, classes(table(2)), {
    rounds: 2,
    earlyStoppingRounds: 0,
  });
  assertEquals(other.numRounds, model.numRounds + 2);
  // From then on nobody can say which member has seen which row.
  await assertRejects(() => continueBoost(other, data), ParameterError);
  const seen: number[] = [];
  await continueBoost(model, data, { rounds: 1, earlyStoppingRounds: 1 }, {
    onRound: ({ metrics }) => seen.push(metrics.outOfFold.logLoss),
  });
  // Members that had seen each other's rows would be several times better at once.
  assert(seen[0] > 0.7 * model.info.best!.value, `${seen[0]} ${model.info.best!.value}`);
  await assertRejects(
    () => continueBoost(model, data, { committee: 2, rounds: 1 }),
    ParameterError,
  );
});

Deno.test("continueBoost() takes a category it has not learnt for unknown, not for missing", async () => {
  const data = table(1);
  const [a, c] = data.features;
  assert(c.kind === "categorical");
  const codes = c.codes.map((code, row) => row % 2 === 0 ? 3 : code);
  const strange = { ...data, features: [a, { ...c, codes, categories: [...c.categories, "new"] }] };
  const model = await trainBoost(data, { rounds: 3 });
  const told: string[] = [];
  const onWarning = (message: string) => told.push(message);
  const more = await continueBoost(model, strange, { rounds: 3 }, { onWarning });
  assertEquals(more.schema.features[1].missing, "heavier");
  refitBoost(model, strange, { onWarning });
  const sentence = `${JSON.stringify(c.name)} holds values the model never saw in ${
    Math.ceil(data.numRows / 2)
  } of ${data.numRows} rows`;
  assertEquals(told, [sentence, sentence]);
});

Deno.test("a calibration does not outlive the scores it was fitted to", async () => {
  const data = classes(table(1));
  const calibrated = calibrate(await trainBoost(data, { rounds: 4 }), classes(table(2)));
  const told: string[] = [];
  const onWarning = (message: string) => told.push(message);
  const more = await continueBoost(calibrated, data, { rounds: 2 }, { onWarning });
  const again = refitBoost(calibrated, data, { onWarning });
  for (const model of [more, again]) {
    assertEquals([model.calibration, model.info.calibration], [undefined, undefined]);
  }
  assertEquals(told.filter((message) => message.includes("calibrate again")).length, 2);
});

Deno.test("continueBoost() improves on new data and counts best rounds from the start", async () => {
  const first = await trainBoost(classes(table(2)), { rounds: 5 });
  const data = classes(table(3));
  const valid = classes(table(4));
  const more = await continueBoost(first, data, { rounds: 60, earlyStoppingRounds: 5 }, { valid });
  assert(evaluate(more, valid).metrics.logLoss < evaluate(first, valid).metrics.logLoss);
  assertEquals(more.info.best!.round, more.numRounds);
  assertAlmostEquals(evaluate(more, valid).metrics.logLoss, more.info.best!.value, 1e-12);
});

Deno.test("continueBoost() refuses another loss, unknown classes, other columns", async () => {
  const model = await trainBoost(classes(table(5)), { rounds: 2 });
  const data = classes(table(6));
  const conflict = await assertRejects(
    () => continueBoost(model, data, { loss: "exponential" }),
    ParameterError,
  );
  assertEquals(conflict.code, "E_PARAM_CONFLICT");
  const { target } = data;
  assert(target?.kind === "classification");
  const strange = { ...data, target: { ...target, classes: ["lo", "huge"] } };
  const unknown = await assertRejects(() => continueBoost(model, strange, {}), DataError);
  assertEquals(unknown.code, "E_DATA_TARGET");
  const short = { ...data, features: [data.features[0]] };
  const absent = await assertRejects(() => continueBoost(model, short, {}), ModelError);
  assertEquals(absent.code, "E_MODEL_SCHEMA");
});

Deno.test("continueBoost() refuses what would give the outputs another meaning", async () => {
  const runs: [Dataset, BoostParams, BoostParams][] = [
    [table(5), { loss: "quantile", quantiles: [0.1, 0.9] }, { quantiles: [0.1, 0.8] }],
    [table(5), { loss: "expectile" }, { expectiles: [0.8] }],
    [classes(table(5)), { sigmoidScale: 2 }, { sigmoidScale: 1 }],
    [classes(table(5)), { loss: "oneVsAll" }, { sigmoidScale: 2 }],
  ];
  for (const [data, params, other] of runs) {
    const model = await trainBoost(data, { ...params, rounds: 2, committee: 1 });
    const error = await assertRejects(
      () => continueBoost(model, data, { ...other, rounds: 2 }),
      ParameterError,
    );
    assertEquals(error.code, "E_PARAM_CONFLICT");
    assertEquals(error.details.param, Object.keys(other)[0]);
    assertEquals((await continueBoost(model, data, { ...params, rounds: 2 })).numRounds, 4);
  }
});

Deno.test("continueBoost() takes levels that only a metric reads", async () => {
  const data = table(5);
  const model = await trainBoost(data, { rounds: 2 });
  const again = await continueBoost(model, data, {
    rounds: 2,
    metrics: ["quantile"],
    quantiles: [0.9],
  });
  const plain = await continueBoost(model, data, { rounds: 2 });
  assertEquals(again.predictValue(data), plain.predictValue(data));
});

Deno.test("refitBoost() on the training data with decay 0 gives the same leaves", async () => {
  const data = table(7);
  const model = await trainBoost(data, { rounds: 8, subsample: 1 });
  const again = refitBoost(model, data, { decay: 0 });
  const [p, q] = [model.predictValue(data), again.predictValue(data)];
  p.forEach((value, i) => assertAlmostEquals(value, q[i], 2e-3));
  assertEquals(again.ensemble.trees.threshold, model.ensemble.trees.threshold);
});

Deno.test("refitBoost() on the training data with decay 0 gives the leaves of any sum of trees", async () => {
  const data = table(7);
  const two = classes(data);
  const runs: [Dataset, BoostParams][] = [
    [data, { parallelTrees: 4 }],
    [data, { alpha: 2, maxDeltaStep: 0.4 }],
    [data, { loss: "absolute", maxDeltaStep: 0.4 }],
    [two, { positiveWeight: 10, priorCorrection: true }],
    [two, { classWeights: { lo: 3 } }],
    [{ ...data, offset: Float64Array.from({ length: 300 }, (_, row) => row % 4) }, {}],
    [data, { preset: "xgboost@2", loss: "poisson" }], // steps of 0.7 at most, and e^(f + 0.7)
  ];
  for (const [rows, params] of runs) {
    const model = await trainBoost(rows, { rounds: 8, subsample: 1, ...params });
    const again = refitBoost(model, rows, { decay: 0 });
    const [p, q] = [model.predictValue(rows), again.predictValue(rows)];
    // Leaves are float32 and their sums are taken on a grid.
    p.forEach((value, i) => assertAlmostEquals(value, q[i], 2e-3, JSON.stringify(params)));
  }
});

Deno.test("refitBoost() on the training data with decay 0 gives the leaves of late and added rounds", async () => {
  const data = table(7);
  const plain = { rounds: 8, subsample: 1, learningRate: 0.05 };
  const grown = await trainBoost(data, { ...plain, rounds: 140, learningRateGrowth: 3 });
  const first = await trainBoost(data, plain);
  const more = { rounds: 8, learningRate: 0.6, lambda: 20, alpha: 1, maxDeltaStep: 0.5 };
  const added = await continueBoost(first, data, more);
  const models = { grown, added, kept: keepRounds(added, 11), "kept before": keepRounds(added, 5) };
  for (const [what, model] of Object.entries(models)) {
    const { leaf, firstChild } = model.ensemble.trees;
    const again = refitBoost(model, data, { decay: 0 }).ensemble.trees.leaf;
    leaf.forEach((value, i) => {
      // Leaves are float32, and their sums are taken on a grid.
      if (firstChild[i] < 0) assertAlmostEquals(again[i], value, 1e-6, what);
    });
  }
});

/** Thirty queries of ten rows, with five grades. */
function queries() {
  const group = Int32Array.from({ length: 300 }, (_, row) => Math.floor(row / 10));
  const values = Float64Array.from({ length: 300 }, (_, row) => (row * 7) % 5);
  return { ...table(7), group, target: { kind: "regression", name: "y", values } as const };
}

/** A refit by the data that a model was trained on gives its leaves, on one thread and on two. */
async function assertRefitOfItself(model: Model, data: Dataset): Promise<void> {
  const { leaf, firstChild } = model.ensemble.trees;
  for (
    const again of [
      refitBoost(model, data, { decay: 0 }),
      await refitBoostOnThreads(model, data, { decay: 0, threads: 2 }),
    ]
  ) {
    leaf.forEach((value, i) => {
      if (firstChild[i] < 0) {
        assertAlmostEquals(again.ensemble.trees.leaf[i], value, 1e-5, `${i}`);
      }
    });
  }
}

// Amounts far from 1, where powers, bends and curvatures tell.
const CHANGED: readonly (readonly [BoostParams, BoostParams])[] = [
  [{ loss: "tweedie", tweediePower: 1.2 }, { tweediePower: 1.8 }],
  [{ loss: "pseudoHuber", huberDelta: 0.5 }, { huberDelta: 3 }],
  [{ loss: "huber", huberDelta: 0.5 }, { huberDelta: 3 }],
  [{ loss: "fair" }, { fairC: 5 }],
  [{ loss: "poisson" }, { curvature: "lightgbm" }],
  [{ loss: "xendcg" }, { seed: 5 }],
  [{ loss: "lambdaNdcg", rankTruncation: 2 }, { rankTruncation: 9, rankNormalise: false }],
];

for (const [first, then] of CHANGED) {
  const what = `${JSON.stringify(first)}, ${JSON.stringify(then)}`;
  Deno.test(`refitBoost() takes each round's own loss: ${what}`, async () => {
    const data = queries();
    const shape = { rounds: 4, subsample: 1, learningRate: 0.3, maxDepth: 3 };
    const model = await continueBoost(await trainBoost(data, { ...shape, ...first }), data, {
      rounds: 4,
      ...then,
    });
    await assertRefitOfItself(model, data);
  });
}

for (
  const params of [
    { loss: "lambdaNdcg" },
    { loss: "xendcg" },
    { loss: "lambdaNdcg", preset: "xgboost@2" },
    { loss: "lambdaNdcg", preset: "lightgbm@4", treeMethod: "lightgbm", learningRate: 0.1 },
  ]
) {
  Deno.test(`refitBoost() takes rows and queries of weight 0 as training does: ${JSON.stringify(params)}`, async () => {
    const plain = queries();
    // Every third query, and some rows of the others.
    const sampleWeight = Float64Array.from(
      plain.group,
      (query, row) => query % 3 === 1 || row % 4 === 2 ? 0 : 1 + query % 2,
    );
    const data: Dataset = { ...plain, sampleWeight };
    const given = { rounds: 4, subsample: 1, maxDepth: 3, ...params };
    const model = await trainBoost(data, given);
    await assertRefitOfItself(model, data);
  });
}

Deno.test("leafStepsOf() knows how the steps of a committee grow by default", async () => {
  const model = await trainBoost(table(7, 3, 1000), { committee: 2, rounds: 2 });
  const [{ rate }] = leafStepsOf(model, 1);
  // Round t takes t / 50 times 0.1, at least once and at most 3 times (docs/algorithms.md).
  assertEquals([1, 50, 75, 150, 400].map((round) => +rate(round).toFixed(9)), [
    ...[0.1, 0.1, 0.15, 0.3, 0.3],
  ]);
  const small = await trainBoost(table(7, 3, 900), { committee: 2, rounds: 2 });
  assertEquals(leafStepsOf(small, 1)[0].rate(400), 0.1);
});

Deno.test("refitBoost() counts a row as often as its weight says, and not at all at 0", async () => {
  const data = table(9, 3, 200);
  const weight = Float64Array.from({ length: 200 }, (_, row) => row % 3);
  const repeated = Int32Array.from(
    Array.from(weight).flatMap((times, row) => Array.from({ length: times }, () => row)),
  );
  const runs: [typeof classes, BoostParams][] = [
    [(rows) => rows, {}],
    [(rows) => rows, { loss: "absolute" }],
    [(rows) => rows, { loss: "huber" }],
    [classes, {}],
    [classes, { loss: "softmax" }],
  ];
  for (const [shape, params] of runs) {
    // Leaves of few rows: some of them are reached by rows of weight 0 only.
    const model = await trainBoost(shape(table(8)), { ...params, rounds: 20, minRowsPerLeaf: 1 });
    const leavesOf = (rows: Dataset) => refitBoost(model, rows, { decay: 0.3 }).ensemble.trees.leaf;
    const some = leavesOf({ ...shape(data), sampleWeight: weight });
    const all = leavesOf(selectRows(shape(data), repeated));
    some.forEach((value, i) => assertAlmostEquals(value, all[i], 1e-6, JSON.stringify(params)));
  }
});

Deno.test("refitBoost() and continueBoost() beside offsets name the column that rows need from then on", async () => {
  const data = table(9);
  const model = await trainBoost(data, { rounds: 3 });
  const beside = { ...data, offset: new Float64Array(300).fill(2), offsetName: "log_size" };
  assertEquals(refitBoost(model, beside).info.offset, "log_size");
  assertEquals((await continueBoost(model, beside, { rounds: 1 })).info.offset, "log_size");
  const again = refitBoost(await trainBoost(beside, { rounds: 3 }), {
    ...beside,
    offsetName: "other",
  });
  assertEquals(again.info.offset, "log_size");
});

Deno.test("refitBoost() of DART gives the scores of the same trees without weights", async () => {
  const model = await trainBoost(table(8), {
    rounds: 12,
    dropRate: 0.5,
    learningRate: 0.3,
    seed: 2,
  });
  const { schema, info, ensemble } = model;
  assert(ensemble.treeWeight.some((weight) => weight < 0.9));
  const plain = createModel({
    schema,
    info,
    ensemble: { ...ensemble, treeWeight: ensemble.treeWeight.map(() => 1) },
  });
  const data = table(9);
  const [p, q] = [model, plain].map((one) => refitBoost(one, data, { decay: 0 }).predictRaw(data));
  p.data.forEach((value, i) => assertAlmostEquals(value, q.data[i], 1e-5));
});

Deno.test("refitBoost() counts the new rows in every node, and checks their labels", async () => {
  const model = await trainBoost(table(8), { rounds: 2, loss: "poisson", maxDepth: 3 });
  const squared = await trainBoost(table(8), { rounds: 2, maxDepth: 3 });
  const { cover, treeStart, firstChild } = refitBoost(squared, table(9, 3, 70)).ensemble.trees;
  assertEquals([cover[0], cover[treeStart[1]]], [70, 70]);
  firstChild.forEach((child, node) => {
    if (child >= 0) assertEquals(cover[node], cover[child] + cover[child + 1], `node ${node}`);
  });
  const error = assertThrows(() => refitBoost(model, table(9, -9)), DataError);
  assertEquals(error.code, "E_DATA_TARGET");
});

Deno.test("refitBoost() keeps a committee's size of step: each member has its own scores", async () => {
  const data = table(7);
  const model = await trainBoost(data, { rounds: 40, committee: 5 });
  const error = (one: Model) => evaluate(one, data, ["rmse"]).metrics.rmse;
  for (const decay of [0, 0.5, 0.9]) {
    const again = refitBoost(model, data, { decay });
    // Members now see their own part too, so the fit of these rows can only get closer.
    assert(error(again) < error(model), `decay ${decay}`);
    assert(error(again) > 0.5 * error(model), `decay ${decay}`);
  }
});

Deno.test("refitBoost() refuses what new leaf values would break", async () => {
  const data = table(7);
  for (const params of [{ monotone: { a: 1 } }, { pathSmooth: 1 }]) {
    const model = await trainBoost(data, { rounds: 2, ...params });
    const error = assertThrows(() => refitBoost(model, data), ParameterError);
    assertEquals(error.code, "E_PARAM_CONFLICT");
  }
});

Deno.test("refitBoost() moves to new data as decay falls; decay 1 changes nothing", async () => {
  const model = await trainBoost(table(8), { rounds: 30 });
  const fresh = table(9, -2);
  const error = (decay: number) =>
    evaluate(refitBoost(model, fresh, { decay }), fresh, ["rmse"]).metrics.rmse;
  assert(error(0) < error(0.5) && error(0.5) < error(0.9) && error(0.9) < error(1));
  assertAlmostEquals(error(1), evaluate(model, fresh, ["rmse"]).metrics.rmse, 1e-9);
  assertThrows(() => refitBoost(model, fresh, { decay: 2 }), ParameterError);
});

Deno.test("refitBoost() moves values of inner nodes as those of leaves, which unknown values get", async () => {
  const data = table(7);
  const runs: [BoostParams, number][] = [
    [{ unknown: "node", lambda: 20 }, 1e-6], // values far from the mean of the leaves below
    [{ unknown: "node", loss: "absolute" }, 1e-6],
    [{ preset: "lightgbm@4" }, Infinity], // float64
  ];
  for (const [params, tolerance] of runs) {
    const model = await trainBoost(data, { rounds: 6, subsample: 1, ...params });
    const { leaf } = model.ensemble.trees;
    assertEquals(refitBoost(model, data, { decay: 1 }).ensemble.trees.leaf, leaf);
    const again = refitBoost(model, data, { decay: 0 }).ensemble.trees.leaf;
    leaf.forEach((value, i) => assertAlmostEquals(again[i], value, tolerance, `node ${i}`));
    const half = refitBoost(model, table(3, 1), { decay: 0.5 }).ensemble.trees.leaf;
    const none = refitBoost(model, table(3, 1), { decay: 0 }).ensemble.trees.leaf;
    // The first tree sees the same scores whatever the decay.
    const nodes = model.ensemble.trees.treeStart[1];
    for (let i = 0; i < nodes; i++) assertAlmostEquals(half[i], (leaf[i] + none[i]) / 2, 1e-6);
  }
});

Deno.test("refitBoost() counts rows with unknown values where they end", async () => {
  const rowsOf = (categories: readonly string[], codes: readonly number[], values: number[]) =>
    createDataset([{ kind: "categorical", name: "c", categories, codes: Int32Array.from(codes) }], {
      kind: "regression",
      name: "y",
      values: Float64Array.from(values),
    });
  const given = {
    preset: "treeline-lean@1",
    rounds: 1,
    learningRate: 1,
    lambda: 0,
    minRowsPerLeaf: 1,
  };
  const model = await trainBoost(
    rowsOf(["a", "b"], [0, 0, 1, 1], [1, 1, 3, 3]),
    { ...given, unknown: "node", maxCategoriesOneHot: 2, minRowsPerCategory: 1, catL2: 0 },
  );
  const fresh = rowsOf(["a", "b", "new"], [0, 1, 2, 2], [5, 8, 20, 27]);
  const refitted = refitBoost(model, fresh, { decay: 0 });
  const found = refitted.predictValue(["a", "b", "new"].map((c) => ({ c })));
  // Unknown levels end at the root: the mean of all four rows.
  assertEquals([...found], [5, 8, 15]);
  // Nothing but unknown levels: the leaves stay.
  const only = refitBoost(model, rowsOf(["new"], [0, 0], [6, 8]), { decay: 0 });
  assertEquals([...only.predictValue(["a", "b", "new"].map((c) => ({ c })))], [1, 3, 7]);
});

Deno.test("refitBoost() refuses trees of several rounds that shrinkModel() made one", async () => {
  const data = table(7);
  const model = await trainBoost(data, { rounds: 40 });
  const least = shrinkModel(model, { maxBytes: 1800 });
  assert(least.model.ensemble.treesPerRound > 1);
  const error = assertThrows(() => refitBoost(least.model, data), ParameterError, "shrunk");
  assertEquals(error.code, "E_PARAM_CONFLICT");
  // Rounded leaves alone are as good as any.
  const rounded = shrinkModel(model, {
    maxBytes: encodeModel(model, { explain: false, attachments: false }).length - 100,
  });
  assertEquals(rounded.model.numRounds, 40);
  assertEquals(refitBoost(rounded.model, data).numRounds, 40);
});
