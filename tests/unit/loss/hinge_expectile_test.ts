import { assertAlmostEquals, assertEquals } from "@std/assert";
import { expectileLoss } from "../../../src/loss/expectile.ts";
import { exponentialLoss, hingeLoss } from "../../../src/loss/logistic.ts";
import type { Loss } from "../../../src/loss/types.ts";

/** Derivatives of one row. */
function at(loss: Loss, label: number, raw: number): readonly [g: number, h: number] {
  const [gradient, hessian] = [new Float64Array(1), new Float64Array(1)];
  const labels = { values: Float64Array.of(label) };
  loss.gradients(labels, Float64Array.of(raw), gradient, hessian, 0, 1);
  return [gradient[0], hessian[0]];
}

Deno.test("hingeLoss() has a slope up to a margin of 1, there and beyond none", () => {
  const loss = hingeLoss();
  const NONE = 2 ** -126; // the least normal float32, as XGBoost has it
  for (const [label, side] of [[1, 1], [0, -1]]) {
    for (const margin of [-2, 0, 0.4, 0.6, 0.99]) {
      assertEquals(at(loss, label, side * margin), [-side, 1], `${label} at ${margin}`);
    }
    for (const margin of [1, 1.5]) {
      const [g, h] = at(loss, label, side * margin);
      assertEquals([g, h], [0, NONE], `${label} at ${margin}`);
    }
  }
});

Deno.test("exponentialLoss() answers with σ(2f), the odds of its minimum", () => {
  const loss = exponentialLoss();
  assertEquals(loss.postprocess, { name: "sigmoid", scale: 2 });
  const [base] = loss.baseScore({ values: Float64Array.of(1, 1, 1, 0) });
  assertAlmostEquals(1 / (1 + Math.exp(-2 * base)), 0.75, 1e-15);
});

Deno.test("expectileLoss() adds up the asymmetric squares of its levels", () => {
  const loss = expectileLoss([0.25, 0.9]);
  const labels = { values: Float64Array.of(1, 4), weight: Float64Array.of(3, 1) };
  // Scores 2 and 2: off by −1 and 2; then 0 and 6: off by 1 and −2.
  const value = (3 * 0.75 * 1 + 0.25 * 4) / 4 + (3 * 0.9 * 1 + 0.1 * 4) / 4;
  assertAlmostEquals(loss.value(labels, Float64Array.of(2, 2, 0, 6)), value, 1e-15);
});
