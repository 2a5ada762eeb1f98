/**
 * The nodes that are left of trees that are cut: their tests, children and surrogates.
 *
 * @module
 */
import type { Schema } from "../../data/types.ts";
import { numChildren } from "../../model/children.ts";
import {
  type Ensemble,
  MissingBranch,
  NodeKind,
  type Surrogates,
  type Trees,
} from "../../model/types.ts";

/** Whether rows may end at an inner node. */
export function maybeStops(trees: Ensemble["trees"], schema: Schema, node: number): boolean {
  const feature = schema.features[trees.feature[node]];
  return trees.missing[node] === MissingBranch.stop || trees.kind[node] === NodeKind.multiway ||
    feature.kind === "categorical" && feature.unknown === "node";
}

/** Number of children of an inner node. */
function childrenOf(trees: Ensemble["trees"], schema: Schema, node: number): number {
  const feature = schema.features[trees.feature[node]];
  return numChildren(trees, node, feature.kind === "categorical" ? feature.categories.length : 0);
}

/** Number of children of each node, 0 for leaves. */
export function countChildren(trees: Ensemble["trees"], schema: Schema): Uint32Array {
  return Uint32Array.from(
    trees.kind,
    (kind, node) => kind === NodeKind.leaf ? 0 : childrenOf(trees, schema, node),
  );
}

/** Nodes that are left: what they were, and where they are now; −1 for those that are not. */
export interface Kept {
  readonly old: readonly number[];
  readonly place: Int32Array;
  readonly treeStart: readonly number[];
}

/**
 * The nodes of trees that are left when some become leaves, in their order.
 *
 * @param isLeaf Whether a node is a leaf now.
 * @param values Value of each node that is left, `node × leafWidth`.
 */
export function keepNodes(
  trees: Trees,
  schema: Schema,
  { old, place, treeStart }: Kept,
  isLeaf: (node: number) => boolean,
  values: Float64Array,
): Trees {
  const count = old.length;
  const pool: number[] = [];
  const kept = {
    treeStart: Int32Array.from(treeStart),
    kind: new Uint8Array(count).fill(NodeKind.leaf),
    feature: new Int32Array(count).fill(-1),
    threshold: new Float64Array(count),
    firstChild: new Int32Array(count).fill(-1),
    missing: new Uint8Array(count),
    categoryAt: new Int32Array(count).fill(-1),
    leaf: values,
    cover: new Float64Array(count),
    gain: new Float64Array(count),
  };
  for (let i = 0; i < count; i++) {
    const node = old[i];
    kept.cover[i] = trees.cover[node];
    if (isLeaf(node) || trees.firstChild[node] < 0) continue;
    kept.kind[i] = trees.kind[node];
    kept.feature[i] = trees.feature[node];
    kept.threshold[i] = trees.threshold[node];
    kept.firstChild[i] = place[trees.firstChild[node]];
    kept.missing[i] = trees.missing[node];
    kept.gain[i] = trees.gain[node];
    const feature = schema.features[trees.feature[node]];
    if (feature.kind === "numeric") continue;
    const codes = feature.categories.length;
    const words = trees.kind[node] === NodeKind.multiway ? codes + 1 : (codes >>> 5) + 1;
    kept.categoryAt[i] = pool.length;
    const at = trees.categoryAt[node];
    for (let word = at; word < at + words; word++) pool.push(trees.categoryPool[word]);
  }
  return { ...kept, categoryPool: Uint32Array.from(pool) };
}

/** Surrogates of the inner nodes that are left; `old` is what each node was. */
export function keepSurrogates(
  given: Surrogates,
  schema: Schema,
  old: readonly number[],
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
