/**
 * C4.5 release 8.
 *
 * Quinlan, "C4.5: Programs for Machine Learning", 1993; "Improved Use of Continuous Attributes in
 * C4.5", JAIR 4 (1996). Trees equal those of Weka's J48.
 *
 * @module
 */
import { checkShape } from "../../data/dataset/shape.ts";
import { TRAIN_OPTIONS, type TrainOptions, type TrialOptions } from "../../ensemble/types.ts";
import { checkOptions } from "../../door.ts";
import type { Dataset } from "../../data/types.ts";
import { withoutWeightless } from "../../data/dataset/weightless.ts";
import { singleTree } from "../../ensemble/single.ts";
import { packGrown } from "../../grow/tree/pack.ts";
import { NO_LIMITS, type TreePlan } from "../../grow/plan/plan.ts";
import { pruneCostComplexity } from "../../grow/prune/cost_complexity.ts";
import { collapseTree, prunePessimistic } from "../../grow/prune/pessimistic.ts";
import { nodeRisks } from "../../grow/prune/risk.ts";
import { sourceOf, weightedRows } from "../../grow/rows/source.ts";
import type { Model } from "../../model/model.ts";
import { openSplitCrew } from "../../parallel/splits/split_crew.ts";
import { resolveParams } from "../../params/resolve.ts";
import type { ParamsFor, ResolvedParams } from "../../params/typed.ts";
import { forkRng } from "../../util/rng.ts";
import { refuseCheckpoints } from "../common/checkpoint.ts";
import { classFactors, weighClasses } from "../common/class_weights.ts";
import {
  checkAborted,
  checkTarget,
  classicSchema,
  contextOn,
  finishModel,
  growSingle,
  splitWork,
} from "./common.ts";

/** Parameters of `trainC45` after resolution. */
export type ResolvedC45 = ResolvedParams["c45"];

/** Weka compares weights with this to spare. */
const SMALL = 1e-6;

/**
 * Trains a C4.5 tree (Quinlan, "C4.5: Programs for Machine Learning", 1993): gain ratio, multiway
 * splits on categories, fractional cases for missing values, pessimistic pruning with subtree
 * raising.
 *
 * @param params Those of `c45` in docs/parameters.md.
 * @throws {DataError} `E_DATA_TARGET` for a target that has no classes.
 * @throws {ParameterError} For wrong parameters.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const data = {
 *   numRows: 6,
 *   features: [{
 *     kind: "categorical",
 *     name: "sky",
 *     codes: new Int32Array([0, 0, 0, 1, 1, 1]),
 *     categories: ["rain", "sun"],
 *   }],
 *   target: {
 *     kind: "classification",
 *     name: "play",
 *     codes: new Int32Array([0, 0, 0, 1, 1, 1]),
 *     classes: ["no", "yes"],
 *   },
 * } as const;
 * const model = await trainC45(data);
 * assertEquals(model.predictClass([{ sky: "sun" }, { sky: "rain" }]), ["yes", "no"]);
 * ```
 */
export async function trainC45(
  given: Dataset,
  params: ParamsFor["c45"] = {},
  options: TrainOptions = {},
): Promise<Model> {
  checkShape("trainC45", given);
  checkOptions<TrialOptions>("trainC45", options, TRAIN_OPTIONS);
  refuseCheckpoints(options, "algorithm c45");
  const resolved = resolveParams("c45", params);
  checkTarget(given, true);
  checkAborted(options);
  const data = withoutWeightless(given);
  const factors = classFactors(data, resolved);
  const train = factors === undefined ? data : weighClasses(data, factors);
  const plan = c45Plan(resolved);
  const source = sourceOf(train);
  using crew = await openSplitCrew(train, splitWork(plan, source, options));
  const context = contextOn(crew, plan, source);
  const rows = weightedRows(train.numRows, train.sampleWeight);
  const tree = await growSingle(context, rows, forkRng(resolved.seed, 0), options);
  if (resolved.collapse) collapseTree(tree);
  if (resolved.pruning === "pessimistic") prunePessimistic(tree, resolved);
  if (resolved.pruning === "cost") {
    pruneCostComplexity(tree, nodeRisks(tree, "impurity"), resolved.alpha);
  }
  const ensemble = singleTree(packGrown(tree), train);
  const schema = classicSchema(train, resolved.unknown, train.features.map(() => true));
  return finishModel("c45", data, ensemble, schema, params, resolved.seed);
}

/** The learner that the parameters describe. */
export function c45Plan(params: ResolvedC45): TreePlan {
  return {
    criterion: "entropy",
    splitter: "c45",
    missing: "fractional",
    order: "depth-first",
    limits: { ...NO_LIMITS, minWeightSplit: 2 * params.minObjects - SMALL },
    minObjects: params.minObjects,
    mdl: params.mdl,
    dataValue: params.dataValue,
    stopUnknown: params.unknown === "node",
  };
}
