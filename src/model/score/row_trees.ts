/**
 * Writes the trees of rows.ts to the memory of its kernel.
 *
 * @module
 */
import { weighLeaf } from "./additive.ts";
import type { CodeGroup } from "./row_codes.ts";
import { isSmall, type Prepared, type Shape, TREES } from "./row_shape.ts";
import { exitPlace } from "./row_tables.ts";

/** Words at the beginning of a block, in bytes. */
export const HEAD = 32;

/** Where trees that lie together are. */
export interface Room {
  /** What the kernel is told, and behind it the tests of upper levels. */
  readonly block: number;
  /** Exits of upper levels. */
  readonly trees: number;
  /** Chunks of trees of any depth. */
  readonly chunks: number;
}

/** Writes trees to a memory that is empty but for what others wrote elsewhere. */
export function createLayer(prepared: Prepared, shape: Shape, buffer: ArrayBuffer) {
  const { packed, rules, f32, order, firstNode } = prepared;
  const { treeNodes, size, leaves, leafIndex } = packed;
  const { deep, upper, lower, testBytes, valueBytes, heapBytes } = shape;
  const { smallBytes, largeBytes, exitBytes, treeBytes, onsAt, topBytes } = shape;
  const bytes = new Int8Array(buffer);
  const u32 = new Uint32Array(buffer);
  const values = f32 ? new Float32Array(buffer) : new Float64Array(buffer);
  /** Where the next small chunk goes, and behind which the next large one: they meet. */
  let small = 0;
  let large = 0;
  return { layTrees };

  /** Lays trees out by their positions in the order of trees, -1 for a place without one. */
  function layTrees(
    { block, trees, chunks }: Room,
    blocks: number,
    group: CodeGroup,
    chunkBytes: number,
    positions: readonly number[],
  ): void {
    // Places without a tree add nothing, not even a sign.
    const last = trees + treeBytes * TREES * blocks;
    values.fill(-0, trees / valueBytes, last / valueBytes);
    // No code is above this key: what has no test goes left.
    if (deep) bytes.fill(127, chunks, chunks + chunkBytes);
    for (let at = trees; lower === 4 && at < last; at += heapBytes) bytes[at + 31] = 127;
    // The first one has leaves alone: what fills a list up goes there.
    bytes.fill(0, chunks + 16, chunks + smallBytes);
    small = chunks + smallBytes;
    large = chunks + chunkBytes;
    positions.forEach((p, k) => {
      if (p < 0) return;
      layTree(
        p,
        group,
        block + HEAD + topBytes * (k >> 4) + (k & 15),
        trees +
          (!deep ? treeBytes * k : TREES * treeBytes * (k >> 4) + exitPlace(k & 15, f32)),
        chunks,
      );
    });
  }

  /** What a tree adds at a leaf, the `b`-th of all. */
  function valueOfLeaf(tree: number, b: number): number {
    return weighLeaf(rules, tree, leaves[leafIndex === undefined ? b : leafIndex[b]]);
  }

  /** Lays a tree out; `place` is where its test of the first level is. */
  function layTree(
    p: number,
    group: CodeGroup,
    place: number,
    at: number,
    chunks: number,
  ): void {
    const tree = order[p];
    const firstLeaf = firstNode[tree] + tree;
    const valueOf = (b: number) => valueOfLeaf(tree, b);
    layTop(firstNode[tree], treeNodes[tree], firstLeaf, 0, 0);

    /** @param set Levels at which the way went right, a bit each. */
    function layTop(j: number, n: number, b: number, level: number, set: number): void {
      if (n === 0 || level === upper) {
        // What leaves the upper levels early has many exits.
        for (let e = set; e < 1 << upper; e += 1 << level) {
          if (deep) {
            layExit(at + 16 * e, j, n, b);
            if (n > 0) bytes[place + onsAt + 2 * (e & 8)] |= 1 << (e & 7);
          } else layHeap(at + exitBytes * e, 1, lower, j, n, b);
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

    /** An exit of trees of any depth: a leaf, which is a number, or what is none and tells its chunk. */
    function layExit(exit: number, j: number, n: number, b: number): void {
      if (n === 0) {
        values[exit / valueBytes] = valueOf(b);
        return;
      }
      const isLarge = !isSmall(size, j, n);
      const heap = isLarge ? large -= largeBytes : small;
      if (!isLarge) small += smallBytes;
      u32[exit >> 2] = 0;
      u32[(exit + valueBytes >> 2) - 1] = f32 ? 0x7fc00000 : 0x7ff80000;
      u32[exit >> 2] += heap - chunks;
      layChunk(heap, 1, 0, 0, j, n, b);
    }

    /** @param set Levels at which the way went right: which exit it is. */
    function layChunk(
      heap: number,
      i: number,
      level: number,
      set: number,
      j: number,
      n: number,
      b: number,
    ): void {
      if (n === 0 || level === lower) {
        layExit(heap + 2 * testBytes + valueBytes * set, j, n, b);
        return;
      }
      layTest(heap + i - 1, j);
      const s = size[j];
      layChunk(heap, 2 * i, level + 1, set, j + 1, s - 1, b);
      layChunk(heap, 2 * i + 1, level + 1, set | 1 << level, j + s, n - s, b + s);
    }

    function layTest(at: number, j: number): void {
      const { slot, key } = group.testOf(j);
      bytes[at] = slot;
      bytes[at + testBytes] = key;
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
        const value = valueOf(b);
        const from = (heap + 2 * testBytes) / valueBytes - (1 << lower);
        values.fill(value, from + (i << below), from + (i + 1 << below));
        return;
      }
      layTest(heap + i - 1, j);
      const s = size[j];
      layHeap(heap, 2 * i, below - 1, j + 1, s - 1, b);
      layHeap(heap, 2 * i + 1, below - 1, j + s, n - s, b + s);
    }
  }
}
