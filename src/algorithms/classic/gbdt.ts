/**
 * Gradient boosting machines: first-order trees with a leaf line search.
 *
 * Friedman, "Greedy Function Approximation: A Gradient Boosting Machine", Annals of Statistics 29
 * (2001).
 *
 * @module
 */
import { checkShape } from "../../data/dataset/shape.ts";
import { TRAIN_OPTIONS, type TrainOptions, type TrialOptions } from "../../ensemble/types.ts";
import { checkOptions } from "../../door.ts";
import { labelsOf } from "../../data/dataset/target.ts";
import type { Dataset } from "../../data/types.ts";
import { withoutWeightless } from "../../data/dataset/weightless.ts";
import { gbdt } from "../../ensemble/stagewise/gbdt.ts";
import type { StagewiseEnsemble } from "../../ensemble/stagewise/rounds.ts";
import { defaultLoss, resolveLoss } from "../../loss/losses.ts";
import type { Model } from "../../model/model.ts";
import type { Json } from "../../model/types.ts";
import { resolveParams } from "../../params/resolve.ts";
import type { ParamsFor, ResolvedParams } from "../../params/typed.ts";
import { boostedTree } from "./adaboost.ts";
import { planStates } from "../common/checkpoint.ts";
import { checkTarget, classicSchema, finishModel, refuseOffset, storyOf } from "./common.ts";
import { featureCount, sayOneFeature } from "./forest.ts";
import {
  handOver,
  metricsFor,
  prepareSets,
  stoppingPlan,
  type ToldParams,
} from "../common/validation.ts";

type ResolvedGbdt = ResolvedParams["gbdt"];

/**
 * Trains a gradient boosting machine (Friedman, "Greedy Function Approximation", 2001):
 * trees are grown on gradients, and a line search sets their leaves.
 *
 * Metrics of the validation sets in `options.valid` are computed in each round, and
 * `earlyStoppingRounds` keeps the rounds up to the best one (`info.best`). If rows are sampled,
 * `info.oobImprovement` has, for each round, the decrease of the loss on the rows left out.
 *
 * @param params Those of `gbdt` in docs/parameters.md.
 * @throws {ParameterError} For wrong parameters.
 * @throws {DataError} For data that do not fit together, or have no target.
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
  params: ParamsFor["gbdt"] = {},
  options: TrainOptions = {},
): Promise<Model> {
  checkShape("trainGbdt", data);
  checkOptions<TrialOptions>("trainGbdt", options, TRAIN_OPTIONS);
  const resolved = resolveParams("gbdt", params);
  checkTarget(data);
  const given = resolved.loss === "auto" ? defaultLoss(data.target!) : resolved.loss;
  const { loss, data: shaped } = resolveLoss(given, data, { quantiles: [resolved.huberAlpha] });
  const { train, valid } = prepareSets(withoutWeightless(shaped), resolved, options);
  // Rows are named by their place in what was given.
  if (train !== shaped) loss.checkLabels(labelsOf(shaped));
  Object.values(valid).forEach(refuseOffset);
  const numFeatures = train.features.length;
  sayOneFeature("featuresPerSplit", resolved.featuresPerSplit, numFeatures, options);
  const perNode = featureCount(resolved.featuresPerSplit, numFeatures, true);
  const tree = boostedTree(resolved, "variance", resolved.maxDepth);
  const schema = classicSchema(train, resolved.unknown);
  const metrics = metricsFor(train, loss, toldParams(resolved, loss.name));
  const earlyStopping = stoppingPlan(resolved, metrics, Object.keys(valid), options);
  const finish = ({ ensemble, best, oobImprovement }: StagewiseEnsemble) => {
    const story: { [key: string]: Json } = { loss: loss.name };
    if (best !== undefined) story.best = { ...best };
    if (oobImprovement !== undefined) story.oobImprovement = [...oobImprovement];
    return finishModel("gbdt", train, ensemble, schema, params, resolved.seed, story);
  };
  const states = await planStates(storyOf("gbdt", train, valid, params, resolved.seed), options);
  try {
    return finish(
      await gbdt(train, {
        judging: { metrics, schema, ...(earlyStopping !== undefined && { earlyStopping }) },
        loss,
        rounds: resolved.rounds,
        learningRate: resolved.learningRate,
        tree: perNode < numFeatures ? { ...tree, featuresPerNode: perNode } : tree,
        subsample: resolved.subsample,
        huberAlpha: resolved.huberAlpha,
        tweediePower: 1.5,
        seed: resolved.seed,
        states,
      }, { ...options, valid }),
    );
  } catch (error) {
    throw handOver(error, finish);
  }
}

/** Huber's δ moves from round to round, so that its metric cannot judge: absolute errors do. */
function toldParams(params: ResolvedGbdt, loss: string): ToldParams {
  return {
    ...params,
    quantiles: [params.huberAlpha],
    ...(loss === "huber" && params.metrics === undefined && { metrics: ["mae", "rmse", "r2"] }),
  };
}
