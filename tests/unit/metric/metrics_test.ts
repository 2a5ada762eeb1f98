import { assert, assertEquals, assertThrows } from "@std/assert";
import type { Labels } from "../../../src/data/types.ts";
import { ParameterError } from "../../../src/errors.ts";
import { defaultMetrics, METRIC_NAMES, metricByName } from "../../../src/metric/metrics.ts";
import type { Predictions } from "../../../src/metric/types.ts";
import { labels, one, several, value } from "../../support/data/metric_values.ts";

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

Deno.test("larger is better for shares, areas and ranks, smaller for errors and losses", () => {
  const larger = METRIC_NAMES.filter((name) => metricByName(name).higherIsBetter);
  assertEquals(
    larger.toSorted().join(" "),
    "accuracy ams auc aucMu aucOvr aucPr averagePrecision balancedAccuracy f1 macroF1 map mcc mrr " +
      "ndcg precision precisionAt r2 recall topAccuracy",
  );
});
