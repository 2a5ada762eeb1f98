/**
 * How well a model predicts labelled data.
 *
 * @module
 */
import { selectRows } from "../data/dataset.ts";
import { encodeByClasses, requireTarget, withTask } from "../data/target.ts";
import type { Dataset, Labels } from "../data/types.ts";
import {
  expectedCalibrationError,
  type ReliabilityBin,
  reliabilityTable,
} from "../metric/calibration.ts";
import { defaultMetrics, metricByName, type MetricParams } from "../metric/metrics.ts";
import { outputMajor } from "../metric/response.ts";
import type { Predictions } from "../metric/types.ts";
import { respondInto } from "../model/calibrate.ts";
import type { Model } from "../model/model.ts";
import { isProbability } from "../model/postprocess.ts";
import { createScorerPool } from "../parallel/score_pool.ts";
import { threadsOf } from "../parallel/tasks.ts";
import { PRESET_NAMES, presetParams } from "../params/presets.ts";
import { numCores } from "../runtime/env.ts";

/** Figures of merit of a model on some data. */
export interface Evaluation {
  readonly rows: number;
  readonly task: "regression" | "classification" | "ranking";
  /** By name, in the order asked for. */
  readonly metrics: { readonly [name: string]: number };
  /** Whether rows counted by their sample weights. */
  readonly weighted: boolean;
  /** Of models that give probabilities: how far they are from what happened. */
  readonly calibration?: {
    /** Expected calibration error over the bins. */
    readonly ece: number;
    readonly bins: readonly ReliabilityBin[];
  };
}

/**
 * Scores a dataset and computes metrics.
 *
 * @param names Metrics by name; by default those of the model's task, its own loss first.
 * @throws {DataError} `E_DATA_TARGET` without a target, or for a class that the model does not know.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { trainBoost } from "../algorithms/boost.ts";
 * const data = {
 *   numRows: 4,
 *   features: [{ kind: "numeric", name: "x", values: new Float64Array([1, 2, 3, 4]) }],
 *   target: { kind: "regression", name: "y", values: new Float64Array([0, 0, 1, 1]) },
 * } as const;
 * const model = await trainBoost(data, { rounds: 0 });
 * assertEquals(evaluate(model, data, ["rmse"]).metrics, { rmse: 0.5 });
 * ```
 */
export function evaluate(
  model: Model,
  data: Dataset,
  names: readonly string[] = metricsOf(model),
): Evaluation {
  return evaluationOf(model, data, model.predictRaw(data).data, names);
}

/** How {@linkcode evaluateOnThreads} goes about it. */
export interface EvaluateOptions {
  /** Metrics by name. @default those of the model's task, its own loss first */
  readonly metrics?: readonly string[];
  /** Threads that score. @default all cores where there are rows enough */
  readonly threads?: number;
}

/** Rows × trees below which starting threads costs more than scoring. */
const LEAST_WORK = 5e7;
const STRIPE = 8192;

/** {@linkcode evaluate} with the rows scored on worker threads: the same figures. */
export async function evaluateOnThreads(
  model: Model,
  data: Dataset,
  options: EvaluateOptions = {},
): Promise<Evaluation> {
  const { metrics = metricsOf(model) } = options;
  const isSmall = data.numRows * model.numTrees < LEAST_WORK;
  const threads = threadsOf(options.threads, isSmall ? 1 : numCores());
  using pool = createScorerPool(model, { threads });
  if (pool.numThreads === 0 || data.numRows === 0) return evaluate(model, data, metrics);
  const raw = new Float64Array(data.numRows * model.numOutputs);
  const size = Math.min(STRIPE, Math.ceil(data.numRows / pool.numThreads));
  const parts: Promise<void>[] = [];
  for (let from = 0; from < data.numRows; from += size) {
    const count = Math.min(size, data.numRows - from);
    const rows = Int32Array.from({ length: count }, (_, i) => from + i);
    parts.push(
      pool.table("predictRaw", selectRows(data, rows))
        .then((scores) => raw.set(scores as Float64Array, from * model.numOutputs)),
    );
  }
  await Promise.all(parts);
  return evaluationOf(model, data, raw, metrics);
}

/** Parameters that shape metrics (deltas, gains): the model's own, over those of its preset. */
export function metricParamsOf({ info }: Pick<Model, "info">): MetricParams {
  const { preset } = info.params ?? {};
  const known = typeof preset === "string" && PRESET_NAMES.includes(preset);
  return { ...(known ? presetParams(preset) : {}), ...info.params };
}

/** The evaluation from raw scores, row-major `rows × numOutputs`. */
export function evaluationOf(
  model: Model,
  data: Dataset,
  raw: Float64Array,
  names: readonly string[] = metricsOf(model),
): Evaluation {
  const labels = labelsFor(model, data);
  const predictions = joined(model, data.numRows, raw);
  const metrics: { [name: string]: number } = {};
  for (const name of names) {
    const metric = metricByName(name, metricParamsOf(model));
    metrics[metric.name] = metric.value(labels, predictions);
  }
  return {
    rows: data.numRows,
    task: model.schema.task,
    metrics,
    weighted: data.sampleWeight !== undefined,
    ...(givesProbabilities(model) ? { calibration: reliability(labels, predictions) } : {}),
  };
}

function givesProbabilities({ schema, ensemble, calibration }: Model): boolean {
  return schema.classes.length > 1 &&
    (calibration !== undefined || isProbability(ensemble.postprocess.name));
}

function reliability(
  labels: Labels,
  predictions: Predictions,
): NonNullable<Evaluation["calibration"]> {
  const bins = reliabilityTable(labels, predictions);
  return { ece: expectedCalibrationError(bins), bins };
}

/** Names of the metrics that suit a model. */
export function metricsOf(model: Model): readonly string[] {
  const { loss } = model.info;
  const { task, classes } = model.schema;
  const name = typeof loss === "string" ? loss : undefined;
  return defaultMetrics(task, classes.length, name, model.numOutputs);
}

/** Labels of a dataset as the model's classes number them. */
export function labelsFor(model: Model, data: Dataset): Labels {
  const target = requireTarget(data);
  const { classes } = model.schema;
  const values = classes.length > 0
    ? Float64Array.from(encodeByClasses(target, classes))
    : (withTask(data, "regression").target as { readonly values: Float64Array }).values;
  return {
    values,
    ...(data.sampleWeight === undefined ? {} : { weight: data.sampleWeight }),
    ...(data.group === undefined ? {} : { group: data.group }),
  };
}

/** Raw scores and responses of a model in the form metrics read. */
export function predictionsFor(model: Model, data: Dataset): Predictions {
  return joined(model, data.numRows, model.predictRaw(data).data);
}

/** Raw scores with their responses, output-major. */
function joined(model: Model, numRows: number, raw: Float64Array): Predictions {
  const { numOutputs, rules: { postprocess } } = model;
  const response = raw.slice();
  respondInto(postprocess, model.calibration, response, numOutputs);
  const { costs } = postprocess;
  return {
    ...(costs !== undefined && { costs }),
    raw: outputMajor(raw, numRows, numOutputs),
    response: outputMajor(response, numRows, numOutputs),
    numRows,
    numOutputs,
  };
}
