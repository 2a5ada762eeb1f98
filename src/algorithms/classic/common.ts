/**
 * What the classic trees share: targets with one class, limits from parameters, schema and story of
 * the finished model.
 *
 * @module
 */
import { checkDataset, checkLevels } from "../../data/dataset/check.ts";
import { schemaFromDataset } from "../../data/dataset/schema.ts";
import type { Dataset, Schema, UnknownRule } from "../../data/types.ts";
import { DataError, ParameterError, TrainingError } from "../../errors.ts";
import { trainingRecord } from "../../format/training_record.ts";
import type { TrainOptions } from "../../ensemble/types.ts";
import type { GrowContext, GrowLimits } from "../../grow/plan/context.ts";
import { growTreeInSteps } from "../../grow/grower.ts";
import { contextOf, type CriterionName, NO_LIMITS, type TreePlan } from "../../grow/plan/plan.ts";
import type { StatSource } from "../../grow/rows/stats.ts";
import type { GrowOrder } from "../../grow/plan/queue.ts";
import type { GrownTree } from "../../grow/tree/tree.ts";
import { createModel, type Model } from "../../model/model.ts";
import type { Ensemble, Json, ModelInfo } from "../../model/types.ts";
import type { SplitCrew, SplitWork } from "../../parallel/splits/split_crew.ts";
import { canonicalParams } from "../../params/resolve.ts";
import type { AlgorithmName, ParamInput } from "../../params/types.ts";
import { createPause } from "../../util/pause.ts";
import type { Rng } from "../../util/rng.ts";
import { VERSION } from "../../util/version.ts";
import type { RunStory } from "../common/checkpoint.ts";
import { checkLabelSize, checkWeightedLabels } from "../common/label_size.ts";

/** Growth parameters after resolution. */
export interface GrowthParams {
  readonly criterion: CriterionName | "auto";
  readonly maxDepth: number;
  readonly maxLeaves: number;
  readonly growth: GrowOrder | "auto";
  readonly minRowsSplit: number;
  readonly minRowsPerLeaf: number;
  readonly minWeightPerLeaf: number;
  readonly minGain: number;
  readonly cut?: "midpoint" | "short";
  readonly maxExhaustiveLevels: number;
  readonly unknown: UnknownRule;
}

/**
 * Refuses data whose parts do not fit, without a target, with numbers where classes are needed or
 * whose squares are out of reach, and offsets, which would be left out without a word.
 */
export function checkTarget(data: Dataset, needsClasses = false): void {
  const { target } = data;
  refuseOffset(data);
  if (target === undefined) {
    throw new DataError("E_DATA_TARGET", "Cannot train: the data has no target column");
  }
  if (needsClasses && target.kind !== "classification") {
    throw new DataError(
      "E_DATA_TARGET",
      `Cannot train on target ${JSON.stringify(target.name)}: this algorithm needs classes`,
      { details: { column: target.name } },
    );
  }
  checkDataset(data);
  checkLevels(data);
  checkLabelSize(target, 1e-140, 1e140, "whose squares can be summed");
  checkWeightedLabels(data);
}

/** @throws {ParameterError} `E_PARAM_CONFLICT` for rows with an offset. */
export function refuseOffset({ offset }: Dataset): void {
  if (offset === undefined) return;
  throw new ParameterError(
    "E_PARAM_CONFLICT",
    `Cannot use an offset with this algorithm: only "boost" starts rows from it`,
    { details: { param: "offset" } },
  );
}

/** The criterion that the target calls for, checked against it. */
export function criterionFor(data: Dataset, name: CriterionName | "auto"): CriterionName {
  const isClass = data.target!.kind === "classification";
  if (name === "auto") return isClass ? "gini" : "variance";
  const forClass = name === "gini" || name === "entropy" || name === "misclassification";
  if (forClass !== isClass) {
    throw new ParameterError(
      "E_PARAM_CONFLICT",
      `Cannot use criterion "${name}" with a target of ${
        isClass ? "classes" : "numbers"
      }: expected ${
        isClass ? "gini, entropy or misclassification" : "variance, absolute or poisson"
      }`,
      { details: { param: "criterion", value: name } },
    );
  }
  if (name === "poisson" && data.target!.kind === "regression") {
    const row = data.target!.values.findIndex((y) => y < 0);
    if (row >= 0) {
      throw new DataError(
        "E_DATA_TARGET",
        `Cannot use criterion "poisson": row ${row + 1} has target ${
          data.target!.values[row]
        }, expected 0 or more`,
        { details: { row: row + 1 } },
      );
    }
  }
  return name;
}

/** Growth limits from parameters; 0 means no limit of depth and leaves. */
export function limitsOf(params: GrowthParams, totalWeight: number): GrowLimits {
  return {
    ...NO_LIMITS,
    maxDepth: params.maxDepth > 0 ? params.maxDepth : Infinity,
    maxLeaves: params.maxLeaves > 0 ? params.maxLeaves : Infinity,
    minRowsSplit: params.minRowsSplit,
    minRowsLeaf: params.minRowsPerLeaf,
    minWeightLeaf: params.minWeightPerLeaf,
    // scikit-learn compares with a machine epsilon to spare.
    minGain: params.minGain > 0 ? (params.minGain - 2.22e-16) * totalWeight : -Infinity,
    cut: params.cut ?? "midpoint",
  };
}

/** Order of growth from parameters. */
export function orderOf(params: Pick<GrowthParams, "growth" | "maxLeaves">): GrowOrder {
  if (params.growth !== "auto") return params.growth;
  return params.maxLeaves > 0 ? "best-first" : "depth-first";
}

/** Sum of the row weights. */
export function totalWeightOf(data: Dataset): number {
  if (data.sampleWeight === undefined) return data.numRows;
  let sum = 0;
  for (const weight of data.sampleWeight) sum += weight;
  return sum;
}

/** Whether each feature lacks values somewhere. */
export function missingIn(data: Dataset): boolean[] {
  // Not by `some`: calls for every cell were a sixth of the time of a tree on Adult.
  return data.features.map((column) =>
    column.kind === "numeric" ? column.values.includes(NaN) : hasNegative(column.codes)
  );
}

function hasNegative(codes: Int32Array): boolean {
  for (let row = 0; row < codes.length; row++) if (codes[row] < 0) return true;
  return false;
}

/** Schema of a classic model: missing values were learnt where they occurred. */
export function classicSchema(
  data: Dataset,
  unknown: UnknownRule,
  missingLearnt: readonly boolean[] = missingIn(data),
): Schema {
  return schemaFromDataset(data, { missingLearnt, unknown });
}

/** Parameters as given, as plain JSON for the model's story. */
function givenParams(
  algorithm: AlgorithmName,
  params: ParamInput,
): { readonly [name: string]: Json } {
  const plain: { [name: string]: Json } = {};
  for (const [name, value] of canonicalParams(algorithm, params)) {
    if (name === "seed" || name === "foldOfRow") continue;
    const text = JSON.stringify(value);
    if (text !== undefined) plain[name] = JSON.parse(text) as Json;
  }
  return plain;
}

/** What a run of a classic algorithm is recognised by. */
export function storyOf(
  algorithm: AlgorithmName,
  train: Dataset,
  valid: { readonly [name: string]: Dataset },
  params: ParamInput,
  seed: number,
): RunStory {
  return { train, valid, params: { algorithm, given: givenParams(algorithm, params) }, seed };
}

/** Puts a finished classic model together. */
export function finishModel(
  algorithm: AlgorithmName,
  data: Dataset,
  ensemble: Ensemble,
  schema: Schema,
  params: ParamInput,
  seed: number,
  extra: { readonly [key: string]: Json } = {},
): Model {
  const info: ModelInfo = {
    version: VERSION,
    algorithm,
    params: givenParams(algorithm, params),
    seed,
    numRows: data.numRows,
    ...extra,
  };
  return createModel({ schema, ensemble, info, attachments: trainingRecord(data) });
}

/** What threads have to know about the splits of one tree. */
export function splitWork(plan: TreePlan, source: StatSource, options: TrainOptions): SplitWork {
  const { threads, signal, onWarning, onDetail } = options;
  return { plan, source, trees: 1, threads, signal, onWarning, onDetail };
}

/** The pieces of a plan on a crew's frame. */
export function contextOn(
  { frame, team }: SplitCrew,
  plan: TreePlan,
  source: StatSource,
): GrowContext {
  return { ...contextOf(plan, frame, source), ...(team !== undefined && { team }) };
}

/** Grows a single tree, between whose nodes the caller may abort. */
export function growSingle(
  context: GrowContext,
  rows: Int32Array,
  rng: Rng,
  options: TrainOptions,
): Promise<GrownTree> {
  const pause = createPause();
  return growTreeInSteps(context, rows, rng, () => {
    checkAborted(options);
    return pause();
  });
}

/** Stops when the caller has asked to. */
export function checkAborted(options: TrainOptions): void {
  if (options.signal?.aborted === true) {
    throw new TrainingError("E_TRAIN_ABORTED", "Training was stopped", {
      cause: options.signal.reason,
    });
  }
}
