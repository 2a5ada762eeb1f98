/**
 * Predictions as raw float32 numbers, little-endian, one after the other: the smallest answer there is.
 *
 * @module
 */
import { ParameterError } from "../../errors.ts";
import type { RowErrors } from "../body/partial.ts";
import type { PredictionKind } from "../answer/predict.ts";
import { probabilityAt, type Scores } from "../answer/scores.ts";
import type { Served } from "../models/types.ts";
import { modelHeaders } from "../models/version.ts";

/**
 * Refuses kinds of predictions that are no scores.
 *
 * @throws {ParameterError} `E_PARAM_CONFLICT`.
 */
export function checkFloatKind(kind: PredictionKind): void {
  if (kind === "class" || kind === "leaf") {
    throw new ParameterError(
      "E_PARAM_CONFLICT",
      `Cannot answer kind "${kind}" as float32: ask for value, proba or raw, or accept JSON`,
      { details: { param: "kind" } },
    );
  }
}

/**
 * Scores as float32, row-major; a row that could not be read is NaN. `value` and `raw` have the
 * model's outputs, `proba` has a number for each class.
 */
export function floatAnswer(
  served: Served,
  scores: Scores,
  kind: PredictionKind,
  errors: RowErrors,
): Response {
  const { numOutputs, raw, value } = scores;
  const numClasses = served.model.schema.classes.length;
  const cols = kind === "proba" ? numClasses : numOutputs;
  const bad = new Set(errors?.map(({ row }) => row - 1));
  const data = new Float32Array((scores.rows + bad.size) * cols).fill(NaN);
  let place = 0;
  for (let row = 0; row < scores.rows; row++) {
    while (bad.has(place)) place++;
    const to = cols * place++;
    for (let k = 0; k < cols; k++) {
      data[to + k] = kind === "proba"
        ? probabilityAt(scores, numClasses, row, k)
        : (kind === "raw" ? raw : value)[row * cols + k];
    }
  }
  return new Response(data, {
    headers: { "content-type": "application/octet-stream", ...modelHeaders(served) },
  });
}
