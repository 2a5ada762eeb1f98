/**
 * What every trainer takes besides data and parameters, and what it reports on the way.
 *
 * @module
 */
import type { BinShare } from "../binning/bin_share.ts";
import type { Dataset } from "../data/types.ts";

/** Progress after a boosting round (or a tree of a forest), as `onRound` receives it. */
export interface RoundReport {
  /** Number of the round, counted from 1. */
  readonly round: number;
  /** Rounds (or trees of a forest) of the whole run; early stopping may end it sooner. */
  readonly rounds: number;
  /** Metric values by set name (`train`, or the names of the validation sets) and metric name. */
  readonly metrics: { readonly [set: string]: { readonly [metric: string]: number } };
  /** Seconds since training began (or was resumed); for display only, never stored. */
  readonly seconds: number;
  /** Rounds (or trees of a forest) per second so far. */
  readonly roundsPerSecond: number;
  /** Seconds until the last round at this speed; fewer if early stopping ends the run. */
  readonly secondsLeft: number;
}

/** How a long run saves its state, so that it can be resumed after it was killed. */
export interface CheckpointOptions {
  /** Rounds between two checkpoints, at least 1. */
  readonly every: number;
  /** Stores the bytes of a checkpoint. Training waits until it is done. */
  readonly save: (bytes: Uint8Array<ArrayBuffer>) => void | Promise<void>;
}

/** Options of every trainer, besides data and parameters. */
export interface TrainOptions {
  /** Validation sets by name. A single dataset gets the name `valid`. */
  readonly valid?: Dataset | { readonly [name: string]: Dataset };
  /**
   * Worker threads, 1 or more. The bytes of the model do not depend on it. Small data are trained on
   * one thread, and so are algorithms whose work cannot be divided (docs/algorithms.md, "Threads").
   * @default all cores
   */
  readonly threads?: number;
  /**
   * Stops the training, which then rejects with `E_TRAIN_ABORTED`. `details.model` of the error is
   * the best model so far (for a forest, its first trees), if there is one; a single tree has none.
   */
  readonly signal?: AbortSignal;
  /** How to save checkpoints. For ensembles only. */
  readonly checkpoint?: CheckpointOptions;
  /**
   * The last checkpoint of a run with the same data, parameters and seed. Training goes on from it,
   * and the bytes of the model are those of an uninterrupted run. For ensembles only.
   */
  readonly resume?: Uint8Array;
  /** Called after each round (or tree of a forest). If it throws, training ends with its error. */
  readonly onRound?: (report: RoundReport) => void;
  /** Called before the first round with the rules of the run, such as what decides when to stop. */
  readonly onNote?: (message: string) => void;
  /** Called with the way the work is done: kernels, the number of threads and the reason for it. */
  readonly onDetail?: (message: string) => void;
  /** Called with warnings, each of them once: a rule that was chosen, a fallback that is used. */
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
