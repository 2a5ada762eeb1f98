/**
 * What boosting minimises.
 *
 * @module
 */
import type { Labels } from "../data/types.ts";
import type { Postprocess } from "../model/types.ts";
import type { LossRecipe } from "./recipe.ts";

/**
 * The objective of boosting. Arrays of raw scores, gradients and hessians are output-major: entry
 * `output × numRows + row`. Gradients and hessians do not include the sample weight, by which the
 * booster multiplies them, unless `weighted` is set (as in ranking, where pairs share a weight).
 */
export interface Loss {
  /** Canonical name as in docs/parameters.md. */
  readonly name: string;
  /** Task that the loss is for. */
  readonly task: "regression" | "classification" | "ranking";
  /** Raw scores of a row: 1, or the number of classes (or quantiles). */
  readonly numOutputs: number;
  /** Map from raw scores to responses of models trained with this loss. */
  readonly postprocess: Postprocess;
  /** A fused kernel that computes the same gradients, bit for bit. */
  readonly kernel?: "squared" | "logistic" | "softmax";
  /** Factor on p (1 − p) in the hessian of the softmax kernel. @default 2 */
  readonly curvatureFactor?: number;
  /**
   * How other threads make the same loss; absent where only the caller's functions know it.
   *
   * @internal
   */
  readonly recipe?: LossRecipe;
  /** Whether gradients and hessians include the sample weight. @default false */
  readonly weighted?: boolean;
  /**
   * Value of a leaf, given its rows, for losses whose hessian is only a substitute (absolute,
   * quantile, Huber). @default the Newton step
   */
  readonly refitLeaf?: (
    labels: Labels,
    raw: Float64Array,
    rows: Int32Array,
    output: number,
  ) => number;
  /**
   * Checks each label before training.
   *
   * @throws {DataError} `E_DATA_TARGET` naming the first row whose label is outside the domain.
   */
  checkLabels(labels: Labels): void;
  /** The constant raw scores that training starts from, length `numOutputs`. */
  baseScore(labels: Labels): Float64Array;
  /**
   * Fills `gradient` and `hessian` for rows `from … to − 1` of every output.
   *
   * @param round Number of the round, counted from 1; losses with random draws repeat them in the
   * same round. @default 1
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
  /** Weighted mean of the loss, with compensated summation. */
  value(labels: Labels, raw: Float64Array): number;
}
