/**
 * What one tree on bins is grown from.
 *
 * @module
 */
import type { Pool, TableSpace } from "../workspace/pool.ts";
import type { GrowSpace } from "./grow_space.ts";

/** What decides which nodes are split. */
export interface GrowLimits {
  readonly growth: "depth" | "leaf";
  /** At least 1, or Infinity. */
  readonly maxDepth: number;
  readonly maxLeaves: number;
  /** Splits below this gain are not made. */
  readonly minGain: number;
}

/** Which features a node may be split on; `undefined` means all. */
export interface FeatureChooser {
  /**
   * @param path Tells the features that the node's ancestors were split on.
   * @returns A byte for each feature, until the next call.
   */
  allowed(depth: number, node: number, path: () => readonly number[]): Uint8Array | undefined;
}

/** One tree's task. */
export interface GrowTask {
  readonly output: number;
  /** Histograms of float64 pairs, not packed. */
  readonly wide: boolean;
  /** Size of one unit of the histogram's whole numbers. */
  readonly unitG: number;
  readonly unitH: number;
  /** Address of the packed gradients. */
  readonly packed: number;
  /** Where the leaf numbers of the rows go. */
  readonly leafOf: number;
  /** Sums of the root in whole numbers, its rows, and where its histogram is there already. */
  readonly root: {
    readonly gradient: number;
    readonly hessian: number;
    readonly count: number;
    readonly place?: number | undefined;
  };
  readonly limits: GrowLimits;
  readonly features: FeatureChooser;
  readonly pool: Pool;
  readonly tables: TableSpace;
  /** For trees of `limits.maxLeaves` or more. */
  readonly space: GrowSpace;
}
