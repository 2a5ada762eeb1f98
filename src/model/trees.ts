/**
 * Building and reading `Trees`. A builder grows one tree in any order; packing puts all trees into
 * one structure of arrays in preorder of parents with siblings adjacent.
 *
 * @module
 */
import { NodeKind, type Trees } from "./types.ts";

/** One tree under construction. Node 0 is the root; every node is a leaf until it is split. */
export interface TreeBuilder {
  readonly leafWidth: number;
  readonly numNodes: number;
  readonly kind: number[];
  readonly feature: number[];
  readonly threshold: number[];
  /** Children, in order of branch; empty at leaves. */
  readonly children: number[][];
  readonly missing: number[];
  /** Bit set or branch table of a node, as `Trees.categoryPool` describes it. */
  readonly categories: (Uint32Array | undefined)[];
  readonly value: Float64Array[];
  readonly cover: number[];
  readonly gain: number[];
  /** Splits `node` at a threshold: `<=` takes the first child. Returns the first child. */
  splitThreshold(node: number, feature: number, threshold: number, missing: number): number;
  /** Splits `node` by a set of categories (K + 1 bits): members take the first child. */
  splitSubset(node: number, feature: number, words: Uint32Array, missing: number): number;
  /** Splits `node` into `count` children by a table of K + 1 branches. */
  splitMultiway(
    node: number,
    feature: number,
    branches: Uint32Array,
    count: number,
    missing: number,
  ): number;
  /** Splits `node` by equality: equal takes the first child. */
  splitEqual(node: number, feature: number, value: number, missing: number): number;
  /** Makes `node` a leaf again; its descendants are dropped when packed. */
  collapse(node: number): void;
  /** Sets the value of a node (leaf or inner), length `leafWidth`. */
  setValue(node: number, value: ArrayLike<number>): void;
  /** Sets the weight that reached a node and the gain of its split. */
  setStats(node: number, cover: number, gain: number): void;
}

/** Starts a tree that is a single leaf of value NaN. */
export function createTreeBuilder(leafWidth = 1): TreeBuilder {
  const tree = {
    leafWidth,
    numNodes: 0,
    kind: [] as number[],
    feature: [] as number[],
    threshold: [] as number[],
    children: [] as number[][],
    missing: [] as number[],
    categories: [] as (Uint32Array | undefined)[],
    value: [] as Float64Array[],
    cover: [] as number[],
    gain: [] as number[],
    splitThreshold: (node: number, feature: number, threshold: number, missing: number) =>
      split(node, NodeKind.threshold, feature, threshold, undefined, 2, missing),
    splitSubset: (node: number, feature: number, words: Uint32Array, missing: number) =>
      split(node, NodeKind.subset, feature, 0, words, 2, missing),
    splitMultiway: (
      node: number,
      feature: number,
      branches: Uint32Array,
      count: number,
      missing: number,
    ) => split(node, NodeKind.multiway, feature, 0, branches, count, missing),
    splitEqual: (node: number, feature: number, value: number, missing: number) =>
      split(node, NodeKind.equal, feature, value, undefined, 2, missing),
    collapse(node: number): void {
      tree.kind[node] = NodeKind.leaf;
      tree.feature[node] = -1;
      tree.threshold[node] = 0;
      tree.children[node] = [];
      tree.missing[node] = 0;
      tree.categories[node] = undefined;
      tree.gain[node] = 0;
    },
    setValue(node: number, value: ArrayLike<number>): void {
      tree.value[node] = Float64Array.from(value);
    },
    setStats(node: number, cover: number, gain: number): void {
      tree.cover[node] = cover;
      tree.gain[node] = gain;
    },
  };

  function add(): number {
    const node = tree.numNodes++;
    tree.kind.push(NodeKind.leaf);
    tree.feature.push(-1);
    tree.threshold.push(0);
    tree.children.push([]);
    tree.missing.push(0);
    tree.categories.push(undefined);
    tree.value.push(new Float64Array(leafWidth).fill(NaN));
    tree.cover.push(0);
    tree.gain.push(0);
    return node;
  }

  function split(
    node: number,
    kind: number,
    feature: number,
    threshold: number,
    categories: Uint32Array | undefined,
    count: number,
    missing: number,
  ): number {
    tree.kind[node] = kind;
    tree.feature[node] = feature;
    tree.threshold[node] = threshold;
    tree.categories[node] = categories;
    tree.missing[node] = missing;
    const children: number[] = [];
    for (let i = 0; i < count; i++) children.push(add());
    tree.children[node] = children;
    return children[0];
  }

  add();
  return tree;
}

/** Places of the nodes of packed trees. */
interface PackedOrder {
  readonly treeStart: Int32Array;
  /** The node that each place holds. */
  readonly nodes: readonly { readonly tree: number; readonly node: number }[];
  /** Place of the first child of each place; −1 at leaves. */
  readonly firstChild: readonly number[];
}

/** The order of `packTrees`: parents depth first, siblings adjacent, unreachable nodes left out. */
export function packOrder(builders: readonly TreeBuilder[]): PackedOrder {
  // The children of a node take adjacent places when it is visited.
  const nodes: { tree: number; node: number }[] = [];
  const firstChild: number[] = [];
  const treeStart = new Int32Array(builders.length + 1);
  builders.forEach(({ children }, tree) => {
    treeStart[tree] = nodes.length;
    nodes.push({ tree, node: 0 });
    const stack = [nodes.length - 1];
    while (stack.length > 0) {
      const place = stack.pop()!;
      const own = children[nodes[place].node];
      firstChild[place] = own.length > 0 ? nodes.length : -1;
      for (const node of own) nodes.push({ tree, node });
      for (let i = own.length - 1; i >= 0; i--) stack.push(nodes.length - own.length + i);
    }
  });
  treeStart[builders.length] = nodes.length;
  return { treeStart, nodes, firstChild };
}

/** Puts trees into one structure of arrays; unreachable nodes are left out. */
export function packTrees(builders: readonly TreeBuilder[], leafWidth?: number): Trees {
  const width = leafWidth ?? builders[0]?.leafWidth ?? 1;
  const { treeStart, nodes, firstChild } = packOrder(builders);
  const n = nodes.length;
  let poolSize = 0;
  for (const { tree, node } of nodes) poolSize += builders[tree].categories[node]?.length ?? 0;
  const trees = {
    treeStart,
    kind: new Uint8Array(n),
    feature: new Int32Array(n),
    threshold: new Float64Array(n),
    firstChild: Int32Array.from(firstChild),
    missing: new Uint8Array(n),
    categoryAt: new Int32Array(n).fill(-1),
    categoryPool: new Uint32Array(poolSize),
    leaf: new Float64Array(n * width),
    cover: new Float64Array(n),
    gain: new Float64Array(n),
  };
  let pool = 0;
  for (let i = 0; i < n; i++) {
    const { node } = nodes[i];
    const tree = builders[nodes[i].tree];
    trees.kind[i] = tree.kind[node];
    trees.feature[i] = tree.feature[node];
    trees.threshold[i] = tree.threshold[node];
    trees.missing[i] = tree.missing[node];
    trees.cover[i] = tree.cover[node];
    trees.gain[i] = tree.gain[node];
    trees.leaf.set(tree.value[node], i * width);
    const categories = tree.categories[node];
    if (categories !== undefined) {
      trees.categoryAt[i] = pool;
      trees.categoryPool.set(categories, pool);
      pool += categories.length;
    }
  }
  return trees;
}

/** Joins trees that are packed already, in order. */
export function concatTrees(parts: readonly Trees[]): Trees {
  const numNodes = parts.reduce((sum, part) => sum + part.kind.length, 0);
  const poolSize = parts.reduce((sum, part) => sum + part.categoryPool.length, 0);
  const leafSize = parts.reduce((sum, part) => sum + part.leaf.length, 0);
  const all = {
    treeStart: new Int32Array(parts.reduce((sum, part) => sum + numTrees(part), 0) + 1),
    kind: new Uint8Array(numNodes),
    feature: new Int32Array(numNodes),
    threshold: new Float64Array(numNodes),
    firstChild: new Int32Array(numNodes),
    missing: new Uint8Array(numNodes),
    categoryAt: new Int32Array(numNodes),
    categoryPool: new Uint32Array(poolSize),
    leaf: new Float64Array(leafSize),
    cover: new Float64Array(numNodes),
    gain: new Float64Array(numNodes),
  };
  let tree = 0;
  let node = 0;
  let pool = 0;
  let leaf = 0;
  for (const part of parts) {
    for (let t = 0; t < numTrees(part); t++) all.treeStart[tree++] = node + part.treeStart[t];
    for (const name of ["kind", "feature", "threshold", "missing", "cover", "gain"] as const) {
      all[name].set(part[name], node);
    }
    setShifted(all.firstChild, part.firstChild, node, node);
    setShifted(all.categoryAt, part.categoryAt, node, pool);
    all.categoryPool.set(part.categoryPool, pool);
    all.leaf.set(part.leaf, leaf);
    node += part.kind.length;
    pool += part.categoryPool.length;
    leaf += part.leaf.length;
  }
  all.treeStart[tree] = node;
  return all;
}

/** Copies places to `at`, raised by so much; none is −1. */
function setShifted(to: Int32Array, places: Int32Array, at: number, by: number): void {
  for (let i = 0; i < places.length; i++) to[at + i] = places[i] < 0 ? -1 : places[i] + by;
}

/** Number of trees. */
export function numTrees(trees: Trees): number {
  return trees.treeStart.length - 1;
}

/** Number of splits on the longest path of a tree. */
export function treeDepth(trees: Trees, tree: number): number {
  const start = trees.treeStart[tree];
  const depth = new Int32Array(trees.treeStart[tree + 1] - start).fill(-1);
  let deepest = depth[0] = 0;
  for (let i = 0; i < depth.length; i++) {
    // Children come after their parent; one that is not a first child follows its sibling.
    if (depth[i] < 0) depth[i] = depth[i - 1];
    deepest = Math.max(deepest, depth[i]);
    const first = trees.firstChild[start + i];
    if (first >= 0) depth[first - start] = depth[i] + 1;
  }
  return deepest;
}
