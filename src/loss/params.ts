/**
 * The parameters that shape losses.
 *
 * @module
 */

/**
 * Whose second derivatives and leaf rules a loss uses where libraries differ (softmax, Poisson,
 * ranking; percentiles of leaves): `treeline`, or those of XGBoost 2 or LightGBM 4 for the same
 * trees as theirs.
 */
export type Curvature = "treeline" | "xgboost" | "lightgbm";

/** Parameters that shape a loss; all have defaults. */
export interface LossParams {
  /** Where Huber and pseudo-Huber turn from square to line. @default 1 */
  readonly huberDelta?: number;
  /** Levels of the quantile loss, one output each. @default [0.5] */
  readonly quantiles?: readonly number[];
  /** Levels of the expectile loss, one output each. @default [0.5] */
  readonly expectiles?: readonly number[];
  /** Scale of the fair loss. @default 1 */
  readonly fairC?: number;
  /** Variance power of the Tweedie loss, between 1 and 2. @default 1.5 */
  readonly tweediePower?: number;
  /** Factor inside the sigmoid of the logistic loss. @default 1 */
  readonly sigmoidScale?: number;
  /** Whose second derivatives to use. @default "treeline" */
  readonly curvature?: Curvature;
  /** Largest step, which is part of XGBoost's second derivative of Poisson. */
  readonly maxDeltaStep?: number;
  /** Ranking: pairs have an item among the best this many ranks. @default 32 */
  readonly rankTruncation?: number;
  /** Ranking: gain of relevance r, 2^r − 1 or r. @default "exponential" */
  readonly rankGain?: "exponential" | "linear";
  /** Ranking: divide pairs by their score gap and queries by their sum. @default true */
  readonly rankNormalise?: boolean;
  /** Fixes the draws of XE-NDCG. @default 0 */
  readonly seed?: number;
}
