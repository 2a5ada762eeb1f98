/**
 * Which columns matter: gain, cover, number of splits, and (with data) what shuffling a column
 * costs, side by side, since each alone misleads.
 *
 * @module
 */
import type { Dataset } from "../../data/types.ts";
import { metricsOf } from "../../evaluate/evaluate.ts";
import { modelImportance, type ModelImportanceOptions } from "../../evaluate/model_importance.ts";
import { featureImportance, featuresUsed } from "../../explain/importance.ts";
import { metricByName } from "../../metric/metrics.ts";
import type { Model } from "../../model/model.ts";
import { metricText } from "./metrics.ts";
import { columns } from "../output/output.ts";

/** What is known about one column. */
export interface ImportanceRow {
  readonly feature: string;
  readonly gain: number;
  readonly cover: number;
  readonly splits: number;
  /** What shuffling the column costs in `metric`; absent without data. */
  readonly permutation?: number;
}

/** Columns, and the metric of `permutation`. */
export interface ImportanceRows {
  readonly metric?: string;
  readonly importance: readonly ImportanceRow[];
}

/** All columns, the largest gain first. */
export async function importanceRows(
  model: Model,
  data: Dataset | undefined,
  options: Pick<ModelImportanceOptions, "threads" | "signal"> = {},
): Promise<ImportanceRows> {
  const known = [...featureImportance(model)].sort((a, b) => b.gain - a.gain);
  if (data === undefined) return { importance: known };
  const name = metricsOf(model)[0]!;
  const metric = metricByName(name, model.info.params ?? {}).name;
  const used = featuresUsed(model);
  const features = data.features.flatMap(({ name }) => used.has(name) ? [name] : []);
  const costs = await modelImportance(model, data, { ...options, metric: name, features });
  const costOf = new Map(costs.map(({ feature, mean }) => [feature, mean]));
  return {
    metric,
    importance: known.map((row) => ({ ...row, permutation: costOf.get(row.feature) ?? 0 })),
  };
}

/** The rows for people. */
export function importanceText(
  { metric, importance }: ImportanceRows,
): string {
  const head = ["COLUMN", "GAIN", "COVER", "SPLITS", ...(metric ? [`SHUFFLED: ${metric}`] : [])];
  return columns([
    head,
    ...importance.map(({ feature, gain, cover, splits, permutation }) => [
      feature,
      metricText(gain),
      metricText(cover),
      String(splits),
      ...(permutation === undefined ? [] : [metricText(permutation)]),
    ]),
  ]);
}
