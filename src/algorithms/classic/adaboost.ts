/**
 * AdaBoost for classes (SAMME, SAMME.R) and numbers (R2).
 *
 * Freund and Schapire, "A Decision-Theoretic Generalization of On-Line Learning", 1997; Zhu et al.
 * 2009; Drucker 1997.
 *
 * @module
 */
import { checkShape } from "../../data/dataset/shape.ts";
import { TRAIN_OPTIONS, type TrainOptions, type TrialOptions } from "../../ensemble/types.ts";
import { checkOptions } from "../../door.ts";
import type { Dataset, UnknownRule } from "../../data/types.ts";
import { withoutWeightless } from "../../data/dataset/weightless.ts";
import { adaboost, type AdaBoosted, type AdaBoostPlan } from "../../ensemble/adaboost/adaboost.ts";
import { ParameterError } from "../../errors.ts";
import { centreTarget, shiftLeaves } from "../../grow/plan/centre.ts";
import { type CriterionName, NO_LIMITS, type TreePlan } from "../../grow/plan/plan.ts";
import type { Model } from "../../model/model.ts";
import { resolveParams } from "../../params/resolve.ts";
import type { ParamsFor, ResolvedParams } from "../../params/typed.ts";
import { c45Plan } from "./c45.ts";
import { planStates } from "../common/checkpoint.ts";
import {
  checkTarget,
  classicSchema,
  criterionFor,
  finishModel,
  missingIn,
  storyOf,
} from "./common.ts";
import { checkId3Features, id3Plan } from "./id3.ts";
import { handOver } from "../common/validation.ts";

/** Tree parameters of boosted classic trees after resolution. */
export interface BoostedTreeParams {
  readonly maxDepth: number;
  readonly maxLeaves: number;
  readonly minRowsSplit: number;
  readonly minRowsPerLeaf: number;
  readonly unknown: UnknownRule;
  readonly seed: number;
}

type ResolvedAdaBoost = ResolvedParams["adaboost"];

/** A boosted tree's plan. */
export function boostedTree(
  params: BoostedTreeParams,
  criterion: CriterionName,
  maxDepth: number,
  splitter: "exact" | "random" = "exact",
): TreePlan {
  return {
    criterion,
    splitter,
    missing: "learn",
    order: params.maxLeaves > 0 ? "best-first" : "depth-first",
    limits: {
      ...NO_LIMITS,
      maxDepth: maxDepth > 0 ? maxDepth : Infinity,
      maxLeaves: params.maxLeaves > 0 ? params.maxLeaves : Infinity,
      minRowsSplit: params.minRowsSplit,
      minRowsLeaf: params.minRowsPerLeaf,
    },
  };
}

/**
 * Trains AdaBoost: SAMME or SAMME.R for classes (Zhu et al., "Multi-class AdaBoost", 2009) and
 * AdaBoost.R2 for numbers (Drucker 1997). `info.rounds` of the model has the error and weight of each tree.
 *
 * @param params Those of `adaboost` in docs/parameters.md.
 * @throws {TrainingError} `E_TRAIN_NUMERIC` if the first tree is no better than chance.
 * @throws {ParameterError} For wrong parameters.
 * @throws {DataError} For data that do not fit together, or have no target.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const data = {
 *   numRows: 6,
 *   features: [{ kind: "numeric", name: "x", values: new Float64Array([1, 2, 3, 4, 5, 6]) }],
 *   target: {
 *     kind: "classification",
 *     name: "y",
 *     codes: new Int32Array([0, 0, 1, 1, 0, 0]),
 *     classes: ["out", "in"],
 *   },
 * } as const;
 * const model = await trainAdaBoost(data, { rounds: 20 });
 * assertEquals(model.predictClass([{ x: 1 }, { x: 3 }, { x: 6 }]), ["out", "in", "out"]);
 * ```
 */
export async function trainAdaBoost(
  given: Dataset,
  params: ParamsFor["adaboost"] = {},
  options: TrainOptions = {},
): Promise<Model> {
  checkShape("trainAdaBoost", given);
  checkOptions<TrialOptions>("trainAdaBoost", options, TRAIN_OPTIONS);
  const resolved = resolveParams("adaboost", params);
  checkTarget(given);
  const isClass = given.target!.kind === "classification";
  const variant = resolved.variant === "auto" ? isClass ? "samme" : "r2" : resolved.variant;
  if ((variant === "r2") === isClass) {
    throw new ParameterError(
      "E_PARAM_CONFLICT",
      `Cannot use variant "${variant}" with a target of ${
        isClass ? "classes: expected samme or samme.r" : "numbers: expected r2"
      }`,
      { details: { param: "variant", value: variant } },
    );
  }
  treePlan(given, resolved); // refuses rows by their place in what was given
  const data = withoutWeightless(given);
  const fractional = resolved.base === "c45";
  const missing = missingIn(data).map((is) => is || fractional);
  const schema = classicSchema(data, resolved.unknown, missing);
  const tree = treePlan(data, resolved);
  const { data: train, centre } = centreTarget(data, tree.criterion);
  const finish = ({ ensemble: centred, errors, weights }: AdaBoosted) => {
    const rounds = errors.map((error, i) => ({ error, weight: weights[i] }));
    const ensemble = { ...centred, trees: shiftLeaves(centred.trees, centre) };
    return finishModel("adaboost", data, ensemble, schema, params, resolved.seed, { rounds });
  };
  const plan: AdaBoostPlan = {
    variant,
    rounds: resolved.rounds,
    learningRate: resolved.learningRate,
    tree,
    loss: resolved.loss,
    resample: resolved.resample,
    // C4.5 weighs branches in cases.
    total: resolved.base === "c45" ? data.numRows : 1,
    seed: resolved.seed,
    states: await planStates(storyOf("adaboost", data, {}, params, resolved.seed), options),
  };
  try {
    return finish(await adaboost(train, plan, options));
  } catch (error) {
    throw handOver(error, finish);
  }
}

function treePlan(data: Dataset, params: ResolvedAdaBoost): TreePlan {
  const isClass = data.target!.kind === "classification";
  const depth = params.maxDepth > 0 ? params.maxDepth : isClass ? 1 : 3;
  if (params.base === "cart" || params.base === "extra") {
    const splitter = params.base === "extra" ? "random" : "exact";
    return boostedTree(params, criterionFor(data, params.criterion), depth, splitter);
  }
  checkTarget(data, true);
  if (params.base === "id3") {
    checkId3Features(data);
    return id3Plan({ maxDepth: depth, unknown: params.unknown });
  }
  const defaults = resolveParams("c45", { unknown: params.unknown });
  const plan = c45Plan(defaults);
  return { ...plan, mdl: false, cases: data.numRows, limits: { ...plan.limits, maxDepth: depth } };
}
