/**
 * Covers that are whole numbers of rows, as in trees that grew on counted rows: leaves alone are
 * written, in one or two bytes, and every inner node is the sum of its children.
 *
 * @module
 */
import { exactest } from "../model/pack.ts";
import type { Packed, Reals } from "../model/packed.ts";

/** Largest number of rows in a leaf that is written like this. */
const MOST = 65535;

/** Calls back with every inner node: its place and those of its children as nodes and as leaves. */
function eachInner(
  { treeNodes, size }: Packed,
  visit: (node: number, left: number, right: number) => void,
  leaf: (node: number, place: number) => void,
): void {
  const count = new Uint32Array(size.length);
  const firstLeaf = new Uint32Array(size.length);
  let begin = 0;
  for (let tree = 0; tree < treeNodes.length; tree++) {
    const inner = treeNodes[tree];
    const base = 2 * begin + tree;
    const nodeOf = new Uint32Array(inner);
    if (inner === 0) leaf(base, begin + tree);
    else {
      nodeOf[0] = base;
      count[begin] = inner;
      firstLeaf[begin] = begin + tree;
    }
    for (let k = 0; k < inner; k++) {
      const j = begin + k;
      const s = size[j];
      const left = base + 2 * k + 1;
      if (s > 1) {
        nodeOf[k + 1] = left;
        count[j + 1] = s - 1;
        firstLeaf[j + 1] = firstLeaf[j];
      } else leaf(left, firstLeaf[j]);
      if (count[j] > s) {
        nodeOf[k + s] = left + 1;
        count[j + s] = count[j] - s;
        firstLeaf[j + s] = firstLeaf[j] + s;
      } else leaf(left + 1, firstLeaf[j] + s);
    }
    for (let k = inner - 1; k >= 0; k--) visit(nodeOf[k], base + 2 * k + 1, base + 2 * k + 2);
    begin += inner;
  }
}

/** Covers of the leaves from left to right, or undefined where they do not tell the others. */
export function leafCovers(packed: Packed, cover: Reals): Uint8Array | Uint16Array | undefined {
  const leaves = new Uint16Array(packed.size.length + packed.treeNodes.length);
  let whole = true;
  let most = 0;
  eachInner(
    packed,
    (node, left, right) => whole &&= cover[node] === cover[left] + cover[right],
    (node, place) => {
      const value = cover[node];
      leaves[place] = value;
      whole &&= leaves[place] === value && value <= MOST && !Object.is(value, -0);
      most = Math.max(most, value);
    },
  );
  if (!whole) return undefined;
  return most < 256 ? Uint8Array.from(leaves) : leaves;
}

/** Covers of all nodes from those of the leaves. */
export function coversOf(packed: Packed, leaves: Uint8Array | Uint16Array): Reals {
  const cover = new Float64Array(2 * packed.size.length + packed.treeNodes.length);
  eachInner(
    packed,
    (node, left, right) => cover[node] = cover[left] + cover[right],
    (node, place) => cover[node] = leaves[place],
  );
  return exactest(cover);
}
