/**
 * How well a model predicts labelled data.
 *
 * @module
 */
import { checkShape } from "../data/dataset/shape.ts";
import { checkArgument, checkModel, checkOptions } from "../door.ts";
import { checkDataset } from "../data/dataset/check.ts";
import { queriesOf } from "../data/dataset/queries.ts";
import { encodeByClasses, requireTarget, withTask } from "../data/dataset/target.ts";
import type { Dataset, Labels } from "../data/types.ts";
import {
  expectedCalibrationError,
  type ReliabilityBin,
  reliabilityTable,
} from "../metric/calibration.ts";
import { uncomputable } from "../metric/domain.ts";
import { defaultMetrics, METRIC_NAMES, metricByName, ranksQueries } from "../metric/metrics.ts";
import type { Metric, MetricParams, Predictions } from "../metric/types.ts";
import { countQueries, type QueryCounts } from "../metric/ranking.ts";
import { outputMajor } from "../metric/response.ts";
import { respondInto } from "../model/calibrate.ts";
import type { Model } from "../model/model.ts";
import { isProbability } from "../model/postprocess.ts";
import { LEAST_MEASURED } from "../parallel/rows/measure.ts";
import { whyNoThreads } from "../parallel/start.ts";
import { threadsOf } from "../parallel/tasks.ts";
import { PRESET_NAMES, presetParams } from "../params/presets.ts";
import { explainParam } from "../params/resolve.ts";
import { numCores } from "../runtime/env.ts";
import { reorders } from "./evaluate_rows.ts";
import { type Measured, measureOnThreads } from "./evaluate_threads.ts";

/** Metrics of a model on a dataset. */
export interface Evaluation {
  /** Number of rows that were scored, including those of weight 0. */
  readonly rows: number;
  /** Task of the model. */
  readonly task: "regression" | "classification" | "ranking";
  /** Metrics by name, in the order of the request. */
  readonly metrics: { readonly [name: string]: number };
  /** Whether metrics are weighted by sample weights. */
  readonly weighted: boolean;
  /** For ranking metrics: the number of queries, and of those that need a convention. */
  readonly queries?: QueryCounts;
  /** For models that give probabilities: how well they agree with what was observed. */
  readonly calibration?: {
    /** Expected calibration error over the bins. */
    readonly ece: number;
    /** The reliability table, in ascending order of confidence. */
    readonly bins: readonly ReliabilityBin[];
  };
}

/**
 * Scores a dataset and computes metrics.
 *
 * @param names Metrics by name. @default those of the model's task, its own loss first
 * @throws {DataError} `E_DATA_TARGET` without a target, or for a class that the model does not know.
 * @throws {ModelError} `E_MODEL_SCHEMA` for data that do not fit the model.
 * @throws {ParameterError} `E_PARAM_UNKNOWN` for a metric that does not exist, `E_PARAM_CONFLICT` for
 * one of another task.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { trainBoost } from "../algorithms/boost/boost.ts";
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
  names?: readonly string[],
): Evaluation {
  checkModel("evaluate", model);
  checkShape("evaluate", data);
  if (names !== undefined) checkArgument("evaluate", "names", names, "texts");
  const labels = labelsFor(model, data);
  const metrics = metricsFor(model, names ?? metricsOf(model), labels);
  const predictions = joined(model, data.numRows, model.predictRaw(data).data);
  const values = metrics.map((metric) => metric.value(labels, predictions));
  const bins = givesProbabilities(model) ? reliabilityTable(labels, predictions) : undefined;
  const queries = queriesIn(metrics, labels, predictions.raw);
  return evaluationFrom(model, data, metrics, { values, bins }, queries);
}

/** Options of {@linkcode evaluateOnThreads}. */
export interface EvaluateOptions {
  /** Metrics by name. @default those of the model's task, its own loss first */
  readonly metrics?: readonly string[];
  /** Threads, 1 or more. @default all cores if there are enough rows, else 1 */
  readonly threads?: number;
}

/** Rows × trees below which starting threads costs more than scoring. */
const LEAST_WORK = 5e7;

/** {@linkcode evaluate} on several threads. The metrics are the same. */
export async function evaluateOnThreads(
  model: Model,
  data: Dataset,
  options: EvaluateOptions = {},
): Promise<Evaluation> {
  checkModel("evaluateOnThreads", model);
  checkShape("evaluateOnThreads", data);
  checkOptions<EvaluateOptions>("evaluateOnThreads", options, {
    metrics: "texts",
    threads: "any",
  });
  const { metrics: names = metricsOf(model) } = options;
  const threads = scoringThreads(model, data, options.threads);
  if (threads === 1) return evaluate(model, data, names);
  const labels = labelsFor(model, data);
  const metrics = metricsFor(model, names, labels);
  try {
    const table = givesProbabilities(model);
    const found = await measureOnThreads({ model, data, labels, metrics, table, threads });
    return evaluationFrom(model, data, metrics, found, queriesIn(metrics, labels, found.raw));
  } catch {
    // One thread meets the same error, and at its own row.
    return evaluate(model, data, names);
  }
}

/** Threads that score and measure a table; one where others cannot be had or do not pay. */
export function scoringThreads(
  model: Model,
  { numRows, features }: Dataset,
  wanted: number | undefined,
): number {
  const isSmall = numRows * model.numTrees < LEAST_WORK;
  const threads = threadsOf(wanted, isSmall ? 1 : numCores());
  const alone = numRows * model.numOutputs < LEAST_MEASURED || whyNoThreads() !== undefined ||
    features.some((column) => column.kind === "numeric" && column.binned !== undefined);
  return alone ? 1 : threads;
}

/** Parameters that shape metrics (deltas, gains): the model's own, over those of its preset. */
export function metricParamsOf({ info }: Pick<Model, "info">): MetricParams {
  const { preset, huberAlpha = explainParam("huberAlpha", "gbdt").default } = info.params ?? {};
  const known = typeof preset === "string" && PRESET_NAMES.includes(preset);
  return {
    ...(known ? presetParams(preset) : {}),
    // The one quantile of a gradient boosting machine has another name there.
    ...(info.algorithm === "gbdt" && { quantiles: [huberAlpha as number] }),
    ...info.params,
  };
}

const NO_LABELS: Labels = { values: new Float64Array(0) };

/**
 * Metrics by name for a model, refused before any row is scored where they cannot be computed.
 *
 * @param labels Without them only outputs are looked at.
 * @throws {ParameterError} `E_PARAM_UNKNOWN` and `E_PARAM_RANGE` for a name, `E_PARAM_CONFLICT` with
 * the metrics that can be computed.
 */
export function metricsFor(
  model: Model,
  names: readonly string[],
  labels: Labels = NO_LABELS,
): Metric[] {
  const make = (name: string) => metricByName(name, metricParamsOf(model));
  const problemOf = (metric: Metric) => metric.problem?.(labels, model.numOutputs);
  const hasQueries = labels.group !== undefined || model.schema.task === "ranking";
  return names.map(make).map((metric) => {
    const problem = problemOf(metric);
    if (problem !== undefined) {
      const others = METRIC_NAMES.filter((other) =>
        (hasQueries || !ranksQueries(other)) && problemOf(make(other)) === undefined
      );
      throw uncomputable(metric.name, `${problem}; those that can be are ${others.join(", ")}`);
    }
    if (labels !== NO_LABELS && ranksQueries(metric.name)) {
      queriesOf(`metric "${metric.name}"`, labels);
    }
    return metric;
  });
}

function queriesIn(
  metrics: readonly Metric[],
  labels: Labels,
  raw: Float64Array,
): QueryCounts | undefined {
  return metrics.some(({ name }) => ranksQueries(name)) ? countQueries(labels, raw) : undefined;
}

function evaluationFrom(
  model: Model,
  data: Dataset,
  metrics: readonly Metric[],
  { values, bins }: Omit<Measured, "raw">,
  queries: QueryCounts | undefined,
): Evaluation {
  return {
    rows: data.numRows,
    task: model.schema.task,
    metrics: Object.fromEntries(metrics.map(({ name }, i) => [name, values[i]])),
    weighted: data.sampleWeight !== undefined,
    ...(queries && { queries }),
    ...(bins && { calibration: { ece: expectedCalibrationError(bins), bins } }),
  };
}

function givesProbabilities({ schema, ensemble, calibration }: Model): boolean {
  return schema.classes.length > 1 &&
    (calibration !== undefined || isProbability(ensemble.postprocess.name));
}

/** Names of the metrics that suit a model. */
export function metricsOf(model: Model): readonly string[] {
  const { loss, params } = model.info;
  const { task, classes } = model.schema;
  // Hazards are no times: errors between them would be figures of nothing.
  if (params?.objective === "survival:cox") return ["coxNll"];
  const name = typeof loss === "string" ? loss : undefined;
  return defaultMetrics(task, classes.length, name, model.numOutputs);
}

/** Labels of a dataset as the model's classes number them. */
export function labelsFor(model: Model, data: Dataset): Labels {
  checkDataset(data, "", true);
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

/** Raw scores with their responses, output-major. */
function joined(model: Model, numRows: number, raw: Float64Array): Predictions {
  const { numOutputs, rules: { postprocess } } = model;
  const response = raw.slice();
  respondInto(postprocess, model.calibration, response, numOutputs);
  const { costs } = postprocess;
  return {
    ...(costs !== undefined && { costs }),
    ...(reorders(model) && { reordered: true }),
    raw: outputMajor(raw, numRows, numOutputs),
    response: outputMajor(response, numRows, numOutputs),
    numRows,
    numOutputs,
  };
}
