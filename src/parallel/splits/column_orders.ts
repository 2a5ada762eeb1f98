/**
 * Messages to workers that bin or rank columns before they help to grow trees, and their answers.
 *
 * @module
 */
import type { LeafwiseBinning, LeafwiseColumn } from "../../binning/leafwise_bins.ts";
import type { Column } from "../../data/types.ts";
import type { FrameFeature } from "../../grow/rows/frame.ts";

/** A column that is to be binned by LightGBM's rules before the helper starts. */
export interface BinOrder {
  readonly bin: {
    readonly column: Column;
    readonly feature: number;
    readonly limits: Pick<LeafwiseBinning, "maxBins" | "zeroAsMissing">;
  };
}

/** Its bins. */
export interface BinnedAnswer {
  readonly feature: number;
  readonly found: LeafwiseColumn;
}

/** A column that is to be ranked before the helper starts. */
export interface RankOrder {
  readonly rank: { readonly column: Column; readonly feature: number };
}

/** Its ranks. */
export interface RankedAnswer {
  readonly feature: number;
  readonly found: FrameFeature;
}
