/**
 * Compares a loss's gradients and hessians with differences of its value.
 *
 * @module
 */
import { assert, assertAlmostEquals } from "@std/assert";
import type { Labels } from "../../../src/data/types.ts";
import type { Loss } from "../../../src/loss/types.ts";

/** Asserts that `gradients` is the derivative of `rows × value` at `raw`, row by row. */
export function assertGradients(
  loss: Loss,
  labels: Labels,
  raw: Float64Array,
  options: { readonly hessian?: boolean; readonly tolerance?: number } = {},
): void {
  const { hessian: checkHessian = true, tolerance = 1e-6 } = options;
  const size = raw.length;
  const numRows = labels.values.length;
  const gradient = new Float64Array(size);
  const hessian = new Float64Array(size);
  loss.gradients(labels, raw, gradient, hessian, 0, numRows);
  const totalAt = (at: number, shift: number): number => {
    const moved = raw.slice();
    moved[at] += shift;
    return loss.value(labels, moved) * numRows;
  };
  for (let at = 0; at < size; at++) {
    const step = 1e-5 * Math.max(1, Math.abs(raw[at]));
    const slope = (totalAt(at, step) - totalAt(at, -step)) / (2 * step);
    const scale = Math.max(1, Math.abs(slope));
    assertAlmostEquals(gradient[at], slope, tolerance * scale, `${loss.name}: gradient ${at}`);
    if (checkHessian) {
      const up = new Float64Array(size);
      const down = new Float64Array(size);
      const scratch = new Float64Array(size);
      const moved = raw.slice();
      moved[at] = raw[at] + step;
      loss.gradients(labels, moved, up, scratch, 0, numRows);
      moved[at] = raw[at] - step;
      loss.gradients(labels, moved, down, scratch, 0, numRows);
      const curve = (up[at] - down[at]) / (2 * step);
      const size2 = Math.max(1, Math.abs(curve));
      assertAlmostEquals(hessian[at], curve, tolerance * size2, `${loss.name}: hessian ${at}`);
    }
    assert(hessian[at] > 0, `${loss.name}: hessian ${at} is ${hessian[at]}`);
  }
}

/** Asserts that no constant near `baseScore` has a smaller mean loss. */
export function assertBestConstant(loss: Loss, labels: Labels, step = 1e-3): void {
  const base = loss.baseScore(labels);
  const numRows = labels.values.length;
  const fill = (scores: Float64Array) => {
    const raw = new Float64Array(scores.length * numRows);
    scores.forEach((score, output) => raw.fill(score, output * numRows, (output + 1) * numRows));
    return raw;
  };
  const best = loss.value(labels, fill(base));
  for (let output = 0; output < base.length; output++) {
    for (const shift of [step, -step]) {
      const moved = base.slice();
      moved[output] += shift;
      const other = loss.value(labels, fill(moved));
      assert(best <= other + 1e-12, `${loss.name}: ${moved} has ${other}, base score has ${best}`);
    }
  }
}
