/**
 * Which rows judge a training run: the validation sets given, or a part of the training rows held
 * out, and which one metric on which one set decides when to stop.
 *
 * @module
 */
import { alignDataset } from "../../data/dataset/align.ts";
import { selectRows } from "../../data/dataset/dataset.ts";
import { splitRows } from "../../data/dataset/split.ts";
import type { Dataset } from "../../data/types.ts";
import type { EarlyStoppingPlan } from "../../ensemble/plan.ts";
import type { TrainOptions, TrialOptions } from "../../ensemble/types.ts";
import { ParameterError, TrainingError } from "../../errors.ts";
import { canonicalLoss } from "../../loss/losses.ts";
import type { Loss } from "../../loss/types.ts";
import { defaultMetrics, metricByName } from "../../metric/metrics.ts";
import type { Metric, MetricParams } from "../../metric/types.ts";
import type { Model } from "../../model/model.ts";

/** Training rows and validation sets in the shape of the training data. */
export interface Sets {
  readonly train: Dataset;
  readonly valid: { readonly [name: string]: Dataset };
}

/** Parameters of early stopping. */
export interface StoppingParams {
  readonly earlyStoppingRounds: number;
  readonly earlyStoppingMetric?: string;
  readonly earlyStoppingSet?: string;
  readonly minDelta: number;
  readonly validFraction: number;
  readonly seed: number;
}

/** Parameters that choose metrics, and the metrics' own. */
export interface ToldParams extends MetricParams {
  readonly earlyStoppingRounds: number;
  readonly earlyStoppingMetric?: string;
  readonly metrics?: readonly string[];
}

const HELD_OUT = "heldOut";

/** Validation sets by name; a single dataset is named `valid`. */
export function namedSets(valid: TrainOptions["valid"]): { readonly [name: string]: Dataset } {
  if (valid === undefined) return {};
  const single = typeof (valid as Dataset).numRows === "number" &&
    Array.isArray((valid as Dataset).features);
  return single ? { valid: valid as Dataset } : valid as { readonly [name: string]: Dataset };
}

/**
 * Aligns validation sets with the training data, or holds a part of it out where early stopping
 * asks for a set and none is given; `onWarning` tells so.
 */
export function prepareSets(data: Dataset, params: StoppingParams, options: TrialOptions): Sets {
  const named = Object.entries(namedSets(options.valid));
  if (named.length > 0 || params.earlyStoppingRounds === 0) {
    const valid = named.map(([name, set]) => [name, alignDataset(data, set, name)] as const);
    return { train: data, valid: Object.fromEntries(valid) };
  }
  const stratify = data.target?.kind === "classification";
  const select = options.share?.select ?? selectRows;
  const [train, heldOut] = heldOutParts(data, params).map((rows) => select(data, rows));
  options.onWarning?.(
    `No validation set: held out ${heldOut.numRows} of ${data.numRows} rows${
      stratify ? " (by class)" : data.group === undefined ? "" : " (whole queries)"
    } for early stopping, seed ${params.seed}`,
  );
  return { train, valid: { [HELD_OUT]: heldOut } };
}

/** The rows that are trained on and those held out, where no validation set is given. */
export function heldOutParts(
  data: Dataset,
  { validFraction, seed }: Pick<StoppingParams, "validFraction" | "seed">,
): Int32Array[] {
  const stratify = data.target?.kind === "classification";
  return splitRows(data, { fractions: [1 - validFraction, validFraction], seed, stratify });
}

/**
 * The metrics asked for, or those of the task, the first of which decides early stopping. The name
 * `loss` is the minimised loss itself; losses of the user's own begin with it.
 */
export function metricsFor(
  data: Dataset,
  loss: Pick<Loss, "name" | "task" | "value" | "numOutputs">,
  params: ToldParams,
): readonly Metric[] {
  const numClasses = data.target?.kind === "classification" ? data.target.classes.length : 0;
  const usual = defaultMetrics(loss.task, numClasses, loss.name, loss.numOutputs);
  const own = canonicalLoss(loss.name) === undefined ? ["loss"] : [];
  const names = [...(params.metrics ?? [...own, ...usual])];
  const extra = params.earlyStoppingMetric;
  if (extra !== undefined && params.earlyStoppingRounds > 0) names.push(extra);
  const found = new Map<string, Metric>();
  for (const name of names) {
    const metric = name === "loss" ? lossMetric(loss) : metricByName(name, params);
    if (!found.has(metric.name)) found.set(metric.name, metric);
  }
  return [...found.values()];
}

function lossMetric(loss: Pick<Loss, "value">): Metric {
  return {
    name: "loss",
    higherIsBetter: false,
    value: (labels, { raw }) => loss.value(labels, raw),
  };
}

/** An interrupted run hands over the best model so far, if there is one, as `details.model`. */
export function handOver<Trained>(error: unknown, finish: (trained: Trained) => Model): unknown {
  if (!(error instanceof TrainingError) || error.code !== "E_TRAIN_ABORTED") return error;
  const { best, ...details } = error.details;
  if (best === undefined) return error;
  return new TrainingError(error.code, error.message, {
    details: { ...details, model: finish(best as Trained) },
    cause: error.cause,
  });
}

/**
 * The one metric on the one set that decides; undefined without early stopping.
 *
 * @throws {ParameterError} `E_PARAM_CONFLICT` when the metric or the set is not there.
 */
export function stoppingPlan(
  params: StoppingParams,
  metrics: readonly Metric[],
  sets: readonly string[],
  options: Pick<TrainOptions, "onNote">,
): EarlyStoppingPlan | undefined {
  if (params.earlyStoppingRounds === 0) return undefined;
  const set = params.earlyStoppingSet ?? sets.find((name) => name !== "train");
  if (set === undefined || !sets.includes(set)) {
    throw missing("earlyStoppingSet", "set", set, sets);
  }
  const wanted = params.earlyStoppingMetric === undefined || params.earlyStoppingMetric === "loss"
    ? params.earlyStoppingMetric ?? metrics[0]?.name
    : metricByName(params.earlyStoppingMetric).name;
  const metric = metrics.find(({ name }) => name === wanted);
  if (metric === undefined) {
    throw missing("earlyStoppingMetric", "metric", wanted, metrics.map(({ name }) => name));
  }
  options.onNote?.(
    `Stops early by ${metric.name} on ${set}: ${params.earlyStoppingRounds} rounds without an ` +
      `improvement${params.minDelta > 0 ? ` above ${params.minDelta}` : ""}`,
  );
  return {
    metric,
    set,
    rounds: params.earlyStoppingRounds,
    minDelta: params.minDelta,
  };
}

function missing(
  param: string,
  what: string,
  value: string | undefined,
  known: readonly string[],
): ParameterError {
  return new ParameterError(
    "E_PARAM_CONFLICT",
    `Cannot stop early by ${what} ${JSON.stringify(value ?? "")}: expected one of ${
      known.length === 0 ? "(none is computed)" : known.join(", ")
    }`,
    { details: { param, value } },
  );
}
