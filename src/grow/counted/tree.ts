/**
 * A whole tree of two classes under Gini in one call of the wasm kernel, where nothing outside has a
 * say in the order of nodes. Node by node it is the tree of `grow/grower.ts`.
 *
 * @module
 */
import { NodeKind } from "../../model/types.ts";
import { pathState, type Rng } from "../../util/rng.ts";
import {
  closeCounted,
  copyWords,
  type CountedStart,
  firstOf,
  NODE_BYTES,
  openCounted,
  secondOf,
} from "./space.ts";
import type { GrowContext } from "../plan/context.ts";
import { cutBetween, cutCodes } from "../splitter/cut.ts";
import { channelsOf } from "../rows/stats.ts";
import { addNode, createGrownTree, type GrownTree } from "../tree/tree.ts";

/** A tree in the kernel's memory, until the next one grows there. */
export interface WholeTree {
  readonly start: CountedStart;
  readonly numNodes: number;
}

/** Features that trees of a context may use, and how many of them each node draws. */
export function featuresOf(
  context: GrowContext,
): { readonly features: Int32Array; readonly perNode: number } {
  const features = context.features ??
    Int32Array.from({ length: context.frame.features.length }, (_, i) => i);
  return {
    features,
    perNode: Math.min(context.featuresPerNode ?? features.length, features.length),
  };
}

/**
 * Grows a tree; undefined where it must be grown node by node, and nothing is written.
 *
 * @param rows As in `growTree`.
 */
export function growInKernel(
  context: GrowContext,
  rows: Int32Array,
  rng: Rng,
): WholeTree | undefined {
  const { order, limits, stop, unitGain, random } = context;
  if (context.counted !== true || order !== "depth-first") return undefined;
  if (limits.maxLeaves < Infinity || stop !== undefined) return undefined;
  if (unitGain === true || random === true) return undefined;
  const start = openCounted(context, rows);
  if (start === undefined) return undefined;
  const { features, perNode } = featuresOf(context);
  const { loaded: { space: { kernels, memory }, at, mostWords, setWords } } = start;
  const { u32, i32, f64 } = memory;
  i32.set(features, at.pool >>> 2);
  const bounds = at.limits >>> 2;
  i32[bounds] = Math.min(limits.maxDepth, 0x7fffffff);
  i32[bounds + 1] = limits.minRowsSplit;
  i32[bounds + 2] = limits.minRowsLeaf;
  const weights = at.limits >>> 3;
  f64[weights + 2] = limits.minWeightSplit;
  f64[weights + 3] = limits.minWeightLeaf;
  f64[weights + 4] = limits.minGain;
  u32.set(pathState(rng), bounds + 10);
  u32.set(start.root, at.params >>> 2);
  const numNodes = kernels.growCounted(
    at.records,
    rows.length,
    at.features,
    at.pool,
    features.length,
    perNode,
    at.swaps,
    at.params,
    at.limits,
    at.tables,
    at.levels,
    at.work,
    at.out,
    at.spare,
    at.nodes,
    at.stack,
    at.grownSets,
    mostWords,
    setWords,
  );
  return numNodes === 0 ? undefined : { start, numNodes };
}

/** Grows a tree; undefined where it must be grown node by node, and nothing is written. */
export function growWhole(
  context: GrowContext,
  rows: Int32Array,
  rng: Rng,
): GrownTree | undefined {
  const whole = growInKernel(context, rows, rng);
  if (whole === undefined) return undefined;
  closeCounted(whole.start, rows);
  return grownTree(context, rows, whole);
}

/**
 * Copies a tree out of the kernel's memory.
 *
 * @param rows The rows, those of each node adjacent.
 */
export function grownTree(
  context: GrowContext,
  rows: Int32Array,
  { start, numNodes }: WholeTree,
): GrownTree {
  const { frame, source, criterion } = context;
  const tree = createGrownTree(frame, source, criterion, channelsOf(source));
  for (let node = 0; node < numNodes; node++) readNode(context, tree, rows, start, node);
  return tree;
}

/** Threshold of a node that parts numbers, and the largest code that it sends left. */
export function cutOf(
  { frame, limits }: GrowContext,
  feature: number,
  last: number,
  next: number,
): { readonly code: number; readonly threshold: number } {
  const { values, numCodes } = frame.features[feature];
  // Where no known value is on the right, the cut parts known from missing.
  return next === numCodes
    ? { code: numCodes - 1, threshold: Infinity }
    : cutCodes(values, last, next, limits.cut);
}

/** The threshold alone, which is found without a look at other values. */
export function thresholdOf(
  context: GrowContext,
  feature: number,
  last: number,
  next: number,
): number {
  const { frame, limits } = context;
  // There the threshold depends on the code.
  if (limits.cut === "below") return cutOf(context, feature, last, next).threshold;
  const { values, numCodes } = frame.features[feature];
  return next === numCodes ? Infinity : cutBetween(values[last], values[next], limits.cut);
}

/** Copies a node out of the kernel's memory; its layout is that of assembly/classic/grow.ts. */
function readNode(
  context: GrowContext,
  tree: GrownTree,
  rows: Int32Array,
  { loaded: { space: { memory: { u32, i32, f64 } }, at }, layout }: CountedStart,
  node: number,
): void {
  const words = at.nodes + NODE_BYTES * node >>> 2;
  addNode(tree, i32[words + 9], rows, i32[words + 11], i32[words + 12], undefined);
  const begin = 3 * node;
  const first = firstOf(layout, u32[words]);
  const second = secondOf(layout, u32[words], u32[words + 1]);
  tree.stats[begin] = first;
  tree.stats[begin + 1] = second;
  tree.stats[begin + 2] = tree.to[node] - tree.from[node];
  tree.cover[node] = first + second;
  const feature = i32[words + 4];
  if (feature < 0) return;
  tree.feature[node] = feature;
  tree.gain[node] = f64[words + 2 >>> 1];
  tree.missing[node] = i32[words + 7];
  tree.firstChild[node] = i32[words + 8];
  tree.numBranches[node] = 2;
  const set = i32[words + 13];
  if (set >= 0) {
    tree.kind[node] = NodeKind.subset;
    const { numCodes } = context.frame.features[feature];
    tree.categories[node] = copyWords(u32, (at.grownSets >>> 2) + set, numCodes + 31 >>> 5);
    return;
  }
  tree.kind[node] = NodeKind.threshold;
  const cut = cutOf(context, feature, u32[words + 5], u32[words + 6]);
  tree.code[node] = cut.code;
  tree.threshold[node] = cut.threshold;
}
