/**
 * What is read of a plan before the rounds of a method that repeats another library's arithmetic: what
 * it would ignore, and what its threads are told.
 *
 * @module
 */
import { labelsOf } from "../../data/dataset/target.ts";
import type { Dataset, Labels } from "../../data/types.ts";
import { ParameterError } from "../../errors.ts";
import type { SerialWork } from "../../parallel/rows/serial_work.ts";
import type { BoostPlan } from "../plan.ts";
import type { TrainOptions } from "../types.ts";

/** Where the other settings stand that a method does; not all of `treeline@1` are. */
const PRESETS: { readonly [treeMethod: string]: string } = {
  exact: `, or the other settings of preset "xgboost@2"`,
  lightgbm: `, or the other settings of preset "lightgbm@4"`,
};

/** What the threads of a method are told of a run, but for its precision. */
export function serialWork(
  { numRows }: Dataset,
  labels: Labels,
  plan: BoostPlan,
  { threads, signal, onWarning, onDetail, valid }: TrainOptions,
): Omit<SerialWork, "single"> {
  const { loss, rounds, linear, metrics = [], trainMetrics } = plan;
  return {
    numRows,
    trees: rounds * loss.numOutputs,
    loss,
    labels,
    valid: Object.values(validSets(valid)).map((set) => ({
      labels: labelsOf(set),
      data: set,
    })),
    linear: linear !== undefined,
    judged: trainMetrics === true ? plan.judged ?? labels : undefined,
    metrics,
    threads,
    signal,
    onWarning,
    onDetail,
  };
}

/**
 * Refuses what a method would ignore.
 *
 * @param problems What is wrong, each with its name; the first that is counts.
 * @param orElse What would do besides another method.
 */
export function refuseFirst(
  treeMethod: string,
  problems: readonly (readonly [boolean, string])[],
  orElse: string = PRESETS[treeMethod] ?? "",
): void {
  const [, what] = problems.find(([bad]) => bad) ?? [];
  if (what === undefined) return;
  throw new ParameterError(
    "E_PARAM_CONFLICT",
    `Cannot use treeMethod "${treeMethod}" with ${what}: expected treeMethod "hist"${orElse}`,
    { details: { param: "treeMethod", with: what } },
  );
}

/** What no serial method does. */
export function serialProblems(plan: BoostPlan): readonly (readonly [boolean, string])[] {
  return [
    [plan.committee !== undefined, "committee"],
    [(plan.subsample ?? 1) < 1, "subsample"],
    [plan.sampling !== undefined && plan.sampling !== "uniform", `sampling "${plan.sampling}"`],
    [(plan.featuresPerTree ?? 1) < 1, "featuresPerTree"],
    [(plan.featuresPerLevel ?? 1) < 1, "featuresPerLevel"],
    [(plan.featuresPerNode ?? 1) < 1, "featuresPerNode"],
    [(plan.parallelTrees ?? 1) > 1, "parallelTrees"],
    [plan.dart !== undefined, "dropRate"],
    [(plan.learningRateGrowth ?? 1) > 1, "learningRateGrowth"],
    [plan.interactions !== undefined, "interactions"],
  ];
}

/** Validation sets by name. */
export function validSets(valid: TrainOptions["valid"]): { readonly [name: string]: Dataset } {
  if (valid === undefined) return {};
  return "numRows" in valid && typeof valid.numRows === "number"
    ? { valid: valid as Dataset }
    : valid as { readonly [name: string]: Dataset };
}
