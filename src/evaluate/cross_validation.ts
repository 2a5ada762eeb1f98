/**
 * What a cross-validation is told, and what it answers.
 *
 * @module
 */
import type { Matrix } from "../data/types.ts";
import type { Evaluation } from "./evaluate.ts";

/** Options of {@linkcode crossValidate}: how rows are divided, and what is reported. */
export interface CrossValidateOptions {
  /** Number of folds, 2 or more. @default 5 */
  readonly folds?: number;
  /** Seed of the random division, a whole number. @default 0 */
  readonly seed?: number;
  /** Whether each fold gets the same shares of the classes. @default true for classes */
  readonly stratify?: boolean;
  /** Key of each row, length `numRows`: rows with the same key stay in the same fold. */
  readonly groups?: ArrayLike<string | number>;
  /**
   * Time of each row, length `numRows`, or `true` for the order of the rows (or queries). Each fold
   * is tested by a model that was trained on earlier rows only. Not together with `groups`.
   */
  readonly time?: ArrayLike<number> | true;
  /** Metrics by name. @default those of the model's task, its own loss first */
  readonly metrics?: readonly string[];
  /**
   * Threads. Folds run in parallel, each with its share of the threads. The result does not depend on
   * it. @default all cores if that pays
   */
  readonly threads?: number;
  /**
   * Stops the work, which then rejects with `E_TRAIN_ABORTED`; `details.folds` of the error are the
   * results of the folds that are finished.
   */
  readonly signal?: AbortSignal;
  /** Called after each fold, in the order of the folds. */
  readonly onFold?: (result: FoldResult) => void;
  /** Called with warnings, each of them once: a metric that some folds do not define, a fallback. */
  readonly onWarning?: (message: string) => void;
}

/** Kinds of {@linkcode CrossValidateOptions}. */
export const CROSS_VALIDATE = {
  folds: "any",
  seed: "whole",
  stratify: "flag",
  groups: "any",
  time: "any",
  metrics: "texts",
  threads: "any",
  signal: "signal",
  onFold: "function",
  onWarning: "function",
} as const;

/** The evaluation of one fold. */
export interface FoldResult extends Evaluation {
  /** Number of the fold, counted from 1. */
  readonly fold: number;
  /** Number of rows that the fold's model was trained on. */
  readonly trainRows: number;
  /** Rounds of the fold's model; with early stopping, those up to the best one. */
  readonly rounds: number;
}

/** Results of a cross-validation. */
export interface CrossValidation {
  /** Results in the order of the folds. */
  readonly folds: readonly FoldResult[];
  /** Mean over the folds that define the metric; a warning names the others. */
  readonly mean: { readonly [metric: string]: number };
  /** Standard deviation over these folds, divided by n − 1; NaN for a single fold. */
  readonly deviation: { readonly [metric: string]: number };
  /**
   * Response for each row by the model that was not trained on it, row-major `rows × outputs`; NaN if
   * no fold tested the row.
   */
  readonly outOfFold: Matrix;
  /** How rows were divided, in words. */
  readonly how: string;
}
