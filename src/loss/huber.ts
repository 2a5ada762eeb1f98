/**
 * Losses that are quadratic near the label and linear far from it.
 *
 * @module
 */
import type { Labels } from "../data/types.ts";
import { log1p } from "../util/math.ts";
import { DOMAINS, meanLabel, weightedQuantile } from "./labels.ts";
import { pointwiseLoss } from "./pointwise.ts";
import type { Loss } from "./types.ts";
import type { Curvature } from "./params.ts";

const IDENTITY = { name: "identity" } as const;

/**
 * Huber loss: ½ x² for |x| ≤ δ, else δ (|x| − δ/2). Leaves take Friedman's one-step estimate around
 * their median m: m + mean(sign(r − m) · min(δ, |r − m|)) (Annals of Statistics 29, 2001);
 * LightGBM's take a Newton step with curvature 1.
 */
export function huberLoss(delta: number, curvature: Curvature = "treeline"): Loss {
  return pointwiseLoss({
    name: "huber",
    task: "regression",
    postprocess: IDENTITY,
    domain: DOMAINS.finite,
    start: meanLabel,
    gradient: (y, f) => Math.min(delta, Math.max(-delta, f - y)),
    hessian: () => 1,
    value: (y, f) => {
      const x = Math.abs(f - y);
      return x <= delta ? 0.5 * x * x : delta * (x - 0.5 * delta);
    },
    ...(curvature === "lightgbm"
      ? {}
      : { refit: (labels, raw, rows) => huberLeaf(labels, raw, rows, delta) }),
  });
}

/** Friedman's leaf for Huber loss, weighted; 0 where no row weighs anything. */
function huberLeaf(labels: Labels, raw: Float64Array, rows: Int32Array, delta: number): number {
  const { values, weight } = labels;
  const residuals = new Float64Array(rows.length);
  const weights = weight && new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i++) {
    residuals[i] = values[rows[i]] - raw[rows[i]];
    if (weights !== undefined) weights[i] = weight![rows[i]];
  }
  const median = weightedQuantile(residuals, 0.5, weights);
  let moved = 0;
  let total = 0;
  for (let i = 0; i < rows.length; i++) {
    const away = residuals[i] - median;
    const w = weights === undefined ? 1 : weights[i];
    moved += w * Math.sign(away) * Math.min(delta, Math.abs(away));
    total += w;
  }
  return total > 0 ? median + moved / total : 0;
}

/** Pseudo-Huber loss δ² (√(1 + x²/δ²) − 1), smooth everywhere; Newton steps. */
export function pseudoHuberLoss(delta: number): Loss {
  const square = delta * delta;
  return pointwiseLoss({
    name: "pseudoHuber",
    task: "regression",
    postprocess: IDENTITY,
    domain: DOMAINS.finite,
    start: meanLabel,
    gradient: (y, f) => (f - y) / Math.sqrt(1 + (f - y) * (f - y) / square),
    hessian: (y, f) => {
      const x2 = (f - y) * (f - y);
      return square / ((square + x2) * Math.sqrt(1 + x2 / square));
    },
    value: (y, f) => {
      const x2 = (f - y) * (f - y) / square;
      return square * (x2 / (Math.sqrt(1 + x2) + 1)); // √(1+t) − 1 without cancellation
    },
  });
}

/** Fair loss c² (|x|/c − ln(1 + |x|/c)); Newton steps, as LightGBM's `fair`. */
export function fairLoss(c: number): Loss {
  return pointwiseLoss({
    name: "fair",
    task: "regression",
    postprocess: IDENTITY,
    domain: DOMAINS.finite,
    start: meanLabel,
    gradient: (y, f) => c * (f - y) / (Math.abs(f - y) + c),
    hessian: (y, f) => {
      const distance = Math.abs(f - y) + c;
      return c * c / (distance * distance);
    },
    value: (y, f) => {
      const x = Math.abs(f - y) / c;
      return c * c * (x - log1p(x));
    },
  });
}
