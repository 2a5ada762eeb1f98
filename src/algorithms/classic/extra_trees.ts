/**
 * Extremely randomised trees.
 *
 * Geurts, Ernst and Wehenkel, "Extremely Randomized Trees", Machine Learning 63 (2006).
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
 * Trains extremely randomised trees (Geurts, Ernst & Wehenkel 2006): each node draws features, and
 * one random threshold for each of them. Every tree is trained on all rows, unless `replace` or
 * `sampleShare` is given.
 *
 * @param params Those of `extra-trees` in docs/parameters.md.
 * @throws {ParameterError} For wrong parameters.
 * @throws {DataError} For data that do not fit together, or have no target.
 *
 * @example
 * ```ts
 * import { assert } from "@std/assert";
 * const data = {
 *   numRows: 4,
 *   features: [{ kind: "numeric", name: "x", values: new Float64Array([1, 2, 8, 9]) }],
 *   target: { kind: "regression", name: "y", values: new Float64Array([0, 0, 6, 6]) },
 * } as const;
 * const model = await trainExtraTrees(data, { trees: 50, seed: 1 });
 * assert(model.predictValue({ x: 9 })[0] > 5);
 * ```
 */
export async function trainExtraTrees(
  data: Dataset,
  params: ParamsFor["extra-trees"] = {},
  options: TrainOptions = {},
): Promise<Model> {
  checkShape("trainExtraTrees", data);
  checkOptions<TrialOptions>("trainExtraTrees", options, TRAIN_OPTIONS);
  const resolved = resolveParams("extra-trees", params);
  const planOf = (train: Dataset) => forestTree(train, resolved, "random");
  return await trainBagged("extra-trees", data, params, resolved, planOf, options);
}
