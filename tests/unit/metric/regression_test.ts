import { assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import { ParameterError } from "../../../src/errors.ts";
import { defaultMetrics, metricByName } from "../../../src/metric/metrics.ts";
import { logFactorial } from "../../../src/metric/regression.ts";
import type { Predictions } from "../../../src/metric/types.ts";
import { labels, one, several, value } from "../../support/data/metric_values.ts";

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

Deno.test("quantile@level judges the output that has the level", () => {
  const truth = labels([1, 2]);
  const guess = several([[0, 3], [1, 4]]); // levels 0.1 and 0.9
  const at = (name: string) => metricByName(name, { quantiles: [0.1, 0.9] }).value(truth, guess);
  assertAlmostEquals(at("quantile@0.1"), (0.1 + 0.1) / 2, 1e-15); // one too low, twice
  assertAlmostEquals(at("quantile@0.9"), (0.2 + 0.2) / 2, 1e-15); // two too high, twice
  assertThrows(() => at("quantile@0.5"), ParameterError);
  assertEquals(defaultMetrics("regression", 0, "quantile", 2), ["quantile"]);
});

Deno.test("r2 of one label is NaN, also where its mean is not quite it", () => {
  // (0.3 · 0.1 + 0.3 · 0.2) / (0.1 + 0.2) is 0.30000000000000004 or 0.3 less a bit.
  const guess = one([1, 2]);
  assertEquals(value("r2", labels([0.3, 0.3], [0.1, 0.2]), guess), NaN);
  assertEquals(value("r2", labels([0.3, 5, 0.3], [0.1, 0, 0.2]), one([1, 1, 2])), NaN);
});

Deno.test("quantile of several levels is the mean over them", () => {
  const metric = metricByName("quantile", { quantiles: [0.25, 0.5] });
  // 0.25 · 4 and 0.5 · 2
  assertEquals(metric.value(labels([5]), several([[1, 3]])), 1);
});
