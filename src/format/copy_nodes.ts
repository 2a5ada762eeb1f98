/**
 * Copies of the inner nodes of trees that are cut: their tests, children and surrogates.
 *
 * @module
 */
import type { Schema } from "../data/types.ts";
import { numChildren, type TreeBuilder } from "../model/trees.ts";
import { type Ensemble, MissingBranch, NodeKind, type Surrogates } from "../model/types.ts";

/** Whether rows may end at an inner node. */
export function maybeStops(trees: Ensemble["trees"], schema: Schema, node: number): boolean {
  const feature = schema.features[trees.feature[node]];
  return trees.missing[node] === MissingBranch.stop || trees.kind[node] === NodeKind.multiway ||
    feature.kind === "categorical" && feature.unknown === "node";
}

/** Number of children of an inner node. */
export function childrenOf(trees: Ensemble["trees"], schema: Schema, node: number): number {
  const feature = schema.features[trees.feature[node]];
  return numChildren(trees, node, feature.kind === "categorical" ? feature.categories.length : 0);
}

/** Splits a new node as an old one is; gives the first of its children. */
export function copySplit(
  trees: Ensemble["trees"],
  schema: Schema,
  tree: TreeBuilder,
  place: number,
  from: number,
): number {
  const f = trees.feature[from];
  const at = trees.categoryAt[from];
  const missing = trees.missing[from];
  const feature = schema.features[f];
  const numCategories = feature.kind === "categorical" ? feature.categories.length : 0;
  switch (trees.kind[from]) {
    case NodeKind.threshold:
      return tree.splitThreshold(place, f, trees.threshold[from], missing);
    case NodeKind.equal:
      return tree.splitEqual(place, f, trees.threshold[from], missing);
    case NodeKind.subset: {
      const words = trees.categoryPool.slice(at, at + (numCategories >>> 5) + 1);
      return tree.splitSubset(place, f, words, missing);
    }
    default: {
      const branches = trees.categoryPool.slice(at, at + numCategories + 1);
      const count = childrenOf(trees, schema, from);
      return tree.splitMultiway(place, f, branches, count, missing);
    }
  }
}

/** Surrogates of the inner nodes that are left; `old` is what each node was. */
export function keepSurrogates(
  given: Surrogates,
  schema: Schema,
  old: Int32Array,
  kind: Uint8Array,
): Surrogates {
  const start = new Int32Array(old.length + 1);
  const places: number[] = [];
  old.forEach((node, i) => {
    const end = kind[i] === NodeKind.leaf ? 0 : given.start[node + 1];
    for (let s = given.start[node]; s < end; s++) places.push(s);
    start[i + 1] = places.length;
  });
  const pool: number[] = [];
  const categoryAt = Int32Array.from(places, (s) => {
    const feature = schema.features[given.feature[s]];
    if (feature.kind === "numeric") return -1;
    const at = given.categoryAt[s];
    pool.push(...given.pool.subarray(at, at + feature.categories.length + 1));
    return pool.length - feature.categories.length - 1;
  });
  return {
    start,
    feature: Int32Array.from(places, (s) => given.feature[s]),
    threshold: Float64Array.from(places, (s) => given.threshold[s]),
    below: Uint8Array.from(places, (s) => given.below[s]),
    categoryAt,
    pool: Uint8Array.from(pool),
  };
}
