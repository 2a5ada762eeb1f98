import { assert, assertAlmostEquals, assertEquals, assertRejects } from "@std/assert";
import { trainBoost } from "../../../../src/algorithms/boost/boost.ts";
import { continueBoost } from "../../../../src/algorithms/update/continue.ts";
import { leafStepsOf } from "../../../../src/algorithms/update/leaf_steps.ts";
import { refitBoost } from "../../../../src/algorithms/update/refit.ts";
import { createDataset } from "../../../../src/data/dataset/dataset.ts";
import type { Dataset } from "../../../../src/data/types.ts";
import { DataError, ModelError, ParameterError } from "../../../../src/errors.ts";
import { evaluate } from "../../../../src/evaluate/evaluate.ts";
import type { BoostParams } from "../../../../src/params/typed.ts";
import type { RoundReport } from "../../../../src/ensemble/types.ts";
import { createRng } from "../../../../src/util/rng.ts";
import { mixedTable, twoClasses } from "../../../support/data/boost_data.ts";

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
    const whole = mixedTable(1);
    const data = what.startsWith("xgboost")
      ? { ...whole, features: whole.features.slice(0, 1) }
      : whole;
    const valid = {
      ...mixedTable(2),
      features: mixedTable(2).features.slice(0, data.features.length),
    };
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
  const data = mixedTable(1);
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
  const data = twoClasses(mixedTable(1));
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
  const data = mixedTable(1);
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
  const data = twoClasses(mixedTable(1));
  const model = await trainBoost(data, { committee: 3, earlyStoppingRounds: 3, learningRate: 0.3 });
  const error = await assertRejects(
    () => continueBoost(model, twoClasses(mixedTable(2))),
    ParameterError,
  );
  assertEquals([error.code, error.details.param], ["E_PARAM_CONFLICT", "rounds"]);
  const other = await continueBoost(model, twoClasses(mixedTable(2)), {
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
  const data = mixedTable(1);
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

Deno.test("continueBoost() improves on new data and counts best rounds from the start", async () => {
  const first = await trainBoost(twoClasses(mixedTable(2)), { rounds: 5 });
  const data = twoClasses(mixedTable(3));
  const valid = twoClasses(mixedTable(4));
  const more = await continueBoost(first, data, { rounds: 60, earlyStoppingRounds: 5 }, { valid });
  assert(evaluate(more, valid).metrics.logLoss < evaluate(first, valid).metrics.logLoss);
  assertEquals(more.info.best!.round, more.numRounds);
  assertAlmostEquals(evaluate(more, valid).metrics.logLoss, more.info.best!.value, 1e-12);
});

Deno.test("continueBoost() refuses another loss, unknown classes, other columns", async () => {
  const model = await trainBoost(twoClasses(mixedTable(5)), { rounds: 2 });
  const data = twoClasses(mixedTable(6));
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
    [mixedTable(5), { loss: "quantile", quantiles: [0.1, 0.9] }, { quantiles: [0.1, 0.8] }],
    [mixedTable(5), { loss: "expectile" }, { expectiles: [0.8] }],
    [twoClasses(mixedTable(5)), { sigmoidScale: 2 }, { sigmoidScale: 1 }],
    [twoClasses(mixedTable(5)), { loss: "oneVsAll" }, { sigmoidScale: 2 }],
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
  const data = mixedTable(5);
  const model = await trainBoost(data, { rounds: 2 });
  const again = await continueBoost(model, data, {
    rounds: 2,
    metrics: ["quantile"],
    quantiles: [0.9],
  });
  const plain = await continueBoost(model, data, { rounds: 2 });
  assertEquals(again.predictValue(data), plain.predictValue(data));
});

Deno.test("leafStepsOf() knows how the steps of a committee grow by default", async () => {
  const model = await trainBoost(mixedTable(7, 3, 1000), { committee: 2, rounds: 2 });
  const [{ rate }] = leafStepsOf(model, 1);
  // Round t takes t / 50 times 0.1, at least once and at most 3 times (docs/algorithms.md).
  assertEquals([1, 50, 75, 150, 400].map((round) => +rate(round).toFixed(9)), [
    ...[0.1, 0.1, 0.15, 0.3, 0.3],
  ]);
  const small = await trainBoost(mixedTable(7, 3, 900), { committee: 2, rounds: 2 });
  assertEquals(leafStepsOf(small, 1)[0].rate(400), 0.1);
});
