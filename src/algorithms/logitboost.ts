/**
 * LogitBoost for two or more classes.
 *
 * Friedman, Hastie and Tibshirani, "Additive Logistic Regression", Annals of Statistics 28 (2000).
 *
 * @module
 */
import type { Dataset } from "../data/types.ts";
import { logitboost } from "../ensemble/logitboost.ts";
import type { TrainOptions } from "../ensemble/types.ts";
import type { Model } from "../model/model.ts";
import { resolveParams } from "../params/resolve.ts";
import type { ParamInput } from "../params/types.ts";
import { boostedTree, type BoostedTreeParams } from "./adaboost.ts";
import { checkTarget, classicSchema, finishModel } from "./classic.ts";

interface ResolvedLogitBoost extends BoostedTreeParams {
  readonly rounds: number;
  readonly learningRate: number;
  readonly zMax: number;
  readonly weka: boolean;
  readonly tolerance: number;
}

/**
 * Trains LogitBoost.
 *
 * @throws {DataError} `E_DATA_TARGET` for a target without classes.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const data = {
 *   numRows: 4,
 *   features: [{ kind: "numeric", name: "x", values: new Float64Array([1, 2, 3, 4]) }],
 *   target: {
 *     kind: "classification",
 *     name: "y",
 *     codes: new Int32Array([0, 0, 1, 1]),
 *     classes: ["low", "high"],
 *   },
 * } as const;
 * const model = await trainLogitBoost(data, { rounds: 10 });
 * assertEquals(model.predictClass([{ x: 1 }, { x: 4 }]), ["low", "high"]);
 * ```
 */
export async function trainLogitBoost(
  data: Dataset,
  params: ParamInput = {},
  options: TrainOptions = {},
): Promise<Model> {
  const resolved = resolveParams("logitboost", params) as unknown as ResolvedLogitBoost;
  checkTarget(data, true);
  const ensemble = await logitboost(data, {
    rounds: resolved.rounds,
    learningRate: resolved.learningRate,
    tree: boostedTree(resolved, "variance", resolved.maxDepth),
    zMax: resolved.zMax,
    weka: resolved.weka,
    tolerance: resolved.tolerance,
    seed: resolved.seed,
  }, options);
  const schema = classicSchema(data, resolved.unknown);
  const loss = ensemble.numOutputs === 1 ? "logistic" : "softmax";
  return finishModel("logitboost", data, ensemble, schema, params, resolved.seed, { loss });
}
