/**
 * The named maps from raw scores to the response, one row at a time.
 *
 * @module
 */
import { exp, log, sigmoid, softmaxInto, softplus } from "../util/math.ts";
import type { Postprocess } from "./types.ts";

const PROBABILITIES: readonly string[] = [
  "sigmoid",
  "softmax",
  "oneVsAll",
  "proportions",
  "probability",
  "softmaxZero",
];

/** Whether a link's results are probabilities of the classes. */
export function isProbability(name: Postprocess["name"]): boolean {
  return PROBABILITIES.includes(name);
}

/**
 * Turns raw scores into responses in place, row by row.
 *
 * @param values Row-major `rows × cols`; raw scores in, responses out.
 */
export function postprocessInto(post: Postprocess, values: Float64Array, cols: number): void {
  const scale = post.scale ?? 1;
  switch (post.name) {
    case "identity":
    case "probability":
      return;
    case "softmax":
    case "softmaxZero":
      // ONNX's second one: scores of (nearly) zero stay 0, the others share the softmax.
      for (let at = 0; at < values.length; at += cols) {
        softmaxInto(values, at, cols, 1, post.name === "softmax" ? -1 : 1e-7);
      }
      return;
    case "proportions":
      for (let at = 0; at < values.length; at += cols) divideBySum(values, at, cols);
      return;
  }
  for (let i = 0; i < values.length; i++) {
    const x = values[i];
    values[i] = post.name === "exp"
      ? exp(x)
      : post.name === "hinge"
      ? +(x > 0)
      : post.name === "signedSquare"
      ? x < 0 ? -x * x : x * x
      : post.name === "log1pExp"
      ? softplus(x)
      : post.name === "probit"
      ? onnxProbit(x)
      : sigmoid(scale * x);
  }
  if (post.name === "oneVsAll" && post.normalise === true) {
    for (let at = 0; at < values.length; at += cols) divideBySum(values, at, cols);
  }
}

/** ONNX's PROBIT as ONNX Runtime computes it: S. Winitzki's approximation of the inverse erf. */
function onnxProbit(p: number): number {
  const x = 2 * p - 1;
  const tail = log((1 - x) * (1 + x));
  const a = 2 / (Math.PI * 0.147) + 0.5 * tail;
  const root = Math.sqrt(-a + Math.sqrt(a * a - tail / 0.147));
  return Math.SQRT2 * (x < 0 ? -root : root);
}

/** Divides a row by its sum; a row of zeros becomes uniform. */
function divideBySum(values: Float64Array, at: number, count: number): void {
  let total = 0;
  for (let i = at; i < at + count; i++) total += values[i];
  for (let i = at; i < at + count; i++) values[i] = total > 0 ? values[i] / total : 1 / count;
}
