/**
 * Which child of a node a value takes: the same rule as scoring, one node at a time.
 *
 * @module
 */
import type { Schema } from "../data/types.ts";
import { numChildren } from "../model/children.ts";
import { type Ensemble, MissingBranch, NodeKind, type Trees } from "../model/types.ts";

/** What of an ensemble says where rows go. */
export type Branches = Pick<Ensemble, "trees" | "surrogates">;

/** What a value does at a node besides taking a branch. */
export const Route = {
  /** Every branch by its share of cover. */
  fractional: -1,
  /** Stop: the node's own value is the tree's. */
  stop: -2,
} as const;

/** `categoryPool` entry of a multiway node for "stop here". */
const STOP = 0xffffffff;

/** Entry of the surrogates' `pool` for a code that a surrogate cannot tell. */
const CANNOT_TELL = 255;

/** Branch that the encoded row at `x[at …]` takes at an inner node, or a {@linkcode Route}. */
export function branchOf(
  { trees, surrogates }: Branches,
  schema: Schema,
  node: number,
  x: Float64Array,
  at: number,
): number {
  const value = x[at + trees.feature[node]];
  if (value !== value) {
    const other = surrogates === undefined ? -1 : surrogateBranch(surrogates, node, x, at);
    const branch = other < 0 ? trees.missing[node] : other;
    if (branch === MissingBranch.stop) return Route.stop;
    return branch === MissingBranch.fractional ? Route.fractional : branch;
  }
  switch (trees.kind[node]) {
    case NodeKind.threshold:
      return value <= trees.threshold[node] ? 0 : 1;
    case NodeKind.equal:
      return value === trees.threshold[node] ? 0 : 1;
  }
  const feature = schema.features[trees.feature[node]];
  if (
    feature.kind === "categorical" && feature.unknown === "node" &&
    value === feature.categories.length
  ) {
    return Route.stop;
  }
  const pool = trees.categoryAt[node];
  if (trees.kind[node] === NodeKind.multiway) {
    const branch = trees.categoryPool[pool + value];
    return branch === STOP ? Route.stop : branch;
  }
  return 1 - (trees.categoryPool[pool + (value >>> 5)] >>> (value & 31) & 1);
}

/** Branch of the first surrogate that can tell, −1 where none can. */
function surrogateBranch(
  { start, feature, threshold, below, categoryAt, pool }: NonNullable<Ensemble["surrogates"]>,
  node: number,
  x: Float64Array,
  at: number,
): number {
  for (let i = start[node]; i < start[node + 1]; i++) {
    const value = x[at + feature[i]];
    if (value !== value) continue;
    if (categoryAt[i] < 0) return value <= threshold[i] ? below[i] : 1 - below[i];
    const branch = pool[categoryAt[i] + value];
    if (branch !== CANNOT_TELL) return branch;
  }
  return -1;
}

/** What `child` gets, of `count` from `first` on, of a row that takes every branch, as in scoring. */
export function partOf(trees: Trees, first: number, count: number, child: number): number {
  let total = 0;
  for (let other = first; other < first + count; other++) total += trees.cover[other];
  return total > 0 ? trees.cover[child] / total : 1 / count;
}

/** Number of children of an inner node. */
export function childCount(trees: Trees, schema: Schema, node: number): number {
  const feature = schema.features[trees.feature[node]];
  return numChildren(trees, node, feature.kind === "categorical" ? feature.categories.length : 0);
}
