/**
 * Search for good parameters: random draws (Bergstra & Bengio, JMLR 13, 2012), all on the same
 * folds, or successive halving (Jamieson & Talwalkar, AISTATS 2016), which tries many settings on few
 * rows and keeps the better part on more.
 *
 * @module
 */
import { checkShape } from "../data/dataset/shape.ts";
import { checkArgument, checkOptions } from "../door.ts";
import { selectRows } from "../data/dataset/dataset.ts";
import { splitRows } from "../data/dataset/split.ts";
import type { Dataset } from "../data/types.ts";
import { ParameterError, TrainingError } from "../errors.ts";
import { crossValidateOn } from "../evaluate/cross_validate.ts";
import { CROSS_VALIDATE, type CrossValidateOptions } from "../evaluate/cross_validation.ts";
import { type FoldData, shareOf } from "../evaluate/fold.ts";
import { type FoldThreads, foldThreads } from "../evaluate/fold_threads.ts";
import { foldsOf, type PreparedFolds } from "../evaluate/prepared_folds.ts";
import { metricByName } from "../metric/metrics.ts";
import { forkRng } from "../util/rng.ts";
import { checkJudge, checkSpace, drawParams, type SearchSpace, spaceFor } from "./space.ts";

/** The result of one setting of parameters on a share of the training rows. */
export interface Trial {
  /** Number of the setting, counted from 1. The draw depends only on it and on the seed. */
  readonly trial: number;
  /** Share of the training rows that was used, 0 to 1. */
  readonly share: number;
  /** Drawn and fixed parameters by canonical name. */
  readonly params: { readonly [name: string]: unknown };
  /** Mean over the folds of the metric that decides; NaN if the trial failed. */
  readonly value: number;
  /** Why the training failed, if it did. Such trials come last and have no metrics. */
  readonly failed?: string;
  /** Mean over the folds of each metric. */
  readonly mean: { readonly [metric: string]: number };
  /** Standard deviation over the folds of each metric. */
  readonly deviation: { readonly [metric: string]: number };
}

/** Options of {@linkcode tune}. */
export interface TuneOptions extends Omit<CrossValidateOptions, "onFold" | "signal"> {
  /**
   * Stops the search, which then rejects with `E_TRAIN_ABORTED`. `details.result` of the error is the
   * {@linkcode TuneResult} of the finished trials, if there is one; pass its trials as `resume` to go
   * on.
   */
  readonly signal?: AbortSignal;
  /**
   * Number of settings to draw, all of them different. If the space has fewer, there is a warning.
   * @default 30
   */
  readonly trials?: number;
  /**
   * `random` tries every setting on all rows; `halving` tries all settings on few rows and the best
   * ones on more. @default "random"
   */
  readonly method?: "random" | "halving";
  /** Name of the metric that decides. @default the first of the model's metrics */
  readonly metric?: string;
  /** With `halving`: one in this many settings survives each step. 2 or more. @default 3 */
  readonly factor?: number;
  /** Trials of an earlier run with the same data, space and options. They are not run again. */
  readonly resume?: readonly Trial[];
  /** Called after each trial, except resumed ones. If it returns a promise, the search waits. */
  readonly onTrial?: (trial: Trial) => unknown;
}

/** Kinds of {@linkcode TuneOptions}. */
export const TUNE_OPTIONS = {
  ...CROSS_VALIDATE,
  trials: "any",
  method: ["random", "halving"],
  metric: "text",
  factor: "any",
  resume: "list",
  onTrial: "function",
} as const;

/** The result of a search. */
export interface TuneResult {
  /** The best trial on all training rows. */
  readonly best: Trial;
  /** All trials, the best first; those on fewer rows follow those on more. */
  readonly trials: readonly Trial[];
  /** Name of the metric that decided. */
  readonly metric: string;
  /** Whether larger values of this metric are better. */
  readonly higherIsBetter: boolean;
  /** How rows were divided into folds, in words. */
  readonly how: string;
}

const STREAM = 0x74756e65; // draws of settings
const ROWS = 0x726f7773; // draws of rows for halving

/** A setting under trial. */
interface Candidate {
  readonly trial: number;
  readonly params: { readonly [name: string]: unknown };
}

/**
 * Searches for good parameters: draws settings at random (Bergstra & Bengio, JMLR 13, 2012) and
 * evaluates each by cross-validation on the same folds; with `method: "halving"` by successive halving
 * (Jamieson & Talwalkar, AISTATS 2016). If the training of a setting fails with `E_TRAIN_NUMERIC`,
 * there is a warning, and its trial comes last.
 *
 * @throws {ParameterError} `E_PARAM_RANGE` if there is nothing to draw, or for wrong `trials` or
 * `factor`; `E_PARAM_CONFLICT` for a metric that changes with what is drawn; otherwise as
 * {@linkcode crossValidate}.
 * @throws {TrainingError} That of the first failed trial if none could be trained on all rows;
 * `E_TRAIN_ABORTED` if `signal` aborts.
 * @throws {DataError} As {@linkcode crossValidate}.
 */
export async function tune(
  data: Dataset,
  space: SearchSpace,
  options: TuneOptions = {},
): Promise<TuneResult> {
  checkShape("tune", data);
  checkSpace("tune", space);
  checkOptions<TuneOptions>("tune", options, TUNE_OPTIONS);
  const { trials = 30, method = "random", factor = 3, seed = 0 } = options;
  checkCount("trials", trials, 1);
  checkCount("factor", factor, 2);
  const fitting = spaceFor(space, data);
  if (fitting.ranges.size === 0) {
    throw new ParameterError(
      "E_PARAM_RANGE",
      `Cannot tune ${space.algorithm}: no parameter is left to draw; expected a range for one`,
      { details: { algorithm: space.algorithm } },
    );
  }
  const whole = foldsOf(data, options);
  const { how } = whole;
  const known = new Map((options.resume ?? []).map((trial) => [keyOf(trial), trial]));
  const done: Trial[] = [];
  let failure: TrainingError | undefined;
  let metric = options.metric === undefined ? undefined : metricByName(options.metric);
  const metrics = metricsOf(options.metrics, metric?.name);
  checkJudge(fitting, metrics?.[0] && metricByName(metrics[0]).name);

  const run = async (
    candidate: Candidate,
    share: number,
    rows: PreparedFolds,
    threads: FoldThreads,
  ) => {
    const key = keyOf({ ...candidate, share });
    const before = known.get(key);
    if (before !== undefined && isJudged(before, metric?.name)) {
      if (before.failed === undefined) metric ??= metricByName(Object.keys(before.mean)[0]);
      else failure ??= new TrainingError("E_TRAIN_NUMERIC", before.failed);
      done.push(before);
      return before;
    }
    const trial = await scored(candidate, share, rows, threads);
    done.push(trial);
    await options.onTrial?.(trial);
    return trial;
  };
  const scored = async (
    candidate: Candidate,
    share: number,
    rows: PreparedFolds,
    threads: FoldThreads,
  ): Promise<Trial> => {
    try {
      const { mean, deviation } = await crossValidateOn(
        threads,
        rows,
        { algorithm: space.algorithm, ...candidate.params },
        { ...trainingOf(options), ...(metrics === undefined ? {} : { metrics }) },
      );
      metric ??= metricByName(Object.keys(mean)[0]);
      return { ...candidate, share, value: mean[metric.name], mean, deviation };
    } catch (error) {
      if (!(error instanceof TrainingError) || error.code !== "E_TRAIN_NUMERIC") throw error;
      failure ??= error;
      options.onWarning?.(`Trial ${candidate.trial} failed and comes last: ${error.message}`);
      return { ...candidate, share, value: NaN, failed: error.message, mean: {}, deviation: {} };
    }
  };
  const better = (a: Trial, b: Trial): number => {
    const sign = metric?.higherIsBetter === true ? -1 : 1;
    const [x, y] = [sign * a.value, sign * b.value];
    if (Number.isNaN(x) || Number.isNaN(y)) {
      return Number(Number.isNaN(x)) - Number(Number.isNaN(y));
    }
    return x - y || a.trial - b.trial;
  };

  const result = (): TuneResult => {
    const trials = done.toSorted((a, b) => b.share - a.share || better(a, b));
    return {
      best: trials.find(({ failed }) => failed === undefined)!,
      trials,
      metric: metric!.name,
      higherIsBetter: metric!.higherIsBetter,
      how,
    };
  };
  let candidates = drawCandidates(fitting, trials, seed);
  const count = candidates.length;
  if (count < trials) {
    options.onWarning?.(
      `Trials end after ${count} of ${trials}: there are no more settings to draw`,
    );
  }
  const steps = method === "halving" ? Math.floor(Math.log(count) / Math.log(factor) + 1e-9) : 0;
  for (let step = steps; step >= 0; step--) {
    const share = 1 / factor ** step;
    const rows = step === 0 ? whole : fewerOf(whole, share, seed);
    const found: Trial[] = [];
    const threads = foldThreads(rows.parts, options);
    try {
      for (const candidate of candidates) {
        found.push(await run(candidate, share, rows, threads));
      }
    } catch (error) {
      throw withResult(
        error,
        done.some(({ failed }) => failed === undefined) ? result() : undefined,
      );
    } finally {
      threads.close();
    }
    if (step > 0) {
      found.sort(better);
      candidates = found.slice(0, Math.max(1, Math.floor(found.length / factor)))
        .map(({ trial, params }) => ({ trial, params }));
    }
  }
  if (failure !== undefined && done.every(({ share, failed }) => share < 1 || failed)) {
    throw failure;
  }
  return result();
}

/** Draws that find nothing new before a space counts as used up: of 1000 settings none is left. */
const MOST_DRAWS = 10_000;

/** Settings to try, no two equal; fewer than asked for where the space has no more. */
function drawCandidates(space: SearchSpace, trials: number, seed: number): Candidate[] {
  const drawn = new Set<string>();
  const candidates: Candidate[] = [];
  for (let i = 0; i < trials; i++) {
    const rng = forkRng(seed, STREAM, i);
    let params = drawParams(space, rng);
    for (let draws = 1; drawn.has(JSON.stringify(params)); draws++) {
      if (draws === MOST_DRAWS) return candidates;
      params = drawParams(space, rng);
    }
    drawn.add(JSON.stringify(params));
    candidates.push({ trial: i + 1, params });
  }
  return candidates;
}

/** The metrics to compute, that which decides among them; undefined for those of the model. */
function metricsOf(
  names: readonly string[] | undefined,
  deciding: string | undefined,
): readonly string[] | undefined {
  if (deciding === undefined) return names;
  const others = (names ?? []).filter((name) => metricByName(name).name !== deciding);
  return [deciding, ...others];
}

/** Whether an earlier trial tells by the metric that decides now. */
function isJudged({ failed, mean }: Trial, deciding: string | undefined): boolean {
  return failed !== undefined || deciding === undefined || Object.keys(mean)[0] === deciding;
}

/** Options of each trial's cross-validation; those of folding were used before. */
function trainingOf({ threads, signal, onWarning }: TuneOptions): CrossValidateOptions {
  return {
    ...(threads === undefined ? {} : { threads }),
    ...(signal === undefined ? {} : { signal }),
    ...(onWarning === undefined ? {} : { onWarning }),
  };
}

/** An interrupted search with what it has found. */
function withResult(error: unknown, result: TuneResult | undefined): unknown {
  if (!(error instanceof TrainingError) || error.code !== "E_TRAIN_ABORTED") return error;
  const { folds: _, ...details } = error.details;
  const count = result?.trials.length ?? 0;
  return new TrainingError(
    error.code,
    `Tuning stopped after ${count} ${count === 1 ? "trial" : "trials"}`,
    {
      details: { ...details, trials: count, ...(result !== undefined && { result }) },
      cause: error.cause,
    },
  );
}

/** Folds with a share of their training rows, and bins of their own to share. */
function fewerOf(whole: PreparedFolds, share: number, seed: number): PreparedFolds {
  const parts = whole.parts.map((part, i) => fewer(part, share, seed, i));
  return { ...whole, parts, share: shareOf(parts) };
}

/** A fold with a share of its training rows; the rows to score stay. */
function fewer(part: FoldData, share: number, seed: number, fold: number): FoldData {
  const [rows] = splitRows(part.train, {
    fractions: [share, 1 - share],
    seed: forkRng(seed, ROWS, fold).nextUint32(),
    stratify: part.train.target?.kind === "classification",
  });
  return { ...part, train: selectRows(part.train, rows) };
}

/** Same setting on the same share of rows: the result must be the same. */
function keyOf({ trial, share, params }: Pick<Trial, "trial" | "share" | "params">): string {
  // A table of numbers by name has no text to sort by.
  const entries = Object.entries(params).sort(([a], [b]) => a < b ? -1 : 1);
  return JSON.stringify([trial, share.toPrecision(12), entries]);
}

function checkCount(param: string, value: number, least: number): void {
  if (Number.isInteger(value) && value >= least) return;
  throw new ParameterError(
    "E_PARAM_RANGE",
    `Cannot use ${param} ${value}: expected a whole number of at least ${least}`,
    { details: { param, value } },
  );
}

/**
 * The trials as a table of text: one line for each trial, first the metric that decided, then the
 * parameters that were drawn.
 */
export function trialTable(result: TuneResult): string {
  checkArgument("trialTable", "result", result, "object");
  checkArgument("trialTable", "result.trials", result.trials, "list");
  for (const trial of result.trials) {
    checkArgument("trialTable", "result.trials", trial, "object", "a list of trials");
  }
  checkArgument("trialTable", "result.metric", result.metric, "text");
  const names = [
    ...new Set(result.trials.flatMap(({ params }) => Object.keys(params))),
  ].filter((name) =>
    new Set(result.trials.map(({ params }) => JSON.stringify(params[name]))).size > 1
  );
  const head = ["trial", "rows", result.metric, "±", ...names];
  const lines = result.trials.map(({ trial, share, value, deviation, params }) => [
    String(trial),
    `${Number((100 * share).toPrecision(3))} %`,
    value.toPrecision(6),
    (deviation[result.metric] ?? NaN).toPrecision(2),
    ...names.map((name) => String(params[name] ?? "–")),
  ]);
  const widths = head.map((word, i) =>
    Math.max(word.length, ...lines.map((line) => line[i].length))
  );
  return [head, ...lines]
    .map((line) => line.map((word, i) => word.padStart(widths[i])).join("  "))
    .join("\n");
}
