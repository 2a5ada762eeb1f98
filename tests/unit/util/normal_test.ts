import { assertAlmostEquals, assertEquals } from "@std/assert";
import { normalCdf, normalQuantile } from "../../../src/util/normal.ts";

// Values of Abramowitz and Stegun, table 26.1 and of R's qnorm/pnorm, to the digits printed there.
Deno.test("normalCdf() equals the published table", () => {
  assertAlmostEquals(normalCdf(1), 0.841344746068543, 1e-15);
  assertAlmostEquals(normalCdf(-1.96), 0.0249978951482204, 1e-15);
  assertAlmostEquals(normalCdf(-6) / 9.86587645037698e-10, 1, 1e-13);
  assertEquals([normalCdf(0), normalCdf(-40), normalCdf(40)], [0.5, 0, 1]);
});

Deno.test("normalQuantile() inverts normalCdf()", () => {
  assertAlmostEquals(normalQuantile(0.75), 0.674489750196082, 1e-14);
  assertAlmostEquals(normalQuantile(0.975), 1.95996398454005, 1e-13);
  for (const p of [1e-12, 0.001, 0.02, 0.3, 0.5, 0.9]) {
    assertAlmostEquals(normalCdf(normalQuantile(p)) / p, 1, 1e-12);
  }
  assertEquals([normalQuantile(0), normalQuantile(1)], [-Infinity, Infinity]);
});
