/**
 * The split rules of classic trees behind one small interface.
 *
 * @module
 */
import type { NodeView } from "../rows/stats.ts";

/** Rows of a node in the order of one feature, for criteria that need more than sums. */
export interface OrderedRows {
  /** Places within the node, ascending by code of the feature. */
  readonly order: Int32Array;
  /** Exclusive end of each group of equal codes. */
  readonly groupEnd: Int32Array;
}

/**
 * A split rule. Gains are in units of weight × impurity: what the node has less the sum of what its
 * children have.
 */
export interface Criterion {
  readonly name: string;
  /** Width of a leaf: number of classes, or 1. */
  readonly leafWidth: number;
  /** Impurity per unit of weight. */
  impurity(stats: Float64Array, at: number): number;
  /**
   * Gains of a whole feature in one call.
   *
   * @param left Channels left of each cut, `count × channels`.
   * @param total Channels of the node.
   * @param out Length `count` at least.
   */
  gains(left: Float64Array, count: number, total: Float64Array, out: Float64Array): void;
  /** Replaces `gains` where sums do not suffice. */
  orderedGains?(view: NodeView, ordered: OrderedRows, count: number, out: Float64Array): void;
  /** Completes the channels of a node from its rows. */
  finish?(view: NodeView, stats: Float64Array): void;
  /** Value of a leaf. */
  leafValue(stats: Float64Array, at: number, out: Float64Array): void;
}

/** Class shares of a node, or all zero when it is empty. */
export function proportions(
  stats: Float64Array,
  at: number,
  numClasses: number,
  out: Float64Array,
): void {
  let weight = 0;
  for (let k = 0; k < numClasses; k++) weight += stats[at + k];
  for (let k = 0; k < numClasses; k++) out[k] = weight > 0 ? stats[at + k] / weight : 0;
}
