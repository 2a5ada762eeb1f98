/**
 * Which rows judge a training run: the validation sets given, or a part of the training rows held
 * out, and which one metric on which one set decides when to stop.
 *
 * @module
 */
import { alignDataset } from "../data/align.ts";
import { splitDataset } from "../data/split.ts";
import type { Dataset } from "../data/types.ts";
import type { EarlyStoppingPlan } from "../ensemble/plan.ts";
import type { TrainOptions } from "../ensemble/types.ts";
import { ParameterError } from "../errors.ts";
import { metricByName } from "../metric/metrics.ts";
import type { Metric } from "../metric/types.ts";

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
export function prepareSets(data: Dataset, params: StoppingParams, options: TrainOptions): Sets {
  const named = Object.entries(namedSets(options.valid));
  if (named.length > 0 || params.earlyStoppingRounds === 0) {
    const valid = named.map(([name, set]) => [name, alignDataset(data, set, name)] as const);
    return { train: data, valid: Object.fromEntries(valid) };
  }
  const fractions = [1 - params.validFraction, params.validFraction];
  const stratify = data.target?.kind === "classification";
  const [train, heldOut] = splitDataset(data, { fractions, seed: params.seed, stratify });
  options.onWarning?.(
    `No validation set: held out ${heldOut.numRows} of ${data.numRows} rows${
      stratify ? " (by class)" : data.group === undefined ? "" : " (whole queries)"
    } for early stopping, seed ${params.seed}`,
  );
  return { train, valid: { [HELD_OUT]: heldOut } };
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
