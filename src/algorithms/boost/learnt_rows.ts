/**
 * Which rows boosting learns from: those of weight 0 are left out, unless what is repeated counts them.
 *
 * @module
 */
import type { Dataset } from "../../data/types.ts";
import { withoutWeightless } from "../../data/dataset/weightless.ts";
import type { Loss } from "../../loss/types.ts";
import { methodOf } from "./method.ts";
import { boostPlan, type ResolvedBoost } from "./plan.ts";

/** The rows that boosting with these parameters learns from. */
export function learntRows(
  data: Dataset,
  loss: Loss,
  params: ResolvedBoost,
  select?: (data: Dataset, rows: Int32Array) => Dataset,
): Dataset {
  return repeatsLibrary(data, loss, params) ? data : countedData(data, loss, params, select);
}

/**
 * Whether another library's own method is repeated, with rows of weight 0 as that takes them: LightGBM
 * counts them, XGBoost cuts at their values too, and has no least number of rows.
 */
function repeatsLibrary(data: Dataset, loss: Loss, params: ResolvedBoost): boolean {
  if (data.sampleWeight?.includes(0) !== true || (params.committee ?? 1) > 1) return false;
  const pieces = { loss, baseScore: new Float64Array(loss.numOutputs), metrics: [] };
  const plan = boostPlan(data, params, pieces);
  const method = methodOf(plan, params.preset);
  return method === "lightgbm" || method === "exact" && plan.minRowsPerLeaf === 1;
}

/**
 * The rows that boosting on histograms learns from. XGBoost's rankings divide weights of queries by their
 * mean, those of weight 0 among them.
 *
 * @param select `selectRows`, or what keeps its answers.
 */
export function countedData(
  data: Dataset,
  { task }: Pick<Loss, "task">,
  { curvature }: Pick<ResolvedBoost, "curvature">,
  select?: (data: Dataset, rows: Int32Array) => Dataset,
): Dataset {
  const isRanking = task === "ranking";
  if (isRanking && curvature === "xgboost") return data;
  return withoutWeightless(data, isRanking, select);
}
