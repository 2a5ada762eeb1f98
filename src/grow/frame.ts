/**
 * Training data as ranks: every feature becomes whole numbers whose order is the order of its
 * values, so that exact splits are found by counting and integer sorting, and a tree can be run
 * over training rows without touching a float.
 *
 * @module
 */
import type { Column, Dataset } from "../data/types.ts";

/** One feature of a frame. */
export interface FrameFeature {
  readonly kind: "numeric" | "categorical";
  /** Length `numRows`, each in `0 … numCodes`; `numCodes` itself is a missing value. */
  readonly codes: Int32Array;
  /**
   * Numeric: number of distinct values. Categorical: K + 1, the categories and one code for values
   * outside the vocabulary.
   */
  readonly numCodes: number;
  /** Numeric: the distinct values, ascending, length `numCodes`. Empty for categories. */
  readonly values: Float64Array;
  readonly hasMissing: boolean;
}

/** Ranked training data. */
export interface Frame {
  readonly numRows: number;
  readonly features: readonly FrameFeature[];
}

/** Ranks all features of a dataset. */
export function createFrame(data: Dataset): Frame {
  return { numRows: data.numRows, features: data.features.map(rankColumn) };
}

/** Ranks one column. */
export function rankColumn(column: Column): FrameFeature {
  return column.kind === "numeric"
    ? rankNumbers(column.values)
    : rankCategories(column.codes, column.categories.length);
}

function rankCategories(from: Int32Array, numCategories: number): FrameFeature {
  const numCodes = numCategories + 1;
  const codes = new Int32Array(from.length);
  let hasMissing = false;
  for (let row = 0; row < from.length; row++) {
    const code = from[row];
    if (code < 0) hasMissing = true;
    codes[row] = code < 0 ? numCodes : Math.min(code, numCategories);
  }
  return { kind: "categorical", codes, numCodes, values: new Float64Array(0), hasMissing };
}

function rankNumbers(from: ArrayLike<number>): FrameFeature {
  const n = from.length;
  const sorted = Float64Array.from(from).sort(); // NaN last
  let known = n;
  while (known > 0 && sorted[known - 1] !== sorted[known - 1]) known--;
  let numCodes = 0;
  for (let i = 0; i < known; i++) {
    // −0 and 0 are one value.
    if (i === 0 || sorted[i] !== sorted[i - 1]) sorted[numCodes++] = sorted[i] + 0;
  }
  const values = sorted.slice(0, numCodes);
  const codes = new Int32Array(n);
  for (let row = 0; row < n; row++) {
    codes[row] = from[row] === from[row] ? rankOf(values, from[row]) : numCodes;
  }
  return { kind: "numeric", codes, numCodes, values, hasMissing: known < n };
}

/** Number of values below `value`, which for a member of the list is its place. */
export function rankOf(values: Float64Array, value: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
