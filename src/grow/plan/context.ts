/**
 * What growing a classic tree is given: the pieces that make an algorithm, and what ends growth.
 *
 * @module
 */
import type { Criterion } from "../criterion/criterion.ts";
import type { Frame } from "../rows/frame.ts";
import type { MutableNodeView, NodeView, StatSource } from "../rows/stats.ts";
import type {
  ChildLimits,
  ChooseSplit,
  FindSplit,
  MissingPolicy,
  Split,
} from "../splitter/split.ts";
import type { GrowOrder } from "./queue.ts";

/** What ends growth. */
export interface GrowLimits extends ChildLimits {
  readonly maxDepth: number;
  readonly maxLeaves: number;
  /** A node with fewer rows is not split. */
  readonly minRowsSplit: number;
  /** A node of less weight is not split. */
  readonly minWeightSplit: number;
  /** A split must gain at least this (weight × impurity). */
  readonly minGain: number;
}

/** Vetoes a split that its node would make. */
export type StopRule = (view: NodeView, split: Split, context: GrowContext) => boolean;

/** The pieces that make an algorithm. */
export interface GrowContext {
  readonly frame: Frame;
  readonly source: StatSource;
  readonly criterion: Criterion;
  readonly numeric: FindSplit;
  readonly categorical: FindSplit;
  readonly choose: ChooseSplit;
  readonly missing: MissingPolicy;
  readonly order: GrowOrder;
  readonly limits: GrowLimits;
  /** Features that the tree may use; all when absent. */
  readonly features?: Int32Array;
  /** Features drawn at each node without replacement; all when absent. */
  readonly featuresPerNode?: number;
  /** Splitters draw numbers at every node. */
  readonly random?: boolean;
  /** Nodes of two classes may be counted by the wasm kernel. */
  readonly counted?: boolean;
  /** Gains of the splitters are per unit of weight. */
  readonly unitGain?: boolean;
  /** Thresholds are values of the tree's rows (C4.5), not midpoints. */
  readonly cutsAtValues?: boolean;
  /** Other threads that look for splits; draws of the splitters themselves stay on this one. */
  readonly team?: SplitTeam;
  /** Surrogates kept at each split. */
  readonly maxSurrogates?: number;
  /** Weights by which surrogates agree, where they are not those of the statistics. */
  readonly caseWeight?: Float64Array;
  readonly maxExhaustive?: number;
  readonly stop?: StopRule;
}

/** Finds splits of nodes with the help of other threads. */
export interface SplitTeam {
  /** A view of the current node whose arrays the helpers see. */
  readonly view: MutableNodeView;
  /** Whether a node of so many rows and features is worth waking them. */
  pays(numRows: number, numFeatures: number): boolean;
  /**
   * Best splits of `list[0 … count − 1]`, in that order, those without any left out.
   *
   * @param own Finds that of one feature, on this thread.
   */
  find(list: Int32Array, count: number, own: (feature: number) => Split | undefined): Split[];
}
