/**
 * Smaller ensembles of votes: of a leaf only the class it votes for is kept, subtrees whose leaves vote
 * alike are one leaf, and, where that is not enough, subtrees in which few rows vote otherwise.
 *
 * A tree gives its weight to one class. Where a subtree with more than one class becomes a leaf, rows may
 * vote for another class than before: no number of votes changes by more than the weights of such trees.
 *
 * @module
 */
import type { Schema } from "../../data/types.ts";
import { type Ensemble, MissingBranch, NodeKind } from "../../model/types.ts";
import { countChildren, keepNodes, keepSurrogates, maybeStops } from "./copy_nodes.ts";
import { sumsOf, weakestFirst, weighSubtrees } from "./cut_order.ts";
import type { Cuttable } from "./types.ts";

/** No single class: the leaves below vote for several. */
const MIXED = -1;

/** What the rows below each node vote for. */
interface Votes {
  /** The class of all leaves below, or `MIXED`. */
  readonly only: Int32Array;
  /** The class of most rows below; of equal ones the first. */
  readonly most: Int32Array;
  /** Share of the tree's rows that vote for other classes. */
  readonly dissent: Float64Array;
}

/** Makes an ensemble of votes ready. */
export function makeVotesCuttable(ensemble: Ensemble, schema: Schema): Cuttable {
  const { trees, leafWidth, treeWeight, surrogates } = ensemble;
  const { kind, treeStart, firstChild } = trees;
  const children = countChildren(trees, schema);
  const votes = votesOf(ensemble, schema, children);
  const roots = treeStart.subarray(0, treeWeight.length);
  // A row that is shared out among branches sums whole vectors: only a tree of one class is one leaf.
  const wholes = Array.from(roots, (_, t) => !sharesRows(ensemble, t));
  const tells = new Float64Array(kind.length);
  roots.forEach((root, t) => {
    for (let node = root; node < treeStart[t + 1]; node++) {
      let rest = votes.dissent[node];
      const first = firstChild[node];
      for (let child = first; child < first + children[node]; child++) rest -= votes.dissent[child];
      if (children[node] > 0) tells[node] = rest * Math.abs(treeWeight[t]);
    }
  });
  const order = weakestFirst(trees, children, tells);
  const spreadOf = sumsOf(order, tells);
  const turn = new Int32Array(kind.length).fill(-1);
  order.forEach((node, i) => turn[node] = i);
  return {
    steps: order.length,
    cut({ steps }) {
      let bound = 0;
      const old: number[] = [];
      const starts = [0];
      const place = new Int32Array(kind.length).fill(-1);
      const isFlat = new Uint8Array(kind.length);
      const values = new Float64Array(trees.leaf.length);
      roots.forEach((root, t) => {
        const whole = wholes[t];
        let changes = false;
        place[root] = 0;
        for (let node = root; node < treeStart[t + 1]; node++) {
          if (place[node] < 0) continue;
          const may = children[node] === 0 || whole || node === root;
          const alike = may && votes.only[node] !== MIXED && (whole || children[node] === 0);
          const flat = alike || may && turn[node] < steps;
          place[node] = old.length;
          isFlat[node] = +flat;
          changes ||= flat && !alike;
          const ends = flat || maybeStops(trees, schema, node);
          const value = trees.leaf.slice(node * leafWidth, (node + 1) * leafWidth);
          if (whole || flat && children[node] > 0) {
            const vote = !ends
              ? -1
              : alike
              ? votes.only[node]
              : flat
              ? votes.most[node]
              : bestOf(value, 0, leafWidth);
            value.forEach((_, k) => value[k] = vote < 0 ? NaN : +(k === vote));
          }
          values.set(value, old.length * leafWidth);
          old.push(node);
          if (!flat) place.fill(0, firstChild[node], firstChild[node] + children[node]);
        }
        starts.push(old.length);
        if (changes) bound += Math.abs(treeWeight[t]);
      });
      const kept = { old, place, treeStart: starts };
      const leaf = values.slice(0, old.length * leafWidth);
      const left = keepNodes(trees, schema, kept, (node) => isFlat[node] > 0, leaf);
      return {
        // Sums of weights that go to other classes round otherwise, once a tree.
        bound: bound * (1 + 4 * (treeWeight.length + 2) * 2 ** -53),
        spread: spreadOf[steps],
        ensemble: {
          ...ensemble,
          trees: left,
          ...(surrogates && { surrogates: keepSurrogates(surrogates, schema, old, left.kind) }),
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
function votesOf({ trees, leafWidth }: Ensemble, schema: Schema, children: Uint32Array): Votes {
  const numNodes = trees.kind.length;
  const { share } = weighSubtrees(trees, leafWidth, children);
  const rows = new Float64Array(numNodes * leafWidth);
  const only = new Int32Array(numNodes);
  const most = new Int32Array(numNodes);
  const dissent = new Float64Array(numNodes);
  for (let node = numNodes - 1; node >= 0; node--) {
    const from = node * leafWidth;
    const isLeaf = children[node] === 0;
    only[node] = isLeaf || maybeStops(trees, schema, node)
      ? bestOf(trees.leaf, from, leafWidth)
      : -2;
    if (isLeaf) rows[from + only[node]] = share[node];
    const first = trees.firstChild[node];
    for (let child = first; child < first + children[node]; child++) {
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
