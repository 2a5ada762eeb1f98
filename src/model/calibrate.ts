/**
 * Applies calibration between the raw score and what users read.
 *
 * Platt scaling: Platt 1999. Temperature: Guo et al. 2017. Isotonic: Zadrozny & Elkan 2002.
 *
 * @module
 */
import { sigmoid } from "../util/math.ts";
import { isProbability, postprocessInto } from "./postprocess.ts";
import type { Calibration, Postprocess } from "./types.ts";

/**
 * Turns raw scores into calibrated responses in place.
 *
 * Several probabilities of one row are divided by their sum after Platt or isotonic calibration.
 *
 * @param values Row-major `rows × cols`.
 */
export function respondInto(
  post: Postprocess,
  calibration: readonly Calibration[] | undefined,
  values: Float64Array,
  cols: number,
): void {
  if (!calibration?.length) return postprocessInto(post, values, cols);
  const of = (output: number) => calibration[Math.min(output, calibration.length - 1)];
  const raw = calibration.some((c) => c.method === "platt") ? values.slice() : values;
  for (let i = 0; i < values.length; i++) {
    const c = of(i % cols);
    if (c.method === "temperature") values[i] /= c.t;
  }
  postprocessInto(post, values, cols);
  let divide = false;
  for (let i = 0; i < values.length; i++) {
    const c = of(i % cols);
    if (c.method === "platt") values[i] = sigmoid(c.a * raw[i] + c.b);
    else if (c.method === "isotonic") values[i] = interpolate(c.x, c.y, values[i]);
    divide ||= c.method !== "temperature";
  }
  if (divide && cols > 1 && isProbability(post.name)) {
    postprocessInto({ name: "proportions" }, values, cols);
  }
}

function interpolate(x: readonly number[], y: readonly number[], at: number): number {
  let low = 0;
  let high = x.length - 1;
  if (at <= x[low]) return y[low];
  if (at >= x[high]) return y[high];
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (x[middle] <= at) low = middle;
    else high = middle;
  }
  const width = x[high] - x[low];
  return width > 0 ? y[low] + (y[high] - y[low]) * ((at - x[low]) / width) : y[high];
}
