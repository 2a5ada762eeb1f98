/**
 * A tree as it grows on bins, and how to send binned rows down it.
 *
 * @module
 */
import type { FeatureBins } from "../../../binning/bins.ts";
import type { BinLayout, FeaturePlace } from "../../../binning/binned.ts";
import type { Memory } from "../../../kernels/memory.ts";
import { NodeKind, type Trees } from "../../../model/types.ts";
import type { TreeNodes } from "./nodes.ts";

/** A tree on bins. */
export interface GrownTree {
  readonly nodes: TreeNodes;
  /** Leaf numbers given to rows; pruning leaves them as they are. */
  readonly numLeaves: number;
}

/** A leaf number at or below a node: that of a pruned node is any of its old leaves'. */
export function leafBelow(tree: GrownTree, node: number): number {
  const { leaf, left } = tree.nodes;
  let at = node;
  while (leaf[at] < 0) at = left[at];
  return leaf[at];
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
  const { count, feature, left } = tree.nodes;
  const inner = new Int32Array(count);
  let numInner = 0;
  for (let i = 0; i < count; i++) inner[i] = feature[i] < 0 ? -1 : numInner++;
  const child = (i: number) => inner[i] < 0 ? ~leafBelow(tree, i) : inner[i];
  for (let i = 0; i < count; i++) {
    if (inner[i] < 0) continue;
    const word = (at >>> 2) + 4 * inner[i];
    const place = layout.places[feature[i]];
    // Putting a table may make the memory grow, which makes its views anew.
    const table = place.bundled !== undefined
      ? put(bundleTable(tree.nodes, i, place, layout.slots8[place.position].numCodes))
      : place.joint !== undefined
      ? put(jointTable(tree.nodes, i, place))
      : tableOf(i);
    const { u32, i32 } = memory;
    u32[word] = place.wide ? 0x80000000 + 2 * place.position : place.position;
    u32[word + 1] = table;
    i32[word + 2] = child(left[i]);
    i32[word + 3] = child(left[i] + 1);
  }
}

/**
 * The table of an inner node: 1 for each bin that goes left, missing last.
 *
 * @param out At least `numBins + 1` bytes; its first ones are returned.
 */
export function leftTable(
  { bin, levels, missingLeft }: TreeNodes,
  node: number,
  numBins: number,
  out: Uint8Array = new Uint8Array(numBins + 1),
): Uint8Array {
  const table = out.subarray(0, numBins + 1);
  const goesLeft = levels.get(node);
  if (goesLeft === undefined) table.fill(0).fill(1, 0, bin[node] + 1);
  else table.set(goesLeft.subarray(0, numBins));
  table[numBins] = missingLeft[node];
  return table;
}

/** The table of an inner node by the codes of its feature's bundle. */
function bundleTable(
  nodes: TreeNodes,
  node: number,
  { numBins, bundled }: FeaturePlace,
  size: number,
): Uint8Array {
  const table = leftTable(nodes, node, numBins);
  const { usual, codes } = bundled!;
  const out = new Uint8Array(size).fill(table[usual]);
  codes.forEach((code, bin) => {
    if (bin !== usual) out[code] = table[bin];
  });
  return out;
}

/** The table of an inner node by the combinations that its feature is in. */
function jointTable(
  nodes: TreeNodes,
  node: number,
  { numBins, joint }: FeaturePlace,
): Uint8Array {
  const table = leftTable(nodes, node, numBins);
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
  const { order, firstChild, words } = placesOf(nodes, bins);
  const trees = emptyTree(order.length, words);
  trees.firstChild.set(firstChild);
  // A field at a time: V8 would compile one loop over all of them for 10 ms beside the rounds.
  gather(nodes.feature, order, trees.feature);
  gather(facts.value, order, trees.leaf);
  gather(facts.cover, order, trees.cover);
  gather(nodes.gain, order, trees.gain);
  writeSplits(nodes, order, bins, trees);
  roundStats(trees);
  return trees;
}

/** Places of the nodes that are kept: which node has each, its first child's, words for their sets. */
function placesOf(
  { count, feature, left, levels }: TreeNodes,
  bins: readonly FeatureBins[],
): { readonly order: Int32Array; readonly firstChild: Int32Array; readonly words: number } {
  const order = new Int32Array(count);
  const firstChild = new Int32Array(count).fill(-1);
  const stack = [0];
  let numPlaces = 1;
  let words = 0;
  while (stack.length > 0) {
    const place = stack.pop()!;
    const node = order[place];
    if (feature[node] < 0) continue;
    if (levels.has(node)) words += wordsOf(bins[feature[node]].numBins);
    firstChild[place] = numPlaces;
    order[numPlaces] = left[node];
    order[numPlaces + 1] = left[node] + 1;
    stack.push(numPlaces + 1, numPlaces);
    numPlaces += 2;
  }
  return {
    order: order.subarray(0, numPlaces),
    firstChild: firstChild.subarray(0, numPlaces),
    words,
  };
}

type Numbers = Float64Array | Int32Array;

/** A field of nodes in the order of their places. */
function gather(from: Numbers, order: Int32Array, to: Numbers): void {
  for (let place = 0; place < order.length; place++) to[place] = from[order[place]];
}

/** Writes what inner nodes split by. */
function writeSplits(
  { bin, missingLeft, levels }: TreeNodes,
  order: Int32Array,
  bins: readonly FeatureBins[],
  trees: Trees,
): void {
  let pool = 0;
  for (let place = 0; place < order.length; place++) {
    if (trees.feature[place] < 0) continue;
    const node = order[place];
    const feature = bins[trees.feature[place]];
    trees.missing[place] = missingLeft[node] === 1 ? 0 : 1;
    trees.kind[place] = feature.kind === "numeric" ? NodeKind.threshold : NodeKind.subset;
    if (feature.kind === "numeric") {
      trees.threshold[place] = feature.cuts[bin[node]] ?? Infinity;
    } else {
      trees.categoryAt[place] = pool;
      writeSet(levels.get(node)!, feature.numBins, trees.categoryPool.subarray(pool));
      pool += wordsOf(feature.numBins);
    }
  }
}

/** A tree of leaves in one piece of memory: to ask for a piece for each field is half of its price. */
function emptyTree(count: number, words: number): Trees {
  const buffer = new ArrayBuffer(46 * count + 4 * words);
  const floats = (i: number) => new Float64Array(buffer, 8 * i * count, count);
  const whole = (i: number) => new Int32Array(buffer, (32 + 4 * i) * count, count);
  const bytes = (i: number) => new Uint8Array(buffer, (44 + i) * count + 4 * words, count);
  return {
    treeStart: Int32Array.of(0, count),
    kind: bytes(0),
    feature: whole(0).fill(-1),
    threshold: floats(0),
    firstChild: whole(1),
    missing: bytes(1),
    categoryAt: whole(2).fill(-1),
    categoryPool: new Uint32Array(buffer, 44 * count, words),
    leaf: floats(1),
    cover: floats(2),
    gain: floats(3),
  };
}

/**
 * Gains and the leaves' covers as float32, as XGBoost keeps them, and inner covers the sums of their
 * children's: nothing scores by them, and the file needs half the bytes and the leaves' alone. What is
 * beyond float32 stays as it is.
 */
function roundStats({ kind, firstChild, cover, gain }: Trees): void {
  for (let node = cover.length - 1; node >= 0; node--) {
    const child = firstChild[node];
    cover[node] = kind[node] === NodeKind.leaf
      ? shortened(cover[node])
      : cover[child] + cover[child + 1];
    gain[node] = shortened(gain[node]);
  }
}

function shortened(value: number): number {
  const short = Math.fround(value);
  return Number.isFinite(short) ? short : value;
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
