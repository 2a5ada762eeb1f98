/**
 * Training data as ranks: every feature becomes whole numbers whose order is the order of its
 * values, so that exact splits are found by counting and integer sorting, and a tree can be run
 * over training rows without touching a float.
 *
 * @module
 */
import type { Column, Dataset } from "../../data/types.ts";
import { createRanker, type Ranker } from "../../binning/rank.ts";

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
  return {
    numRows: data.numRows,
    features: data.features.map((column) => rankColumn(rank, column)),
  };
}

/** Ranks one feature. */
export function rankColumn(rank: Ranker, column: Column): FrameFeature {
  if (column.kind === "numeric") {
    const ranks = rank.values(column.values);
    return { kind: "numeric", numCodes: ranks.values.length, ...ranks };
  }
  const { length } = column.categories;
  const ranks = rank.levels(column.codes, length);
  return { kind: "categorical", numCodes: length + 1, values: new Float64Array(0), ...ranks };
}
