/**
 * A tree that the kernel has grown as `Trees`, without a copy in between: its nodes are numbered as
 * they are packed.
 *
 * @module
 */
import { NodeKind, type Trees } from "../../model/types.ts";
import type { Rng } from "../../util/rng.ts";
import { firstOf, NODE_BYTES, secondOf } from "./space.ts";
import { cutOf, growInKernel, thresholdOf, type WholeTree } from "./tree.ts";
import type { GrowContext } from "../plan/context.ts";

/** A packed tree, and what runs training rows down it. */
export interface PackedTree {
  readonly trees: Trees;
  /** Largest code that goes left, by node; empty where it was not asked for. */
  readonly code: Int32Array;
}

/** What is wanted besides the tree. */
export interface PackedWishes {
  /** Inner nodes hold values too. */
  readonly innerValues: boolean;
  /** Training rows will be run down the tree. */
  readonly codes: boolean;
}

/** Grows a packed tree; undefined where it must be grown node by node. */
export function growPacked(
  context: GrowContext,
  rows: Int32Array,
  rng: Rng,
  wishes: PackedWishes,
): PackedTree | undefined {
  const whole = growInKernel(context, rows, rng);
  return whole && packWhole(context, whole, wishes);
}

/** Packs a tree out of the kernel's memory. */
export function packWhole(
  context: GrowContext,
  { start: { loaded: { space: { memory }, at }, layout }, numNodes }: WholeTree,
  { innerValues, codes }: PackedWishes,
): PackedTree {
  const { u32, i32, f64 } = memory;
  const setWords = context.frame.features.map(({ numCodes }) => numCodes + 31 >>> 5);
  const trees = emptyTrees(numNodes, poolSize());
  const code = new Int32Array(codes ? numNodes : 0);
  let pool = 0;
  for (let node = 0; node < numNodes; node++) {
    const words = at.nodes + NODE_BYTES * node >>> 2;
    const first = firstOf(layout, u32[words]);
    const second = secondOf(layout, u32[words], u32[words + 1]);
    const feature = i32[words + 4];
    trees.cover[node] = first + second;
    trees.feature[node] = feature;
    trees.firstChild[node] = i32[words + 8];
    const shown = feature < 0 || innerValues;
    trees.leaf[2 * node] = shown ? first / (first + second) : NaN;
    trees.leaf[2 * node + 1] = shown ? second / (first + second) : NaN;
    if (feature < 0) continue;
    trees.gain[node] = f64[words + 2 >>> 1];
    trees.missing[node] = i32[words + 7];
    const set = i32[words + 13];
    if (set >= 0) {
      trees.kind[node] = NodeKind.subset;
      trees.categoryAt[node] = pool;
      const count = setWords[feature];
      const from = (at.grownSets >>> 2) + set;
      for (let i = 0; i < count; i++) trees.categoryPool[pool++] = u32[from + i];
      continue;
    }
    trees.kind[node] = NodeKind.threshold;
    if (!codes) {
      trees.threshold[node] = thresholdOf(context, feature, u32[words + 5], u32[words + 6]);
      continue;
    }
    const cut = cutOf(context, feature, u32[words + 5], u32[words + 6]);
    code[node] = cut.code;
    trees.threshold[node] = cut.threshold;
  }
  return { trees, code };

  function poolSize(): number {
    let size = 0;
    for (let node = 0; node < numNodes; node++) {
      const words = at.nodes + NODE_BYTES * node >>> 2;
      if (i32[words + 13] >= 0) size += setWords[i32[words + 4]];
    }
    return size;
  }
}

/** A tree of two classes whose nodes are all leaves. */
function emptyTrees(numNodes: number, poolSize: number): Trees {
  return {
    treeStart: new Int32Array([0, numNodes]),
    kind: new Uint8Array(numNodes).fill(NodeKind.leaf),
    feature: new Int32Array(numNodes),
    threshold: new Float64Array(numNodes),
    firstChild: new Int32Array(numNodes),
    missing: new Uint8Array(numNodes),
    categoryAt: new Int32Array(numNodes).fill(-1),
    categoryPool: new Uint32Array(poolSize),
    leaf: new Float64Array(2 * numNodes),
    cover: new Float64Array(numNodes),
    gain: new Float64Array(numNodes),
  };
}

/** Node at which each training row ends. */
export function endsOf(
  { trees, code }: PackedTree,
  { frame }: GrowContext,
  rows: Int32Array,
): Int32Array {
  const { kind, feature, firstChild, missing, categoryAt, categoryPool } = trees;
  const codes = frame.features.map((column) => column.codes);
  const absent = frame.features.map((column) => column.numCodes);
  return rows.map((row) => {
    let node = 0;
    while (kind[node] !== NodeKind.leaf) {
      const f = feature[node];
      const own = codes[f][row];
      const branch = own === absent[f]
        ? missing[node]
        : kind[node] === NodeKind.threshold
        ? own <= code[node] ? 0 : 1
        : 1 - (categoryPool[categoryAt[node] + (own >>> 5)] >>> (own & 31) & 1);
      node = firstChild[node] + branch;
    }
    return node;
  });
}
