/**
 * Squared error, L = ½ (f − y)².
 *
 * @module
 */
import { DOMAINS, meanLabel } from "./labels.ts";
import { pointwiseLoss } from "./pointwise.ts";
import type { Loss } from "./types.ts";

/** Squared error; the leaf step is the shrunken mean residual. */
export function squaredLoss(): Loss {
  return pointwiseLoss({
    name: "squared",
    task: "regression",
    postprocess: { name: "identity" },
    domain: DOMAINS.finite,
    kernel: "squared",
    start: meanLabel,
    gradient: (y, f) => f - y,
    hessian: () => 1,
    value: (y, f) => 0.5 * (f - y) * (f - y),
  });
}
