/**
 * Layout H of the tree section, for trees that are nearly full: tests lie in heap order (root 1,
 * children 2i and 2i + 1), so that no sizes are stored; a leaf above the lowest level leaves a gap.
 * Read into form Z in one pass.
 *
 * @module
 */
import type { Words } from "../model/packed.ts";
import { corrupt } from "./bytes.ts";
import type { HeapTests, Nodes } from "./prover.ts";

/** First word of a tree section in this layout. */
export const LAYOUT_H = 2;

/** Deepest trees that layout H holds. */
export const MAX_HEAP_DEPTH = 12;

/** Words as wide as those, or as the largest needs. */
export function wordsLike(like: Words, length: number, most: number): Words {
  if (most > 65535 || like instanceof Uint32Array) return new Uint32Array(length);
  return most > 255 || like instanceof Uint16Array
    ? new Uint16Array(length)
    : new Uint8Array(length);
}

/**
 * Form Z's arrays from tests in heap order; what they index is proved on the way.
 *
 * @param numNodes Inner nodes that the file declares.
 * @param offset Where the tests begin in the file, for messages.
 * @param fill Does it, and says whether it could.
 */
export function fromHeap(
  heap: HeapTests,
  numTrees: number,
  numNodes: number,
  dictSize: Uint32Array,
  offset: number,
  fill?: (form: Nodes) => boolean,
): Nodes {
  const { depth } = heap;
  const tests = heap.feat2;
  const cuts = heap.cut;
  const slots = (1 << depth) - 1;
  const gap = 2 * dictSize.length;
  if (numNodes > tests.length) throw corrupt(offset, `${numNodes} inner nodes do not fit`);
  // Arrays of the same types; what is in them is written over.
  const feat2 = tests.slice(0, numNodes);
  const cut = cuts.slice(0, numNodes);
  const size = new Uint16Array(numNodes);
  const treeNodes = new Uint16Array(numTrees);
  const form = { treeNodes, feat2, cut, size };
  if (fill?.(form)) return form;
  let fits = true;
  let j = 0;
  let base = -1;
  /** Writes the tests from slot `h` down, in preorder; how many there are. */
  const subtree = (h: number): number => {
    const f2 = tests[base + h];
    if (h > slots || f2 === gap) return 0;
    const at = j++;
    const entry = cuts[base + h];
    fits &&= entry < dictSize[f2 >>> 1];
    feat2[at] = f2;
    cut[at] = entry;
    const left = subtree(2 * h);
    size[at] = left + 1;
    return left + 1 + subtree(2 * h + 1);
  };
  for (let t = 0; t < numTrees; t++, base += slots) treeNodes[t] = subtree(1);
  // What is not empty was met: nothing is below a gap, nor in it.
  let filled = 0;
  for (let i = 0; i < tests.length; i++) if (tests[i] !== gap || cuts[i] > 0) filled++;
  if (!fits || j !== numNodes || j !== filled) throw corrupt(offset, "these heaps are no trees");
  return form;
}
