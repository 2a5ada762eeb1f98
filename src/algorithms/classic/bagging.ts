/**
 * Bagging of any tree learner.
 *
 * Breiman, "Bagging Predictors", Machine Learning 24 (1996); Ho, "The Random Subspace Method for
 * Constructing Decision Forests", IEEE PAMI 20 (1998).
 *
 * @module
 */
import { checkShape } from "../../data/dataset/shape.ts";
import { TRAIN_OPTIONS, type TrainOptions, type TrialOptions } from "../../ensemble/types.ts";
import { checkOptions } from "../../door.ts";
import type { Dataset } from "../../data/types.ts";
import type { TreePlan } from "../../grow/plan/plan.ts";
import type { Model } from "../../model/model.ts";
import { resolveParams } from "../../params/resolve.ts";
import type { ParamsFor } from "../../params/typed.ts";
import { c45Plan } from "./c45.ts";
import { checkTarget } from "./common.ts";
import { forestTree, trainBagged } from "./forest.ts";
import { checkId3Features, id3Plan } from "./id3.ts";

/**
 * Trains trees on bootstrap samples and averages them (Breiman, "Bagging Predictors", 1996).
 *
 * @param params Those of `bagging` in docs/parameters.md.
 * @throws {ParameterError} For wrong parameters.
 * @throws {DataError} For data that do not fit together, or have no target.
 *
 * @example
 * ```ts
 * import { assert } from "@std/assert";
 * const data = {
 *   numRows: 6,
 *   features: [{ kind: "numeric", name: "x", values: new Float64Array([1, 2, 3, 7, 8, 9]) }],
 *   target: { kind: "regression", name: "y", values: new Float64Array([0, 0, 0, 6, 6, 6]) },
 * } as const;
 * const model = await trainBagging(data, { trees: 25 });
 * assert(model.predictValue({ x: 1 })[0] < 2);
 * ```
 */
export async function trainBagging(
  data: Dataset,
  params: ParamsFor["bagging"] = {},
  options: TrainOptions = {},
): Promise<Model> {
  checkShape("trainBagging", data);
  checkOptions<TrialOptions>("trainBagging", options, TRAIN_OPTIONS);
  const resolved = resolveParams("bagging", params);
  const { base } = resolved;
  if (base === "c45" || base === "id3") checkTarget(data, true);
  if (base === "id3") checkId3Features(data);
  const planOf = (train: Dataset): TreePlan => {
    switch (base) {
      case "cart":
        return forestTree(train, resolved, "exact");
      case "extra":
        return forestTree(train, resolved, "random");
      case "c45": {
        // Grown to the end: bagging averages away what pruning would remove.
        const defaults = resolveParams("c45", { unknown: resolved.unknown });
        return { ...c45Plan(defaults), cases: train.numRows };
      }
      case "id3":
        return id3Plan({ unknown: resolved.unknown });
    }
  };
  return await trainBagged("bagging", data, params, resolved, planOf, options);
}
