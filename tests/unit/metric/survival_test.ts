import { assert, assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import { ParameterError } from "../../../src/errors.ts";
import { metricByName } from "../../../src/metric/metrics.ts";
import { labels, one, value } from "../../support/data/metric_values.ts";

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

Deno.test("coxNll takes scores that lie far apart, and rows of weight 0 whatever their score", () => {
  // The last event is alone at risk: 0. Before it both are: ln(e^800 + e^0) − 800 = 0 or − 0 = 800.
  assertEquals(value("coxNll", labels([1, 2]), one([800, 0])), 0);
  assertEquals(value("coxNll", labels([2, 1]), one([800, 0])), 400);
  assertEquals(value("coxNll", labels([3, 2], [0, 1]), one([800, 0])), 0);
  assertEquals(value("coxNll", labels([3, 2], [0, 1]), one([NaN, 0])), 0);
});
