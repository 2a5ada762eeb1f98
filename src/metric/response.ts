/**
 * From the raw scores of training (output-major) to what metrics read.
 *
 * @module
 */
import { postprocessInto } from "../model/postprocess.ts";
import type { Postprocess } from "../model/types.ts";
import type { Predictions } from "./types.ts";

/** Applies the link to raw scores; `raw` is kept, responses are a new array. */
export function predictionsOf(
  raw: Float64Array,
  numRows: number,
  numOutputs: number,
  postprocess: Postprocess,
): Predictions {
  const joint = numOutputs > 1;
  const response = joint ? new Float64Array(raw.length) : raw.slice();
  if (joint) {
    for (let row = 0; row < numRows; row++) {
      for (let k = 0; k < numOutputs; k++) response[row * numOutputs + k] = raw[k * numRows + row];
    }
  }
  postprocessInto(postprocess, response, numOutputs);
  return {
    raw,
    response: joint ? outputMajor(response, numRows, numOutputs) : response,
    numRows,
    numOutputs,
  };
}

/** Row-major `rows × outputs` to output-major. */
export function outputMajor(
  values: Float64Array,
  numRows: number,
  numOutputs: number,
): Float64Array {
  if (numOutputs === 1) return values;
  const out = new Float64Array(values.length);
  for (let row = 0; row < numRows; row++) {
    for (let k = 0; k < numOutputs; k++) out[k * numRows + row] = values[row * numOutputs + k];
  }
  return out;
}
