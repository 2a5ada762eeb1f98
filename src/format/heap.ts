/**
 * Layout H of the tree section, for trees that are nearly full: tests lie in heap order (root 1,
 * children 2i and 2i + 1), so that no sizes are stored; a leaf above the lowest level leaves a gap.
 * Read into form Z in one pass.
 *
 * @module
 */
import type { Packed, Words } from "../model/packed.ts";
import { depthOf } from "../model/score/depth.ts";
import { corrupt } from "./bytes.ts";

/** First word of a tree section in this layout. */
export const LAYOUT_H = 2;

/** Deepest trees that layout H holds. */
export const MAX_HEAP_DEPTH = 12;

/** Tests of all trees in heap order, `2 ** depth − 1` each; a gap has feature `numFeatures`. */
export interface HeapTests {
  readonly depth: number;
  readonly feat2: Words;
  readonly cut: Words;
}

function wordsLike(like: Words, length: number, most: number): Words {
  if (most > 65535 || like instanceof Uint32Array) return new Uint32Array(length);
  return most > 255 || like instanceof Uint16Array
    ? new Uint16Array(length)
    : new Uint8Array(length);
}

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

/**
 * Form Z's arrays from tests in heap order; what they index is proved on the way.
 *
 * @param numNodes Inner nodes that the file declares.
 * @param offset Where the tests begin in the file, for messages.
 */
export function fromHeap(
  heap: HeapTests,
  numTrees: number,
  numNodes: number,
  dictSize: Uint32Array,
  offset: number,
): Pick<Packed, "treeNodes" | "feat2" | "cut" | "size"> {
  const { depth } = heap;
  const tests = heap.feat2;
  const cuts = heap.cut;
  const slots = (1 << depth) - 1;
  const gap = 2 * dictSize.length;
  if (numNodes > tests.length) throw corrupt(offset, `${numNodes} inner nodes do not fit`);
  const feat2 = wordsLike(tests, numNodes, 0);
  const cut = wordsLike(cuts, numNodes, 0);
  const size = new Uint16Array(numNodes);
  const treeNodes = new Uint16Array(numTrees);
  // Inner nodes below each slot, of the tree at hand; slots past the lowest level stay 0.
  const below = new Uint16Array(2 * slots + 2);
  let j = 0;
  for (let t = 0; t < numTrees; t++) {
    const base = t * slots - 1;
    for (let h = slots; h >= 1; h--) {
      const children = below[2 * h] + below[2 * h + 1];
      if (tests[base + h] !== gap) below[h] = children + 1;
      else if (children === 0 && cuts[base + h] === 0) below[h] = 0;
      else throw corrupt(offset, `slot ${h} of tree ${t} is a gap with something in it`);
    }
    treeNodes[t] = below[1];
    let h = 1;
    for (const end = j + below[1]; j < end;) {
      const f2 = tests[base + h];
      const entry = cuts[base + h];
      if (!(entry < dictSize[f2 >>> 1])) {
        throw corrupt(offset, `slot ${h} of tree ${t} tests what is not there`);
      }
      const left = below[2 * h];
      feat2[j] = f2;
      cut[j] = entry;
      size[j++] = left + 1;
      // Next in preorder: down to a child, or up until there is a right one not yet seen.
      if (left > 0) h = 2 * h;
      else if (below[2 * h + 1] > 0) h = 2 * h + 1;
      else {
        while (h > 1 && ((h & 1) === 1 || below[h + 1] === 0)) h >>= 1;
        h++;
      }
    }
  }
  if (j !== numNodes) throw corrupt(offset, `there are ${j} inner nodes, not ${numNodes}`);
  return { treeNodes, feat2, cut, size };
}
