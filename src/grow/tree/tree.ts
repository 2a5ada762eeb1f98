/**
 * A tree as it grows: nodes in order of creation, siblings adjacent, with the statistics and the
 * rows of every node kept, so that pruning, leaf refitting and out-of-bag scoring need no second
 * pass over the data.
 *
 * @module
 */
import { NodeKind } from "../../model/types.ts";
import type { Criterion } from "../criterion/criterion.ts";
import type { Frame } from "../rows/frame.ts";
import type { StatSource } from "../rows/stats.ts";
import type { Surrogate } from "../splitter/surrogate.ts";

/** Nodes of one tree; node 0 is the root. */
export interface GrownTree {
  readonly frame: Frame;
  readonly source: StatSource;
  readonly criterion: Criterion;
  readonly channels: number;
  numNodes: number;
  /** `NodeKind`. */
  readonly kind: number[];
  /** −1 at leaves. */
  readonly feature: number[];
  /** Largest code that goes left, for running training rows. */
  readonly code: number[];
  readonly threshold: number[];
  readonly categories: (Uint32Array | undefined)[];
  /** −1 at leaves. */
  readonly firstChild: number[];
  readonly numBranches: number[];
  /** Branch of a missing value, or 255 for all branches by share. */
  readonly missing: number[];
  /** −1 at the root. */
  readonly parent: number[];
  readonly depth: number[];
  /** Decrease of weight × impurity. */
  readonly gain: number[];
  /** Weight that reached the node. */
  readonly cover: number[];
  /** Channels of every node. */
  stats: Float64Array;
  readonly surrogates: (readonly Surrogate[] | undefined)[];
  /** Rows of every node: `rows[node]` from `from[node]` to `to[node] − 1`. */
  readonly rows: Int32Array[];
  readonly from: number[];
  readonly to: number[];
  /** Share of each row, in the places of `rows`; undefined where all are 1. */
  readonly share: (Float64Array | undefined)[];
}

/** An empty tree. */
export function createGrownTree(
  frame: Frame,
  source: StatSource,
  criterion: Criterion,
  channels: number,
): GrownTree {
  return {
    frame,
    source,
    criterion,
    channels,
    numNodes: 0,
    kind: [],
    feature: [],
    code: [],
    threshold: [],
    categories: [],
    firstChild: [],
    numBranches: [],
    missing: [],
    parent: [],
    depth: [],
    gain: [],
    cover: [],
    stats: new Float64Array(64 * channels),
    surrogates: [],
    rows: [],
    from: [],
    to: [],
    share: [],
  };
}

/** Adds a leaf and returns its number. */
export function addNode(
  tree: GrownTree,
  parent: number,
  rows: Int32Array,
  from: number,
  to: number,
  share: Float64Array | undefined,
): number {
  const node = tree.numNodes++;
  tree.kind.push(NodeKind.leaf);
  tree.feature.push(-1);
  tree.code.push(-1);
  tree.threshold.push(0);
  tree.categories.push(undefined);
  tree.firstChild.push(-1);
  tree.numBranches.push(0);
  tree.missing.push(0);
  tree.parent.push(parent);
  tree.depth.push(parent < 0 ? 0 : tree.depth[parent] + 1);
  tree.gain.push(0);
  tree.cover.push(0);
  tree.surrogates.push(undefined);
  tree.rows.push(rows);
  tree.from.push(from);
  tree.to.push(to);
  tree.share.push(share);
  if (tree.numNodes * tree.channels > tree.stats.length) {
    const wider = new Float64Array(tree.stats.length * 2);
    wider.set(tree.stats);
    tree.stats = wider;
  }
  return node;
}

/** Makes a node a leaf; its descendants stay in the arrays and are no longer reached. */
export function collapseNode(tree: GrownTree, node: number): void {
  tree.kind[node] = NodeKind.leaf;
  tree.feature[node] = -1;
  tree.categories[node] = undefined;
  tree.firstChild[node] = -1;
  tree.numBranches[node] = 0;
  tree.missing[node] = 0;
  tree.gain[node] = 0;
  tree.surrogates[node] = undefined;
}

/** Nodes that can be reached, parents before children. */
export function reachableNodes(tree: GrownTree): number[] {
  const nodes = [0];
  for (let i = 0; i < nodes.length; i++) {
    const first = tree.firstChild[nodes[i]];
    for (let b = 0; b < tree.numBranches[nodes[i]]; b++) nodes.push(first + b);
  }
  return nodes;
}

/** Leaves that can be reached. */
export function leavesOf(tree: GrownTree): number[] {
  return reachableNodes(tree).filter((node) => tree.numBranches[node] === 0);
}

/** Branch that a training row takes, or 255 for all of them. */
export function branchOfRow(tree: GrownTree, node: number, row: number): number {
  return branchOfCode(tree, node, tree.frame.features[tree.feature[node]].codes[row], row);
}

/** Branch of a code of the node's feature; surrogates look at the row. */
export function branchOfCode(tree: GrownTree, node: number, code: number, row: number): number {
  if (code === tree.frame.features[tree.feature[node]].numCodes) {
    for (const surrogate of tree.surrogates[node] ?? []) {
      const other = tree.frame.features[surrogate.feature];
      const c = other.codes[row];
      if (c === other.numCodes) continue;
      const branch = surrogateBranch(surrogate, c);
      if (branch >= 0) return branch;
    }
    return tree.missing[node];
  }
  switch (tree.kind[node]) {
    case NodeKind.threshold:
      return code <= tree.code[node] ? 0 : 1;
    case NodeKind.subset:
      return 1 - (tree.categories[node]![code >>> 5] >>> (code & 31) & 1);
  }
  return tree.categories[node]![code];
}

/** Branch of a code under a surrogate, −1 where the surrogate cannot say. */
function surrogateBranch(surrogate: Surrogate, code: number): number {
  if (surrogate.branches !== undefined) return surrogate.branches[code];
  return code <= surrogate.code ? surrogate.below : 1 - surrogate.below;
}

/** Leaf that a training row falls into; rows without a branch follow the heaviest child. */
export function leafOfRow(tree: GrownTree, row: number): number {
  return leafOfRowWith(tree, row, -1, row);
}

/** The same with the value that another row has in one feature. */
export function leafOfRowWith(
  tree: GrownTree,
  row: number,
  feature: number,
  other: number,
): number {
  let node = 0;
  while (tree.numBranches[node] > 0) {
    const tested = tree.feature[node];
    const { codes } = tree.frame.features[tested];
    let branch = branchOfCode(tree, node, codes[tested === feature ? other : row], row);
    const first = tree.firstChild[node];
    if (branch >= tree.numBranches[node]) {
      branch = 0;
      for (let b = 1; b < tree.numBranches[node]; b++) {
        if (tree.cover[first + b] > tree.cover[first + branch]) branch = b;
      }
    }
    node = first + branch;
  }
  return node;
}
