/**
 * A tree as it grows on bins, and how to send binned rows down it.
 *
 * @module
 */
import type { FeatureBins } from "../binning/bins.ts";
import type { BinLayout } from "../binning/binned.ts";
import type { Memory } from "../kernels/memory.ts";
import { createTreeBuilder, type TreeBuilder } from "../model/trees.ts";

/** A node; a leaf until it is split. Node 0 is the root, children come after their parents. */
export interface GrownNode {
  /** −1 at leaves. */
  feature: number;
  /** Last bin on the left (numeric features). */
  bin: number;
  /** 1 for each bin that goes left, missing last. */
  goesLeft: Uint8Array | undefined;
  /** Children; `right` is `left + 1`. */
  left: number;
  right: number;
  parent: number;
  /** Number of the leaf whose rows it holds; −1 at inner nodes. */
  leaf: number;
  gain: number;
  /** Bounds of its value (monotone constraints). */
  lower: number;
  upper: number;
  /** Rows that reached it. */
  count: number;
}

/** A tree on bins. */
export interface GrownTree {
  readonly nodes: GrownNode[];
  /** Leaf numbers given to rows; pruning leaves them as they are. */
  readonly numLeaves: number;
}

/** A new leaf. */
export function newNode(
  parent: number,
  lower: number,
  upper: number,
  count: number,
): GrownNode {
  return {
    feature: -1,
    bin: -1,
    goesLeft: undefined,
    left: -1,
    right: -1,
    parent,
    leaf: -1,
    gain: 0,
    lower,
    upper,
    count,
  };
}

/** A leaf number at or below a node: that of a pruned node is any of its old leaves'. */
export function leafBelow(tree: GrownTree, node: number): number {
  let at = node;
  while (tree.nodes[at].leaf < 0) at = tree.nodes[at].left;
  return tree.nodes[at].leaf;
}

/** Bytes of a node for the `route` kernel. */
export const ROUTE_BYTES = 16;

/**
 * Writes the nodes of a tree for the `route` kernel; a tree that is one leaf gets a root that sends
 * everything to it.
 *
 * @param tableOf Address of the table of each inner node.
 */
export function writeRoute(
  memory: Memory,
  layout: BinLayout,
  tree: GrownTree,
  at: number,
  tableOf: (node: number) => number,
): void {
  const { u32, i32 } = memory;
  const inner = new Map<number, number>();
  tree.nodes.forEach((node, i) => {
    if (node.feature >= 0) inner.set(i, inner.size);
  });
  const child = (i: number) => inner.get(i) ?? ~leafBelow(tree, i);
  for (const [i, place] of inner) {
    const node = tree.nodes[i];
    const word = (at >>> 2) + 4 * place;
    const { wide, position } = layout.places[node.feature];
    u32[word] = wide ? 0x80000000 + 2 * position : position;
    u32[word + 1] = tableOf(i);
    i32[word + 2] = child(node.left);
    i32[word + 3] = child(node.right);
  }
}

/** Value, cover of every node, for {@linkcode toBuilder}. */
export interface NodeFacts {
  readonly value: Float64Array;
  readonly cover: Float64Array;
}

/** The tree as models store it: thresholds instead of bins, values, covers. */
export function toBuilder(
  tree: GrownTree,
  bins: readonly FeatureBins[],
  facts: NodeFacts,
): TreeBuilder {
  const builder = createTreeBuilder(1);
  const place = new Int32Array(tree.nodes.length);
  tree.nodes.forEach((node, i) => {
    const at = place[i];
    if (i > 0 && isDropped(tree, i)) return;
    builder.setValue(at, [facts.value[i]]);
    builder.setStats(at, facts.cover[i], node.gain);
    if (node.feature < 0) return;
    const feature = bins[node.feature];
    const goesLeft = node.goesLeft!;
    const missing = goesLeft[feature.numBins] === 1 ? 0 : 1;
    const first = feature.kind === "numeric"
      ? builder.splitThreshold(at, node.feature, feature.cuts[node.bin] ?? Infinity, missing)
      : builder.splitSubset(at, node.feature, setOf(goesLeft, feature.numBins), missing);
    place[node.left] = first;
    place[node.right] = first + 1;
  });
  return builder;
}

/** Whether a node hangs below one that was pruned to a leaf. */
function isDropped(tree: GrownTree, node: number): boolean {
  for (let i = tree.nodes[node].parent; i >= 0; i = tree.nodes[i].parent) {
    if (tree.nodes[i].feature < 0) return true;
  }
  return false;
}

/** Bit set of the first `numBins` entries. */
function setOf(goesLeft: Uint8Array, numBins: number): Uint32Array {
  const words = new Uint32Array((numBins + 31) >>> 5);
  for (let bin = 0; bin < numBins; bin++) {
    if (goesLeft[bin] === 1) words[bin >>> 5] |= 1 << (bin & 31);
  }
  return words;
}
