/**
 * What every trainer takes besides data and parameters, and what it reports on the way.
 *
 * @module
 */
import type { BinShare } from "../binning/bin_share.ts";
import type { Dataset } from "../data/types.ts";

/** One boosting round (or tree of a forest), as told to `onRound`. */
export interface RoundReport {
  /** From 1. */
  readonly round: number;
  /** Rounds (or trees of a forest) of the whole run; early stopping may end it sooner. */
  readonly rounds: number;
  /** Metric values by set name (`train`, or the names of the validation sets) and metric name. */
  readonly metrics: { readonly [set: string]: { readonly [metric: string]: number } };
  /** Seconds since training began (or was resumed); for display only, never stored. */
  readonly seconds: number;
  /** Rounds (or trees of a forest) a second so far. */
  readonly roundsPerSecond: number;
  /** Seconds until the last round at this speed: the most, since early stopping may end sooner. */
  readonly secondsLeft: number;
}

/** Where a long run leaves what it needs to go on after it was killed. */
export interface CheckpointOptions {
  /** Rounds between two checkpoints, at least 1. */
  readonly every: number;
  /** Takes the bytes of a checkpoint; training waits for it. */
  readonly save: (bytes: Uint8Array<ArrayBuffer>) => void | Promise<void>;
}

/** Time, randomness and parallelism come in as arguments. */
export interface TrainOptions {
  /** Validation sets by name; a single dataset is named `valid`. */
  readonly valid?: Dataset | { readonly [name: string]: Dataset };
  /**
   * Worker threads. The model's bytes do not depend on it; small data get one, and so do algorithms
   * that have nothing to share (docs/algorithms.md, "Threads"). @default all cores
   */
  readonly threads?: number;
  /**
   * Stops training: rejects with `E_TRAIN_ABORTED`, whose `details.model` is the best model so far
   * (the first trees of a forest), where there is one; a single tree has none.
   */
  readonly signal?: AbortSignal;
  /** Ensembles only; a single tree has nothing to go on from. */
  readonly checkpoint?: CheckpointOptions;
  /**
   * The last checkpoint of a run with the same data, parameters and seed, which goes on from there:
   * the model's bytes are those of an uninterrupted run. Ensembles only.
   */
  readonly resume?: Uint8Array;
  /** Called after each round, or each tree of a forest; what it throws ends the training. */
  readonly onRound?: (report: RoundReport) => void;
  /** Called before the first round with the rules of the run: what decides when it stops. */
  readonly onNote?: (message: string) => void;
  /** Called with how the work is done: kernels and threads, and why so many. */
  readonly onDetail?: (message: string) => void;
  /** Called for things worth saying once (a rule was chosen, a fallback is used). */
  readonly onWarning?: (message: string) => void;
}

/** A training as one of many on the same rows. */
export interface TrialOptions extends TrainOptions {
  /** Bins that the trainings share; the model is the same with and without. */
  readonly share?: BinShare;
}

/** Kinds of {@linkcode TrialOptions}. */
export const TRAIN_OPTIONS = {
  valid: "object",
  threads: "any",
  signal: "signal",
  checkpoint: "object",
  resume: "bytes",
  onRound: "function",
  onNote: "function",
  onDetail: "function",
  onWarning: "function",
  share: "object",
} as const;
