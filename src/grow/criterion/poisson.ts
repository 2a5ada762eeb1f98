/**
 * Half Poisson deviance around the mean: (1/w) Σ w (y ln(y/ȳ)), for counts and rates. The third
 * channel of its source sums y ln y.
 *
 * scikit-learn user guide, "Decision Trees: Regression criteria", half Poisson deviance.
 *
 * @module
 */
import { log } from "../../util/math.ts";
import type { Criterion } from "./criterion.ts";

/** y ln y of each label, the third channel of a Poisson source. */
export function poissonSecond(labels: Float64Array): Float64Array {
  return labels.map((y) => y > 0 ? y * log(y) : 0);
}

/** Half Poisson deviance of the label. */
export function poissonCriterion(): Criterion {
  /** Σ w y ln ȳ of one side; −∞ gain where a mean is not positive. */
  const term = (sum: number, weight: number) => sum * log(sum / weight);
  return {
    name: "poisson",
    leafWidth: 1,
    impurity(stats, at) {
      if (!(stats[at] > 0)) return 0;
      const fitted = stats[at + 1] > 0 ? term(stats[at + 1], stats[at]) : 0;
      return Math.max(0, (stats[at + 2] - fitted) / stats[at]);
    },
    gains(left, count, total, out) {
      const parent = total[1] > 0 ? term(total[1], total[0]) : 0;
      const least = 2.22e-16 * total[1]; // no more than a rounding
      let at = 0;
      for (let i = 0; i < count; i++, at += 4) {
        const rightWeight = total[0] - left[at];
        const rightSum = total[1] - left[at + 1];
        // A leaf of mean 0 would have an infinite loss on the first event.
        out[i] = left[at] > 0 && rightWeight > 0 && left[at + 1] > least && rightSum > least
          ? term(left[at + 1], left[at]) + term(rightSum, rightWeight) - parent
          : -Infinity;
      }
    },
    leafValue(stats, at, out) {
      out[0] = stats[at] > 0 ? stats[at + 1] / stats[at] : 0;
    },
  };
}
