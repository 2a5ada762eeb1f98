/**
 * Covers that are whole numbers of rows, as in trees that grew on counted rows: leaves alone are
 * written, in one or two bytes, and every inner node is the sum of its children.
 *
 * @module
 */
import type { Packed, Reals } from "../model/packed.ts";

/** Calls back with every node and the leaves below it, from left to right: `from` up to before `to`. */
function eachNode(
  { treeNodes, size }: Packed,
  visit: (node: number, from: number, to: number) => void,
): void {
  const count = new Uint32Array(size.length);
  const first = new Uint32Array(size.length);
  let begin = 0;
  treeNodes.forEach((inner, tree) => {
    let node = 2 * begin + tree;
    let j = begin;
    first[j] = begin + tree;
    count[j] = inner;
    visit(node, j + tree, j + tree + inner + 1);
    for (begin += inner; j < begin; j++) {
      const from = first[j];
      const middle = from + size[j];
      const rest = count[j] - size[j];
      visit(++node, from, middle);
      visit(++node, middle, middle + rest + 1);
      if (size[j] > 1) {
        first[j + 1] = from;
        count[j + 1] = size[j] - 1;
      }
      if (rest > 0) {
        first[j + size[j]] = middle;
        count[j + size[j]] = rest;
      }
    }
  });
}

/** Covers of the leaves from left to right, or undefined where they do not tell the others. */
export function leafCovers(packed: Packed, cover: Reals): Uint8Array | Uint16Array | undefined {
  const leaves = new Uint16Array(packed.size.length + packed.treeNodes.length);
  eachNode(packed, (node, from, to) => {
    if (to - from === 1) leaves[from] = cover[node];
  });
  if (!coversOf(packed, leaves).every((value, node) => Object.is(value, cover[node]))) {
    return undefined;
  }
  return leaves.every((value) => value < 256) ? Uint8Array.from(leaves) : leaves;
}

/** Covers of all nodes from those of the leaves. */
export function coversOf(packed: Packed, leaves: Uint8Array | Uint16Array): Float64Array {
  const sums = new Float64Array(leaves.length + 1);
  leaves.forEach((value, i) => sums[i + 1] = sums[i] + value);
  const cover = new Float64Array(2 * packed.size.length + packed.treeNodes.length);
  eachNode(packed, (node, from, to) => cover[node] = sums[to] - sums[from]);
  return cover;
}
