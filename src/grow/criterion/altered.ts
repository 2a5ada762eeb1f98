/**
 * Altered priors: the split rule sees each class with a weight that its misclassification costs,
 * while leaves and risks keep the true weights.
 *
 * Breiman, Friedman, Olshen and Stone, "Classification and Regression Trees", 1984, section 4.4.
 *
 * @module
 */
import type { Criterion } from "./criterion.ts";

/** A class criterion that multiplies each class by a factor before it judges. */
export function alteredCriterion(base: Criterion, factors: readonly number[]): Criterion {
  const numClasses = factors.length;
  const channels = numClasses + 1;
  let buffer = new Float64Array(channels);
  function scale(stats: Float64Array, at: number, count: number): Float64Array {
    if (buffer.length < count * channels) buffer = new Float64Array(2 * count * channels);
    for (let i = 0; i < count; i++) {
      const to = i * channels;
      for (let k = 0; k < numClasses; k++) buffer[to + k] = stats[at + to + k] * factors[k];
      buffer[to + numClasses] = stats[at + to + numClasses];
    }
    return buffer;
  }
  return {
    ...base,
    impurity: (stats, at) => base.impurity(scale(stats, at, 1), 0),
    gains(left, count, total, out) {
      const whole = scale(total, 0, 1).slice(0, channels);
      base.gains(scale(left, 0, count), count, whole, out);
    },
    leafValue: base.leafValue,
  };
}
