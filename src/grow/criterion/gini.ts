/**
 * Gini index: Σ p(1 − p) = 1 − Σ p².
 *
 * Breiman, Friedman, Olshen and Stone, "Classification and Regression Trees", 1984, section 4.3.
 *
 * @module
 */
import { type Criterion, proportions } from "./criterion.ts";

/** Gini index of `numClasses` classes. */
export function giniCriterion(numClasses: number): Criterion {
  const channels = numClasses + 1;
  return {
    name: "gini",
    leafWidth: numClasses,
    impurity(stats, at) {
      let weight = 0;
      let squares = 0;
      for (let k = 0; k < numClasses; k++) weight += stats[at + k];
      if (!(weight > 0)) return 0;
      for (let k = 0; k < numClasses; k++) squares += (stats[at + k] / weight) ** 2;
      return Math.max(0, 1 - squares);
    },
    // w·gini = w − Σ w_k² / w, so the gain is Σ l_k²/w_L + Σ r_k²/w_R − Σ t_k²/w.
    gains: numClasses === 2 ? twoClassGains : (left, count, total, out) => {
      let weight = 0;
      let squares = 0;
      for (let k = 0; k < numClasses; k++) {
        weight += total[k];
        squares += total[k] * total[k];
      }
      const parent = squares / weight;
      let at = 0;
      for (let i = 0; i < count; i++, at += channels) {
        let leftWeight = 0;
        let leftSquares = 0;
        let rightSquares = 0;
        for (let k = 0; k < numClasses; k++) {
          const l = left[at + k];
          const r = total[k] - l;
          leftWeight += l;
          leftSquares += l * l;
          rightSquares += r * r;
        }
        const rightWeight = weight - leftWeight;
        out[i] = leftWeight > 0 && rightWeight > 0
          ? leftSquares / leftWeight + rightSquares / rightWeight - parent
          : -Infinity;
      }
    },
    leafValue: (stats, at, out) => proportions(stats, at, numClasses, out),
  };
}

function twoClassGains(
  left: Float64Array,
  count: number,
  total: Float64Array,
  out: Float64Array,
): void {
  const t0 = total[0];
  const t1 = total[1];
  const weight = t0 + t1;
  const parent = (t0 * t0 + t1 * t1) / weight;
  let at = 0;
  for (let i = 0; i < count; i++, at += 3) {
    const l0 = left[at];
    const l1 = left[at + 1];
    const r0 = t0 - l0;
    const r1 = t1 - l1;
    const l = l0 + l1;
    const r = weight - l;
    out[i] = l > 0 && r > 0
      ? (l0 * l0 + l1 * l1) / l + (r0 * r0 + r1 * r1) / r - parent
      : -Infinity;
  }
}

/**
 * The same index by class shares, added up in the order in which rpart adds: splits that gain the
 * same on paper differ by rounding, and this makes ties fall as they do there.
 */
export function giniByShares(numClasses: number): Criterion {
  const channels = numClasses + 1;
  const spread = (weight: number, total: number) => {
    const share = weight / total;
    return total * (share * (1 - share));
  };
  return {
    ...giniCriterion(numClasses),
    gains(left, count, total, out) {
      let weight = 0;
      for (let k = 0; k < numClasses; k++) weight += total[k];
      let whole = 0;
      for (let k = 0; k < numClasses; k++) whole += spread(total[k], weight);
      let at = 0;
      for (let i = 0; i < count; i++, at += channels) {
        let leftWeight = 0;
        for (let k = 0; k < numClasses; k++) leftWeight += left[at + k];
        const rightWeight = weight - leftWeight;
        let sum = 0;
        for (let k = 0; k < numClasses; k++) {
          sum += spread(left[at + k], leftWeight);
          sum += spread(total[k] - left[at + k], rightWeight);
        }
        out[i] = leftWeight > 0 && rightWeight > 0 ? whole - sum : -Infinity;
      }
    },
  };
}
