/**
 * Losses for two classes: logistic (also on soft labels), exponential and hinge.
 *
 * @module
 */
import type { Labels } from "../data/types.ts";
import { exp, sigmoid, softplus } from "../util/math.ts";
import { DOMAINS, logit, meanLabel } from "./labels.ts";
import { pointwiseLoss } from "./pointwise.ts";
import type { Loss } from "./types.ts";
import type { Curvature } from "./params.ts";

const MIN_HESSIAN = 1e-16; // XGBoost's kRtEps for logistic loss

/**
 * Logistic loss (cross entropy), L = ln(1 + e^f) − y f, for labels in [0, 1].
 *
 * @param options.scale Factor s of the sigmoid, p = σ(s f) (LightGBM's `sigmoid`). @default 1
 * @param options.soft Labels are probabilities, the response is a number: `crossEntropy`.
 * @param options.curvature `lightgbm` rounds 1 − y to float32 where labels are soft, as it does.
 */
export function logisticLoss(
  options: {
    readonly scale?: number;
    readonly soft?: boolean;
    readonly curvature?: Curvature;
  } = {},
): Loss {
  const { scale = 1, soft = false, curvature } = options;
  const rounds = soft && curvature === "lightgbm";
  return pointwiseLoss({
    name: soft ? "crossEntropy" : "logistic",
    task: soft ? "regression" : "classification",
    postprocess: scale === 1 ? { name: "sigmoid" } : { name: "sigmoid", scale },
    domain: DOMAINS.unit,
    ...(scale === 1 && !rounds ? { kernel: "logistic" as const } : {}),
    start: (labels) => logit(meanLabel(labels)) / scale,
    gradient: rounds
      ? (y, f) => softGradient(y, exp(-f))
      : (y, f) => scale * (sigmoid(scale * f) - y),
    hessian: (_, f) => {
      const p = sigmoid(scale * f);
      return Math.max(scale * scale * (p * (1 - p)), MIN_HESSIAN);
    },
    value: (y, f) => softplus(scale * f) - y * (scale * f),
  });
}

/** σ(f) − y with e = e^(−f), as LightGBM writes it. */
function softGradient(y: number, e: number): number {
  return e === Infinity ? -y : (Math.fround(1 - y) - y * e) / (1 + e);
}

/** Share of the second class as ±: best constant for losses symmetric in the classes. */
function majoritySign(labels: Labels): number {
  return meanLabel(labels) > 0.5 ? 1 : -1;
}

/** Exponential loss of AdaBoost, L = e^(−(2y−1) f); the probability is σ(2f). */
export function exponentialLoss(): Loss {
  return pointwiseLoss({
    name: "exponential",
    task: "classification",
    postprocess: { name: "sigmoid", scale: 2 },
    domain: DOMAINS.binary,
    start: (labels) => 0.5 * logit(meanLabel(labels)),
    gradient: (y, f) => y === 1 ? -exp(-f) : exp(f),
    hessian: (y, f) => exp(y === 1 ? -f : f),
    value: (y, f) => exp(y === 1 ? -f : f),
  });
}

/** Hinge loss, L = max(0, 1 − (2y−1) f); the response is a class, not a probability. */
export function hingeLoss(): Loss {
  // Curvature of rows beyond the margin: as small as XGBoost's (the least normal float32).
  const NONE = 1.1754943508222875e-38;
  return pointwiseLoss({
    name: "hinge",
    task: "classification",
    postprocess: { name: "hinge" },
    domain: DOMAINS.binary,
    start: majoritySign,
    gradient: (y, f) => (2 * y - 1) * f < 1 ? 1 - 2 * y : 0,
    hessian: (y, f) => (2 * y - 1) * f < 1 ? 1 : NONE,
    value: (y, f) => Math.max(0, 1 - (2 * y - 1) * f),
  });
}
