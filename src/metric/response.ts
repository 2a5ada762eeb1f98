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
  const predictions = { raw, response: new Float64Array(raw.length), numRows, numOutputs };
  for (let from = 0; from < numRows; from += STRETCH) {
    respondRows(predictions, postprocess, from, Math.min(numRows, from + STRETCH));
  }
  return predictions;
}

/** Rows whose scores are turned over in one go. */
const STRETCH = 4096;

/** Writes the responses of rows `from … to − 1`. */
export function respondRows(
  { raw, response, numRows, numOutputs }: Predictions,
  postprocess: Postprocess,
  from: number,
  to: number,
): void {
  if (numOutputs === 1) {
    const part = response.subarray(from, to);
    part.set(raw.subarray(from, to));
    return postprocessInto(postprocess, part, 1);
  }
  const rows = to - from;
  const part = new Float64Array(rows * numOutputs);
  for (let k = 0; k < numOutputs; k++) {
    const at = k * numRows + from;
    for (let row = 0; row < rows; row++) part[row * numOutputs + k] = raw[at + row];
  }
  postprocessInto(postprocess, part, numOutputs);
  for (let k = 0; k < numOutputs; k++) {
    const at = k * numRows + from;
    for (let row = 0; row < rows; row++) response[at + row] = part[row * numOutputs + k];
  }
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
