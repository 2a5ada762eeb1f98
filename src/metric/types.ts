/**
 * What evaluation and early stopping read.
 *
 * @module
 */
import type { Labels } from "../data/types.ts";
import type { MakeJob } from "./job.ts";
import type { MetricRecipe } from "./recipe.ts";

/** Predictions in the form a metric needs. */
export interface Predictions {
  /** Raw scores, output-major: `output × numRows + row`. */
  readonly raw: Float64Array;
  /** Responses after the link, output-major; for two classes one output, the second class's. */
  readonly response: Float64Array;
  readonly numRows: number;
  readonly numOutputs: number;
  /** `Postprocess.costs` of the model: the answer is the class of least expected cost. */
  readonly costs?: readonly number[];
}

/** A named figure of merit. */
export interface Metric {
  /** camelCase: `logLoss`, `auc`, `rmse`, … */
  readonly name: string;
  readonly higherIsBetter: boolean;
  /** Weighted by `labels.weight` when present. NaN where it is not defined (AUC of one class). */
  value(labels: Labels, predictions: Predictions): number;
  /** The same number as work for several threads; absent where one thread computes it. */
  readonly job?: MakeJob;
  /** How other threads make it; absent for metrics of the user's own. */
  readonly recipe?: MetricRecipe;
}
