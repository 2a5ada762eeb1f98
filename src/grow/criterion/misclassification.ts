/**
 * Misclassification error: 1 − max p. It is flat where Gini and entropy still see progress, so it
 * is meant for pruning and teaching more than for growing.
 *
 * Breiman, Friedman, Olshen and Stone, "Classification and Regression Trees", 1984, section 4.1.
 *
 * @module
 */
import { type Criterion, proportions } from "./criterion.ts";

/** Misclassification error of `numClasses` classes. */
export function misclassificationCriterion(numClasses: number): Criterion {
  const channels = numClasses + 1;
  return {
    name: "misclassification",
    leafWidth: numClasses,
    impurity(stats, at) {
      let weight = 0;
      let most = 0;
      for (let k = 0; k < numClasses; k++) {
        weight += stats[at + k];
        most = Math.max(most, stats[at + k]);
      }
      return weight > 0 ? 1 - most / weight : 0;
    },
    gains(left, count, total, out) {
      let most = 0;
      let weight = 0;
      for (let k = 0; k < numClasses; k++) {
        most = Math.max(most, total[k]);
        weight += total[k];
      }
      let at = 0;
      for (let i = 0; i < count; i++, at += channels) {
        let leftMost = 0;
        let rightMost = 0;
        let leftWeight = 0;
        for (let k = 0; k < numClasses; k++) {
          leftMost = Math.max(leftMost, left[at + k]);
          rightMost = Math.max(rightMost, total[k] - left[at + k]);
          leftWeight += left[at + k];
        }
        out[i] = leftWeight > 0 && leftWeight < weight ? leftMost + rightMost - most : -Infinity;
      }
    },
    leafValue: (stats, at, out) => proportions(stats, at, numClasses, out),
  };
}
