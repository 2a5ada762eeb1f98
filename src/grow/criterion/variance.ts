/**
 * Variance around the mean: the least-squares rule of regression trees. Friedman's improvement
 * w_L w_R / (w_L + w_R) · (ȳ_L − ȳ_R)² is the same number.
 *
 * Breiman, Friedman, Olshen and Stone, "Classification and Regression Trees", 1984, section 8.3;
 * Friedman, "Greedy Function Approximation", Annals of Statistics 29 (2001), equation 35.
 *
 * @module
 */
import type { Criterion } from "./criterion.ts";

/** Variance of the label. */
export function varianceCriterion(): Criterion {
  return {
    name: "variance",
    leafWidth: 1,
    impurity(stats, at) {
      const weight = stats[at];
      if (!(weight > 0)) return 0;
      const mean = stats[at + 1] / weight;
      return Math.max(0, stats[at + 2] / weight - mean * mean);
    },
    // Σ w(y − ȳ)² falls by S_L²/w_L + S_R²/w_R − S²/w.
    gains(left, count, total, out) {
      const weight = total[0];
      const sum = total[1];
      const parent = sum * sum / weight;
      let at = 0;
      for (let i = 0; i < count; i++, at += 4) {
        const leftWeight = left[at];
        const leftSum = left[at + 1];
        const rightWeight = weight - leftWeight;
        const rightSum = sum - leftSum;
        out[i] = leftWeight > 0 && rightWeight > 0
          ? leftSum * leftSum / leftWeight + rightSum * rightSum / rightWeight - parent
          : -Infinity;
      }
    },
    leafValue(stats, at, out) {
      out[0] = stats[at] > 0 ? stats[at + 1] / stats[at] : 0;
    },
  };
}
