/**
 * From parameters with names of columns to the plan of a boosting run with numbers of features.
 *
 * @module
 */
import type { Dataset } from "../../data/types.ts";
import type { BoostPlan, CommitteePlan, EarlyStoppingPlan } from "../../ensemble/plan.ts";
import { ParameterError } from "../../errors.ts";
import { POISSON_STEP } from "../../loss/counts.ts";
import { canonicalLoss } from "../../loss/losses.ts";
import type { Loss } from "../../loss/types.ts";
import type { Metric } from "../../metric/types.ts";
import type { ResolvedParams } from "../../params/typed.ts";
import { canonicalParams, resolveParams } from "../../params/resolve.ts";
import type { ParamInput } from "../../params/types.ts";
import { columnFinder, featureWeightsOf, monotoneOf } from "./named_columns.ts";

/** Parameters after `resolveParams`: those with a default are there. */
export type ResolvedBoost = ResolvedParams["boost"];

/**
 * Parameters with their defaults, those that hang on others included: XGBoost's Poisson has a largest
 * step of 0.7 where none is given.
 *
 * @throws {ParameterError} as `resolveParams`.
 */
export function resolveBoost(params: ParamInput): ResolvedBoost {
  const resolved = resolveParams("boost", params);
  const { curvature, loss } = resolved;
  const isXgboostPoisson = curvature === "xgboost" && typeof loss === "string" &&
    canonicalLoss(loss) === "poisson";
  if (!isXgboostPoisson || canonicalParams("boost", params).has("maxDeltaStep")) return resolved;
  return { ...resolved, maxDeltaStep: POISSON_STEP };
}

/** What else a plan needs. */
export interface PlanPieces {
  readonly loss: Loss;
  readonly baseScore: Float64Array;
  readonly metrics: readonly Metric[];
  readonly earlyStopping?: EarlyStoppingPlan;
  readonly committee?: CommitteePlan;
}

/**
 * Makes the plan.
 *
 * @throws {ParameterError} `E_PARAM_RANGE` for a column that is not there, `E_PARAM_CONFLICT` for
 * parameters that contradict each other.
 */
export function boostPlan(data: Dataset, params: ResolvedBoost, pieces: PlanPieces): BoostPlan {
  const { sampling, gossTop, gossOther } = params;
  const subsample = params.subsample ?? usualShare(data.numRows, params);
  const { learningRateGrowth = 1, dropRate, oneDrop } = params;
  if (learningRateGrowth > 1 && (dropRate > 0 || oneDrop)) {
    throw new ParameterError(
      "E_PARAM_CONFLICT",
      `Cannot use learningRateGrowth ${learningRateGrowth} with dropped rounds (DART), whose weights follow ` +
        "one learning rate: drop one of the two",
      { details: { param: "learningRateGrowth", value: learningRateGrowth } },
    );
  }
  if (sampling === "goss" && subsample < 1) {
    throw new ParameterError(
      "E_PARAM_CONFLICT",
      `Cannot use subsample ${subsample} with sampling "goss": it draws its own rows`,
      { details: { param: "subsample", value: subsample } },
    );
  }
  if (sampling === "goss" && gossTop + gossOther > 1) {
    throw new ParameterError(
      "E_PARAM_RANGE",
      `Cannot use gossTop ${gossTop} and gossOther ${gossOther}: expected a sum of at most 1`,
      { details: { param: "gossOther", value: gossOther } },
    );
  }
  const find = columnFinder(data);
  const monotone = monotoneOf(data, params.monotone);
  const weights = featureWeightsOf(data, params.featureWeights);
  const interactions = params.interactions?.map((group) =>
    group.map((name) => find("interactions", name))
  );
  return {
    ...pieces,
    rounds: params.rounds,
    learningRate: params.learningRate,
    learningRateGrowth: params.learningRateGrowth ?? 1,
    seed: params.seed,
    trainMetrics: params.trainMetrics,
    keepAll: params.keepAll,
    treeMethod: params.treeMethod,
    maxBins: params.maxBins,
    growth: params.growth,
    maxDepth: params.maxDepth,
    maxLeaves: params.maxLeaves,
    lambda: params.lambda,
    alpha: params.alpha,
    gamma: params.gamma,
    postPrune: params.postPrune,
    minChildWeight: params.minChildWeight,
    minRowsPerLeaf: params.minRowsPerLeaf ?? usualRows(data.numRows),
    maxDeltaStep: params.maxDeltaStep,
    pathSmooth: params.pathSmooth,
    subsample,
    sampling,
    gossTop,
    gossOther,
    featuresPerTree: params.featuresPerTree,
    featuresPerLevel: params.featuresPerLevel,
    featuresPerNode: params.featuresPerNode ?? 1,
    parallelTrees: params.parallelTrees,
    maxCategoriesOneHot: params.maxCategoriesOneHot,
    maxCategoriesPerSplit: params.maxCategoriesPerSplit,
    catSmooth: params.catSmooth,
    catL2: params.catL2,
    minRowsPerCategory: params.minRowsPerCategory,
    ...(weights === undefined ? {} : { featureWeights: weights }),
    zeroAsMissing: params.zeroAsMissing,
    ...(monotone === undefined ? {} : { monotone }),
    monotoneMethod: params.monotoneMethod,
    monotoneRules: params.monotoneRules,
    monotonePenalty: params.monotonePenalty,
    ...(params.linearTree ? { linear: { lambda: params.linearLambda } } : {}),
    ...(interactions === undefined ? {} : { interactions }),
    ...(params.dropRate === 0 && !params.oneDrop ? {} : { dart: dartOf(params) }),
  };
}

/** Share of rows of a round where none is given; all where the other choices need all. */
function usualShare(numRows: number, { sampling, treeMethod }: ResolvedBoost): number {
  return numRows < 100 || sampling === "goss" || treeMethod === "exact" ? 1 : 0.8;
}

/** Least rows of a leaf where none is given: 5, but small data may still be split. */
function usualRows(numRows: number): number {
  return Math.max(1, Math.min(5, Math.floor(numRows / 20)));
}

/** The part of the parameters that DART follows. */
export function dartOf(params: ResolvedBoost): NonNullable<BoostPlan["dart"]> {
  const { dropRate, skipDrop, maxDrop, oneDrop, dropBy, dropScale } = params;
  return { dropRate, skipDrop, maxDrop, oneDrop, dropBy, dropScale };
}
