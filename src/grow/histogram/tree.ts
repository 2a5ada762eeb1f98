/**
 * A tree as it grows on bins, and how to send binned rows down it.
 *
 * @module
 */
import type { FeatureBins } from "../../binning/bins.ts";
import type { BinLayout, FeaturePlace } from "../../binning/binned.ts";
import type { Memory } from "../../kernels/memory.ts";
import { NodeKind, type Trees } from "../../model/types.ts";

/** A node; a leaf until it is split. Node 0 is the root, children come after their parents. */
export interface GrownNode {
  /** −1 at leaves. */
  feature: number;
  /** Last bin on the left (numeric features). */
  bin: number;
  /** 1 for each level that goes left (categorical features only). */
  goesLeft: Uint8Array | undefined;
  missingLeft: boolean;
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
    missingLeft: false,
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
 * @param put Keeps a table of a feature that shares its byte; returns its address.
 */
export function writeRoute(
  memory: Memory,
  layout: BinLayout,
  tree: GrownTree,
  at: number,
  tableOf: (node: number) => number,
  put: (table: Uint8Array) => number,
): void {
  const inner = new Map<number, number>();
  tree.nodes.forEach((node, i) => {
    if (node.feature >= 0) inner.set(i, inner.size);
  });
  const child = (i: number) => inner.get(i) ?? ~leafBelow(tree, i);
  for (const [i, number] of inner) {
    const node = tree.nodes[i];
    const word = (at >>> 2) + 4 * number;
    const place = layout.places[node.feature];
    // Putting a table may make the memory grow, which makes its views anew.
    const table = place.bundled !== undefined
      ? put(bundleTable(node, place, layout.slots8[place.position].numCodes))
      : place.joint !== undefined
      ? put(jointTable(node, place))
      : tableOf(i);
    const { u32, i32 } = memory;
    u32[word] = place.wide ? 0x80000000 + 2 * place.position : place.position;
    u32[word + 1] = table - place.shift;
    i32[word + 2] = child(node.left);
    i32[word + 3] = child(node.right);
  }
}

/**
 * The table of an inner node: 1 for each bin that goes left, missing last.
 *
 * @param out At least `numBins + 1` bytes; its first ones are returned.
 */
export function leftTable(
  { bin, goesLeft, missingLeft }: GrownNode,
  numBins: number,
  out: Uint8Array = new Uint8Array(numBins + 1),
): Uint8Array {
  const table = out.subarray(0, numBins + 1);
  if (goesLeft === undefined) table.fill(0).fill(1, 0, bin + 1);
  else table.set(goesLeft.subarray(0, numBins));
  table[numBins] = missingLeft ? 1 : 0;
  return table;
}

/** The table of an inner node by the codes of its feature's bundle. */
function bundleTable(
  node: GrownNode,
  { numBins, bundled }: FeaturePlace,
  size: number,
): Uint8Array {
  const table = leftTable(node, numBins);
  const { usual, codes } = bundled!;
  const out = new Uint8Array(size).fill(table[usual]);
  codes.forEach((code, bin) => {
    if (bin !== usual) out[code] = table[bin];
  });
  return out;
}

/** The table of an inner node by the combinations that its feature is in. */
function jointTable(node: GrownNode, { numBins, joint }: FeaturePlace): Uint8Array {
  const table = leftTable(node, numBins);
  return Uint8Array.from(joint!, (bin) => table[bin]);
}

/** Value, cover of every node, for {@linkcode packHistTree}. */
export interface NodeFacts {
  readonly value: Float64Array;
  readonly cover: Float64Array;
}

/**
 * The tree as models store it: thresholds instead of bins, values, covers; nodes in the order of
 * `packTrees`, what was pruned left out.
 */
export function packHistTree(
  { nodes }: GrownTree,
  bins: readonly FeatureBins[],
  facts: NodeFacts,
): Trees {
  const order = new Int32Array(nodes.length);
  const firstChild = new Int32Array(nodes.length).fill(-1);
  const stack = [0];
  let count = 1;
  let words = 0;
  while (stack.length > 0) {
    const place = stack.pop()!;
    const node = nodes[order[place]];
    if (node.feature < 0) continue;
    if (node.goesLeft !== undefined) words += wordsOf(bins[node.feature].numBins);
    firstChild[place] = count;
    order[count] = node.left;
    order[count + 1] = node.right;
    stack.push(count + 1, count);
    count += 2;
  }
  const trees = {
    treeStart: Int32Array.of(0, count),
    kind: new Uint8Array(count),
    feature: new Int32Array(count).fill(-1),
    threshold: new Float64Array(count),
    firstChild: firstChild.slice(0, count),
    missing: new Uint8Array(count),
    categoryAt: new Int32Array(count).fill(-1),
    categoryPool: new Uint32Array(words),
    leaf: Float64Array.from({ length: count }, (_, place) => facts.value[order[place]]),
    cover: Float64Array.from({ length: count }, (_, place) => facts.cover[order[place]]),
    gain: Float64Array.from({ length: count }, (_, place) => nodes[order[place]].gain),
  };
  let pool = 0;
  for (let place = 0; place < count; place++) {
    const node = nodes[order[place]];
    if (node.feature < 0) continue;
    const feature = bins[node.feature];
    trees.feature[place] = node.feature;
    trees.missing[place] = node.missingLeft ? 0 : 1;
    trees.kind[place] = feature.kind === "numeric" ? NodeKind.threshold : NodeKind.subset;
    if (feature.kind === "numeric") trees.threshold[place] = feature.cuts[node.bin] ?? Infinity;
    else {
      trees.categoryAt[place] = pool;
      writeSet(node.goesLeft!, feature.numBins, trees.categoryPool.subarray(pool));
      pool += wordsOf(feature.numBins);
    }
  }
  roundStats(trees);
  return trees;
}

/**
 * Gains and the leaves' covers as float32, as XGBoost keeps them, and inner covers the sums of their
 * children's: nothing scores by them, and the file needs half the bytes and the leaves' alone.
 */
function roundStats({ kind, firstChild, cover, gain }: Trees): void {
  for (let node = cover.length - 1; node >= 0; node--) {
    const child = firstChild[node];
    cover[node] = kind[node] === NodeKind.leaf
      ? Math.fround(cover[node])
      : cover[child] + cover[child + 1];
    gain[node] = Math.fround(gain[node]);
  }
}

function wordsOf(numBins: number): number {
  return (numBins + 31) >>> 5;
}

/** Bit set of the first `numBins` entries. */
function writeSet(goesLeft: Uint8Array, numBins: number, words: Uint32Array): void {
  for (let bin = 0; bin < numBins; bin++) {
    if (goesLeft[bin] === 1) words[bin >>> 5] |= 1 << (bin & 31);
  }
}
