import { assert, assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import type { Labels } from "../../../src/data/types.ts";
import { ParameterError } from "../../../src/errors.ts";
import { defaultMetrics, METRIC_NAMES, metricByName } from "../../../src/metric/metrics.ts";
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
  const skip = new Set(["ndcg", "map", "mrr", "precisionAt", "ams"]);
  for (const name of METRIC_NAMES.filter((name) => !skip.has(name))) {
    const p = name === "aucMu"
      ? [
        several([[0.6, 0.4], [0.3, 0.7], [0.2, 0.8]]),
        several([[0.6, 0.4], [0.3, 0.7], [0.3, 0.7], [0.2, 0.8]]),
      ]
      : [one([0.3, 0.6, 0.8]), one([0.3, 0.6, 0.6, 0.8])];
    const weighted = value(name, labels([0, 1, 1], [1, 2, 1]), p[0]);
    assertAlmostEquals(weighted, value(name, labels([0, 1, 1, 1]), p[1]), 1e-12, name);
  }
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
