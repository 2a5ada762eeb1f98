/**
 * Trees of up to eight levels for rows.ts. Below their upper levels each exit has a heap of three or
 * four levels: slots of its tests, their keys, its leaves.
 *
 * @module
 */
import { weighLeaf } from "../additive.ts";
import type { CodeGroup } from "./codes.ts";
import { createFrame } from "./frame.ts";
import { blocksOf, dealTrees } from "./pieces.ts";
import { type Prepared, type Shape, TREES } from "./shape.ts";
import { writeTables } from "./tables.ts";
import type { BatchScorer } from "../sliced.ts";

/** Words at the beginning of a block, in bytes. */
const HEAD = 32;
/** Bytes of trees that the second cache keeps while rows go through them. */
const CACHE = 1 << 19;
/** Most trees of a piece. */
const MOST_TREES = 4095 * TREES;

/** Where trees that lie together are. */
interface Room {
  /** What the kernel is told, and behind it the tests of upper levels. */
  readonly block: number;
  /** Their heaps. */
  readonly trees: number;
}

/** Makes the scorer of trees of up to eight levels. */
export function createHeaps(prepared: Prepared, shape: Shape): BatchScorer | undefined {
  const { levels, lower, treeBytes, topBytes } = shape;
  const mostTrees = Math.min(MOST_TREES, CACHE / treeBytes);
  const dealt = dealTrees(prepared, (from, to) => to - from <= mostTrees);
  if (dealt === undefined) return undefined;
  const { pieces, groups } = dealt;
  const frame = createFrame(prepared, levels, groups, pieces.length);
  if (frame === undefined) return undefined;
  const { places, groupsAt } = frame;
  const takenAt = places.take(prepared.packed.treeNodes.length + TREES);
  const laidAt = pieces.map((piece) => ({
    block: places.take(HEAD + topBytes * blocksOf(piece)),
    trees: places.take(treeBytes * TREES * blocksOf(piece)),
  }));
  const buffer = frame.open();
  if (buffer === undefined) return undefined;
  writeTables(new Int8Array(buffer), lower === 4, false);
  const { layTrees } = createLayer(prepared, shape, buffer);
  pieces.forEach(({ from, to, group }, i) => {
    new Uint32Array(buffer).set([laidAt[i].trees, takenAt], laidAt[i].block >> 2);
    layTrees(laidAt[i], from, to, groups[group]);
  });
  return frame.scorer((i, count) => {
    const { output, from, to, group } = pieces[i];
    const last = Math.min(to, prepared.end(output, count));
    // Places behind the last tree add nothing; less than 1, where all come too late, is no tree.
    const some = last === to ? TREES * blocksOf(pieces[i]) : last - from;
    return [laidAt[i].block, some, 8 * output, groupsAt[group]];
  });
}

/** Writes trees to a memory that is empty but for what others wrote elsewhere. */
function createLayer(prepared: Prepared, shape: Shape, buffer: ArrayBuffer) {
  const { packed, rules, f32, order, firstNode } = prepared;
  const { treeNodes, size, leaves, leafIndex } = packed;
  const { upper, lower, testBytes, valueBytes, heapBytes, treeBytes, topBytes } = shape;
  const bytes = new Int8Array(buffer);
  const values = f32 ? new Float32Array(buffer) : new Float64Array(buffer);
  return { layTrees };

  /** Lays trees out, by positions in the order of trees. */
  function layTrees({ block, trees }: Room, from: number, to: number, group: CodeGroup): void {
    // Places without a tree add nothing, not even a sign.
    const last = trees + treeBytes * TREES * Math.ceil((to - from) / TREES);
    values.fill(-0, trees / valueBytes, last / valueBytes);
    for (let at = trees; lower === 4 && at < last; at += heapBytes) bytes[at + 31] = 127;
    for (let k = 0; k < to - from; k++) {
      layTree(
        from + k,
        group,
        block + HEAD + topBytes * (k >> 4) + (k & 15),
        trees + treeBytes * k,
      );
    }
  }

  /** What a tree adds at a leaf, the `b`-th of all. */
  function valueOfLeaf(tree: number, b: number): number {
    return weighLeaf(rules, tree, leaves[leafIndex === undefined ? b : leafIndex[b]]);
  }

  /** Lays a tree out; `place` is where its test of the first level is. */
  function layTree(p: number, group: CodeGroup, place: number, at: number): void {
    const tree = order[p];
    const firstLeaf = firstNode[tree] + tree;
    layTop(firstNode[tree], treeNodes[tree], firstLeaf, 0, 0);

    /** @param set Levels at which the way went right, a bit each. */
    function layTop(j: number, n: number, b: number, level: number, set: number): void {
      if (n === 0 || level === upper) {
        // What leaves the upper levels early has many exits.
        for (let e = set; e < 1 << upper; e += 1 << level) {
          layHeap(at + heapBytes * e, 1, lower, j, n, b);
        }
        return;
      }
      const { slot, key } = group.testOf(j);
      const all = 1 << level;
      const to = place + 32 * (all - 1 + set);
      bytes[to] = slot;
      bytes[to + 16] = key;
      const s = size[j];
      layTop(j + 1, s - 1, b, level + 1, set);
      layTop(j + s, n - s, b + s, level + 1, set | all);
    }

    function layHeap(
      heap: number,
      i: number,
      below: number,
      j: number,
      n: number,
      b: number,
    ): void {
      if (n === 0) {
        const value = valueOfLeaf(tree, b);
        const from = (heap + 2 * testBytes) / valueBytes - (1 << lower);
        values.fill(value, from + (i << below), from + (i + 1 << below));
        return;
      }
      const { slot, key } = group.testOf(j);
      bytes[heap + i - 1] = slot;
      bytes[heap + testBytes + i - 1] = key;
      const s = size[j];
      layHeap(heap, 2 * i, below - 1, j + 1, s - 1, b);
      layHeap(heap, 2 * i + 1, below - 1, j + s, n - s, b + s);
    }
  }
}
