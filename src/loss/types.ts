/**
 * What boosting minimises.
 *
 * @module
 */
import type { Labels } from "../data/types.ts";
import type { Postprocess } from "../model/types.ts";
import type { LossRecipe } from "./recipe.ts";

/**
 * A differentiable (or leaf-refitted) objective. Raw scores, gradients and hessians are
 * output-major: entry `output × numRows + row`. Gradients come out unweighted; the booster
 * multiplies by the sample weight (ranking losses, whose pairs share a weight, say so by `weighted`).
 */
export interface Loss {
  /** Canonical name as in docs/parameters.md. */
  readonly name: string;
  /** Targets that the loss is for. */
  readonly task: "regression" | "classification" | "ranking";
  /** Raw scores per row: 1, or the number of classes (or quantiles). */
  readonly numOutputs: number;
  /** Map from raw scores to responses that models of this loss carry. */
  readonly postprocess: Postprocess;
  /** The engine may compute gradients by this fused kernel instead; it must agree bit for bit. */
  readonly kernel?: "squared" | "logistic" | "softmax";
  /** What the softmax kernel multiplies p (1 − p) by. @default 2 */
  readonly curvatureFactor?: number;
  /**
   * How other threads make the same loss; absent where only the caller's functions know it.
   *
   * @internal
   */
  readonly recipe?: LossRecipe;
  /** Gradients already carry the sample weight. */
  readonly weighted?: boolean;
  /** The hessian is a stand-in (absolute, quantile, Huber): leaves are refitted by `refitLeaf`. */
  readonly refitLeaf?: (
    labels: Labels,
    raw: Float64Array,
    rows: Int32Array,
    output: number,
  ) => number;
  /**
   * Looks at each label before training.
   *
   * @throws {DataError} `E_DATA_TARGET` naming the first row whose label is outside the domain.
   */
  checkLabels(labels: Labels): void;
  /** Best constant raw score, length `numOutputs`. */
  baseScore(labels: Labels): Float64Array;
  /**
   * Fills `gradient` and `hessian` for rows `from … to − 1` of every output.
   *
   * @param round From 1, for losses that draw: the same round draws alike. @default 1
   */
  gradients(
    labels: Labels,
    raw: Float64Array,
    gradient: Float64Array,
    hessian: Float64Array,
    from: number,
    to: number,
    round?: number,
  ): void;
  /** Mean loss (weighted), summed with compensation. */
  value(labels: Labels, raw: Float64Array): number;
}
