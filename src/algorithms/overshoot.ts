/**
 * A warning of losses whose Newton steps know no bound.
 *
 * @module
 */
import type { ResolvedBoost } from "./boost_plan.ts";

/**
 * Warns where pseudo-Huber is minimised without a penalty or a largest step: its second derivative
 * falls with the cube of the distance |z| from the label (δ³/|z|³), so that a leaf of far rows steps
 * by z³/δ², far beyond their labels, and the next step is further still.
 */
export function warnOfOvershoot(
  loss: string,
  { lambda, maxDeltaStep }: Pick<ResolvedBoost, "lambda" | "maxDeltaStep">,
  onWarning: ((message: string) => void) | undefined,
): void {
  if (loss !== "pseudoHuber" || lambda > 0 || maxDeltaStep > 0) return;
  onWarning?.(
    'Loss "pseudoHuber" with lambda 0 may step far beyond the labels, since its second derivative ' +
      'vanishes far from them: expected lambda above 0, maxDeltaStep, or loss "huber", whose leaves ' +
      "are bounded",
  );
}
