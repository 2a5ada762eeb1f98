/**
 * Training and calibration in one: the map is fitted on rows that did not teach what it maps.
 *
 * @module
 */
import { checkShape } from "../data/dataset/shape.ts";
import { TRAIN_OPTIONS, type TrainOptions, type TrialOptions } from "../ensemble/types.ts";
import { checkArgument, checkOptions } from "../door.ts";
import { requireBinsOf } from "../algorithms/boost/bin_sample.ts";
import { trainsCommittee } from "../algorithms/boost/committee_choice.ts";
import { outOfFoldScores } from "../algorithms/boost/member_scores.ts";
import { train, type TrainSpec } from "../algorithms/train.ts";
import { namedSets } from "../algorithms/common/validation.ts";
import { alignDataset } from "../data/dataset/align.ts";
import { splitDataset } from "../data/dataset/split.ts";
import { requireTarget } from "../data/dataset/target.ts";
import type { Dataset } from "../data/types.ts";
import { withoutWeightless } from "../data/dataset/weightless.ts";
import { ParameterError } from "../errors.ts";
import type { Model } from "../model/model.ts";
import { canonicalParams, resolveAlgorithm, resolveParams } from "../params/resolve.ts";
import {
  calibrateOnThreads,
  calibrateRows,
  calibrateScores,
  type CalibrationMethod,
  checkMethod,
  fallingMaps,
} from "./calibrate.ts";
import { labelsFor } from "./evaluate.ts";

/**
 * Trains a classifier and calibrates it on rows that the scored trees were not trained on. A committee
 * is calibrated on its out-of-fold scores, another model on a validation set (the one that decides
 * early stopping, or the first). Without a validation set, a share `validFraction` of the rows
 * (default 0.1) is held out for the calibration. `onNote` reports which of these it was.
 *
 * @throws {ParameterError} For wrong parameters, or another method; `E_PARAM_CONFLICT` for a target
 * that has no classes.
 * @throws {DataError} As {@linkcode train}.
 * @throws {TrainingError} As {@linkcode train}.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const x = Float64Array.from({ length: 60 }, (_, i) => i);
 * const model = await trainCalibrated({
 *   numRows: 60,
 *   features: [{ kind: "numeric", name: "x", values: x }],
 *   target: {
 *     kind: "classification",
 *     name: "y",
 *     codes: Int32Array.from(x, (v) => v % 7 < 3 ? 1 : 0),
 *     classes: ["no", "yes"],
 *   },
 * }, { committee: 3, rounds: 5 }, "platt");
 * assertEquals(model.calibration?.[0].method, "platt");
 * ```
 */
export async function trainCalibrated(
  data: Dataset,
  spec: TrainSpec,
  method: CalibrationMethod,
  options: TrainOptions = {},
): Promise<Model> {
  checkShape("trainCalibrated", data);
  checkArgument("trainCalibrated", "spec", spec, "object");
  checkOptions<TrialOptions>("trainCalibrated", options, TRAIN_OPTIONS);
  const model = await trainThenCalibrate(data, spec, method, options);
  const falling = fallingMaps(model);
  if (falling !== undefined) options.onWarning?.(falling);
  return model;
}

async function trainThenCalibrate(
  data: Dataset,
  spec: TrainSpec,
  method: CalibrationMethod,
  options: TrainOptions,
): Promise<Model> {
  checkMethod(method);
  const target = requireTarget(data);
  if (target.kind !== "classification") {
    throw new ParameterError(
      "E_PARAM_CONFLICT",
      `Cannot calibrate: the target ${JSON.stringify(target.name)} is a number and has no classes`,
      { details: { param: "calibrate" } },
    );
  }
  const valid = namedSets(options.valid);
  const names = Object.keys(valid);
  const run = { threads: options.threads };
  const { algorithm = "boost", ...params } = spec;
  const name = resolveAlgorithm(algorithm);
  if (name === "boost" && trainsCommittee(data, params)) {
    const model = await train(data, spec, options);
    const counted = withoutWeightless(data);
    const scores = outOfFoldScores(model, counted);
    if (scores !== undefined) {
      const { numRows } = counted;
      options.onNote?.(`Calibrated (${method}) on the out-of-fold scores of ${numRows} rows`);
      return calibrateScores(model, scores, labelsFor(model, counted), method);
    }
  }
  if (names.length > 0) {
    const given = canonicalParams(name, params).get("earlyStoppingSet");
    const set = typeof given === "string" && Object.hasOwn(valid, given) ? given : names[0];
    const model = await train(data, spec, options);
    options.onNote?.(
      `Calibrated (${method}) on set ${set}: metrics of its ${
        valid[set].numRows
      } rows flatter the map`,
    );
    return await calibrateOnThreads(model, alignDataset(data, valid[set], set), method, run);
  }
  const { validFraction = 0.1, seed, classWeights } = resolveParams(name, params) as {
    readonly validFraction?: number;
    readonly seed: number;
    readonly classWeights?: unknown;
  };
  const [rest, heldOut] = splitDataset(data, {
    fractions: [1 - validFraction, validFraction],
    seed,
    stratify: true,
  });
  if (classWeights === undefined) {
    requireBinsOf(
      withoutWeightless(rest),
      "rows are held out for calibration (or give a validation set)",
    );
  }
  const judged = name === "boost" || name === "gbdt" || name === "logitboost";
  const model = await train(rest, spec, { ...options, ...(judged ? { valid: { heldOut } } : {}) });
  options.onNote?.(
    `Calibrated (${method}) on ${heldOut.numRows} of ${data.numRows} rows, held out by class`,
  );
  return await calibrateRows(model, heldOut, method, options.threads);
}
