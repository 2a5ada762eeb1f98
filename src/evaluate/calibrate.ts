/**
 * A model whose probabilities are calibrated on held-out rows; the map is stored in the model and
 * applied wherever it scores.
 *
 * @module
 */
import { checkShape } from "../data/dataset/shape.ts";
import { checkArgument, checkModel, checkOptions } from "../door.ts";
import type { Dataset, Labels } from "../data/types.ts";
import { DataError, ParameterError } from "../errors.ts";
import { spreadHash } from "../format/training_stats.ts";
import { outputMajor, predictionsOf } from "../metric/response.ts";
import { createModel, type Model } from "../model/model.ts";
import type { Calibration } from "../model/types.ts";
import { fitIsotonic, fitPlatt, fitTemperature } from "./calibrate_fit.ts";
import { labelsFor, scoringThreads } from "./evaluate.ts";
import { measureOnThreads } from "./evaluate_threads.ts";

/**
 * Methods of calibration: `platt` (a sigmoid of the raw score; Platt 1999), `isotonic` (an ascending
 * map of the response; Zadrozny & Elkan 2002) and `temperature` (a factor on the raw scores; Guo et
 * al. 2017).
 */
export type CalibrationMethod = Calibration["method"];

/** Names of all methods. */
export const CALIBRATION_METHODS: readonly CalibrationMethod[] = [
  "platt",
  "isotonic",
  "temperature",
];

/**
 * A copy of a model with a calibration, which is fitted on the given rows. They should not be those
 * that the model was trained on. With more than two classes, `platt` and `isotonic` fit one map for
 * each class, and the results are divided by their sum; `temperature` fits one for all.
 *
 * @throws {ParameterError} `E_PARAM_RANGE` for another method; `E_PARAM_CONFLICT` for a model without
 * classes, for `temperature` with a link that is not a sigmoid or softmax, for scores that are not
 * finite, and for a descending map that would break monotone constraints.
 * @throws {DataError} `E_DATA_TARGET` without a target, or for a class that the model does not know.
 */
export function calibrate(
  model: Model,
  data: Dataset,
  method: CalibrationMethod = "platt",
): Model {
  checkModel("calibrate", model);
  checkShape("calibrate", data);
  checkArgument("calibrate", "method", method, CALIBRATION_METHODS);
  return calibrateAlone(model, data, method, data);
}

function calibrateAlone(model: Model, data: Dataset, method: CalibrationMethod, known?: Dataset) {
  checkCalibration(model, method);
  const raw = outputMajor(model.predictRaw(data).data, data.numRows, model.numOutputs);
  return calibrateScores(model, raw, labelsFor(model, data), method, known);
}

/** {@linkcode calibrate} with several threads that score the rows. The model is the same. */
export async function calibrateOnThreads(
  model: Model,
  data: Dataset,
  method: CalibrationMethod = "platt",
  options: {
    /** Threads, 1 or more. @default all cores if there are enough rows, else 1 */
    readonly threads?: number | undefined;
  } = {},
): Promise<Model> {
  checkModel("calibrateOnThreads", model);
  checkShape("calibrateOnThreads", data);
  checkArgument("calibrateOnThreads", "method", method, CALIBRATION_METHODS);
  checkOptions<NonNullable<typeof options>>("calibrateOnThreads", options, { threads: "any" });
  return await calibrateRows(model, data, method, options.threads, data);
}

/**
 * What {@linkcode calibrateOnThreads} does.
 *
 * @param known As `data` of {@linkcode calibrateScores}; none where `data` may be of bins, whose values spread otherwise.
 */
export async function calibrateRows(
  model: Model,
  data: Dataset,
  method: CalibrationMethod,
  atMost?: number,
  known?: Dataset,
): Promise<Model> {
  checkCalibration(model, method);
  const threads = scoringThreads(model, data, atMost);
  if (threads === 1) return calibrateAlone(model, data, method, known);
  const labels = labelsFor(model, data);
  let raw: Float64Array;
  try {
    const work = { model, data, labels, metrics: [], table: false, threads };
    ({ raw } = await measureOnThreads(work));
  } catch {
    // One thread meets the same error, and at its own row.
    return calibrateAlone(model, data, method, known);
  }
  return calibrateScores(model, raw, labels, method, known);
}

/** Whether rows look like those of {@linkcode calibrate}: as many of them, spread alike in each column. */
export function looksCalibratedOn({ info, schema }: Model, data: Dataset): boolean {
  const { numRows, spread } = (info.calibration ?? {}) as { numRows?: unknown; spread?: unknown };
  return numRows === data.numRows && spread === spreadHash(schema, data);
}

/**
 * {@linkcode calibrate} on raw scores that are known already: those of rows by models that have not
 * seen them.
 *
 * @param raw Output-major, `numOutputs × labels.values.length`.
 * @param data The rows, by which {@linkcode looksCalibratedOn} knows them again; not those of the training.
 * @throws {ParameterError} As {@linkcode calibrate}, and `E_PARAM_CONFLICT` for scores that are no
 * numbers, or infinite where the map computes with them.
 */
export function calibrateScores(
  model: Model,
  raw: Float64Array,
  labels: Labels,
  method: CalibrationMethod,
  data?: Dataset,
): Model {
  checkCalibration(model, method);
  const { values, weight } = labels;
  const { schema, ensemble, numOutputs } = model;
  const numRows = values.length;
  checkClasses(schema.classes, labels);
  const parts = {
    schema,
    ensemble,
    info: {
      ...model.info,
      calibration: { method, numRows, ...(data && { spread: spreadHash(schema, data) }) },
    },
    attachments: () => model.attachments,
  };
  checkScores(raw, numRows, method === "isotonic" ? Number.isNaN : isInfinite);
  if (method === "temperature") {
    const { scale = 1 } = ensemble.postprocess;
    const fitted = fitTemperature(raw, values, numOutputs, scale, weight);
    return createModel({ ...parts, calibration: [fitted] });
  }
  const source = method === "platt"
    ? raw
    : predictionsOf(raw, numRows, numOutputs, ensemble.postprocess).response;
  checkScores(source, numRows, Number.isNaN);
  const weighted = weight === undefined ? {} : { weight };
  const calibration = Array.from({ length: numOutputs }, (_, k): Calibration => {
    const scores = source.slice(k * numRows, (k + 1) * numRows);
    const truth = numOutputs === 1 ? values : values.map((code) => code === k ? 1 : 0);
    return (method === "platt" ? fitPlatt : fitIsotonic)({ scores, truth, ...weighted });
  });
  refuseFalling(model, calibration, numRows);
  return createModel({ ...parts, calibration });
}

/**
 * What to say of Platt's maps that fall: they turn the order of scores round, as on rows that the
 * model knows nothing of, or on too few.
 *
 * @returns Nothing where none falls.
 */
export function fallingMaps({ schema, calibration = [] }: Model): string | undefined {
  const falling = calibration.flatMap((map, k) => map.method === "platt" && map.a < 0 ? [k] : []);
  if (falling.length === 0) return undefined;
  const names = calibration.length === 1
    ? JSON.stringify(schema.classes[1])
    : falling.map((k) => JSON.stringify(schema.classes[k])).join(", ");
  return `Platt's map of ${names} falls: on these rows higher scores went with fewer of them, and ` +
    `the calibrated model ranks the other way round; look at the rows, or take more of them`;
}

/**
 * @throws {ParameterError} `E_PARAM_CONFLICT` where a falling map would break the order that was
 * asked for.
 */
function refuseFalling(
  { info }: Model,
  calibration: readonly Calibration[],
  numRows: number,
): void {
  const ways = Object.values(info.params?.["monotone"] ?? {});
  if (!ways.some((way) => way !== 0 && way !== "none")) return;
  if (!calibration.some((map) => map.method === "platt" && map.a < 0)) return;
  throw conflict(
    `on these ${numRows} rows Platt's map falls, which would turn the order of "monotone" round; ` +
      `expected more rows, or isotonic`,
  );
}

/** @throws {DataError} `E_DATA_TARGET` unless rows of two classes weigh something. */
function checkClasses(classes: readonly string[], { values, weight }: Labels): void {
  const counted = weight === undefined ? values : values.filter((_, row) => weight[row] > 0);
  if (counted.some((code) => code !== counted[0])) return;
  const found = counted.length === 0
    ? "no row weighs anything"
    : `every row that weighs something is ${JSON.stringify(classes[counted[0]])}`;
  throw new DataError(
    "E_DATA_TARGET",
    `Cannot calibrate on rows of one class: ${found}, expected two classes or more`,
  );
}

/** Isotonic regression only needs the order of scores, the other maps compute with them. */
function isInfinite(score: number): boolean {
  return !Number.isFinite(score);
}

/** @throws {ParameterError} `E_PARAM_CONFLICT` for a score that no map can be fitted to. */
function checkScores(
  scores: Float64Array,
  numRows: number,
  isBad: (score: number) => boolean,
): void {
  const at = scores.findIndex(isBad);
  if (at < 0) return;
  const row = at % numRows + 1;
  throw conflict(`it scores row ${row} as ${scores[at]}, expected a finite number`, { row });
}

/**
 * Refuses what cannot be calibrated.
 *
 * @throws {ParameterError} `E_PARAM_RANGE` for another method, `E_PARAM_CONFLICT` as for
 * {@linkcode calibrate}.
 */
function checkCalibration({ schema, ensemble }: Model, method: CalibrationMethod): void {
  checkMethod(method);
  if (schema.classes.length < 2) {
    throw conflict(`it is a ${schema.task} model and has no probabilities`);
  }
  const { name } = ensemble.postprocess;
  if (method === "temperature" && name !== "softmax" && name !== "sigmoid") {
    throw conflict(`the link "${name}" has no odds for temperature; expected platt or isotonic`);
  }
}

/** @throws {ParameterError} `E_PARAM_RANGE` for a word that is no method. */
export function checkMethod(method: string): asserts method is CalibrationMethod {
  if ((CALIBRATION_METHODS as readonly string[]).includes(method)) return;
  throw new ParameterError(
    "E_PARAM_RANGE",
    `Cannot calibrate by ${JSON.stringify(method)}: expected ${CALIBRATION_METHODS.join(", ")}`,
    { details: { param: "method", value: method } },
  );
}

function conflict(why: string, details: { readonly row?: number } = {}): ParameterError {
  return new ParameterError("E_PARAM_CONFLICT", `Cannot calibrate this model: ${why}`, { details });
}
