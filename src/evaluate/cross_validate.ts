/**
 * Cross-validation: train on all folds but one, score that one, in turn.
 *
 * @module
 */
import { checkShape } from "../data/dataset/shape.ts";
import { checkOptions, isObject } from "../door.ts";
import type { TrainSpec } from "../algorithms/train.ts";
import { selectRows } from "../data/dataset/dataset.ts";
import { groupFolds, timeFolds } from "../data/dataset/folds.ts";
import { type Fold, kFold } from "../data/dataset/split.ts";
import type { BinShare } from "../binning/bin_share.ts";
import type { Dataset, Matrix } from "../data/types.ts";
import { rowsOfWeight } from "../data/dataset/weightless.ts";
import { ParameterError, TrainingError } from "../errors.ts";
import { createSum } from "../util/sum.ts";
import { nextTurn } from "../util/turn.ts";
import type { Evaluation } from "./evaluate.ts";
import { type FoldAnswer, type FoldData, runFold, shareOf } from "./fold.ts";
import { type FoldThreads, foldThreads } from "./fold_threads.ts";

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

/** Folds as the options ask, and their name. */
export function makeFolds(
  data: Dataset,
  options: CrossValidateOptions,
): { readonly folds: readonly Fold[]; readonly how: string } {
  const { folds = 5, seed = 0, groups, time } = options;
  if (groups !== undefined && time !== undefined) {
    throw new ParameterError(
      "E_PARAM_CONFLICT",
      "Cannot fold by groups and by time at once: expected one of them",
      { details: { param: "groups" } },
    );
  }
  const given = groups ?? (time === true ? undefined : time);
  if (given !== undefined && given.length !== data.numRows) {
    throw new ParameterError(
      "E_PARAM_RANGE",
      `Cannot fold ${data.numRows} rows by ${given.length} keys: expected one a row`,
      { details: { param: groups === undefined ? "time" : "groups", length: given.length } },
    );
  }
  const rows = groups !== undefined || time !== undefined ? rowsOfWeight(data, true) : undefined;
  // Where nothing weighs anything, training says so.
  const counted = rows?.length === 0 ? undefined : rows;
  if (groups !== undefined) {
    const found = wholeQueries(data, groupFolds(groups, folds, seed, counted), "groups");
    return { folds: found, how: `${folds} folds of whole groups` };
  }
  if (time !== undefined) {
    const times = time === true ? queryNumbers(data) : time;
    const found = wholeQueries(data, timeFolds(data.numRows, folds, times, counted), "time");
    return { folds: found, how: `${found.length} folds in order of time` };
  }
  const stratify = options.stratify ?? data.target?.kind === "classification";
  return {
    folds: kFold(data, { folds, seed, stratify }),
    how: data.group === undefined
      ? `${folds} folds${stratify ? " by class" : ""}`
      : `${folds} folds of whole queries`,
  };
}

/** Rows of one query come at one time, where their order is all that is known. */
function queryNumbers({ group }: Dataset): Float64Array | undefined {
  if (group === undefined) return undefined;
  let query = 0;
  return Float64Array.from(group, (id, row) => row > 0 && id !== group[row - 1] ? ++query : query);
}

/**
 * The folds, refused where one of them tears a query apart: what is left of it is ranked as if it were
 * all, and the rest may train the model that is judged by it.
 */
function wholeQueries({ group }: Dataset, folds: readonly Fold[], param: string): readonly Fold[] {
  if (group === undefined) return folds;
  const foldOf = new Int32Array(group.length).fill(-1);
  folds.forEach(({ test }, k) => test.forEach((row) => foldOf[row] = k));
  for (let row = 1; row < group.length; row++) {
    if (group[row] !== group[row - 1] || foldOf[row] === foldOf[row - 1]) continue;
    throw new ParameterError(
      "E_PARAM_CONFLICT",
      `Cannot fold by ${param}: rows ${row} and ${row + 1} are of one query and would be in ` +
        `different folds; expected one key for all rows of a query`,
      { details: { param, row: row + 1 } },
    );
  }
  return folds;
}

/** The datasets of all folds, and the bins that trainings on them share. */
export interface PreparedFolds {
  /** Number of rows in all folds together. */
  readonly numRows: number;
  /** The datasets of each fold. */
  readonly parts: readonly FoldData[];
  /** How rows were divided, in words. */
  readonly how: string;
  /** Bins of each fold's training rows, by the parameters of binning; at most 256 MiB. */
  readonly share: BinShare;
}

/**
 * Makes the datasets of all folds once, for several calls of {@linkcode crossValidate}, such as the
 * trials of a search. Trainings with the same parameters of binning then share the bins of a fold's
 * training rows (with histograms and with `treeMethod: "lightgbm"`). The models are the same, byte for
 * byte, as without sharing.
 *
 * @throws {ParameterError} `E_PARAM_RANGE` for a wrong number of folds or keys, `E_PARAM_CONFLICT`
 * for `groups` together with `time`.
 *
 * @example Two settings on the same folds
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const x = Float64Array.from({ length: 60 }, (_, i) => i % 7);
 * const folds = prepareFolds({
 *   numRows: 60,
 *   features: [{ kind: "numeric", name: "x", values: x }],
 *   target: { kind: "regression", name: "y", values: x.map((v) => v > 3 ? 1 : 0) },
 * }, { folds: 3 });
 * for (const maxDepth of [1, 2]) await crossValidate(folds, { rounds: 5, maxDepth });
 * assertEquals(folds.share.hits, 3);
 * ```
 */
export function prepareFolds(data: Dataset, options: CrossValidateOptions = {}): PreparedFolds {
  checkShape("prepareFolds", data);
  checkOptions<CrossValidateOptions>("prepareFolds", options, CROSS_VALIDATE);
  return foldsOf(data, options);
}

/** As {@linkcode prepareFolds}, of arguments that were looked at. */
export function foldsOf(data: Dataset, options: CrossValidateOptions): PreparedFolds {
  const { folds, how } = makeFolds(data, options);
  const parts = folds.map(({ train, test }) => ({
    train: selectRows(data, train),
    test: selectRows(data, test),
    rows: test,
  }));
  return { numRows: data.numRows, parts, how, share: shareOf(parts) };
}

function isPrepared(data: Dataset | PreparedFolds): data is PreparedFolds {
  return isObject(data) && "parts" in data;
}

/** @throws {ParameterError} `E_PARAM_CONFLICT` for options that would fold again. */
function checkPrepared(folds: PreparedFolds, options: CrossValidateOptions): PreparedFolds {
  const again = (["folds", "seed", "stratify", "groups", "time"] as const)
    .find((name) => options[name] !== undefined);
  if (again === undefined) return folds;
  throw new ParameterError(
    "E_PARAM_CONFLICT",
    `Cannot use ${again} with folds that are cut out: give it to prepareFolds`,
    { details: { param: again } },
  );
}

/**
 * For each fold, trains a model on the other folds and evaluates it on this one.
 *
 * @param data Rows, or folds from {@linkcode prepareFolds}. The options that divide rows then belong
 * there, and are refused here.
 * @param spec Algorithm and parameters, as {@linkcode train} takes them.
 * @throws {ParameterError} As {@linkcode prepareFolds} and {@linkcode train}.
 * @throws {DataError} As {@linkcode train}.
 * @throws {TrainingError} `E_TRAIN_NUMERIC`, or `E_TRAIN_ABORTED` if `signal` aborts.
 *
 * @example
 * ```ts
 * import { assert } from "@std/assert";
 * const x = Float64Array.from({ length: 60 }, (_, i) => i);
 * const found = await crossValidate({
 *   numRows: 60,
 *   features: [{ kind: "numeric", name: "x", values: x }],
 *   target: { kind: "regression", name: "y", values: x.map((v) => v > 30 ? 1 : 0) },
 * }, { rounds: 20 }, { folds: 3 });
 * assert(found.mean.rmse < 0.4 && found.folds.length === 3);
 * ```
 */
export async function crossValidate(
  data: Dataset | PreparedFolds,
  spec: TrainSpec = {},
  options: CrossValidateOptions = {},
): Promise<CrossValidation> {
  checkOptions<CrossValidateOptions>("crossValidate", options, CROSS_VALIDATE);
  if (!isPrepared(data)) checkShape("crossValidate", data);
  const folds = isPrepared(data) ? checkPrepared(data, options) : foldsOf(data, options);
  const threads = foldThreads(folds.parts, options);
  try {
    return await crossValidateOn(threads, folds, spec, options);
  } finally {
    threads.close();
  }
}

/** {@linkcode crossValidate} on threads that several calls share. */
export async function crossValidateOn(
  threads: FoldThreads,
  { numRows, parts, how, share }: PreparedFolds,
  spec: TrainSpec,
  options: CrossValidateOptions,
): Promise<CrossValidation> {
  const { signal, metrics } = options;
  const results: FoldResult[] = [];
  let outOfFold: Matrix = { data: new Float64Array(0), rows: numRows, cols: 0 };
  const ahead: Promise<FoldAnswer>[] = [];
  const stop = whenAborted(signal, () => aborted(results, signal!.reason));
  try {
    for (const [i, part] of parts.entries()) {
      await nextTurn(); // folds may be too short to hear a signal themselves
      if (signal?.aborted) throw aborted(results, signal.reason);
      const pool = threads.pool();
      if (pool === undefined) {
        const begin = performance.now();
        ahead[i] = foldHere(part, share, spec, options, results);
        await ahead[i];
        threads.took(performance.now() - begin, parts.length - i - 1);
      } else {
        for (let fold = ahead.length; fold < parts.length; fold++) {
          ahead[fold] = pool.run({ fold, spec, metrics, threads: threads.inside });
          ahead[fold].catch(() => {}); // awaited below, maybe after another one failed
        }
      }
      const { evaluation, rounds, values, cols, warnings } = await Promise.race([ahead[i], stop]);
      for (const warning of warnings) options.onWarning?.(warning);
      const result = { fold: i + 1, trainRows: part.train.numRows, rounds, ...evaluation };
      results.push(result);
      outOfFold = placeRows(outOfFold, values, cols, part);
      options.onFold?.(result);
    }
  } finally {
    stop.forget();
  }
  for (const warning of undefinedIn(results)) options.onWarning?.(warning);
  return { folds: results, ...summary(results), outOfFold, how };
}

/** A promise that is refused when the signal aborts. */
function whenAborted(
  signal: AbortSignal | undefined,
  reason: () => unknown,
): Promise<never> & { forget(): void } {
  let stop = () => {};
  const promise = new Promise<never>((_, reject) => stop = () => reject(reason()));
  promise.catch(() => {});
  if (signal?.aborted) stop();
  signal?.addEventListener("abort", stop);
  return Object.assign(promise, { forget: () => signal?.removeEventListener("abort", stop) });
}

/** A fold on this thread; an interrupted one is worth nothing beside the folds that are done. */
async function foldHere(
  part: FoldData,
  share: BinShare,
  spec: TrainSpec,
  { metrics, threads, signal }: CrossValidateOptions,
  folds: readonly FoldResult[],
): Promise<FoldAnswer> {
  try {
    const answer = await runFold(part, share, { spec, metrics, threads }, signal);
    if (signal?.aborted !== true) return answer;
    throw aborted(folds, signal.reason);
  } catch (error) {
    if (!(error instanceof TrainingError) || error.code !== "E_TRAIN_ABORTED") throw error;
    throw aborted(folds, error.cause);
  }
}

function aborted(folds: readonly FoldResult[], cause: unknown): TrainingError {
  return new TrainingError(
    "E_TRAIN_ABORTED",
    `Cross-validation stopped after ${folds.length} ${folds.length === 1 ? "fold" : "folds"}`,
    { details: { folds: [...folds] }, cause },
  );
}

function placeRows(whole: Matrix, values: Float64Array, cols: number, part: FoldData): Matrix {
  const data = whole.cols === cols ? whole.data : new Float64Array(whole.rows * cols).fill(NaN);
  part.rows.forEach((row, i) => data.set(values.subarray(i * cols, (i + 1) * cols), row * cols));
  return { data, rows: whole.rows, cols };
}

/** Says which metrics are not defined in which folds (AUC of one class, say). */
function undefinedIn(results: readonly FoldResult[]): string[] {
  return Object.keys(results[0]?.metrics ?? {}).flatMap((metric) => {
    const without = results.filter(({ metrics }) => Number.isNaN(metrics[metric]));
    if (without.length === 0) return [];
    const left = results.length - without.length;
    return `Metric "${metric}" is not defined in fold${without.length === 1 ? "" : "s"} ${
      without.map(({ fold }) => fold).join(", ")
    } of ${results.length}: its mean is ${left === 0 ? "NaN" : `over the other ${left}`}`;
  });
}

/** Mean and deviation of each metric; folds where a metric is not defined are left out. */
function summary(results: readonly FoldResult[]): Pick<CrossValidation, "mean" | "deviation"> {
  const mean: { [metric: string]: number } = {};
  const deviation: { [metric: string]: number } = {};
  for (const metric of Object.keys(results[0]?.metrics ?? {})) {
    const values = results.map(({ metrics }) => metrics[metric]).filter((v) => !Number.isNaN(v));
    const total = createSum();
    for (const value of values) total.add(value);
    mean[metric] = total.value() / values.length;
    const squares = createSum();
    for (const value of values) squares.add((value - mean[metric]) ** 2);
    deviation[metric] = values.length < 2 ? NaN : Math.sqrt(squares.value() / (values.length - 1));
  }
  return { mean, deviation };
}
