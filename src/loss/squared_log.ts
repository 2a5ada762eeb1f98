/**
 * Squared error of logarithms, L = ½ (ln(1 + f) − ln(1 + y))².
 *
 * @module
 */
import { expm1, log1p } from "../util/math.ts";
import { DOMAINS, meanOf } from "./labels.ts";
import { pointwiseLoss } from "./pointwise.ts";
import type { Loss } from "./types.ts";

const LOWEST = -1 + 1e-6; // XGBoost reg:squaredlogerror holds raw scores above −1
const MIN_CURVATURE = 1e-6; // and the second derivative, negative far above the label, positive

/** Squared error of logarithms with XGBoost's bounds. */
export function squaredLogLoss(): Loss {
  const difference = (y: number, f: number) => log1p(Math.max(f, LOWEST)) - log1p(y);
  return pointwiseLoss({
    name: "squaredLog",
    task: "regression",
    postprocess: { name: "identity" },
    domain: DOMAINS.aboveMinusOne,
    start: (labels) => expm1(meanOf(labels, (row) => log1p(labels.values[row]))),
    gradient: (y, f) => difference(y, f) / (Math.max(f, LOWEST) + 1),
    hessian: (y, f) => {
      const shifted = Math.max(f, LOWEST) + 1;
      return Math.max((1 - difference(y, f)) / (shifted * shifted), MIN_CURVATURE);
    },
    value: (y, f) => 0.5 * difference(y, f) ** 2,
  });
}
