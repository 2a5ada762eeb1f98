/**
 * Cross-validation: train on all folds but one, score that one, in turn.
 *
 * @module
 */
import { checkShape } from "../data/dataset/shape.ts";
import { checkOptions } from "../door.ts";
import type { TrainSpec } from "../algorithms/train.ts";
import type { BinShare } from "../binning/bin_share.ts";
import type { Dataset, Matrix } from "../data/types.ts";
import { TrainingError } from "../errors.ts";
import { createSum } from "../util/sum.ts";
import { nextTurn } from "../util/turn.ts";
import {
  CROSS_VALIDATE,
  type CrossValidateOptions,
  type CrossValidation,
  type FoldResult,
} from "./cross_validation.ts";
import { type FoldAnswer, type FoldData, runFold } from "./fold.ts";
import { type FoldThreads, foldThreads } from "./fold_threads.ts";
import { checkPrepared, foldsOf, isPrepared, type PreparedFolds } from "./prepared_folds.ts";

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
