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
