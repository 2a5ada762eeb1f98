/**
 * Losses with a log link for counts, amounts and both at once. Raw scores start at the log of the
 * weighted mean, so that large targets cannot overflow the first step.
 *
 * @module
 */
import type { Labels } from "../data/types.ts";
import { exp, log } from "../util/math.ts";
import { DOMAINS, meanLabel } from "./labels.ts";
import { pointwiseLoss } from "./pointwise.ts";
import type { Loss } from "./types.ts";
import type { Curvature } from "./params.ts";

const LOG_LINK = { name: "exp" } as const;

/** Largest step of XGBoost's `count:poisson` where none is given; LightGBM's `poisson_max_delta_step`. */
export const POISSON_STEP = 0.7;

/** Log of the weighted mean; of a tiny number when every label is 0. */
function logMean(labels: Labels): number {
  return log(meanLabel(labels) || 1e-16);
}

/**
 * Negative Poisson log likelihood, L = e^f − y f.
 *
 * The curvature is (e^f + y) / 2: it equals e^f on average and bounds a leaf's step
 * 2 (Σy − Σμ) / (Σy + Σμ) to ±2, where e^f alone lets one row of a large count overflow. XGBoost up
 * to 3.4 uses e^(f + maxDeltaStep), LightGBM e^(f + 0.7).
 *
 * @param step XGBoost's largest step.
 */
export function poissonLoss(curvature: Curvature = "treeline", step = POISSON_STEP): Loss {
  const shift = curvature === "xgboost" ? step : POISSON_STEP;
  return pointwiseLoss({
    name: "poisson",
    task: "regression",
    postprocess: LOG_LINK,
    domain: DOMAINS.nonNegative,
    start: logMean,
    gradient: (y, f) => exp(f) - y,
    hessian: curvature === "treeline" ? (y, f) => 0.5 * (exp(f) + y) : (_, f) => exp(f + shift),
    value: (y, f) => exp(f) - y * f,
  });
}

/** Negative gamma log likelihood at shape 1, L = f + y e^(−f). */
export function gammaLoss(): Loss {
  return pointwiseLoss({
    name: "gamma",
    task: "regression",
    postprocess: LOG_LINK,
    domain: DOMAINS.positive,
    start: logMean,
    gradient: (y, f) => 1 - y * exp(-f),
    hessian: (y, f) => y * exp(-f),
    value: (y, f) => f + y * exp(-f),
  });
}

/**
 * Tweedie deviance for 1 < ρ < 2 without its constant,
 * L = −y e^((1−ρ)f)/(1−ρ) + e^((2−ρ)f)/(2−ρ): zero inflated amounts.
 */
export function tweedieLoss(power: number): Loss {
  const a = 1 - power;
  const b = 2 - power;
  return pointwiseLoss({
    name: "tweedie",
    task: "regression",
    postprocess: LOG_LINK,
    domain: DOMAINS.nonNegative,
    start: logMean,
    gradient: (y, f) => -y * exp(a * f) + exp(b * f),
    hessian: (y, f) => -y * a * exp(a * f) + b * exp(b * f),
    value: (y, f) => -y * exp(a * f) / a + exp(b * f) / b,
  });
}
