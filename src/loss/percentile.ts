/**
 * Percentiles as LightGBM takes them up to 4.6 for leaves and start values
 * (`regression_objective.hpp`): between two values without weights, beside the cumulated weights with
 * them, where the wrong stretch may lead outside of the values (its issue 7151; 4.7 takes the right one).
 *
 * @module
 */
import { ascendingOrder } from "../util/ascending_order.ts";
import { selectInPlace } from "../util/select.ts";

/**
 * LightGBM's percentile.
 *
 * @param values Overwritten.
 * @param level Between 0 and 1.
 * @param weights Same length as `values`; omitted means all alike.
 */
export function lightgbmPercentile(
  values: Float64Array,
  level: number,
  weights?: Float64Array,
): number {
  const count = values.length;
  if (count === 0) return 0;
  if (count === 1) return values[0];
  return weights === undefined
    ? betweenValues(values, level)
    : besideWeights(values, weights, level);
}

/** From the largest value down, `(n − 1)(1 − level)` steps, a share of one included. */
function betweenValues(values: Float64Array, level: number): number {
  const count = values.length;
  const steps = (count - 1) * (1 - level);
  const whole = Math.trunc(steps) + 1;
  const lower = selectInPlace(values, Math.max(0, count - 1 - whole));
  if (whole >= count) return lower;
  // The values behind it are not below it: the least of them follows it.
  let upper = Infinity;
  for (let i = count - whole; i < count; i++) upper = Math.min(upper, values[i]);
  return upper - (upper - lower) * (steps - (whole - 1));
}

/** The value whose cumulated weight passes the level; extrapolated where the next weighs 1 or more. */
function besideWeights(values: Float64Array, weights: Float64Array, level: number): number {
  const count = values.length;
  const order = ascendingOrder(values);
  const cumulated = new Float64Array(count);
  let sum = 0;
  order.forEach((at, i) => cumulated[i] = sum += weights[at]);
  const target = sum * level;
  let place = cumulated.findIndex((reached) => reached > target);
  if (place < 0) place = count - 1;
  if (place === 0 || place === count - 1) return values[order[place]];
  const low = values[order[place - 1]];
  const high = values[order[place]];
  const next = cumulated[place + 1] - cumulated[place];
  return next >= 1 ? (target - cumulated[place]) / next * (high - low) + low : high;
}
