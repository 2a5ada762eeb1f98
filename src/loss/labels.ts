/**
 * Small reductions over labels that many losses share: weighted means, weighted quantiles, and the
 * check of a label domain.
 *
 * @module
 */
import type { Labels } from "../data/types.ts";
import { DataError } from "../errors.ts";
import { log } from "../util/math.ts";
import { selectByWeight, selectInPlace } from "../util/select.ts";
import { createSum } from "../util/sum.ts";

/** A condition on labels and its name in an error message. */
export interface LabelDomain {
  /** Whether one label is acceptable. */
  readonly test: (label: number) => boolean;
  /** Completes "expected …": `a number greater than 0`. */
  readonly text: string;
}

/** Domains of the losses in this folder. */
export const DOMAINS: {
  readonly [name in "finite" | "unit" | "nonNegative" | "positive" | "aboveMinusOne" | "binary"]:
    LabelDomain;
} = {
  finite: { test: Number.isFinite, text: "a finite number" },
  unit: { test: (y) => y >= 0 && y <= 1, text: "a number from 0 to 1" },
  nonNegative: { test: (y) => y >= 0 && y < Infinity, text: "a number that is not negative" },
  positive: { test: (y) => y > 0 && y < Infinity, text: "a number greater than 0" },
  aboveMinusOne: { test: (y) => y > -1 && y < Infinity, text: "a number greater than -1" },
  binary: { test: (y) => y === 0 || y === 1, text: "0 or 1" },
};

/**
 * Refuses labels outside a loss's domain.
 *
 * @throws {DataError} `E_DATA_TARGET` naming the first row (from 1) and its label.
 */
export function checkDomain(loss: string, labels: Labels, domain: LabelDomain): void {
  const { values } = labels;
  for (let row = 0; row < values.length; row++) {
    const label = values[row];
    if (!domain.test(label)) {
      throw new DataError(
        "E_DATA_TARGET",
        `Cannot use loss "${loss}": the target at row ${
          row + 1
        } is ${label}, expected ${domain.text}`,
        { details: { loss, row: row + 1, value: label } },
      );
    }
  }
}

/** Weighted mean of `term(row)`, summed with compensation. */
export function meanOf(labels: Labels, term: (row: number) => number): number {
  const { values, weight } = labels;
  const total = createSum();
  if (weight === undefined) {
    for (let row = 0; row < values.length; row++) total.add(term(row));
    return total.value() / values.length;
  }
  const weights = createSum();
  for (let row = 0; row < values.length; row++) {
    const w = weight[row];
    if (w === 0) continue; // a row of weight 0 may have any loss, even an infinite one
    total.add(w * term(row));
    weights.add(w);
  }
  return total.value() / weights.value();
}

/** The sum of labels if all are whole and small: then it is exact in any order. */
function wholeSum({ values, counts }: Labels): number | undefined {
  if (counts !== undefined) return counts.reduce((sum, count, label) => sum + label * count, 0);
  let sum = 0;
  for (let row = 0; row < values.length; row++) {
    const value = values[row];
    // 21 bits: the sum of 2^32 of them is below 2^53.
    if (value !== (value << 11 >> 11)) return undefined;
    sum += value;
  }
  return sum;
}

/** Weighted mean of the labels. */
export function meanLabel(labels: Labels): number {
  // Classes and counts, by far the most common labels: a tenth of the time.
  const sum = labels.weight === undefined ? wholeSum(labels) : undefined;
  if (sum !== undefined) return sum / labels.values.length;
  return meanOf(labels, (row) => labels.values[row]);
}

/**
 * Lower weighted quantile: the smallest value whose cumulative weight reaches `level` of the total.
 *
 * @param values Any order; they are copied.
 * @param weights Same length; omitted means all ones.
 */
export function weightedQuantile(
  values: ArrayLike<number>,
  level: number,
  weights?: ArrayLike<number>,
): number {
  return quantileInPlace(new Float64Array(values), level, weights && new Float64Array(weights));
}

/** {@linkcode weightedQuantile} of values and weights that may be overwritten. */
export function quantileInPlace(
  values: Float64Array,
  level: number,
  weights?: Float64Array,
): number {
  const count = values.length;
  if (count === 0) return 0;
  if (weights === undefined) {
    return selectInPlace(values, Math.max(0, Math.ceil(level * count - 1e-9) - 1));
  }
  const total = createSum();
  for (let i = 0; i < count; i++) total.add(weights[i]);
  // The slack keeps equal weights such as 0.1 from missing an exact share by rounding.
  const target = level * total.value() * (1 - 1e-12);
  return selectByWeight(values, weights, target);
}

/** Labels and weights as float32, as LightGBM keeps them. */
export function float32Labels(labels: Labels): Labels {
  const { values, weight } = labels;
  return {
    ...labels,
    values: Float64Array.from(values, Math.fround),
    ...(weight === undefined ? {} : { weight: Float64Array.from(weight, Math.fround) }),
  };
}

const CLIP = 1e-15; // LightGBM's bound on the mean before its logit

/** Log odds of a share, finite for 0 and 1. */
export function logit(share: number): number {
  const p = Math.min(1 - CLIP, Math.max(CLIP, share));
  return log(p / (1 - p));
}
