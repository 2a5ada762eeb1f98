/**
 * Adding rounds to a finished model.
 *
 * @module
 */
import { checkShape } from "../../data/dataset/shape.ts";
import { checkArgument, checkModel, checkOptions } from "../../door.ts";
import type { Dataset, Schema, UnknownRule } from "../../data/types.ts";
import { proveMonotone } from "../../ensemble/boosting/prove_monotone.ts";
import { TRAIN_OPTIONS, type TrainOptions, type TrialOptions } from "../../ensemble/types.ts";
import { ParameterError, TrainingError } from "../../errors.ts";
import { trainingRecord } from "../../format/training_record.ts";
import type { Loss } from "../../loss/types.ts";
import { appendEnsemble } from "../../model/edit.ts";
import { createModel, type Model } from "../../model/model.ts";
import { resolveParams } from "../../params/resolve.ts";
import type { Json, ModelInfo } from "../../model/types.ts";
import type { ParamsFor } from "../../params/typed.ts";
import type { ParamInput } from "../../params/types.ts";
import { boostFrom } from "../boost/boost.ts";
import { refuseCheckpoints } from "../common/checkpoint.ts";
import { resolveBoost } from "../boost/plan.ts";
import { offsetName } from "../boost/start.ts";
import { keepRounds } from "./keep_rounds.ts";
import { joinedOrder } from "../boost/monotone_proof.ts";
import { leafParams } from "./leaf_steps.ts";
import { memberScores } from "../boost/member_scores.ts";
import {
  inShapeOf,
  mergedParams,
  storedFactors,
  storedShift,
  warnOfUnknown,
} from "./model_params.ts";
import { monotoneOf } from "../boost/named_columns.ts";
import { handOver, namedSets } from "../common/validation.ts";

/**
 * Adds boosting rounds to a model.
 *
 * The data must have the columns of the model and no class that it does not know; categories that it
 * does not know count as unknown values, with a warning. Loss, committee and the factors of a prior
 * correction are those of the model. With the same rows, seed and parameters the result is the model
 * of a single run of all rounds; with `linearTree` that holds only if float32 represents the values
 * exactly, since linear leaves are fitted to float32 values while the continuation starts from the
 * scores of the model itself. Early stopping counts the new rounds only.
 * A calibration is removed, with a warning, since it was fitted to other scores.
 *
 * @param params `rounds` (the number of new ones), and parameters that differ from the first run;
 * the others are those of the model.
 * @throws {ModelError} `E_MODEL_SCHEMA` for a model that was not boosted by Treeline.
 * @throws {ParameterError} `E_PARAM_CONFLICT` for another loss, for DART (new rounds would rescale
 * the trees of the model), for another number of trees in a round, for another rule for unknown
 * values, and if a committee cannot decide when to stop.
 * @throws {TrainingError} `E_TRAIN_NUMERIC`, or `E_TRAIN_ABORTED` if `signal` aborts.
 */
export async function continueBoost(
  given: Model,
  data: Dataset,
  params: ParamsFor["boost"] = {},
  options: TrainOptions = {},
): Promise<Model> {
  checkModel("continueBoost", given);
  checkShape("continueBoost", data);
  checkArgument("continueBoost", "params", params, "object");
  checkOptions<TrialOptions>("continueBoost", options, TRAIN_OPTIONS);
  refuseCheckpoints(options, "continuation");
  const model = given.info.kept === undefined ? given : keepRounds(given);
  const merged = mergedParams(model, params);
  const { data: train, loss } = inShapeOf(model, data, merged);
  refuseOrder(model, train, merged);
  refuseUnknown(model, params);
  warnOfUnknown(model, data, options);
  const { committee = 1 } = model.info;
  const members = Number(committee);
  checkRounds(model, { committee: members, ...merged }, loss.loss);
  const valid = Object.entries(namedSets(options.valid))
    .map(([name, set]) => [name, inShapeOf(model, set, merged).data] as const);
  const factors = model.info.priorCorrection === undefined ? undefined : storedFactors(model);
  const start = {
    ...merged,
    committee: members,
    loss: loss.given,
    baseScore: responseOfZero(loss.loss),
  };
  if (model.calibration !== undefined) {
    options.onWarning?.(
      "The calibration belongs to the old scores and is left out: calibrate again",
    );
  }
  const join = (added: Model): Model => {
    const before = model.numRounds;
    const { best, kept } = added.info as ModelInfo & {
      readonly kept?: { readonly rounds: number };
    };
    const { calibration: _, ...info } = model.info;
    const sameRows = model.info.committeeRows === added.info.committeeRows;
    return createModel({
      schema: joinedSchema(model.schema, added.schema),
      ensemble: appendEnsemble(model.ensemble, added.ensemble),
      attachments: trainingRecord(train, given),
      info: {
        ...info,
        ...(train.offset === undefined ? {} : { offset: model.info.offset ?? offsetName(train) }),
        ...(best === undefined ? {} : { best: { ...best, round: best.round + before } }),
        ...(kept === undefined ? {} : { kept: { rounds: kept.rounds + before } }),
        ...joinedOrder(
          model.info.monotoneBroken as Json,
          added.info.monotoneBroken as Json,
          model.numTrees,
        ),
        ...(members > 1 && !sameRows ? { committeeRows: "several" } : {}),
        continued: [
          ...(Array.isArray(model.info.continued) ? model.info.continued : []),
          {
            rounds: added.numRounds,
            numRows: added.info.numRows ?? 0,
            seed: added.info.seed ?? 0,
            ...leafParams(params),
          },
        ],
      },
    });
  };
  const grow = () =>
    boostFrom(
      train,
      start,
      { ...options, ...(valid.length === 0 ? {} : { valid: Object.fromEntries(valid) }) },
      {
        rounds: model.numRounds,
        beside: (set) => besideModel(model, set),
        unknownOf: (name) => unknownOf(model.schema, name),
        ...(members > 1
          ? { members: (set) => memberScores(model, set, members, trainedBase(model)) }
          : {}),
        ...(typeof model.info.committeeRows === "string" ? { rows: model.info.committeeRows } : {}),
        ...(factors === undefined ? {} : { classFactors: factors }),
      },
    );
  try {
    return join(await grow());
  } catch (error) {
    throw handOver(moved(error), join);
  }
}

/** The model of the new rounds so far where the hand-over looks for it. */
function moved(error: unknown): unknown {
  if (!(error instanceof TrainingError) || error.details.model === undefined) return error;
  const { model: best, ...details } = error.details;
  return new TrainingError(error.code, error.message, {
    details: { ...details, best },
    cause: error.cause,
  });
}

/** Refuses constraints that the model's own trees do not keep, unless that was asked for. */
function refuseOrder({ ensemble, schema }: Model, data: Dataset, params: ParamInput): void {
  const { monotone, monotoneRules } = resolveParams("boost", params);
  const directions = monotoneOf(data, monotone);
  if (directions === undefined || monotoneRules === "lightgbm-unproved") return;
  try {
    proveMonotone(ensemble, directions, schema.features);
  } catch (cause) {
    throw new ParameterError(
      "E_PARAM_CONFLICT",
      `Cannot continue with monotone ${
        JSON.stringify(monotone)
      }: the model's own trees do not keep it`,
      { details: { param: "monotone", value: monotone }, cause },
    );
  }
}

/** Refuses another rule for unknown values than the model's, which stays. */
function refuseUnknown({ schema }: Model, { unknown }: ParamInput): void {
  if (unknown === undefined) return;
  const column = schema.features.find((feature) =>
    feature.kind === "categorical" && feature.unknown !== unknown
  );
  if (column?.kind !== "categorical") return;
  throw new ParameterError(
    "E_PARAM_CONFLICT",
    `Cannot continue with unknown ${JSON.stringify(unknown)}: the model takes values of column ` +
      `${JSON.stringify(column.name)} that it does not know by ${
        JSON.stringify(column.unknown)
      }, ` +
      `which more trees do not change; leave it out`,
    { details: { param: "unknown", value: unknown, column: column.name, model: column.unknown } },
  );
}

/** Refuses what would not continue the model's own run. */
function checkRounds({ ensemble }: Model, params: ParamInput, loss: Loss): void {
  const resolved = resolveBoost(params);
  if (resolved.dropRate > 0 || resolved.oneDrop) {
    throw new ParameterError(
      "E_PARAM_CONFLICT",
      `Cannot continue with dropRate ${resolved.dropRate}: later rounds would rescale the model's ` +
        `trees; expected dropRate 0 and oneDrop false (plain rounds)`,
      { details: { param: "dropRate", value: resolved.dropRate } },
    );
  }
  const perRound = loss.numOutputs * resolved.parallelTrees * (resolved.committee ?? 1);
  if (perRound === ensemble.treesPerRound) return;
  throw new ParameterError(
    "E_PARAM_CONFLICT",
    `Cannot continue with ${perRound} trees a round: the model has ${ensemble.treesPerRound} ` +
      `(outputs × parallelTrees × committee)`,
    { details: { param: "parallelTrees", value: perRound, model: ensemble.treesPerRound } },
  );
}

/** The base score before a prior correction. */
function trainedBase(model: Model): Float64Array {
  const shift = storedShift(model);
  return model.ensemble.baseScore.map((base, k) => base - (shift?.[k] ?? 0));
}

/** The data with the model's raw scores as offset, as they were before a prior correction. */
function besideModel(model: Model, data: Dataset): Dataset {
  const { offset, ...plain } = data;
  // The rows' own offsets come last, as in one run.
  const { data: raw } = model.predictRaw(
    offset === undefined ? plain : { ...plain, offset: new Float64Array(offset.length) },
  );
  const shift = storedShift(model);
  const { numOutputs } = model;
  for (let i = 0; i < raw.length; i++) {
    if (shift !== undefined) raw[i] -= shift[i % numOutputs];
    if (offset !== undefined) raw[i] += offset[i];
  }
  return { ...data, offset: raw };
}

/** The response of raw score 0: the model's scores are the rows' offsets, with nothing beside them. */
function responseOfZero({ postprocess: { name } }: Loss): number {
  return name === "exp" ? 1 : name === "sigmoid" || name === "oneVsAll" ? 0.5 : 0;
}

/** The model's rule stays: more trees do not change what its values mean. */
function unknownOf({ features }: Schema, name: string): UnknownRule {
  const feature = features.find((one) => one.name === name);
  return feature?.kind === "categorical" ? feature.unknown : "heavier";
}

/** A feature has a learnt side for missing values once either run had some. */
function joinedSchema(first: Schema, next: Schema): Schema {
  return {
    ...first,
    features: first.features.map((feature, i) =>
      next.features[i].missing === "learnt" ? { ...feature, missing: "learnt" } : feature
    ),
  };
}
