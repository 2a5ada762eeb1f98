/**
 * Random forests.
 *
 * Breiman, "Random Forests", Machine Learning 45 (2001).
 *
 * @module
 */
import { checkShape } from "../../data/dataset/shape.ts";
import { TRAIN_OPTIONS, type TrainOptions, type TrialOptions } from "../../ensemble/types.ts";
import { checkOptions } from "../../door.ts";
import type { Dataset } from "../../data/types.ts";
import type { Model } from "../../model/model.ts";
import { resolveParams } from "../../params/resolve.ts";
import type { ParamsFor } from "../../params/typed.ts";
import { forestTree, trainBagged } from "./forest.ts";

/**
 * Trains a random forest (Breiman 2001): trees on bootstrap samples, a random choice of features at
 * each node, averaged class shares or values. `info.oob` of the model has out-of-bag metrics, and
 * {@linkcode outOfBag} gives the predictions.
 *
 * @param params Those of `random-forest` in docs/parameters.md.
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
 * const model = await trainRandomForest(data, { trees: 50, seed: 1 });
 * assert(model.predictValue({ x: 9 })[0] > 4);
 * ```
 */
export async function trainRandomForest(
  data: Dataset,
  params: ParamsFor["random-forest"] = {},
  options: TrainOptions = {},
): Promise<Model> {
  checkShape("trainRandomForest", data);
  checkOptions<TrialOptions>("trainRandomForest", options, TRAIN_OPTIONS);
  const resolved = resolveParams("random-forest", params);
  const planOf = (train: Dataset) => forestTree(train, resolved, "exact");
  return await trainBagged("random-forest", data, params, resolved, planOf, options);
}
