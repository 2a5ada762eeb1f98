/**
 * Permutation importance of a model by one of its metrics, shuffles spread over worker threads.
 *
 * @module
 */
import { checkShape } from "../data/dataset/shape.ts";
import { checkModel, checkOptions } from "../door.ts";
import type { Dataset } from "../data/types.ts";
import {
  columnsToShuffle,
  type PermutationImportance,
  type PermutationOptions,
  shuffleColumn,
  summarise,
} from "../explain/permutation.ts";
import { metricByName } from "../metric/metrics.ts";
import { decodeModel, encodeModel } from "../format/binary.ts";
import type { Model } from "../model/model.ts";
import { runTasks, threadsOf } from "../parallel/tasks.ts";
import { numCores } from "../runtime/env.ts";
import { EVALUATE_WORKERS, openEvaluateWorker } from "./open_worker.ts";
import { evaluate, metricParamsOf, metricsOf } from "./evaluate.ts";

/** Options of {@linkcode modelImportance}. */
export interface ModelImportanceOptions extends Omit<PermutationOptions, "higherIsBetter"> {
  /** Name of the metric. @default the first of the model's metrics */
  readonly metric?: string;
  /**
   * Worker threads, 1 or more. The result does not depend on it.
   * @default all cores if there is enough work, else 1
   */
  readonly threads?: number;
  /** Stops the work, which then rejects with the reason of the signal. */
  readonly signal?: AbortSignal;
}

/** What every shuffle shares. */
interface Shuffles {
  /** The model: the scorer of one has functions, which no thread can be sent. */
  readonly file: Uint8Array;
  readonly data: Dataset;
  readonly metric: string;
  readonly seed: number;
}

/** A feature's number and which of its shuffles; undefined: none is shuffled. */
type Shuffle = { readonly feature: number; readonly repeat: number } | undefined;

/** Rows × trees × shuffles below which starting threads costs more than it saves. */
const LEAST_WORK = 5e7;

/** Parts of a model's file that scoring does without. */
const ONLY_SCORES = { explain: false, attachments: false, sha256: false, inBits: false } as const;

/** The work of a thread: the metric of the data with one column shuffled. */
export function shuffleWork({ file, data, metric, seed }: Shuffles): (task: Shuffle) => number {
  const model = decodeModel(file, { checksum: false });
  const name = metricByName(metric, metricParamsOf(model)).name;
  return (task) => {
    const shuffled = task === undefined
      ? data
      : shuffleColumn(data, task.feature, seed, task.repeat);
    return evaluate(model, shuffled, [metric]).metrics[name];
  };
}

/**
 * {@linkcode permutationImportance} of a model by a metric, on several threads: how much worse the
 * metric becomes when the values of a column are shuffled.
 *
 * @returns One entry for each feature, in the order of the data.
 * @throws {DataError} `E_DATA_TARGET` without a target, `E_DATA_SHAPE` for a feature that the data do
 * not have.
 * @throws {ParameterError} `E_PARAM_UNKNOWN` for a metric that does not exist, `E_PARAM_RANGE` unless
 * `repeats` and `threads` are whole numbers of 1 or more.
 *
 * @example
 * ```ts
 * import { assert } from "@std/assert";
 * import { trainBoost } from "../algorithms/boost/boost.ts";
 * const data = {
 *   numRows: 6,
 *   features: [
 *     { kind: "numeric", name: "used", values: new Float64Array([1, 2, 3, 4, 5, 6]) },
 *     { kind: "numeric", name: "unused", values: new Float64Array([1, 1, 1, 1, 1, 1]) },
 *   ],
 *   target: { kind: "regression", name: "y", values: new Float64Array([0, 0, 0, 1, 1, 1]) },
 * } as const;
 * const model = await trainBoost(data, { rounds: 20, committee: 1 });
 * const [used, unused] = await modelImportance(model, data);
 * assert(used.mean > 0 && unused.mean === 0);
 * ```
 */
export async function modelImportance(
  model: Model,
  data: Dataset,
  options: ModelImportanceOptions = {},
): Promise<readonly PermutationImportance[]> {
  checkModel("modelImportance", model);
  checkShape("modelImportance", data);
  checkOptions<ModelImportanceOptions>("modelImportance", options, {
    metric: "text",
    threads: "any",
    signal: "signal",
    repeats: "count",
    seed: "whole",
    features: "texts",
  });
  const { repeats = 5, seed = 0, metric = metricsOf(model)[0], signal } = options;
  const { higherIsBetter } = metricByName(metric, metricParamsOf(model));
  const features = columnsToShuffle(data, options);
  const tasks: Shuffle[] = [undefined];
  for (const feature of features) {
    for (let repeat = 0; repeat < repeats; repeat++) tasks.push({ feature, repeat });
  }
  const isSmall = data.numRows * model.numTrees * tasks.length < LEAST_WORK;
  const threads = Math.min(tasks.length, threadsOf(options.threads, isSmall ? 1 : numCores()));
  const [base, ...scores] = await runTasks(tasks, {
    threads,
    setup: {
      file: encodeModel(model, ONLY_SCORES),
      data,
      metric,
      seed,
    },
    work: shuffleWork,
    open: () => openEvaluateWorker(EVALUATE_WORKERS.shuffle),
  }, { signal });
  return features.map((f, i) =>
    summarise(
      data.features[f].name,
      base,
      scores.slice(i * repeats, (i + 1) * repeats),
      higherIsBetter,
    )
  );
}
