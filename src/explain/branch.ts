/**
 * Which child of a node a value takes: the same rule as scoring, one node at a time.
 *
 * @module
 */
import type { Schema } from "../data/types.ts";
import { numChildren } from "../model/trees.ts";
import { MissingBranch, NodeKind, type Trees } from "../model/types.ts";

/** What a value does at a node besides taking a branch. */
export const Route = {
  /** Every branch by its share of cover. */
  fractional: -1,
  /** Stop: the node's own value is the tree's. */
  stop: -2,
} as const;

/** `categoryPool` entry of a multiway node for "stop here". */
const STOP = 0xffffffff;

/** Branch that an encoded value takes at an inner node, or a {@linkcode Route}. */
export function branchOf(trees: Trees, schema: Schema, node: number, value: number): number {
  if (value !== value) {
    const branch = trees.missing[node];
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
  const at = trees.categoryAt[node];
  if (trees.kind[node] === NodeKind.multiway) {
    const branch = trees.categoryPool[at + value];
    return branch === STOP ? Route.stop : branch;
  }
  return 1 - (trees.categoryPool[at + (value >>> 5)] >>> (value & 31) & 1);
}

/** Number of children of an inner node. */
export function childCount(trees: Trees, schema: Schema, node: number): number {
  const feature = schema.features[trees.feature[node]];
  return numChildren(trees, node, feature.kind === "categorical" ? feature.categories.length : 0);
}
