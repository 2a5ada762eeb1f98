/**
 * Gradient boosting machines: first-order trees with a leaf line search.
 *
 * Friedman, "Greedy Function Approximation: A Gradient Boosting Machine", Annals of Statistics 29
 * (2001).
 *
 * @module
 */
import type { Dataset } from "../data/types.ts";
import { gbdt } from "../ensemble/gbdt.ts";
import type { TrainOptions } from "../ensemble/types.ts";
import { resolveLoss } from "../loss/losses.ts";
import { defaultLoss } from "../loss/losses.ts";
import type { Model } from "../model/model.ts";
import { resolveParams } from "../params/resolve.ts";
import type { ParamInput } from "../params/types.ts";
import { boostedTree, type BoostedTreeParams } from "./adaboost.ts";
import { checkTarget, classicSchema, finishModel } from "./classic.ts";
import { featureCount, type FeatureShare } from "./forest.ts";

interface ResolvedGbdt extends BoostedTreeParams {
  readonly loss: unknown;
  readonly rounds: number;
  readonly learningRate: number;
  readonly subsample: number;
  readonly featuresPerSplit: FeatureShare;
  readonly huberAlpha: number;
}

/**
 * Trains a gradient boosting machine.
 *
 * @example
 * ```ts
 * import { assert } from "@std/assert";
 * const data = {
 *   numRows: 4,
 *   features: [{ kind: "numeric", name: "x", values: new Float64Array([1, 2, 3, 4]) }],
 *   target: { kind: "regression", name: "y", values: new Float64Array([0, 0, 1, 1]) },
 * } as const;
 * const model = await trainGbdt(data, { rounds: 100 });
 * assert(Math.abs(model.predictValue({ x: 4 })[0] - 1) < 1e-3);
 * ```
 */
export async function trainGbdt(
  data: Dataset,
  params: ParamInput = {},
  options: TrainOptions = {},
): Promise<Model> {
  const resolved = resolveParams("gbdt", params) as unknown as ResolvedGbdt;
  checkTarget(data);
  const given = resolved.loss === "auto" ? defaultLoss(data.target!) : resolved.loss;
  const { loss, data: train } = resolveLoss(given, data, { quantiles: [resolved.huberAlpha] });
  const numFeatures = train.features.length;
  const perNode = featureCount(resolved.featuresPerSplit, numFeatures, true);
  const tree = boostedTree(resolved, "variance", resolved.maxDepth);
  const ensemble = await gbdt(train, {
    loss,
    rounds: resolved.rounds,
    learningRate: resolved.learningRate,
    tree: perNode < numFeatures ? { ...tree, featuresPerNode: perNode } : tree,
    subsample: resolved.subsample,
    huberAlpha: resolved.huberAlpha,
    tweediePower: 1.5,
    seed: resolved.seed,
  }, options);
  const schema = classicSchema(train, resolved.unknown);
  return finishModel("gbdt", train, ensemble, schema, params, resolved.seed, { loss: loss.name });
}
