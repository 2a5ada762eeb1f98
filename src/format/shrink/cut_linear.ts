/**
 * What linear leaves can give: interval arithmetic over the ranges that features have in some rows,
 * narrowed by the tests on the way to each leaf.
 *
 * A linear term grows with its feature without end, so whatever is proved here holds for rows whose
 * features lie in those ranges or are missing, and for no others.
 *
 * @module
 */
import type { Ensemble, LinearLeaves, Trees } from "../../model/types.ts";
import { NodeKind } from "../../model/types.ts";
import type { FeatureRanges } from "./ranges.ts";

/** What a row that ends at a node can get, length `numNodes`; for nodes that have terms. */
export interface LinearEnds {
  readonly least: Float64Array;
  readonly most: Float64Array;
  /** No value, nor any sum on the way to it, is larger in size. */
  readonly size: Float64Array;
  /** Most that the value can be off by rounding. */
  readonly slack: Float64Array;
}

/** Of larger values nothing is proved: sums of them overflow. */
const HUGE = 1e300;

/** Whether a node has a linear model. */
export function hasTerms({ linear }: Ensemble, node: number): boolean {
  return linear !== undefined && linear.termStart[node] < linear.termStart[node + 1];
}

/** The values of all nodes that have terms. */
export function linearEnds(ensemble: Ensemble, within: FeatureRanges): LinearEnds {
  const { trees, linear } = ensemble;
  const numNodes = trees.kind.length;
  const make = () => new Float64Array(numNodes);
  const ends = { least: make(), most: make(), size: make(), slack: make() };
  const parents = parentsOf(trees);
  for (let node = 0; node < numNodes; node++) {
    if (!hasTerms(ensemble, node)) continue;
    // Where a feature of a term is missing, the leaf's own value counts.
    const own = trees.leaf[node];
    ends.least[node] = ends.most[node] = own;
    ends.size[node] = Math.abs(own);
    let low = linear!.constant[node];
    let high = low;
    let size = Math.abs(low);
    let reached = true;
    const end = linear!.termStart[node + 1];
    for (let i = linear!.termStart[node]; i < end; i++) {
      const f = linear!.termFeature[i];
      const [from, to] = rangeAt(trees, parents, node, f, within);
      if (from > to) reached = false;
      const a = linear!.termCoefficient[i] * from;
      const b = linear!.termCoefficient[i] * to;
      low += Math.min(a, b);
      high += Math.max(a, b);
      size += Math.max(Math.abs(a), Math.abs(b));
    }
    if (!reached) continue;
    // Products and sums round, here and where rows are scored: each by 2^-53 of the size at most.
    const steps = 4 * (end - linear!.termStart[node]) + 8;
    const slack = steps * 2 ** -53 * size;
    const finite = size < HUGE;
    ends.least[node] = Math.min(own, finite ? low - slack : -Infinity);
    ends.most[node] = Math.max(own, finite ? high + slack : Infinity);
    ends.size[node] = finite ? Math.max(size + slack, Math.abs(own)) : Infinity;
    ends.slack[node] = finite ? slack : Infinity;
  }
  return ends;
}

/** Values of a feature that is not missing, at a node. */
function rangeAt(
  { kind, feature, threshold, firstChild }: Trees,
  parents: Int32Array,
  node: number,
  f: number,
  within: FeatureRanges,
): [number, number] {
  let least = within.least[f];
  let most = within.most[f];
  for (let child = node; parents[child] >= 0; child = parents[child]) {
    const parent = parents[child];
    if (kind[parent] !== NodeKind.threshold || feature[parent] !== f) continue;
    if (child === firstChild[parent]) most = Math.min(most, threshold[parent]);
    else least = Math.max(least, threshold[parent]);
  }
  return [least, most];
}

/** The parent of each node, −1 for roots: children of a node come one after the other. */
function parentsOf({ firstChild, treeStart }: Trees): Int32Array {
  const parents = new Int32Array(firstChild.length).fill(-1);
  firstChild.forEach((first, node) => {
    if (first >= 0) parents[first] = node;
  });
  // Other children follow the first one; what is no first child and no root has its neighbour's parent.
  const roots = new Set(treeStart);
  for (let node = 1; node < parents.length; node++) {
    if (parents[node] < 0 && !roots.has(node)) parents[node] = parents[node - 1];
  }
  return parents;
}

/** The linear models of the nodes that keep theirs; undefined when none does. */
export function keepTerms(
  linear: LinearLeaves,
  trees: Trees,
  old: readonly number[],
  keeps: (node: number) => boolean,
): LinearLeaves | undefined {
  const places: number[] = [];
  const termStart = new Int32Array(old.length + 1);
  const constant = new Float64Array(old.length);
  old.forEach((node, i) => {
    if (keeps(node)) {
      constant[i] = linear.constant[node];
      for (let s = linear.termStart[node]; s < linear.termStart[node + 1]; s++) places.push(s);
    } else if (trees.kind[i] === NodeKind.leaf) constant[i] = trees.leaf[i];
    termStart[i + 1] = places.length;
  });
  if (places.length === 0) return undefined;
  return {
    constant,
    termStart,
    termFeature: Int32Array.from(places, (s) => linear.termFeature[s]),
    termCoefficient: Float64Array.from(places, (s) => linear.termCoefficient[s]),
  };
}
