/**
 * Entropy in bits: −Σ p log₂ p.
 *
 * Quinlan, "Induction of Decision Trees", Machine Learning 1 (1986); Shannon 1948.
 *
 * @module
 */
import { log } from "../../util/math.ts";
import { type Criterion, proportions } from "./criterion.ts";

const LN2 = 0.6931471805599453;

/** x log₂ x, 0 at 0. */
export function xlog2x(x: number): number {
  return x > 0 ? x * log(x) / LN2 : 0;
}

/** Weight × entropy of `count` class weights. */
export function weightedEntropy(stats: ArrayLike<number>, at: number, count: number): number {
  let weight = 0;
  let sum = 0;
  for (let k = 0; k < count; k++) {
    weight += stats[at + k];
    sum += xlog2x(stats[at + k]);
  }
  return xlog2x(weight) - sum;
}

/** Entropy of `numClasses` classes. */
export function entropyCriterion(numClasses: number): Criterion {
  const channels = numClasses + 1;
  return {
    name: "entropy",
    leafWidth: numClasses,
    impurity(stats, at) {
      let weight = 0;
      for (let k = 0; k < numClasses; k++) weight += stats[at + k];
      return weight > 0 ? Math.max(0, weightedEntropy(stats, at, numClasses) / weight) : 0;
    },
    gains(left, count, total, out) {
      const right = new Float64Array(numClasses);
      const parent = weightedEntropy(total, 0, numClasses);
      let at = 0;
      for (let i = 0; i < count; i++, at += channels) {
        let leftWeight = 0;
        let rightWeight = 0;
        for (let k = 0; k < numClasses; k++) {
          right[k] = total[k] - left[at + k];
          leftWeight += left[at + k];
          rightWeight += right[k];
        }
        out[i] = leftWeight > 0 && rightWeight > 0
          ? parent - weightedEntropy(left, at, numClasses) - weightedEntropy(right, 0, numClasses)
          : -Infinity;
      }
    },
    leafValue: (stats, at, out) => proportions(stats, at, numClasses, out),
  };
}
