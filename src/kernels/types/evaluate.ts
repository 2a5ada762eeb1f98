/**
 * Nodes evaluated many at once. See `kernels/types.ts` for what all kernels have in common.
 *
 * @module
 */

/** See the twin for what it computes. */
export interface EvaluateKernels {
  // ---- groups of nodes (twin/evaluate.ts) ----
  /**
   * Builds the histograms of a group's items, block by block of rows, so that the rows of a block are in
   * the cache for all of them; subtracts each from its parent and finds the best splits of both, where
   * the plan says so. `plan` is as `items/evaluate.ts` says, and its working space comes after it.
   */
  evaluateGroup(plan: number, group: number): void;
  /** The same of all groups: takes them from the common counter until none is left. */
  evaluateGroups(plan: number): void;
  /**
   * Fills the striped jobs: each thread its own copy of their histograms, from the stripes of rows that
   * it takes.
   */
  fillStripes(plan: number): void;
}
