/**
 * What a splitter finds, and what it may use to find it.
 *
 * @module
 */
import type { Rng } from "../../util/rng.ts";
import type { CutStyle } from "./cut.ts";
import type { Criterion } from "../criterion/criterion.ts";
import type { Frame } from "../rows/frame.ts";
import type { NodeView, StatSource } from "../rows/stats.ts";
import type { Scratch } from "./scratch.ts";

/** What a missing value does while a tree grows and later. */
export type MissingPolicy =
  /** Each split tries both sides; without missing values in the node, the heavier child. */
  | "learn"
  /** Splits are judged on known values; missing ones go down every branch by share (C4.5). */
  | "fractional"
  /** Splits are judged on known values; missing ones ask surrogates, then the heavier child. */
  | "surrogate";

/** The best split of one feature. */
export interface Split {
  readonly feature: number;
  readonly kind: "threshold" | "subset" | "multiway";
  /** Threshold: codes up to this go left. */
  readonly code: number;
  readonly threshold: number;
  /** Subset: bit set over codes. Multiway: branch of each code. */
  readonly categories: Uint32Array | undefined;
  readonly numBranches: number;
  /** Branch of missing values in this node; −1 when the heavier child is to take them. */
  readonly missing: number;
  /** Decrease of weight × impurity. */
  readonly gain: number;
  /** What `ChooseSplit` compares besides the gain: C4.5's gain ratio. */
  readonly score: number;
  /** C4.5: the attribute has so many levels that it is left out of the average gain. */
  readonly outOfAverage?: boolean;
}

/** Bounds on the children of a split. */
export interface ChildLimits {
  /** Fewest rows in a child. */
  readonly minRowsLeaf: number;
  /** Least weight in a child. */
  readonly minWeightLeaf: number;
  /** Neighbouring values must differ by more than this for a cut between them. */
  readonly minGap: number;
  /** How a threshold between two neighbours is chosen. */
  readonly cut: CutStyle;
}

/** All that a splitter may look at. */
export interface SplitContext {
  readonly frame: Frame;
  readonly source: StatSource;
  readonly criterion: Criterion;
  readonly limits: ChildLimits;
  readonly missing: MissingPolicy;
  readonly scratch: Scratch;
  /** Subset splits of more than two classes are exhaustive up to this many levels. */
  readonly maxExhaustive: number;
}

/** Finds the best split of one feature, or none. */
export type FindSplit = (
  view: NodeView,
  feature: number,
  context: SplitContext,
  rng: Rng | undefined,
) => Split | undefined;

/** Picks one of the best splits of several features. */
export type ChooseSplit = (candidates: readonly Split[]) => Split | undefined;
