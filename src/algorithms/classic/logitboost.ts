/**
 * LogitBoost for two or more classes.
 *
 * Friedman, Hastie and Tibshirani, "Additive Logistic Regression", Annals of Statistics 28 (2000).
 *
 * @module
 */
import { checkShape } from "../../data/dataset/shape.ts";
import { TRAIN_OPTIONS, type TrainOptions, type TrialOptions } from "../../ensemble/types.ts";
import { checkOptions } from "../../door.ts";
import type { Dataset } from "../../data/types.ts";
import { withoutWeightless } from "../../data/dataset/weightless.ts";
import { logitboost } from "../../ensemble/stagewise/logitboost.ts";
import type { StagewiseEnsemble } from "../../ensemble/stagewise/rounds.ts";
import { logisticLoss } from "../../loss/logistic.ts";
import { softmaxLoss } from "../../loss/softmax.ts";
import type { Model } from "../../model/model.ts";
import { resolveParams } from "../../params/resolve.ts";
import type { ParamsFor, ResolvedParams } from "../../params/typed.ts";
import { boostedTree } from "./adaboost.ts";
import { planStates } from "../common/checkpoint.ts";
import { checkTarget, classicSchema, finishModel, refuseOffset, storyOf } from "./common.ts";
import { handOver, metricsFor, prepareSets, stoppingPlan } from "../common/validation.ts";

type ResolvedLogitBoost = ResolvedParams["logitboost"];

/**
 * Trains LogitBoost (Friedman, Hastie & Tibshirani, "Additive Logistic Regression", 2000).
 *
 * Metrics of the validation sets in `options.valid` are computed in each round, and
 * `earlyStoppingRounds` keeps the rounds up to the best one (`info.best`).
 *
 * @param params Those of `logitboost` in docs/parameters.md.
 * @throws {DataError} `E_DATA_TARGET` for a target that has no classes.
 * @throws {ParameterError} For wrong parameters.
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
  params: ParamsFor["logitboost"] = {},
  options: TrainOptions = {},
): Promise<Model> {
  checkShape("trainLogitBoost", data);
  checkOptions<TrialOptions>("trainLogitBoost", options, TRAIN_OPTIONS);
  const resolved = resolveParams("logitboost", params);
  checkTarget(data, true);
  const { train, valid } = prepareSets(withoutWeightless(data), resolved, options);
  Object.values(valid).forEach(refuseOffset);
  const numClasses = train.target?.kind === "classification" ? train.target.classes.length : 0;
  const loss = numClasses === 2 ? logisticLoss() : softmaxLoss(numClasses);
  const schema = classicSchema(train, resolved.unknown);
  // Scores of two classes are half log odds: the loss is that of the probabilities.
  const names = resolved.metrics?.map((name) => name === "loss" ? "logLoss" : name);
  const metrics = metricsFor(train, loss, { ...resolved, ...(names && { metrics: names }) });
  const earlyStopping = stoppingPlan(resolved, metrics, Object.keys(valid), options);
  const finish = ({ ensemble, best }: StagewiseEnsemble) =>
    finishModel("logitboost", train, ensemble, schema, params, resolved.seed, {
      loss: loss.name,
      ...(best !== undefined && { best: { ...best } }),
    });
  const states = await planStates(
    storyOf("logitboost", train, valid, params, resolved.seed),
    options,
  );
  try {
    return finish(
      await logitboost(train, {
        judging: { metrics, schema, ...(earlyStopping !== undefined && { earlyStopping }) },
        rounds: resolved.rounds,
        learningRate: resolved.learningRate,
        tree: boostedTree(resolved, "variance", resolved.maxDepth),
        zMax: resolved.zMax,
        weka: resolved.weka,
        tolerance: resolved.tolerance,
        seed: resolved.seed,
        states,
      }, { ...options, valid }),
    );
  } catch (error) {
    throw handOver(error, finish);
  }
}
