/**
 * Second-order boosting (Friedman 2001; Chen & Guestrin, KDD 2016; Ke et al., NeurIPS 2017):
 * parameters → pieces → boosting rounds → model.
 *
 * @module
 */
import { checkShape } from "../../data/dataset/shape.ts";
import { TRAIN_OPTIONS, type TrainOptions, type TrialOptions } from "../../ensemble/types.ts";
import { checkOptions } from "../../door.ts";
import { checkDataset, checkLevels, requireValues } from "../../data/dataset/check.ts";
import { limitLevels } from "../../data/warnings/rare_levels.ts";
import { schemaFromDataset } from "../../data/dataset/schema.ts";
import { labelsOf, requireTarget } from "../../data/dataset/target.ts";
import type { Dataset } from "../../data/types.ts";
import { zerosMissing } from "../../data/dataset/zeros.ts";
import { OUT_OF_FOLD } from "../../ensemble/boosting/committee.ts";
import { requireFiniteStart } from "../../ensemble/finite_values.ts";
import type { TrainedEnsemble } from "../../ensemble/plan.ts";
import { DataError, TrainingError } from "../../errors.ts";
import { trainingRecord } from "../../format/training_record.ts";
import { resolveLoss } from "../../loss/losses.ts";
import type { Loss } from "../../loss/types.ts";
import { createModel, type Model } from "../../model/model.ts";
import { type Json, type ModelInfo, NodeKind } from "../../model/types.ts";
import type { ParamsFor } from "../../params/typed.ts";
import { canonicalParams } from "../../params/resolve.ts";
import { VERSION } from "../../util/version.ts";
import { requireBinsOf } from "./bin_sample.ts";
import { methodOf, refuseLeafwiseOnly, runPlan } from "./method.ts";
import { boostPlan, resolveBoost, type ResolvedBoost } from "./plan.ts";
import { type BoostStart, offsetName, rowsFingerprint, startOf } from "./start.ts";
import { planCheckpoints, planStates } from "../common/checkpoint.ts";
import {
  checkPriorCorrection,
  classFactors,
  priorShift,
  weighClasses,
} from "../common/class_weights.ts";
import {
  COMMITTEE_STRETCH,
  committeeMembers,
  committeeParams,
  committeePlan,
} from "./committee.ts";
import { refuseIdle } from "./idle_params.ts";
import { checkLabelSize } from "../common/label_size.ts";
import { learntRows } from "./learnt_rows.ts";
import { refuseLinear } from "./linear_plan.ts";
import { type OrderPromise, orderStory } from "./monotone_proof.ts";
import { warnOfOvershoot, warnOfPercentiles } from "./overshoot.ts";
import { warnOfSteepLeaves } from "./steep_leaves.ts";
import { followUnknownRule } from "./unknown_rule.ts";
import {
  handOver,
  metricsFor,
  namedSets,
  prepareSets,
  type Sets,
  stoppingPlan,
} from "../common/validation.ts";

/**
 * Trains gradient-boosted trees with second-order gains (Chen & Guestrin, "XGBoost", KDD 2016,
 * equations 5 to 7).
 *
 * @param params Those of `boost` in docs/parameters.md, by Treeline's names or those of XGBoost,
 * LightGBM, CatBoost and scikit-learn.
 * @throws {ParameterError} `E_PARAM_UNKNOWN`, `E_PARAM_RANGE` or `E_PARAM_CONFLICT` for wrong
 * parameters.
 * @throws {DataError} For data that do not fit together; `E_DATA_TARGET` for a label that the loss
 * does not accept, or without a target.
 * @throws {TrainingError} `E_TRAIN_NUMERIC` if a number stops being finite, `E_TRAIN_ABORTED` if
 * `signal` aborts.
 *
 * @example Four rows, one split
 * ```ts
 * import { assert } from "@std/assert";
 * const data = {
 *   numRows: 4,
 *   features: [{ kind: "numeric", name: "x", values: new Float64Array([1, 2, 3, 4]) }],
 *   target: { kind: "regression", name: "y", values: new Float64Array([0, 0, 1, 1]) },
 * } as const;
 * const model = await trainBoost(data, { rounds: 20, learningRate: 0.5, lambda: 0 });
 * assert(Math.abs(model.predictValue({ x: 3.7 })[0] - 1) < 1e-4);
 * ```
 */
export async function trainBoost(
  data: Dataset,
  params: ParamsFor["boost"] = {},
  options: TrainOptions = {},
): Promise<Model> {
  checkShape("trainBoost", data);
  checkOptions<TrialOptions>("trainBoost", options, TRAIN_OPTIONS);
  return await boostFrom(data, params, options);
}

/** {@linkcode trainBoost}; with `from` the trees are those to add to an earlier model. */
export async function boostFrom(
  allData: Dataset,
  params: ParamsFor["boost"],
  allOptions: TrialOptions,
  from?: BoostStart,
): Promise<Model> {
  checkDataset(allData);
  checkLevels(allData);
  const given = canonicalParams("boost", params);
  const plain = resolveBoost(params);
  const { data, options } = plain.zeroAsMissing
    ? withoutZeros(allData, allOptions)
    : { data: allData, options: allOptions };
  const { loss, data: typed } = resolveLoss(
    plain.loss,
    limitLevels(data, options.onWarning),
    plain,
  );
  checkOffset(typed, loss, "training data");
  if (loss.postprocess.name === "identity" && loss.task === "regression") {
    // Far larger ones end with an error where they overflow; smaller ones would vanish.
    checkLabelSize(requireTarget(typed), 1e-35, Number.MAX_VALUE, "whose leaves float32 can hold");
  }
  const ruleOf = from?.unknownOf ?? (() => plain.unknown);
  const whole = followUnknownRule(typed, ruleOf, "training data");
  const shaped = learntRows(whole, loss, plain, options.share?.select);
  const members = committeeMembers(shaped, loss.numOutputs, plain, given);
  // Members that go on with other rows may have seen any of them before.
  const outOfFold = members > 1 && (from === undefined || from.rows === rowsFingerprint(shaped));
  const resolved = members > 1
    ? committeeParams(shaped, loss.numOutputs, plain, given, outOfFold)
    : plain;
  refuseIdle(given, resolved, loss.name);
  warnOfOvershoot(loss.name, resolved, requireTarget(shaped), options.onWarning);
  warnOfPercentiles(loss.name, resolved, shaped.sampleWeight !== undefined, options.onWarning);
  // A committee judges itself: nothing is held out.
  const plainSets = prepareSets(
    shaped,
    outOfFold ? { ...resolved, earlyStoppingRounds: 0 } : resolved,
    options,
  );
  for (const [name, set] of Object.entries(plainSets.valid)) {
    checkOffset(set, loss, `set "${name}"`, shaped);
  }
  // Rows are named by their place in what was given.
  if (plainSets.train !== whole) loss.checkLabels(labelsOf(whole));
  const ruled: Sets = {
    train: plainSets.train,
    valid: Object.fromEntries(
      Object.entries(plainSets.valid).map(([name, set]) => [
        name,
        followUnknownRule(set, ruleOf, `set "${name}"`),
      ]),
    ),
  };
  const sets = from === undefined ? ruled : besideModel(ruled, from);
  const factors = from?.classFactors ?? classFactors(sets.train, resolved);
  if (factors !== undefined && resolved.priorCorrection) checkPriorCorrection(loss);
  const train = factors === undefined ? sets.train : weighClasses(sets.train, factors);
  if (factors !== undefined) requireBinsOf(train, "class weights count");
  else if (plainSets.train !== shaped) {
    requireBinsOf(train, "rows are held out for early stopping (or give a validation set)");
  } else if (train.sampleWeight?.includes(0) === true) {
    requireBinsOf(train, "rows of weight 0 count with their queries");
  }
  const metrics = metricsFor(train, loss, resolved);
  const watched = [
    ...(resolved.trainMetrics ? ["train"] : []),
    ...(outOfFold ? [OUT_OF_FOLD] : []),
    ...Object.keys(sets.valid),
  ];
  if (factors !== undefined && watched.length > 0) {
    options.onWarning?.(
      "Class weights count in training; metrics weigh rows by their own weights only",
    );
  }
  const earlyStopping = stoppingPlan(resolved, metrics, watched, options);
  // LightGBM's weights of classes do not move its start.
  const start = resolved.curvature === "lightgbm" ? sets.train : train;
  const baseScore = startOf(start, loss, resolved);
  requireFiniteStart(baseScore);
  const plan = boostPlan(train, resolved, {
    loss,
    baseScore,
    metrics,
    ...(earlyStopping === undefined ? {} : {
      earlyStopping: {
        ...earlyStopping,
        stretch: earlyStopping.set === OUT_OF_FOLD ? COMMITTEE_STRETCH : 1,
      },
    }),
    ...(members > 1
      ? {
        committee: {
          ...committeePlan(train, members, resolved.seed),
          outOfFold,
          ...(from?.members === undefined ? {} : { scores: from.members(plainSets.train) }),
        },
      }
      : {}),
    ...(factors === undefined ? {} : { judged: labelsOf(sets.train) }),
    ...(from === undefined ? {} : { roundsBefore: from.rounds }),
  });
  const story = {
    train,
    valid: sets.valid,
    params: storedParams(resolved.preset, given),
    seed: resolved.seed,
  };
  const method = methodOf(plan, resolved.preset);
  refuseLeafwiseOnly(plan, method, given);
  refuseLinear(plan, method);
  const kept = method === "hist"
    ? await planCheckpoints(story, options)
    : { states: await planStates(story, options) };
  const finish = (trained: TrainedEnsemble) => {
    const rules = method === "lightgbm" ? plan.monotoneRules ?? "sound" : "sound";
    const model = modelOf(train, loss, trained, resolved, given, factors, members, {
      onWarning: options.onWarning,
      ...(plan.monotone === undefined ? {} : { order: { monotone: plan.monotone, rules } }),
    });
    warnOfSteepLeaves(model, train, options.onWarning);
    return model;
  };
  try {
    const trained = await runPlan(train, { ...plan, ...kept }, method, {
      ...options,
      valid: sets.valid,
    });
    reportConstant(trained.ensemble, resolved.requireSplit, options);
    return finish(trained);
  } catch (error) {
    throw handOver(error, finish);
  }
}

/**
 * Says that no tree has a split, so that every row scores alike.
 *
 * @throws {TrainingError} `E_TRAIN_NUMERIC` where a split is required.
 */
function reportConstant(
  { trees, treeWeight }: TrainedEnsemble["ensemble"],
  requireSplit: boolean,
  options: TrainOptions,
): void {
  if (treeWeight.length === 0 || trees.kind.some((kind) => kind !== NodeKind.leaf)) return;
  const problem = "no feature could be split (constant features, or limits that no split meets)";
  if (requireSplit) throw new TrainingError("E_TRAIN_NUMERIC", `Cannot train: ${problem}`);
  options.onWarning?.(`The model is a constant: ${problem}`);
}

/**
 * Refuses offsets of another length than a number a row and output, and sets that have none where
 * the training rows have some, or the other way round.
 */
function checkOffset(data: Dataset, loss: Loss, what: string, beside: Dataset = data): void {
  const { offset, numRows } = data;
  const expected = beside.offset === undefined ? 0 : numRows * loss.numOutputs;
  if ((offset?.length ?? 0) === expected) return;
  throw new DataError(
    "E_DATA_SHAPE",
    `Cannot use ${what} with ${offset?.length ?? 0} offsets: expected ${expected}${
      loss.numOutputs > 1 ? `, one for each of ${loss.numOutputs} outputs of a row` : ""
    }`,
    { details: { offsets: offset?.length ?? 0, expected } },
  );
}

/** All sets with their zeros as missing values. */
function withoutZeros(
  data: Dataset,
  options: TrialOptions,
): { readonly data: Dataset; readonly options: TrialOptions } {
  requireValues(data, "with zeroAsMissing");
  if (options.valid === undefined) return { data: zerosMissing(data), options };
  const valid = Object.entries(namedSets(options.valid)).map(([name, set]) => {
    requireValues(set, "with zeroAsMissing");
    return [name, zerosMissing(set)] as const;
  });
  return { data: zerosMissing(data), options: { ...options, valid: Object.fromEntries(valid) } };
}

/** The sets with the scores of the model to go on from. */
function besideModel({ train, valid }: Sets, { beside }: BoostStart): Sets {
  return {
    train: beside(train),
    valid: Object.fromEntries(Object.entries(valid).map(([name, set]) => [name, beside(set)])),
  };
}

/** Joins contract, trees and story. */
function modelOf(
  data: Dataset,
  loss: Loss,
  trained: TrainedEnsemble,
  params: ResolvedBoost,
  given: ReadonlyMap<string, unknown>,
  factors: Float64Array | undefined,
  members: number,
  { order, onWarning }: {
    readonly order?: OrderPromise;
    readonly onWarning: TrainOptions["onWarning"];
  },
): Model {
  let { ensemble } = trained;
  const story: { [key: string]: Json } = { loss: loss.name };
  if (members > 1) {
    story.committee = members;
    story.committeeRows = rowsFingerprint(data);
  }
  if (factors !== undefined) story.classFactors = [...factors];
  if (factors !== undefined && params.priorCorrection) {
    const shift = priorShift(ensemble, factors);
    ensemble = { ...ensemble, baseScore: ensemble.baseScore.map((base, k) => base + shift[k]) };
    story.priorCorrection = [...shift];
  }
  if (data.offset !== undefined) story.offset = offsetName(data);
  if (trained.kept !== undefined) story.kept = { rounds: trained.kept };
  const schema = schemaFromDataset(data, {
    missingLearnt: trained.missingLearnt,
    zeroIsMissing: params.zeroAsMissing,
    unknown: params.unknown,
    task: loss.task,
  });
  const info: ModelInfo = {
    version: VERSION,
    algorithm: "boost",
    params: storedParams(params.preset, given),
    seed: params.seed,
    numRows: data.numRows,
    ...(trained.best === undefined ? {} : { best: trained.best }),
    ...story,
    ...(order === undefined ? {} : orderStory(ensemble, schema.features, order, onWarning)),
  };
  return createModel({
    schema,
    ensemble,
    info,
    attachments: trainingRecord(data),
  });
}

/** Preset and given parameters as plain JSON: enough to train the same model again. */
function storedParams(
  preset: string,
  given: ReadonlyMap<string, unknown>,
): { readonly [name: string]: Json } {
  const stored: { [name: string]: Json } = { preset };
  for (const [name, value] of given) {
    if (name === "seed") continue;
    stored[name] = name === "loss" && typeof value === "object"
      ? (value as Loss).name
      : JSON.parse(JSON.stringify(value)) as Json;
  }
  return stored;
}
