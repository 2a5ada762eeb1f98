/**
 * Which loop of boosting carries out a plan: that on histograms, XGBoost's exact one, or LightGBM's.
 *
 * @module
 */
import { requireValues } from "../../data/dataset/check.ts";
import type { Dataset } from "../../data/types.ts";
import { boost } from "../../ensemble/boosting/booster.ts";
import { boostExact } from "../../ensemble/parity/exact.ts";
import { boostLeafwise, leafwiseProblem } from "../../ensemble/parity/leafwise.ts";
import type { BoostPlan, TrainedEnsemble } from "../../ensemble/plan.ts";
import type { TrialOptions } from "../../ensemble/types.ts";
import { ParameterError } from "../../errors.ts";

/** A loop over rounds. */
export type Method = "hist" | "exact" | "lightgbm";

/** The loop that a plan asks for. */
export function methodOf(plan: BoostPlan, preset: string): Method {
  if (plan.treeMethod === "exact") return "exact";
  if (plan.treeMethod === "lightgbm") return "lightgbm";
  if (plan.treeMethod !== "auto" || preset !== "lightgbm@4") return "hist";
  return leafwiseProblem(plan) === undefined ? "lightgbm" : "hist";
}

/**
 * Refuses what only LightGBM's own method does where another was chosen.
 *
 * @throws {ParameterError} `E_PARAM_CONFLICT` naming what stands in the way.
 */
export function refuseLeafwiseOnly(
  plan: BoostPlan,
  method: Method,
  given: ReadonlyMap<string, unknown>,
): void {
  if (method === "lightgbm") return;
  const { monotoneMethod, monotonePenalty, monotoneRules } = plan;
  for (
    const [param, value, isPlain] of [
      ["monotoneMethod", monotoneMethod, monotoneMethod === "basic"],
      ["monotonePenalty", monotonePenalty, monotonePenalty === 0],
      ["monotoneRules", monotoneRules, monotoneRules === "sound" || !given.has("monotoneRules")],
    ] as const
  ) {
    if (isPlain) continue;
    const problem = leafwiseProblem(plan);
    throw new ParameterError(
      "E_PARAM_CONFLICT",
      `Cannot use ${param} ${JSON.stringify(value)} with treeMethod "${method}"${
        problem === undefined ? "" : `, and treeMethod "lightgbm" does not do ${problem}`
      }: expected preset "lightgbm@4" with treeMethod "auto" or "lightgbm"`,
      { details: { param, value, ...(problem ? { with: problem } : {}) } },
    );
  }
}

/** Carries a plan out. */
export function runPlan(
  data: Dataset,
  plan: BoostPlan,
  method: Method,
  options: TrialOptions,
): Promise<TrainedEnsemble> {
  if (method === "exact") {
    requireValues(data, "by exact splits");
    return boostExact(data, plan, options);
  }
  if (method === "lightgbm") {
    requireValues(data, "as LightGBM does");
    return boostLeafwise(data, plan, options);
  }
  if (plan.linear !== undefined) {
    for (const set of [data, ...Object.values(options.valid ?? {}) as Dataset[]]) {
      requireValues(set, "linear leaves");
    }
  }
  return boost(data, plan, options);
}
