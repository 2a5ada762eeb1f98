/**
 * Writes layout H of the tree section, which heap.ts reads.
 *
 * @module
 */
import type { Packed } from "../model/packed.ts";
import { depthOf } from "../model/score/depth.ts";
import { MAX_HEAP_DEPTH, wordsLike } from "./heap.ts";
import type { HeapTests } from "./prover.ts";

/** Tests in heap order, when that is smaller than form Z. */
export function heapTests(packed: Packed): HeapTests | undefined {
  const { treeNodes, feat2, cut, size, dictSize } = packed;
  const depth = depthOf(packed);
  if (depth > MAX_HEAP_DEPTH || depth === 0) return undefined;
  const slots = (1 << depth) - 1;
  const length = slots * treeNodes.length;
  const gap = 2 * dictSize.length;
  const wide = wordsLike(feat2, 0, gap).BYTES_PER_ELEMENT + cut.BYTES_PER_ELEMENT;
  const z = feat2.byteLength + cut.byteLength + size.byteLength + treeNodes.byteLength;
  if (wide * length >= z) return undefined;
  const heap = { depth, feat2: wordsLike(feat2, length, gap), cut: wordsLike(cut, length, 0) };
  heap.feat2.fill(gap);
  let j = 0;
  for (let t = 0; t < treeNodes.length; t++) {
    const stack = [1, treeNodes[t]];
    while (stack.length > 0) {
      const n = stack.pop()!;
      const h = stack.pop()!;
      if (n === 0) continue;
      heap.feat2[t * slots + h - 1] = feat2[j];
      heap.cut[t * slots + h - 1] = cut[j];
      const s = size[j++];
      stack.push(2 * h + 1, n - s, 2 * h, s - 1);
    }
  }
  return heap;
}
