/**
 * What every scorer of encoded rows offers, whatever walks the trees behind it.
 *
 * @module
 */

/** Scores encoded rows (see contract.ts); features are already rounded as the profile says. */
export interface Scorer {
  /**
   * Raw scores of the first `numTrees` trees.
   *
   * @param x Row-major `rows × numFeatures`.
   * @param out Row-major `rows × numOutputs`; overwritten.
   */
  score(x: Float64Array, rows: number, numTrees: number, out: Float64Array): void;
  /** Node reached in each tree, counted from the tree's root; `out` is row-major `rows × numTrees`. */
  leaves(x: Float64Array, rows: number, numTrees: number, out: Int32Array): void;
}

/** Scores one row at a time, into a place of a larger array. */
export interface RowScorer {
  /**
   * @param x Encoded rows.
   * @param at Where the row begins in `x`.
   * @param out Raw scores.
   * @param to Where the row's raw scores begin in `out`.
   */
  scoreRow(x: Float64Array, at: number, numTrees: number, out: Float64Array, to: number): void;
}
