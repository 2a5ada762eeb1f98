/**
 * Cuts of trees, and models that are made of them.
 *
 * @module
 */
import type { Model } from "../../model/model.ts";
import type { Ensemble } from "../../model/types.ts";

/** How leaves change. */
export interface Cut {
  /** Levels that leaves are rounded to; undefined leaves them exact. */
  readonly levels?: number | undefined;
  /** So many of the nodes that can become a constant do. */
  readonly steps: number;
  /** Linear leaves become constants, all of them. */
  readonly dropTerms?: boolean;
}

/** An ensemble made ready for cutting. */
export interface Cuttable {
  /** Nodes that can become a constant. */
  readonly steps: number;
  /** Changes leaves. */
  cut(cut: Cut): Smaller;
}

/** An ensemble with fewer nodes and leaves that differ. */
export interface Smaller {
  readonly ensemble: Ensemble;
  /** No raw score changes by more. */
  readonly bound: number;
  /**
   * Sum over the trees of the mean square that each changes by on the rows that it was grown on, as its
   * covers tell: attempts at one ensemble compare by it.
   */
  readonly spread: number;
}

/** A smaller model. */
export interface Attempt {
  readonly smaller: Model;
  readonly bytes: number;
  readonly bound: number;
  readonly spread: number;
  readonly cut: Cut;
}
