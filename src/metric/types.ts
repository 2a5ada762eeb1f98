/**
 * What evaluation and early stopping read.
 *
 * @module
 */
import type { Labels } from "../data/types.ts";

/** Predictions in the form a metric needs. */
export interface Predictions {
  /** Raw scores, output-major: `output × numRows + row`. */
  readonly raw: Float64Array;
  /** Responses after the link, output-major; for two classes one output, the second class's. */
  readonly response: Float64Array;
  readonly numRows: number;
  readonly numOutputs: number;
  /** A calibration gave responses another order than raw scores have: metrics of ranks go by it. */
  readonly reordered?: boolean;
  /** `Postprocess.costs` of the model: the answer is the class of least expected cost. */
  readonly costs?: readonly number[];
}

/** A named figure of merit. */
export interface Metric {
  /** camelCase: `logLoss`, `auc`, `rmse`, … */
  readonly name: string;
  readonly higherIsBetter: boolean;
  /**
   * Why it cannot be computed of these labels and so many outputs a row; undefined where it can.
   * Absent where any will do.
   */
  readonly problem?: (labels: Labels, numOutputs: number) => string | undefined;
  /** Weighted by `labels.weight` when present. NaN where it is not defined (AUC of one class). */
  value(labels: Labels, predictions: Predictions): number;
  /** The same number as work for several threads; absent where one thread computes it. */
  readonly job?: MakeJob;
  /** How other threads make it; absent for metrics of the user's own. */
  readonly recipe?: MetricRecipe;
}

/** What a query counts whose metric is not defined (no relevant item). */
export type EmptyGroup = "skip" | "one" | "zero";

/** Parameters of metrics that are not in their name. */
export interface MetricParams {
  /** Width of the Huber metrics. @default 1 */
  readonly huberDelta?: number;
  /** Scale of the fair metric. @default 1 */
  readonly fairC?: number;
  /** Power of the Tweedie metrics. @default 1.5 */
  readonly tweediePower?: number;
  /** Gain of the NDCG metrics. @default "exponential" */
  readonly rankGain?: "exponential" | "linear";
  /** What queries without a relevant item count in ranking metrics. @default "skip" */
  readonly emptyGroup?: EmptyGroup;
  /** Levels of the quantile metric. @default [0.5] */
  readonly quantiles?: readonly number[];
  /** Levels of the expectile metric. @default [0.5] */
  readonly expectiles?: readonly number[];
}

/** Plain data that a metric of this library is made from. */
export interface MetricRecipe {
  /** As {@linkcode metricByName} takes it. */
  readonly name: string;
  readonly params: MetricParams;
}

/** Where a job puts its numbers: arrays that all threads see. */
export interface Place {
  floats(length: number): Float64Array;
  ints(length: number): Int32Array;
}

/** Items that may be done in any order; a step begins when the one before it has ended. */
export interface MetricStep {
  readonly items: number;
  run(item: number): void;
}

/** A metric of these labels and predictions, as often as they change. */
export interface MetricJob {
  readonly steps: readonly MetricStep[];
  /** After the last step. */
  value(): number;
}

/** Makes a job; scores and responses are not read before a step runs. */
export type MakeJob = (labels: Labels, predictions: Predictions, place: Place) => MetricJob;
