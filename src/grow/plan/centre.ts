/**
 * Labels that lie far from 0 beside their spread, such as times and dates: sums of their squares
 * keep no digit of the differences that a split is judged by, so trees grow on differences from the
 * middle.
 *
 * Chan, Golub and LeVeque, "Algorithms for Computing the Sample Variance: Analysis and
 * Recommendations", The American Statistician 37 (1983).
 *
 * @module
 */
import type { Dataset } from "../../data/types.ts";
import type { Trees } from "../../model/types.ts";
import type { CriterionName } from "./plan.ts";

/** Labels nearer to 0 than this times their spread lose at most 24 of 53 bits and stay as they are. */
const FAR = 4096;

/** A dataset whose labels are differences from `centre`. */
export interface Centred {
  readonly data: Dataset;
  /** What leaves have to add; 0 where the data are as they were. */
  readonly centre: number;
}

/**
 * Subtracts the middle of labels that lie close together and far from 0. The differences are exact
 * (Sterbenz), and rules of variance and absolute deviation do not depend on where 0 is.
 */
export function centreTarget(data: Dataset, criterion: CriterionName): Centred {
  const { target, sampleWeight } = data;
  if (target?.kind !== "regression" || criterion !== "variance" && criterion !== "absolute") {
    return { data, centre: 0 };
  }
  let low = Infinity;
  let high = -Infinity;
  for (let row = 0; row < target.values.length; row++) {
    if (sampleWeight !== undefined && !(sampleWeight[row] > 0)) continue;
    low = Math.min(low, target.values[row]);
    high = Math.max(high, target.values[row]);
  }
  const spread = high - low;
  const near = low > 0 ? low : -high;
  if (!(spread > 0 && near / FAR > spread)) return { data, centre: 0 };
  const centre = low / 2 + high / 2;
  return { data: { ...data, target: shifted(target, -centre) }, centre };
}

/** A target, or other numbers, with something added to each value. */
export function shifted<T extends { readonly values: Float64Array }>(target: T, by: number): T {
  return { ...target, values: target.values.map((value) => value + by) };
}

/** Trees with something added to the value of each node. */
export function shiftLeaves(trees: Trees, by: number): Trees {
  return by === 0 ? trees : { ...trees, leaf: trees.leaf.map((value) => value + by) };
}
