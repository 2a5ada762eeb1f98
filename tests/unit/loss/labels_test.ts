import { assertEquals } from "@std/assert";
import { meanLabel } from "../../../src/loss/labels.ts";
import { sum } from "../../../src/util/sum.ts";

Deno.test("meanLabel() is the compensated mean, whether labels are whole, large or neither", () => {
  // Plain sums of these lose the 1: 2⁵³ + 1 is no float64.
  assertEquals(meanLabel({ values: Float64Array.of(2 ** 53, 1, -(2 ** 53)) }), 1 / 3);
  assertEquals(meanLabel({ values: Float64Array.of(3, -1, 0.5) }), 2.5 / 3);
  const whole = Float64Array.from({ length: 1001 }, (_, row) => ((row * 7919) % 2097) - 1000);
  assertEquals(meanLabel({ values: whole }), sum(whole) / whole.length);
  assertEquals(meanLabel({ values: Float64Array.of(NaN, 1) }), NaN);
});
