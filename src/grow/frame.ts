/**
 * Training data as ranks: every feature becomes whole numbers whose order is the order of its
 * values, so that exact splits are found by counting and integer sorting, and a tree can be run
 * over training rows without touching a float.
 *
 * @module
 */
import type { Column, Dataset } from "../data/types.ts";
import { createRanker, type Ranks } from "./rank.ts";

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
  const rank = createRanker(data.numRows);
  return { numRows: data.numRows, features: data.features.map((column) => rankWith(rank, column)) };
}

function rankWith(rank: (values: ArrayLike<number>) => Ranks, column: Column): FrameFeature {
  if (column.kind !== "numeric") return rankCategories(column.codes, column.categories.length);
  const ranks = rank(column.values);
  return { kind: "numeric", numCodes: ranks.values.length, ...ranks };
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
