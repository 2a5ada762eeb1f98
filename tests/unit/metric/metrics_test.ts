import { assert, assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import type { Labels } from "../../../src/data/types.ts";
import { ParameterError } from "../../../src/errors.ts";
import { defaultMetrics, METRIC_NAMES, metricByName } from "../../../src/metric/metrics.ts";
import { reliabilityTable } from "../../../src/metric/calibration.ts";
import { countQueries } from "../../../src/metric/ranking.ts";
import { logFactorial } from "../../../src/metric/regression.ts";
import type { Predictions } from "../../../src/metric/types.ts";

function labels(values: number[], weight?: number[]): Labels {
  return {
    values: Float64Array.from(values),
    ...(weight === undefined ? {} : { weight: Float64Array.from(weight) }),
  };
}

function one(response: number[]): Predictions {
  const values = Float64Array.from(response);
  return { raw: values, response: values, numRows: values.length, numOutputs: 1 };
}

/** Row-major probabilities, stored output-major. */
function several(rows: number[][]): Predictions {
  const numRows = rows.length;
  const numOutputs = rows[0].length;
  const response = Float64Array.from(
    { length: numRows * numOutputs },
    (_, i) => rows[i % numRows][Math.floor(i / numRows)],
  );
  return { raw: response, response, numRows, numOutputs };
}

function value(name: string, truth: Labels, predictions: Predictions): number {
  return metricByName(name).value(truth, predictions);
}

Deno.test("regression metrics equal hand values", () => {
  const truth = labels([1, 2, 4, 8]);
  const guess = one([1.5, 2, 3, 10]); // errors 0.5 0 −1 2
  assertAlmostEquals(value("mse", truth, guess), 5.25 / 4, 1e-15);
  assertAlmostEquals(value("rmse", truth, guess), Math.sqrt(5.25 / 4), 1e-15);
  assertAlmostEquals(value("mae", truth, guess), 3.5 / 4, 1e-15);
  assertAlmostEquals(value("mape", truth, guess), (0.5 + 0 + 0.25 + 0.25) / 4, 1e-15);
  // mean 3.75, squares 7.5625 3.0625 0.0625 18.0625 = 28.75
  assertAlmostEquals(value("r2", truth, guess), 1 - 5.25 / 28.75, 1e-15);
  assertAlmostEquals(value("huber@1", truth, guess), (0.125 + 0 + 0.5 + 1.5) / 4, 1e-15);
  assertAlmostEquals(value("quantile@0.9", truth, guess), (0.05 + 0 + 0.9 + 0.2) / 4, 1e-15);
  assertAlmostEquals(value("expectile@0.9", truth, guess), (0.025 + 0 + 0.9 + 0.4) / 4, 1e-15);
  const logs = [Math.log(2.5 / 2), 0, Math.log(4 / 5), Math.log(11 / 9)];
  const squares = logs.reduce((total, x) => total + x * x, 0);
  assertAlmostEquals(value("rmsle", truth, guess), Math.sqrt(squares / 4), 1e-14);
});

Deno.test("count metrics equal hand values", () => {
  const truth = labels([0, 1, 3]);
  const guess = one([0.5, 2, 3]);
  const nll = (0.5 + (2 - Math.log(2)) + (3 - 3 * Math.log(3) + Math.log(6))) / 3;
  assertAlmostEquals(value("poissonNll", truth, guess), nll, 1e-14);
  const deviance = 2 * (0.5 + (Math.log(0.5) + 1) + 0) / 3;
  assertAlmostEquals(value("poissonDeviance", truth, guess), deviance, 1e-14);
  const amounts = labels([1, 3]);
  const means = one([2, 3]);
  assertAlmostEquals(
    value("gammaNll", amounts, means),
    (0.5 + Math.log(2) + 1 + Math.log(3)) / 2,
    1e-15,
  );
  assertAlmostEquals(value("gammaDeviance", amounts, means), 2 * (-0.5 + Math.log(2)) / 2, 1e-15);
  const tweedie = (2 * 1 / Math.sqrt(2) + 2 * Math.sqrt(2) + 4 * 3 / (2 * Math.sqrt(3)) +
    2 * Math.sqrt(3)) / 2;
  assertAlmostEquals(value("tweedieNll", amounts, means), tweedie, 1e-14);
  assertAlmostEquals(value("tweedieDeviance@1.5", amounts, amounts2()), 0, 1e-14);
});

Deno.test("deviances of amounts far below their predictions are no limit's", () => {
  // mean_gamma_deviance of scikit-learn 1.9.1.
  const found = value("gammaDeviance", labels([1, 2]), one([1e27, 4e19]));
  assertAlmostEquals(found, 104.61206145828604, 1e-12);
  // 10⁻³²⁵ is less than any number: 2 (325 ln 10 − 1), and 2 (v − y (325 ln 10 + 1)).
  const [truth, guess] = [labels([1e-20]), one([1e305])];
  assertAlmostEquals(value("gammaDeviance", truth, guess), 2 * (325 * Math.LN10 - 1), 1e-12);
  assertEquals(value("poissonDeviance", truth, guess), 2e305);
});

function amounts2(): Predictions {
  return one([1, 3]);
}

Deno.test("logFactorial() equals the sum of logarithms", () => {
  let total = 0;
  for (let n = 1; n <= 60; n++) {
    total += Math.log(n);
    assertAlmostEquals(logFactorial(n), total, 1e-12 * Math.max(1, total));
  }
  assertAlmostEquals(logFactorial(0), 0, 5e-14);
});

Deno.test("auc counts ties ½, takes weights, and is NaN for one class", () => {
  const truth = labels([1, 1, 0, 0]);
  assertEquals(value("auc", truth, one([0.9, 0.8, 0.2, 0.1])), 1);
  assertEquals(value("auc", truth, one([0.5, 0.5, 0.5, 0.5])), 0.5);
  assertEquals(value("auc", truth, one([0.9, 0.3, 0.3, 0.1])), 0.875); // 1 + 1 + ½ + 1 of 4
  assertEquals(value("auc", labels([1, 1, 0, 0], [1, 3, 1, 1]), one([0.9, 0.1, 0.3, 0.1])), 0.4375);
  assert(Number.isNaN(value("auc", labels([1, 1]), one([0.1, 0.2]))));
});

Deno.test("averagePrecision and aucPr treat ties as one step and as a slope", () => {
  const truth = labels([1, 0, 1, 0]);
  // Ranks 1 0 1 0: precision 1 at recall ½, ⅔ at recall 1.
  assertAlmostEquals(value("averagePrecision", truth, one([4, 3, 2, 1])), 0.5 + 0.5 * 2 / 3, 1e-15);
  assertAlmostEquals(value("averagePrecision", truth, one([1, 1, 1, 1])), 0.5, 1e-15);
  assertAlmostEquals(value("aucPr", truth, one([1, 1, 1, 1])), 0.5, 1e-15);
  // Second positive: ∫ from 1 to 2 of t/(t+1) dt = 1 − ln 1.5.
  assertAlmostEquals(
    value("aucPr", truth, one([4, 3, 2, 1])),
    0.5 + 0.5 * (1 - Math.log(1.5)),
    1e-15,
  );
});

Deno.test("classification metrics of two classes equal hand values", () => {
  const truth = labels([1, 0, 1, 0, 1]);
  const guess = one([0.9, 0.4, 0.3, 0.6, 0.5]); // predicted 1 0 0 1 0
  const logs = Math.log(0.9) + Math.log(0.6) + Math.log(0.3) + Math.log(0.4) + Math.log(0.5);
  assertAlmostEquals(value("logLoss", truth, guess), -logs / 5, 1e-15);
  assertEquals(value("accuracy", truth, guess), 0.4);
  assertEquals(value("error", truth, guess), 0.6);
  assertEquals(value("error@0.45", truth, guess), 0.4);
  assertEquals(value("precision", truth, guess), 0.5);
  assertAlmostEquals(value("recall", truth, guess), 1 / 3, 1e-15);
  assertAlmostEquals(value("f1", truth, guess), 2 / 5, 1e-15);
  assertAlmostEquals(value("macroF1", truth, guess), (2 / 5 + 2 / 5) / 2, 1e-15);
  assertAlmostEquals(value("balancedAccuracy", truth, guess), (1 / 3 + 1 / 2) / 2, 1e-15);
  // (1·1 − 1·2) / √(2·3·2·3)
  assertAlmostEquals(value("mcc", truth, guess), -1 / 6, 1e-15);
  const squares = 0.01 + 0.16 + 0.49 + 0.36 + 0.25;
  assertAlmostEquals(value("brier", truth, guess), squares / 5, 1e-15);
});

Deno.test("topAccuracy counts ties against the row: equal probabilities know nothing", () => {
  const guess = several([[0.4, 0.4, 0.2], [1 / 3, 1 / 3, 1 / 3]]);
  assertEquals(value("topAccuracy@1", labels([0, 0]), guess), 0);
  assertEquals(value("topAccuracy@2", labels([0, 0]), guess), 0.5);
  assertEquals(value("topAccuracy@3", labels([0, 0]), guess), 1);
});

Deno.test("coxNll sums over the rows at risk, ties together, weights as copies", () => {
  // Times 1 2 2 3, the third censored; risks 1 2 3 4.
  const raw = [1, 2, 3, 4].map(Math.log);
  const expected = (Math.log(10 / 1) + Math.log(9 / 2) + Math.log(4 / 4)) / 3;
  assertAlmostEquals(value("coxNll", labels([1, 2, -2, 3]), one(raw)), expected, 1e-15);
  assertAlmostEquals(
    value("cox-nloglik", labels([3, -2, 2, 1]), one(raw.toReversed())),
    expected,
    1e-15,
  );
  const large = raw.map((score) => score + 800); // e^800 is no double
  assertAlmostEquals(value("coxNll", labels([1, 2, -2, 3]), one(large)), expected, 1e-12);
  assert(Number.isNaN(value("coxNll", labels([-1, -2]), one([0, 0]))));
  assertThrows(
    () => value("coxNll", labels([1, 0]), one([0, 0])),
    ParameterError,
    "a time above 0",
  );
});

Deno.test("metrics of censored bounds are refused with the reason", () => {
  for (const name of ["aft-nloglik", "interval-regression-accuracy", "aft-nloglik@1.5"]) {
    const error = assertThrows(() => metricByName(name), ParameterError, "upper bound");
    assertEquals(error.code, "E_PARAM_UNKNOWN");
  }
});

Deno.test("logLoss holds probabilities inside [1e-15, 1 − 1e-15]", () => {
  assertAlmostEquals(value("logLoss", labels([1]), one([0])), -Math.log(1e-15), 1e-12);
  assertAlmostEquals(value("logLoss", labels([0.5]), one([0.5])), Math.log(2), 1e-15);
});

Deno.test("classification metrics of several classes equal hand values", () => {
  const truth = labels([0, 1, 2]);
  const guess = several([[0.5, 0.3, 0.2], [0.6, 0.3, 0.1], [0.2, 0.2, 0.6]]);
  const logs = Math.log(0.5) + Math.log(0.3) + Math.log(0.6);
  assertAlmostEquals(value("logLoss", truth, guess), -logs / 3, 1e-15);
  assertAlmostEquals(value("accuracy", truth, guess), 2 / 3, 1e-15);
  assertEquals(value("topAccuracy@2", truth, guess), 1);
  assertAlmostEquals(value("macroF1", truth, guess), (2 / 3 + 0 + 1) / 3, 1e-15);
  // Class 1 falls below class 0 along p₁ − p₀ (−0.3 < −0.2); the other two pairs are in order.
  assertAlmostEquals(value("aucMu", truth, guess), 2 / 3, 1e-15);
});

Deno.test("metrics weigh rows: weight 2 equals a doubled row", () => {
  // Weights of crossEntropyLambda are exposures; its mean is over rows.
  const skip = new Set(["ndcg", "map", "mrr", "precisionAt", "ams", "crossEntropyLambda"]);
  for (const name of METRIC_NAMES.filter((name) => !skip.has(name))) {
    // Gamma metrics are for amounts above 0, those of survival for times (below 0: censored).
    const low = name.startsWith("gamma") ? 0.5 : name === "coxNll" ? -2 : 0;
    const p = name === "aucMu" || name === "aucOvr"
      ? [
        several([[0.6, 0.4], [0.3, 0.7], [0.2, 0.8]]),
        several([[0.6, 0.4], [0.3, 0.7], [0.3, 0.7], [0.2, 0.8]]),
      ]
      : [one([0.3, 0.6, 0.8]), one([0.3, 0.6, 0.6, 0.8])];
    const weighted = value(name, labels([low, 1, 1], [1, 2, 1]), p[0]);
    assertAlmostEquals(weighted, value(name, labels([low, 1, 1, 1]), p[1]), 1e-12, name);
  }
});

Deno.test("a row of weight 0 spoils no mean, however wrong it is", () => {
  const response = Float64Array.of(1, 5, 1e200, 2);
  const given = { raw: response, response, numRows: 4, numOutputs: 1 };
  const labels = { values: Float64Array.of(0, 3, 0, 2), weight: Float64Array.of(1, 3, 0, 1) };
  // (1 · 1 + 3 · 4 + 1 · 0) / 5; the square of 1e200 is infinite.
  assertEquals(metricByName("mse").value(labels, given), 13 / 5);
});

Deno.test("means of many small losses do not stall", () => {
  const numRows = 1e6;
  const response = new Float64Array(numRows).fill(1e-7);
  const found = value("mae", { values: new Float64Array(numRows) }, {
    raw: response,
    response,
    numRows,
    numOutputs: 1,
  });
  assert(Math.abs(found - 1e-7) <= 1e-19);
});

Deno.test("metricByName() takes other libraries' names and suggests the nearest", () => {
  assertEquals(metricByName("mlogloss").name, "logLoss");
  assertEquals(metricByName("error@0.7").name, "error@0.7");
  const error = assertThrows(() => metricByName("acuracy"), ParameterError);
  assertEquals([error.code, error.details.nearest], ["E_PARAM_UNKNOWN", "accuracy"]);
});

Deno.test("defaultMetrics() begins with the loss's own", () => {
  assertEquals(defaultMetrics("classification", 2)[0], "logLoss");
  assertEquals(defaultMetrics("regression", 0, "squared"), ["rmse", "mae", "r2"]);
  assertEquals(defaultMetrics("regression", 0, "absolute"), ["mae", "rmse", "r2"]);
});

Deno.test("crossEntropyLambda equals LightGBM 4.7.0 under its own loss, with and without weights", () => {
  // objective and metric cross_entropy_lambda, one round; raw scores of predict(raw_score=True).
  const y = [0, 0.25, 1, 0.5, 0.75, 1];
  const plain = one([
    -1.129192521679897,
    -0.6223643411287507,
    0.8981200796874408,
    -0.11553619833924424,
    0.3912919293456063,
    0.8981200796874408,
  ]);
  assertAlmostEquals(value("cross_entropy_lambda", labels(y), plain), 0.47631463241250144, 1e-14);
  const exposed = one([
    -1.163838702563029,
    -0.9008940768238853,
    1.343213365683916,
    -0.14273473887800642,
    -0.4117404338402748,
    0.8783692248070165,
  ]);
  const weights = [1, 2, 0.5, 1, 3, 1];
  assertAlmostEquals(
    value("crossEntropyLambda", labels(y, weights), exposed),
    0.5291018835865886,
    1e-14,
  );
});

Deno.test("metrics refuse predictions and labels of another kind", () => {
  const three = several([[0.5, 0.3, 0.2], [0.6, 0.3, 0.1], [0.2, 0.2, 0.6]]);
  const two = several([[0.5, 0.5], [0.6, 0.4], [0.2, 0.8]]);
  const refused: [string, Labels, Predictions][] = [
    ["auc", labels([0, 1, 2]), three],
    ["averagePrecision", labels([0, 1, 2]), three],
    ["f1", labels([0, 1, 2]), three],
    ["recall", labels([0, 1, 2]), three],
    ["error@0.7", labels([0, 1, 2]), three],
    ["rmse", labels([0, 1, 1]), three],
    ["mae", labels([0, 1, 1]), two],
    ["quantile", labels([1, 2, 3]), three], // levels [0.5] are for one output
    ["auc", labels([3.5, 10, 2]), one([3, 9, 2])],
    ["accuracy", labels([3, 10, 2]), one([3, 9, 2])],
    ["logLoss", labels([0, 1, 3]), three],
    ["aucMu", labels([0, 1, 1]), one([0.1, 0.9, 0.8])],
    ["gammaDeviance", labels([0, 1]), one([1, 1])],
    ["poissonDeviance", labels([-1, 1]), one([1, 1])],
    ["rmsle", labels([-2, 1]), one([1, 1])],
  ];
  for (const [name, truth, guess] of refused) {
    const error = assertThrows(() => value(name, truth, guess), ParameterError, undefined, name);
    assertEquals([error.code, error.details.param], ["E_PARAM_CONFLICT", "metrics"]);
  }
});

Deno.test("metricByName() refuses a number that the metric does not have", () => {
  for (
    const name of ["rmse@3", "logLoss@2", "ndcg@0", "ndcg@1.5", "quantile@1", "error@2", "rmse-"]
  ) {
    const error = assertThrows(() => metricByName(name), ParameterError, undefined, name);
    assertEquals(error.code, "E_PARAM_RANGE");
  }
});

Deno.test("topAccuracy, klDivergence and ams read both classes of two, in one output or two", () => {
  const truth = labels([1, 0, 1]);
  const single = one([0.3, 0.6, 0.9]); // likeliest classes 0 1 1: one hit
  const pair = several([[0.7, 0.3], [0.4, 0.6], [0.1, 0.9]]);
  for (const guess of [single, pair]) {
    assertAlmostEquals(value("topAccuracy@1", truth, guess), 1 / 3, 1e-15);
    assertEquals(value("topAccuracy@2", truth, guess), 1);
    const expected = -(Math.log(0.3) + Math.log(0.4) + Math.log(0.9)) / 3;
    assertAlmostEquals(value("klDivergence", truth, guess), expected, 1e-15);
    // The best third is the last row: one signal beside the ten of the rule.
    const ams = Math.sqrt(2 * (11 * Math.log(1.1) - 1));
    assertAlmostEquals(value("ams@0.34", truth, guess), ams, 1e-14);
  }
});

Deno.test("quantile@level judges the output that has the level", () => {
  const truth = labels([1, 2]);
  const guess = several([[0, 3], [1, 4]]); // levels 0.1 and 0.9
  const at = (name: string) => metricByName(name, { quantiles: [0.1, 0.9] }).value(truth, guess);
  assertAlmostEquals(at("quantile@0.1"), (0.1 + 0.1) / 2, 1e-15); // one too low, twice
  assertAlmostEquals(at("quantile@0.9"), (0.2 + 0.2) / 2, 1e-15); // two too high, twice
  assertThrows(() => at("quantile@0.5"), ParameterError);
  assertEquals(defaultMetrics("regression", 0, "quantile", 2), ["quantile"]);
});

Deno.test("counts and areas of a million weights of 0.1 are summed with compensation", () => {
  const numRows = 1e6;
  const truth: Labels = {
    values: Float64Array.from({ length: numRows }, (_, row) => row % 2),
    weight: new Float64Array(numRows).fill(0.1),
  };
  const response = new Float64Array(numRows).fill(0.25);
  const guess = { raw: response, response, numRows, numOutputs: 1 };
  // Plain sums of 0.1 are off by 1e-6 here, and a quarter of them by another share than the rest.
  const quarter = { ...truth, values: truth.values.map((_, row) => (row % 4 === 0 ? 1 : 0)) };
  const second = { ...guess, response: new Float64Array(numRows).fill(0.75) };
  assertAlmostEquals(metricByName("precision").value(quarter, second), 0.25, 1e-15);
  // All rows tie.
  assertAlmostEquals(metricByName("averagePrecision").value(truth, guess), 0.5, 1e-15);
  assertAlmostEquals(metricByName("auc").value(truth, guess), 0.5, 1e-15);
  assertAlmostEquals(metricByName("aucPr").value(truth, guess), 0.5, 1e-14);
  // Confidence ¼ where half the rows are of the second class.
  assertAlmostEquals(metricByName("ece").value(truth, guess), 0.25, 1e-14);
  const [bin] = reliabilityTable(truth, guess);
  assertAlmostEquals(bin.weight, 100_000, 1e-10);
  assertAlmostEquals(bin.observed, 0.5, 1e-15);
  const s = 50_000;
  const ams = Math.sqrt(2 * ((s + s + 10) * Math.log(1 + s / (s + 10)) - s));
  assertAlmostEquals(metricByName("ams@1").value(truth, guess), ams, 1e-12 * ams);
});

Deno.test("r2 of one label is NaN, also where its mean is not quite it", () => {
  // (0.3 · 0.1 + 0.3 · 0.2) / (0.1 + 0.2) is 0.30000000000000004 or 0.3 less a bit.
  const guess = one([1, 2]);
  assertEquals(value("r2", labels([0.3, 0.3], [0.1, 0.2]), guess), NaN);
  assertEquals(value("r2", labels([0.3, 5, 0.3], [0.1, 0, 0.2]), one([1, 1, 2])), NaN);
});

Deno.test("ranking metrics and the calibration error of scores that are no numbers are NaN", () => {
  const group = Int32Array.of(0, 0, 0);
  for (const name of ["ndcg", "map", "precisionAt@1", "mrr"]) {
    assertEquals(value(name, { ...labels([0, 1, 1]), group }, one([0.3, NaN, 0.1])), NaN, name);
    assertEquals(value(name, { ...labels([0, 0, 1]), group }, one([0.2, 0.3, 0.4])), 1, name);
  }
  assertEquals(value("ece", labels([1, 0]), one([NaN, 0.5])), NaN);
  // Rows without weight count for nothing, whatever their score.
  assertEquals(value("ece", labels([1, 0], [0, 1]), one([NaN, 0.25])), 0.25);
});

Deno.test("ranking metrics leave out queries without weight, whatever their scores", () => {
  const group = Int32Array.of(0, 0, 1, 1);
  const weighed = { ...labels([0, 1, 0, 1], [0, 0, 1, 1]), group };
  for (const name of ["ndcg", "map", "precisionAt@1", "mrr"]) {
    assertEquals(value(name, weighed, one([NaN, 0.1, 0.2, 0.3])), 1, name);
    const reversed = { ...labels([0, 1, 0, 1], [1, 1, 0, 0]), group };
    assertEquals(value(name, reversed, one([0.2, 0.3, NaN, 0.1])), 1, name);
  }
});

// Queries are dealt with by blocks: none is lost at the end.
Deno.test("ranking metrics of many queries are the means of the queries", () => {
  for (const numQueries of [1, 15, 17, 40, 127, 130, 300]) {
    const queries = Array.from({ length: numQueries }, (_, q) => ({
      truth: [q % 2, 1 - q % 2, +(q % 3 === 0)],
      guess: [q % 5, q % 7, 3.5],
    }));
    const group = Int32Array.from({ length: 3 * numQueries }, (_, row) => Math.floor(row / 3));
    const truth = labels(queries.flatMap((query) => query.truth));
    const guess = one(queries.flatMap((query) => query.guess));
    for (const name of ["ndcg", "map", "precisionAt@1", "mrr"]) {
      const alone = queries.map((query) =>
        value(name, { ...labels(query.truth), group: Int32Array.of(0, 0, 0) }, one(query.guess))
      );
      const mean = alone.reduce((sum, x) => sum + x) / numQueries;
      assertAlmostEquals(value(name, { ...truth, group }, guess), mean, 1e-12, name);
    }
  }
});

Deno.test("queries without weight are not counted", () => {
  const group = Int32Array.of(0, 0, 1, 1, 2, 2);
  const raw = new Float64Array(6); // all tied
  const counted = (weight: number[]) =>
    countQueries({ ...labels([0, 0, 0, 1, 0, 0], weight), group }, raw);
  assertEquals(counted([1, 1, 1, 1, 1, 1]), { count: 3, withoutRelevant: 2, tied: 1 });
  assertEquals(counted([0, 0, 0, 0, 1, 0]), { count: 1, withoutRelevant: 1, tied: 0 });
});

Deno.test("mcc does not depend on the unit of weights", () => {
  const guess = one([0.9, 0.1, 0.8, 0.7]);
  // (2 · 1 − 1 · 0) / √(3 · 2 · 2 · 1): two true positives, one true negative, one false positive.
  for (const unit of [1, 1e-90, 1e90]) {
    const found = value("mcc", labels([1, 0, 0, 1], [unit, unit, unit, unit]), guess);
    assertAlmostEquals(found, 2 / Math.sqrt(12), 1e-12, `${unit}`);
  }
  assertEquals(value("mcc", labels([1, 0], [0, 0]), one([0.9, 0.1])), 0);
});

Deno.test("ndcg refuses relevance below 0, of which there is no gain", () => {
  const negative = { ...labels([0, -1, 2]), group: Int32Array.of(0, 0, 0) };
  for (const name of ["ndcg", "ndcg@2"]) {
    assertThrows(() => value(name, negative, one([1, 2, 3])), ParameterError, "row 2 is -1");
  }
  assertEquals(value("map", negative, one([1, 2, 3])), 1);
});

Deno.test("metrics of classes have no figure where a score is no number and its row counts", () => {
  const names = ["accuracy", "error", "error@0.3", "topAccuracy@1", "balancedAccuracy", "f1"];
  for (const name of [...names, "macroF1", "precision", "recall", "mcc"]) {
    for (const y of [[0, 1, 1], [1, 0, 0]]) {
      assertEquals(value(name, labels(y), one([0.2, NaN, 0.8])), NaN, name);
      const known = value(name, labels([y[0], y[2]]), one([0.2, 0.8]));
      assertEquals(value(name, labels(y, [1, 0, 1]), one([0.2, NaN, 0.8])), known, name);
    }
  }
});

Deno.test("coxNll takes scores that lie far apart, and rows of weight 0 whatever their score", () => {
  // The last event is alone at risk: 0. Before it both are: ln(e^800 + e^0) − 800 = 0 or − 0 = 800.
  assertEquals(value("coxNll", labels([1, 2]), one([800, 0])), 0);
  assertEquals(value("coxNll", labels([2, 1]), one([800, 0])), 400);
  assertEquals(value("coxNll", labels([3, 2], [0, 1]), one([800, 0])), 0);
  assertEquals(value("coxNll", labels([3, 2], [0, 1]), one([NaN, 0])), 0);
});

Deno.test("larger is better for shares, areas and ranks, smaller for errors and losses", () => {
  const larger = METRIC_NAMES.filter((name) => metricByName(name).higherIsBetter);
  assertEquals(
    larger.toSorted().join(" "),
    "accuracy ams auc aucMu aucOvr aucPr averagePrecision balancedAccuracy f1 macroF1 map mcc mrr " +
      "ndcg precision precisionAt r2 recall topAccuracy",
  );
});

Deno.test("brier of several classes adds up the squares of all of them", () => {
  const guess = several([[0.5, 0.3, 0.2], [0.1, 0.2, 0.7]]);
  // 0.25 + 0.09 + 0.04, and 0.81 + 0.04 + 0.49
  assertAlmostEquals(value("brier", labels([0, 0]), guess), (0.38 + 1.34) / 2, 1e-15);
});

Deno.test("error@t: a probability of t is not above it", () => {
  assertEquals(value("error@0.25", labels([0, 1]), one([0.25, 0.25])), 0.5);
  assertEquals(value("error@0.25", labels([0, 1]), one([0.25, 0.5])), 0);
});

Deno.test("precision is 0 where nothing is predicted, recall NaN where nothing is true", () => {
  const weighed = labels([1, 1, 0], [0.25, 0.5, 1]);
  assertEquals(value("precision", weighed, one([0.1, 0.2, 0.3])), 0);
  assertEquals(value("recall", labels([0, 0]), one([0.9, 0.1])), NaN);
  assertAlmostEquals(value("recall", weighed, one([0.9, 0.1, 0.1])), 0.25 / 0.75, 1e-15);
  assertEquals(value("f1", labels([0, 0]), one([0.1, 0.1])), 0);
});

Deno.test("queries without a relevant row count what emptyGroup says in precisionAt and mrr", () => {
  const data: Labels = { ...labels([0, 1, 0, 0]), group: Int32Array.of(0, 0, 1, 1) };
  const guess = one([2, 1, 2, 1]); // the relevant row is second of two
  for (const name of ["precisionAt", "mrr"]) {
    for (const [emptyGroup, expected] of [["skip", 0.5], ["one", 0.75], ["zero", 0.25]] as const) {
      assertEquals(metricByName(name, { emptyGroup }).value(data, guess), expected);
    }
  }
  // Not among the first of each query.
  assertEquals(value("mrr@1", data, guess), 0);
  assertEquals(metricByName("mrr@2-").name, "mrr@2-");
});

Deno.test("quantile of several levels is the mean over them", () => {
  const metric = metricByName("quantile", { quantiles: [0.25, 0.5] });
  // 0.25 · 4 and 0.5 · 2
  assertEquals(metric.value(labels([5]), several([[1, 3]])), 1);
});

Deno.test("ams@1 does not part rows of one score", () => {
  // All three have s = 10, b = 20; the first alone would have b = 0.
  const truth = labels([1, 0, 0], [10, 10, 10]);
  const expected = Math.sqrt(2 * (40 * Math.log(1 + 10 / 30) - 10));
  assertAlmostEquals(value("ams@1", truth, one([0.5, 0.5, 0.5])), expected, 1e-12);
});
