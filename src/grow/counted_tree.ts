/**
 * A whole tree of two classes under Gini in one call of the wasm kernel, where nothing outside has a
 * say in the order of nodes. Node by node it is the tree of `grower.ts`.
 *
 * @module
 */
import { NodeKind } from "../model/types.ts";
import { pathState, type Rng } from "../util/rng.ts";
import {
  closeCounted,
  copyWords,
  type CountedStart,
  firstOf,
  NODE_BYTES,
  openCounted,
  secondOf,
} from "./counted_space.ts";
import type { GrowContext } from "./grower.ts";
import { cutCodes } from "./splitter/cut.ts";
import { addNode, type GrownTree } from "./tree.ts";

/**
 * Grows into an empty tree; false where the tree must be grown node by node, and nothing is written.
 *
 * @param features Features that the tree may use, `perNode` of them drawn at each node.
 */
export function growWhole(
  context: GrowContext,
  tree: GrownTree,
  rows: Int32Array,
  features: Int32Array,
  perNode: number,
  rng: Rng,
): boolean {
  const { order, limits, stop, unitGain, random } = context;
  if (order !== "depth-first" || limits.maxLeaves < Infinity) return false;
  if (stop !== undefined || unitGain === true || random === true) return false;
  const start = openCounted(context, rows);
  if (start === undefined) return false;
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
  if (numNodes === 0) return false;
  closeCounted(start, rows);
  for (let node = 0; node < numNodes; node++) readNode(context, tree, rows, start, node);
  return true;
}

/** Copies a node out of the kernel's memory; its layout is that of assembly/classic/grow.ts. */
function readNode(
  { frame, limits }: GrowContext,
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
  const { values, numCodes } = frame.features[feature];
  tree.feature[node] = feature;
  tree.gain[node] = f64[words + 2 >>> 1];
  tree.missing[node] = i32[words + 7];
  tree.firstChild[node] = i32[words + 8];
  tree.numBranches[node] = 2;
  const set = i32[words + 13];
  if (set >= 0) {
    tree.kind[node] = NodeKind.subset;
    tree.categories[node] = copyWords(u32, (at.grownSets >>> 2) + set, numCodes + 31 >>> 5);
    return;
  }
  tree.kind[node] = NodeKind.threshold;
  const next = u32[words + 6];
  // Where no known value is on the right, the cut parts known from missing.
  const cut = next === numCodes
    ? { code: numCodes - 1, threshold: Infinity }
    : cutCodes(values, u32[words + 5], next, limits.cut);
  tree.code[node] = cut.code;
  tree.threshold[node] = cut.threshold;
}
