import { assertAlmostEquals, assertEquals } from "@std/assert";
import { lightgbmPercentile } from "../../../src/loss/percentile.ts";

const VALUES = [30, 10, 40, 20];

/** Level, weight of every value, percentile as `regression_objective.hpp` of LightGBM 4.6 takes it. */
const WEIGHTED = [
  [0.1, 2, 10], // the first cumulated weight passes the level
  [0.3, 2, (2.4 - 4) / 2 * 10 + 10], // between 10 and 20, from the wrong end: below all values
  [0.6, 2, (4.8 - 6) / 2 * 10 + 20],
  [0.6, 1, (2.4 - 3) / 1 * 10 + 20], // the next weighs 1
  [0.6, 0.5, 30], // the next weighs less than 1
  [0.9, 2, 40], // the last
] as const;

for (const [level, weight, expected] of WEIGHTED) {
  Deno.test(`lightgbmPercentile() at ${level} of values that weigh ${weight}`, () => {
    const weights = new Float64Array(4).fill(weight);
    const found = lightgbmPercentile(Float64Array.from(VALUES), level, weights);
    assertAlmostEquals(found, expected, 1e-12);
  });
}

Deno.test("lightgbmPercentile() goes down from the largest value by a share of the steps between", () => {
  // (n − 1)(1 − level) steps: 1.2 of 3 at 0.6, so 0.2 of the way from 30 to 20.
  for (const [level, expected] of [[0.6, 28], [0.9, 37], [0.25, 17.5], [0.5, 25]]) {
    const found = lightgbmPercentile(Float64Array.from(VALUES), level);
    assertAlmostEquals(found, expected, 1e-12);
  }
  assertEquals(lightgbmPercentile(Float64Array.of(7), 0.2, Float64Array.of(3)), 7);
  assertEquals(lightgbmPercentile(new Float64Array(0), 0.2), 0);
});
