/**
 * What bagging, random forests and extra trees share: from parameters to a plan, from a bagged
 * ensemble to a model.
 *
 * @module
 */
import { checkModel } from "../../door.ts";
import { selectRows } from "../../data/dataset/dataset.ts";
import type { Dataset, UnknownRule } from "../../data/types.ts";
import { rowsOfWeight } from "../../data/dataset/weightless.ts";
import {
  bag,
  type Bagged,
  type BaggingPlan,
  type BagImportance,
} from "../../ensemble/forest/bagging.ts";
import type { OutOfBag } from "../../ensemble/forest/oob.ts";
import type { TrainOptions } from "../../ensemble/types.ts";
import { ParameterError } from "../../errors.ts";
import type { TreePlan } from "../../grow/plan/plan.ts";
import type { Model } from "../../model/model.ts";
import type { Json } from "../../model/types.ts";
import type { ParamInput } from "../../params/types.ts";
import { classFactors, weighClasses } from "../common/class_weights.ts";
import { planStates } from "../common/checkpoint.ts";
import {
  checkAborted,
  checkTarget,
  classicSchema,
  criterionFor,
  finishModel,
  type GrowthParams,
  limitsOf,
  missingIn,
  orderOf,
  storyOf,
  totalWeightOf,
} from "./common.ts";
import { handOver } from "../common/validation.ts";

/** How many features a node or tree draws. */
export type FeatureShare = number | "auto" | "sqrt" | "third" | "log2" | "all";

/** Parameters of bagged ensembles after resolution. */
export interface ResolvedForest extends GrowthParams {
  readonly trees: number;
  readonly featuresPerSplit?: FeatureShare;
  readonly featuresPerTree?: FeatureShare;
  readonly aggregate: "average" | "vote";
  readonly sampleShare: number;
  readonly replace: boolean;
  readonly oob: boolean;
  readonly importance: "none" | "permutation" | "corrected";
  readonly inbag?: unknown;
  readonly unknown: UnknownRule;
  readonly classWeights?: "balanced" | { readonly [name: string]: number };
  readonly seed: number;
}

/** Out-of-bag predictions of models trained in this process. */
const OUT_OF_BAG = new WeakMap<Model, OutOfBag>();

/**
 * The out-of-bag predictions of a forest that was trained in this process with `oob`, or else
 * undefined. They are not part of the model file; `info.oob` of the model has their metrics.
 */
export function outOfBag(model: Model): OutOfBag | undefined {
  checkModel("outOfBag", model);
  return OUT_OF_BAG.get(model);
}

/** Number of features that a share stands for. */
export function featureCount(share: FeatureShare, numFeatures: number, isClass: boolean): number {
  const count = (() => {
    switch (share) {
      case "auto":
        return isClass ? Math.floor(Math.sqrt(numFeatures)) : Math.floor(numFeatures / 3);
      case "sqrt":
        return Math.floor(Math.sqrt(numFeatures));
      case "third":
        return Math.floor(numFeatures / 3);
      case "log2":
        // floor(log2): exact on whole numbers.
        return 31 - Math.clz32(numFeatures);
      case "all":
        return numFeatures;
      default:
        return share < 1 ? Math.floor(share * numFeatures) : Math.floor(share);
    }
  })();
  return Math.min(numFeatures, Math.max(1, count));
}

/** Features from which on one that is drawn alone was hardly asked for; `sqrt` of fewer is one, too. */
const FEATURES_FOR_ONE = 4;

/** Says that 1 is one feature, where all of many may be meant. */
export function sayOneFeature(
  name: "featuresPerSplit" | "featuresPerTree",
  share: FeatureShare | undefined,
  numFeatures: number,
  { onWarning }: TrainOptions,
): void {
  if (share !== 1 || numFeatures < FEATURES_FOR_ONE) return;
  onWarning?.(
    `${name} 1 draws one of ${numFeatures} features; scikit-learn's max_features=1.0 is "all" here`,
  );
}

/** Exact trees on a forest's parameters. */
export function forestTree(
  data: Dataset,
  params: ResolvedForest,
  splitter: "exact" | "random",
): TreePlan {
  const numFeatures = data.features.length;
  const isClass = data.target?.kind === "classification";
  const perNode = featureCount(params.featuresPerSplit ?? "all", numFeatures, isClass);
  return {
    criterion: criterionFor(data, params.criterion),
    splitter,
    missing: "learn",
    order: orderOf(params),
    limits: limitsOf(params, totalWeightOf(data)),
    maxExhaustive: params.maxExhaustiveLevels,
    ...(perNode < numFeatures && { featuresPerNode: perNode }),
  };
}

/** Trains a bagged ensemble. */
export async function trainBagged(
  algorithm: "bagging" | "random-forest" | "extra-trees",
  given: Dataset,
  params: ParamInput,
  resolved: ResolvedForest,
  planOf: (data: Dataset) => TreePlan,
  options: TrainOptions,
): Promise<Model> {
  checkTarget(given);
  checkAborted(options);
  const kept = rowsOfWeight(given);
  if (kept !== undefined) planOf(given); // refuses rows by their place in what was given
  const data = kept === undefined ? given : selectRows(given, kept);
  sayOneFeature("featuresPerSplit", resolved.featuresPerSplit, data.features.length, options);
  sayOneFeature("featuresPerTree", resolved.featuresPerTree, data.features.length, options);
  const factors = classFactors(data, resolved);
  const train = factors === undefined ? data : weighClasses(data, factors);
  const { inbag } = resolved;
  const isClass = train.target?.kind === "classification";
  const plan: BaggingPlan = {
    tree: planOf(train),
    trees: resolved.trees,
    aggregate: resolved.aggregate,
    sampleShare: resolved.sampleShare,
    replace: resolved.replace,
    oob: resolved.oob && (inbag !== undefined || resolved.replace || resolved.sampleShare < 1),
    importance: resolved.importance,
    innerValues: resolved.unknown === "node",
    seed: resolved.seed,
    // Class weights count in training only.
    judged: data,
    states: await planStates(storyOf(algorithm, train, {}, params, resolved.seed), options),
    ...(inbag !== undefined && {
      inbag: checkInbag(inbag, resolved.trees, given)
        .map((bag) => kept === undefined ? bag : Float64Array.from(kept, (row) => bag[row])),
    }),
    ...(resolved.featuresPerTree !== undefined && {
      featuresPerTree: featureCount(resolved.featuresPerTree, train.features.length, isClass),
    }),
  };
  const finish = ({ oob, ...bagged }: Bagged) => {
    const whole = oob && kept ? spreadOut(oob, kept, given.numRows) : oob;
    const trained = { ...bagged, ...(whole !== undefined && { oob: whole }) };
    return modelOf(algorithm, data, train, params, resolved, plan, trained, options);
  };
  try {
    return finish(await bag(train, plan, options));
  } catch (error) {
    throw handOver(error, finish);
  }
}

/** Out-of-bag predictions of all rows: those of weight 0, which were left out, have none. */
function spreadOut(oob: OutOfBag, kept: Int32Array, rows: number): OutOfBag {
  const { data, cols } = oob.predictions;
  const spread = new Float64Array(rows * cols).fill(NaN);
  const treesOfRow = new Int32Array(rows);
  kept.forEach((row, i) => {
    spread.set(data.subarray(i * cols, (i + 1) * cols), row * cols);
    treesOfRow[row] = oob.treesOfRow[i];
  });
  return { ...oob, predictions: { data: spread, rows, cols }, treesOfRow };
}

/** The model of a bagged ensemble, its importance and out-of-bag metrics as its story. */
function modelOf(
  algorithm: "bagging" | "random-forest" | "extra-trees",
  data: Dataset,
  train: Dataset,
  params: ParamInput,
  resolved: ResolvedForest,
  plan: BaggingPlan,
  { ensemble, oob, importance }: Bagged,
  options: TrainOptions,
): Model {
  const learnt = algorithm === "bagging" && plan.tree.missing === "fractional"
    ? missingIn(train).map(() => true)
    : missingIn(train);
  const schema = classicSchema(train, resolved.unknown, learnt);
  const extra: { [key: string]: Json } = { importance: importanceJson(train, importance) };
  if (oob !== undefined) {
    extra.oob = {
      rows: oob.treesOfRow.filter((count) => count > 0).length,
      rowsWithout: oob.rowsWithout,
      metrics: { ...oob.metrics },
    };
    if (oob.rowsWithout > 0) {
      options.onWarning?.(
        `${oob.rowsWithout} of ${train.numRows} rows are in every bag and have no out-of-bag ` +
          "prediction: more trees would give them one",
      );
    }
  }
  const model = finishModel(algorithm, data, ensemble, schema, params, resolved.seed, extra);
  if (oob !== undefined) OUT_OF_BAG.set(model, oob);
  return model;
}

function checkInbag(
  inbag: unknown,
  trees: number,
  { numRows, sampleWeight }: Dataset,
): readonly ArrayLike<number>[] {
  const lists = Array.isArray(inbag) ? inbag as ArrayLike<number>[] : [];
  const good = lists.length === trees &&
    lists.every((list) =>
      list?.length === numRows && Array.from(list).every((count) =>
        count >= 0 && count % 1 === 0
      ) &&
      Array.from(list).some((count, row) => count > 0 && (sampleWeight?.[row] ?? 1) > 0)
    );
  if (good) return lists;
  throw new ParameterError(
    "E_PARAM_RANGE",
    `Cannot use inbag: expected ${trees} lists of ${numRows} whole numbers of at ` +
      `least 0, not all of them 0 where rows weigh something`,
    { details: { param: "inbag" } },
  );
}

/** Lists of name and value, since a column may have any name. */
function importanceJson(data: Dataset, importance: BagImportance): Json {
  const table = (values: Float64Array): Json =>
    data.features.map(({ name }, i) => [name, values[i]]);
  return {
    impurity: table(importance.impurity),
    ...(importance.permutation && { permutation: table(importance.permutation) }),
    ...(importance.corrected && { corrected: table(importance.corrected) }),
  };
}
