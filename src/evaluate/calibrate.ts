/**
 * A model whose probabilities are calibrated on held-out rows; the map is stored in the model and
 * applied wherever it scores.
 *
 * @module
 */
import type { Dataset } from "../data/types.ts";
import { ParameterError } from "../errors.ts";
import { outputMajor } from "../metric/response.ts";
import { createModel, type Model } from "../model/model.ts";
import type { Calibration } from "../model/types.ts";
import { fitIsotonic, fitPlatt, fitTemperature } from "./calibrate_fit.ts";
import { labelsFor } from "./evaluate.ts";

/** Ways to calibrate. */
export type CalibrationMethod = Calibration["method"];

/** Names of the ways. */
export const CALIBRATION_METHODS: readonly CalibrationMethod[] = [
  "platt",
  "isotonic",
  "temperature",
];

/**
 * Fits a calibration on rows that the model was not trained on. A model of several classes gets one
 * map a class (divided by their sum) for Platt and isotonic, one temperature for all.
 *
 * @throws {ParameterError} `E_PARAM_CONFLICT` for a model without classes, or a temperature for a
 * link without odds.
 */
export function calibrate(
  model: Model,
  data: Dataset,
  method: CalibrationMethod = "platt",
): Model {
  const { schema, ensemble, numOutputs } = model;
  if (schema.classes.length < 2) {
    throw conflict(`it is a ${schema.task} model and has no probabilities`);
  }
  if (!CALIBRATION_METHODS.includes(method)) {
    throw new ParameterError(
      "E_PARAM_RANGE",
      `Cannot calibrate by ${JSON.stringify(method)}: expected ${CALIBRATION_METHODS.join(", ")}`,
      { details: { param: "method", value: method } },
    );
  }
  const { values, weight } = labelsFor(model, data);
  const parts = {
    schema,
    ensemble,
    info: {
      ...model.info,
      calibration: { method, numRows: data.numRows },
    },
  };
  const { name, scale = 1 } = ensemble.postprocess;
  const raw = outputMajor(model.predictRaw(data).data, data.numRows, numOutputs);
  const weighted = weight === undefined ? {} : { weight };
  if (method === "temperature") {
    if (name !== "softmax" && name !== "sigmoid") throw conflict(`the link "${name}" has no odds`);
    const fitted = fitTemperature(raw, values, numOutputs, scale, weight);
    return createModel({ ...parts, calibration: [fitted] });
  }
  const plain = createModel(parts);
  const source = method === "platt"
    ? raw
    : outputMajor(plain.predictValue(data), data.numRows, numOutputs);
  const calibration = Array.from({ length: numOutputs }, (_, k): Calibration => {
    const scores = source.slice(k * data.numRows, (k + 1) * data.numRows);
    const truth = numOutputs === 1 ? values : values.map((code) => code === k ? 1 : 0);
    return (method === "platt" ? fitPlatt : fitIsotonic)({ scores, truth, ...weighted });
  });
  return createModel({ ...parts, calibration });
}

function conflict(why: string): ParameterError {
  return new ParameterError("E_PARAM_CONFLICT", `Cannot calibrate this model: ${why}`);
}
