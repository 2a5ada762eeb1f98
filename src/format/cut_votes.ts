/**
 * Smaller ensembles of votes: of a leaf only the class it votes for is kept, subtrees whose leaves vote
 * alike are one leaf, and, where that is not enough, subtrees in which few rows vote otherwise.
 *
 * A tree gives its weight to one class. Where a subtree with more than one class becomes a leaf, rows may
 * vote for another class than before: no number of votes changes by more than the weights of such trees.
 *
 * @module
 */
import type { Schema } from "../data/types.ts";
import { createTreeBuilder, packTrees } from "../model/trees.ts";
import { type Ensemble, MissingBranch, NodeKind } from "../model/types.ts";
import { childrenOf, copySplit, keepSurrogates, maybeStops } from "./copy_nodes.ts";
import type { Cut, Cuttable } from "./cut_trees.ts";

/** No single class: the leaves below vote for several. */
const MIXED = -1;

/** What the rows below each node vote for. */
interface Votes {
  /** The class of all leaves below, or `MIXED`. */
  readonly only: Int32Array;
  /** The class of most rows below; of equal ones the first. */
  readonly most: Int32Array;
  /** Rows that vote for other classes. */
  readonly dissent: Float64Array;
}

/** Makes an ensemble of votes ready; `cut.span` counts rows (leaves, where no rows are known). */
export function makeVotesCuttable(ensemble: Ensemble, schema: Schema): Cuttable {
  const { trees, leafWidth, treeWeight, surrogates } = ensemble;
  const votes = votesOf(ensemble, schema);
  const numTrees = treeWeight.length;
  return {
    spans: () => Float64Array.from(new Set(votes.dissent)).sort(),
    largestSpan: trees.treeStart.subarray(0, numTrees)
      .reduce((most, root) => Math.max(most, votes.dissent[root]), 0),
    cut(cut) {
      let bound = 0;
      const builders = Array.from({ length: numTrees }, (_, t) => {
        const tree = createTreeBuilder(leafWidth);
        const whole = !sharesRows(ensemble, t);
        if (copyVotes(ensemble, schema, votes, cut, tree, t, whole)) {
          bound += Math.abs(treeWeight[t]);
        }
        return tree;
      });
      const packed = packTrees(builders, leafWidth);
      const old = Int32Array.from(packed.cover);
      return {
        // Sums of weights that go to other classes round otherwise, once a tree.
        bound: bound * (1 + 4 * (numTrees + 2) * 2 ** -53),
        ensemble: {
          ...ensemble,
          trees: { ...packed, cover: Float64Array.from(old, (node) => trees.cover[node]) },
          ...(surrogates && { surrogates: keepSurrogates(surrogates, schema, old, packed.kind) }),
        },
      };
    },
  };
}

/** Whether rows go down several branches of a tree at once, so that all of a leaf's numbers count. */
function sharesRows({ trees }: Ensemble, tree: number): boolean {
  for (let node = trees.treeStart[tree]; node < trees.treeStart[tree + 1]; node++) {
    if (trees.kind[node] !== NodeKind.leaf && trees.missing[node] === MissingBranch.fractional) {
      return true;
    }
  }
  return false;
}

/** Children come after their parents; a row may also stop at a node whose branch it cannot tell. */
function votesOf(ensemble: Ensemble, schema: Schema): Votes {
  const { trees, leafWidth } = ensemble;
  const numNodes = trees.kind.length;
  const hasCovers = trees.cover.some((cover) => cover > 0);
  const rows = new Float64Array(numNodes * leafWidth);
  const only = new Int32Array(numNodes);
  const most = new Int32Array(numNodes);
  const dissent = new Float64Array(numNodes);
  for (let node = numNodes - 1; node >= 0; node--) {
    const from = node * leafWidth;
    const isLeaf = trees.kind[node] === NodeKind.leaf;
    only[node] = isLeaf || maybeStops(trees, schema, node)
      ? bestOf(trees.leaf, from, leafWidth)
      : -2;
    if (isLeaf) rows[from + only[node]] = hasCovers ? trees.cover[node] : 1;
    const first = trees.firstChild[node];
    const end = isLeaf ? first : first + childrenOf(trees, schema, node);
    for (let child = first; child < end; child++) {
      if (only[node] === -2) only[node] = only[child];
      else if (only[child] !== only[node]) only[node] = MIXED;
      for (let k = 0; k < leafWidth; k++) rows[from + k] += rows[child * leafWidth + k];
    }
    most[node] = bestOf(rows, from, leafWidth);
    for (let k = 0; k < leafWidth; k++) if (k !== most[node]) dissent[node] += rows[from + k];
  }
  return { only, most, dissent };
}

/** As the scorer chooses: the first of the largest. */
function bestOf(values: Float64Array, from: number, count: number): number {
  let best = 0;
  for (let k = 1; k < count; k++) if (values[from + k] > values[from + best]) best = k;
  return best;
}

/**
 * Copies a tree, and leaves the number of the old node in each node's cover; gives whether votes
 * may change.
 */
function copyVotes(
  { trees, leafWidth }: Ensemble,
  schema: Schema,
  { only, most, dissent }: Votes,
  { span }: Cut,
  tree: ReturnType<typeof createTreeBuilder>,
  index: number,
  whole: boolean,
): boolean {
  const root = trees.treeStart[index];
  let changes = false;
  const stack = [0, root];
  while (stack.length > 0) {
    const from = stack.pop()!;
    const place = stack.pop()!;
    const isLeaf = trees.kind[from] === NodeKind.leaf;
    // A row that is shared out among branches sums whole vectors: only a tree of one class is one leaf.
    const may = isLeaf || whole || from === root;
    const alike = may && only[from] !== MIXED && (whole || isLeaf);
    const flat = alike || may && span > 0 && dissent[from] <= span;
    const value = trees.leaf.slice(from * leafWidth, (from + 1) * leafWidth);
    if (whole || flat && !isLeaf) {
      const ends = flat || maybeStops(trees, schema, from);
      const vote = !ends
        ? -1
        : alike
        ? only[from]
        : flat
        ? most[from]
        : bestOf(value, 0, leafWidth);
      value.forEach((_, k) => value[k] = vote < 0 ? NaN : +(k === vote));
    }
    changes ||= flat && !alike;
    tree.setStats(place, from, flat ? 0 : trees.gain[from]);
    tree.setValue(place, value);
    if (flat) continue;
    const first = copySplit(trees, schema, tree, place, from);
    for (let i = childrenOf(trees, schema, from) - 1; i >= 0; i--) {
      stack.push(first + i, trees.firstChild[from] + i);
    }
  }
  return changes;
}
