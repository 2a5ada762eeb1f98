/**
 * From child pointers in any order to `Trees`, with the node numbers of `packTrees`. The walk
 * proves the shape on the way (every index in range, every node reached once), in linear time and
 * without recursion; what the root does not reach (deleted nodes) is left behind.
 *
 * @module
 */
import { ConversionError } from "../../errors.ts";
import { NodeKind, type Trees } from "../../model/types.ts";
import { checkLimit, type FullLimits } from "./limits.ts";

/** Trees being laid out. Arrays are over nodes in their final places and grow by doubling. */
export interface Forest {
  readonly leafWidth: number;
  numNodes: number;
  kind: Uint8Array;
  feature: Int32Array;
  threshold: Float64Array;
  firstChild: Int32Array;
  missing: Uint8Array;
  categoryAt: Int32Array;
  leaf: Float64Array;
  cover: Float64Array;
  gain: Float64Array;
  /** Number of each node in the foreign file. */
  sourceId: Int32Array;
  readonly treeStart: number[];
  pool: Uint32Array;
  poolSize: number;
  readonly limits: FullLimits;
  /** Scratch of the walk: tree that reached a source node last. */
  seen: Int32Array;
}

/** Starts a forest with room for `capacity` nodes. */
export function createForest(leafWidth: number, limits: FullLimits, capacity = 1024): Forest {
  checkLimit("the number of values in a leaf", leafWidth, limits.maxOutputs);
  const n = Math.max(16, Math.min(capacity, limits.maxNodes));
  checkLimit("the number of leaf values", n * leafWidth, limits.maxLeafValues);
  return {
    leafWidth,
    numNodes: 0,
    kind: new Uint8Array(n),
    feature: new Int32Array(n),
    threshold: new Float64Array(n),
    firstChild: new Int32Array(n),
    missing: new Uint8Array(n),
    categoryAt: new Int32Array(n),
    leaf: new Float64Array(n * leafWidth),
    cover: new Float64Array(n),
    gain: new Float64Array(n),
    sourceId: new Int32Array(n),
    treeStart: [0],
    pool: new Uint32Array(64),
    poolSize: 0,
    limits,
    seen: new Int32Array(256).fill(-1),
  };
}

function reserve(forest: Forest, more: number): void {
  const need = forest.numNodes + more;
  checkLimit("the number of nodes", need, forest.limits.maxNodes);
  if (need <= forest.kind.length) return;
  const n = Math.max(need, 2 * forest.kind.length);
  checkLimit("the number of leaf values", n * forest.leafWidth, forest.limits.maxLeafValues);
  const grow = <T extends Uint8Array | Int32Array | Float64Array>(old: T, bigger: T): T => {
    bigger.set(old);
    return bigger;
  };
  forest.kind = grow(forest.kind, new Uint8Array(n));
  forest.feature = grow(forest.feature, new Int32Array(n));
  forest.threshold = grow(forest.threshold, new Float64Array(n));
  forest.firstChild = grow(forest.firstChild, new Int32Array(n));
  forest.missing = grow(forest.missing, new Uint8Array(n));
  forest.categoryAt = grow(forest.categoryAt, new Int32Array(n));
  forest.leaf = grow(forest.leaf, new Float64Array(n * forest.leafWidth));
  forest.cover = grow(forest.cover, new Float64Array(n));
  forest.gain = grow(forest.gain, new Float64Array(n));
  forest.sourceId = grow(forest.sourceId, new Int32Array(n));
}

/**
 * Gives places to one tree's nodes, starting every node as a leaf of value NaN.
 *
 * @param left First child of each source node, −1 at leaves.
 * @param right Second child of each source node.
 * @returns Place of the root; the tree's places are from there to `forest.numNodes`.
 */
export function placeTree(
  forest: Forest,
  left: ArrayLike<number>,
  right: ArrayLike<number>,
  root = 0,
): number {
  const tree = forest.treeStart.length - 1;
  const count = left.length;
  if (count === 0) throw shapeError(tree, root, "the tree has no nodes");
  reserve(forest, count);
  if (forest.seen.length < count) forest.seen = new Int32Array(2 * count).fill(-1);
  const { sourceId, firstChild, kind, feature, categoryAt, seen } = forest;
  const start = forest.numNodes;
  let end = start;
  const visit = (node: number) => {
    if (!(Number.isInteger(node) && node >= 0 && node < count)) {
      throw shapeError(tree, node, `the tree has nodes 0 to ${count - 1}`);
    }
    if (seen[node] === tree) throw shapeError(tree, node, "the node is reached twice");
    seen[node] = tree;
    sourceId[end++] = node;
  };
  visit(root);
  const open = [start];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const node = sourceId[place];
    kind[place] = NodeKind.leaf;
    feature[place] = -1;
    categoryAt[place] = -1;
    if (left[node] === -1) {
      firstChild[place] = -1;
      continue;
    }
    firstChild[place] = end;
    visit(left[node]);
    visit(right[node]);
    open.push(end - 1, end - 2);
  }
  forest.leaf.fill(NaN, start * forest.leafWidth, end * forest.leafWidth);
  forest.numNodes = end;
  forest.treeStart.push(end);
  checkLimit("the number of trees", tree + 1, forest.limits.maxTrees);
  return start;
}

/** The error of a tree that is not a tree. */
export function shapeError(tree: number, node: number, found: string): ConversionError {
  return new ConversionError(
    "E_CONVERT_SYNTAX",
    `Cannot read tree ${tree} at node ${node}: ${found}`,
    { details: { tree, node } },
  );
}

/** Appends words to the category pool and returns where they begin. */
export function addCategories(forest: Forest, words: Uint32Array): number {
  const at = forest.poolSize;
  const need = at + words.length;
  checkLimit("the number of category words", need, forest.limits.maxCategoryWords);
  if (need > forest.pool.length) {
    const pool = new Uint32Array(Math.max(need, 2 * forest.pool.length));
    pool.set(forest.pool);
    forest.pool = pool;
  }
  forest.pool.set(words, at);
  forest.poolSize = need;
  return at;
}

/**
 * Covers or gains, which scores do not need: zeros, unknown, where one is not finite, as in files of XGBoost
 * whose sums of curvatures are beyond float32. Files hold no such number.
 */
export function knownOf(stats: Float64Array): Float64Array {
  return stats.every(Number.isFinite) ? stats : stats.fill(0);
}

/** The finished trees. */
export function finishForest(forest: Forest): Trees {
  const n = forest.numNodes;
  return {
    treeStart: Int32Array.from(forest.treeStart),
    kind: forest.kind.slice(0, n),
    feature: forest.feature.slice(0, n),
    threshold: forest.threshold.slice(0, n),
    firstChild: forest.firstChild.slice(0, n),
    missing: forest.missing.slice(0, n),
    categoryAt: forest.categoryAt.slice(0, n),
    categoryPool: forest.pool.slice(0, forest.poolSize),
    leaf: forest.leaf.slice(0, n * forest.leafWidth),
    cover: knownOf(forest.cover.slice(0, n)),
    gain: knownOf(forest.gain.slice(0, n)),
  };
}
