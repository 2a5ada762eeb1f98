/**
 * Trees grown level by level. See `kernels/types.ts` for what all kernels have in common.
 *
 * @module
 */

/**
 * Plain trees only. The twin of all three together is `grow/histogram/grower.ts` with its evaluator, which
 * grows any tree: there are none by their names. `plan` is as `items/grow.ts` says.
 */
export interface GrowKernels {
  /** Begins a tree with its root. Returns how many groups are to be evaluated. */
  plantRoot(plan: number): number;
  /**
   * Takes over the splits that an evaluation has found, makes leaves of nodes without one and splits the
   * others. Returns how many split items are to be carried out.
   */
  splitLevel(plan: number): number;
  /**
   * Counts the rows of the nodes that have come last, and writes what is to be evaluated of them. Returns
   * how many groups there are, or −1 where the tree is done.
   */
  queueLevel(plan: number): number;
}
