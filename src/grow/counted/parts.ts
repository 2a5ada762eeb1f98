/**
 * A tree of two classes in parts: its first levels in one call of the kernel, then the subtrees below
 * them one by one, in any order and on any thread. What is below a node depends on its rows alone, so
 * that the joined tree is the one that a single call grows.
 *
 * @module
 */
import type { Trees } from "../../model/types.ts";
import type { Rng } from "../../util/rng.ts";
import type { GrowContext } from "../context.ts";
import { packGrown, packOrder } from "../pack.ts";
import { channelsOf } from "../stats.ts";
import { createGrownTree } from "../tree.ts";
import { emptyTrees } from "./pack.ts";
import { growWhole } from "./tree.ts";

/** Levels of the first part: eight subtrees, where rows part evenly, for two threads and more. */
const TOP_LEVELS = 3;

/** The rows of a subtree. */
export interface Part {
  /** Its root among the nodes of the first levels, as these are packed. */
  readonly node: number;
  readonly from: number;
  readonly to: number;
}

/** The first levels of a tree, and what is below them: the most rows first. */
export interface TreeTop {
  readonly trees: Trees;
  readonly parts: readonly Part[];
}

/** A context for what is below the first levels. */
export function belowTop<T extends Pick<GrowContext, "limits">>(context: T): T {
  const { limits } = context;
  return { ...context, limits: { ...limits, maxDepth: limits.maxDepth - TOP_LEVELS } };
}

/**
 * Grows the first levels and sorts `rows` by their subtrees; undefined where the tree must be grown in
 * another way, and nothing is written.
 */
export function growTop(context: GrowContext, rows: Int32Array, rng: Rng): TreeTop | undefined {
  const { frame, source, criterion, limits, features, featuresPerNode } = context;
  // Draws of features go down the path from the root.
  if (featuresPerNode !== undefined && featuresPerNode < (features ?? frame.features).length) {
    return undefined;
  }
  if (limits.maxDepth <= TOP_LEVELS) return undefined;
  const tree = createGrownTree(frame, source, criterion, channelsOf(source));
  const short = { ...context, limits: { ...limits, maxDepth: TOP_LEVELS } };
  if (!growWhole(short, tree, rows, rng)) return undefined;
  const parts = packOrder(tree).order
    .map((own, node) => ({ own, node, from: tree.from[own], to: tree.to[own] }))
    .filter(({ own }) => tree.depth[own] === TOP_LEVELS)
    .map(({ node, from, to }): Part => ({ node, from, to }))
    .sort((a, b) => b.to - b.from - (a.to - a.from) || a.node - b.node);
  return { trees: packGrown(tree), parts };
}

/** The whole tree, its nodes numbered as if it had grown in one go. */
export function joinParts(
  { frame }: GrowContext,
  { trees: top, parts }: TreeTop,
  grown: readonly Trees[],
): Trees {
  const sources = [top, ...grown];
  const partAt = new Map(parts.map(({ node }, i) => [node, i + 1]));
  const numNodes = sources.reduce((sum, { kind }) => sum + kind.length, 0) - parts.length;
  const poolSize = sources.reduce((sum, { categoryPool }) => sum + categoryPool.length, 0);
  const trees = emptyTrees(numNodes, poolSize);
  const sourceOf = new Int32Array(numNodes);
  const localOf = new Int32Array(numNodes);
  let count = 0;
  const number = (source: number, local: number) => {
    const part = source === 0 ? partAt.get(local) : undefined;
    sourceOf[count] = part ?? source;
    localOf[count++] = part === undefined ? local : 0;
  };
  number(0, 0);
  const stack = [0];
  while (stack.length > 0) {
    const node = stack.pop()!;
    const source = sourceOf[node];
    const first = sources[source].firstChild[localOf[node]];
    trees.firstChild[node] = first < 0 ? -1 : count;
    if (first < 0) continue;
    number(source, first);
    number(source, first + 1);
    stack.push(count - 1, count - 2);
  }
  let pool = 0;
  for (let node = 0; node < numNodes; node++) {
    const from = sources[sourceOf[node]];
    const local = localOf[node];
    trees.kind[node] = from.kind[local];
    trees.feature[node] = from.feature[local];
    trees.threshold[node] = from.threshold[local];
    trees.missing[node] = from.missing[local];
    trees.cover[node] = from.cover[local];
    trees.gain[node] = from.gain[local];
    trees.leaf[2 * node] = from.leaf[2 * local];
    trees.leaf[2 * node + 1] = from.leaf[2 * local + 1];
    const set = from.categoryAt[local];
    if (set < 0) continue;
    const words = frame.features[from.feature[local]].numCodes + 31 >>> 5;
    trees.categoryAt[node] = pool;
    trees.categoryPool.set(from.categoryPool.subarray(set, set + words), pool);
    pool += words;
  }
  return trees;
}
