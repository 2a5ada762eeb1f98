/**
 * Warnings of losses whose steps know no bound, hardly move, or miss their labels.
 *
 * @module
 */
import type { Target } from "../../data/types.ts";
import type { ResolvedBoost } from "./plan.ts";

const FAR_STEPS: { readonly [loss: string]: string } = {
  pseudoHuber: 'vanishes far from them: expected lambda above 0, maxDeltaStep, or loss "huber", ' +
    "whose leaves are bounded",
  squaredLog: "is held at 1e-6 far above them: expected lambda or minChildWeight above 0, or " +
    'loss "squared" on ln(1 + y)',
};

/** Labels of `squaredLog` above which its second derivative is near its floor of 1e-6. */
const MOST_OF_LOG = 300;

/**
 * Warns where pseudo-Huber or the squared error of logarithms is minimised without a penalty or a
 * largest step. Pseudo-Huber's second derivative falls with the cube of the distance |z| from the
 * label (δ³/|z|³), so that a leaf of far rows steps by z³/δ², far beyond their labels, and the next
 * step is further still; that of logarithms is negative at e times the label and held at 1e-6.
 *
 * Warns as well where labels are so large that the latter, 1/(1 + f)² at the label, is near that
 * floor: penalties and least weights of leaves then leave hardly any step.
 *
 * @param target Of the training rows.
 */
export function warnOfOvershoot(
  loss: string,
  { lambda, maxDeltaStep, minChildWeight }: Pick<
    ResolvedBoost,
    "lambda" | "maxDeltaStep" | "minChildWeight"
  >,
  target: Target,
  onWarning: ((message: string) => void) | undefined,
): void {
  const isBounded = lambda > 0 || maxDeltaStep > 0 ||
    (loss === "squaredLog" && minChildWeight > 0);
  if (loss in FAR_STEPS && !isBounded) {
    onWarning?.(
      `Loss "${loss}" with lambda 0 may step far beyond the labels, since its second derivative ` +
        FAR_STEPS[loss],
    );
  }
  if (loss !== "squaredLog" || target.kind !== "regression") return;
  const labels = target.values;
  let total = 0;
  for (let row = 0; row < labels.length; row++) total += Math.abs(labels[row]);
  if (total <= MOST_OF_LOG * labels.length) return;
  onWarning?.(
    `Loss "squaredLog" hardly learns from labels near ${
      Number((total / labels.length).toPrecision(2))
    }: ` +
      "its second derivative falls with their square; expected labels in a larger unit, or loss " +
      '"squared" on ln(1 + y)',
  );
}

/**
 * Warns where leaves are LightGBM's weighted percentiles: up to release 4.6 it takes the wrong stretch
 * of the cumulated weights, so that a leaf may lie outside of its labels (its issue 7151, mended in
 * 4.7). Presets repeat 4.6.
 */
export function warnOfPercentiles(
  loss: string,
  { curvature }: Pick<ResolvedBoost, "curvature">,
  isWeighted: boolean,
  onWarning: ((message: string) => void) | undefined,
): void {
  const weighs = loss === "mape" || isWeighted && (loss === "absolute" || loss === "quantile");
  if (curvature !== "lightgbm" || !weighs) return;
  onWarning?.(
    `Leaves of loss "${loss}" are weighted percentiles as LightGBM takes them up to 4.6, which may lie ` +
      'outside of the labels (4.7 mended that): expected curvature "treeline" for those that do not',
  );
}
