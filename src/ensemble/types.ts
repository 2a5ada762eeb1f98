/**
 * What every trainer takes besides data and parameters, and what it reports on the way.
 *
 * @module
 */
import type { Dataset } from "../data/types.ts";

/** One boosting round (or tree of a forest), as told to `onRound`. */
export interface RoundReport {
  /** From 1. */
  readonly round: number;
  readonly rounds: number;
  /** Metric values by set name (`train`, or the names of the validation sets) and metric name. */
  readonly metrics: { readonly [set: string]: { readonly [metric: string]: number } };
  /** Seconds since training began; for display only, never stored. */
  readonly seconds: number;
}

/** Time, randomness and parallelism come in as arguments. */
export interface TrainOptions {
  /** Validation sets by name; a single dataset is named `valid`. */
  readonly valid?: Dataset | { readonly [name: string]: Dataset };
  /** Worker threads. The model's bytes do not depend on it. @default all cores */
  readonly threads?: number;
  /** Stops training: rejects with `E_TRAIN_ABORTED`, whose `details.model` is the best model so far. */
  readonly signal?: AbortSignal;
  readonly onRound?: (report: RoundReport) => void;
  /** Called for things worth saying once (a rule was chosen, a fallback is used). */
  readonly onWarning?: (message: string) => void;
}
