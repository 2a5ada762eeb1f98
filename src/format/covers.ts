/**
 * Covers of which every inner node has the sum of its children: leaves alone are written, whole
 * numbers of rows in few bytes, sums of curvature in four.
 *
 * @module
 */
import type { Packed, Reals } from "../model/packed.ts";
import { createBits } from "./bits.ts";
import { cheapest, createBitWriter } from "./write_bits.ts";

/** What is told of each tree; leaves are counted from left to right through all trees. */
export interface LeafRanges {
  /** A tree and its leaves: `from` up to before `to`. */
  tree(root: number, from: number, to: number): void;
  /** The j-th inner node in preorder: leaves `from … middle − 1` are on its left. */
  inner(j: number, firstChild: number, from: number, middle: number, to: number): void;
}

/** Calls back with the leaves below every node, tree by tree, parents first. */
export function eachRange({ treeNodes, size }: Packed, told: LeafRanges): void {
  const count = new Uint32Array(size.length);
  const first = new Uint32Array(size.length);
  let begin = 0;
  treeNodes.forEach((inner, tree) => {
    let node = 2 * begin + tree;
    let j = begin;
    first[j] = begin + tree;
    count[j] = inner;
    told.tree(node++, j + tree, j + tree + inner + 1);
    for (begin += inner; j < begin; j++, node += 2) {
      const from = first[j];
      const middle = from + size[j];
      const rest = count[j] - size[j];
      told.inner(j, node, from, middle, middle + rest + 1);
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

/** Covers of leaves as they are read: whole numbers, or float32. */
export type Covers = Uint8Array | Uint16Array | Uint32Array | Float32Array;

/** How a leaf's cover is written: 0 f32, 1 u8, 2 u16, or 3 for one byte with large ones apart. */
export const ESCAPED = 3;

/** In one byte with large ones apart: the cover is the next of the large ones. */
const LARGE = 255;

/** Covers of leaves as they are written. */
export interface LeafCovers {
  readonly width: number;
  readonly arrays: readonly Covers[];
}

/** Covers of the leaves from left to right, or undefined where they do not tell the others. */
export function leafCovers(packed: Packed, cover: Reals): Uint32Array | Float32Array | undefined {
  const count = packed.size.length + packed.treeNodes.length;
  return leavesInto(new Uint32Array(count), packed, cover) ??
    leavesInto(new Float32Array(count), packed, cover);
}

function leavesInto<T extends Covers>(leaves: T, packed: Packed, cover: Reals): T | undefined {
  const leaf = (node: number, from: number, to: number) => {
    if (to - from === 1) leaves[from] = cover[node];
  };
  eachRange(packed, {
    tree: leaf,
    inner(_, child, from, middle, to) {
      leaf(child, from, middle);
      leaf(child + 1, middle, to);
    },
  });
  const same = coversOf(packed, leaves).every((value, node) => Object.is(value, cover[node]));
  return same ? leaves : undefined;
}

/** The narrowest way to write them. */
export function narrowCovers(leaves: Uint32Array | Float32Array): LeafCovers {
  if (leaves instanceof Float32Array) return { width: 0, arrays: [leaves] };
  let large = 0;
  let most = 0;
  for (const cover of leaves) {
    if (cover >= LARGE) large++;
    if (cover > most) most = cover;
  }
  if (most < 256) return { width: 1, arrays: [Uint8Array.from(leaves)] };
  if (most < 65536 && leaves.length <= 4 * large) {
    return { width: 2, arrays: [Uint16Array.from(leaves)] };
  }
  return {
    width: ESCAPED,
    arrays: [
      Uint8Array.from(leaves, (cover) => Math.min(cover, LARGE)),
      leaves.filter((cover) => cover >= LARGE),
    ],
  };
}

/** How many large covers stand apart from these. */
export function countLarge(covers: Uint8Array): number {
  let large = 0;
  for (const cover of covers) if (cover === LARGE) large++;
  return large;
}

/** Covers of leaves with the large ones in their places. */
export function withLarge(covers: Uint8Array, large: Uint32Array): Uint32Array {
  let next = 0;
  return Uint32Array.from(covers, (cover) => cover === LARGE ? large[next++] : cover);
}

/** Largest number of bits of a cover in bits. */
const MOST = 31;

/** Whole covers by the exponential code of Golomb: `k` in five bits, then each. */
export function coversToBits(leaves: Uint32Array): Uint32Array {
  const bits = createBitWriter();
  const lengthOf = (cover: number, k: number) => MOST - Math.clz32(cover + 2 ** k);
  // The first ones tell what the others are like.
  const sample = leaves.subarray(0, 65536);
  const k = cheapest((k) => {
    let cost = 0;
    for (const cover of sample) cost += 2 * lengthOf(cover, k) - k;
    return cost;
  }, 20);
  bits.put(k, 5);
  for (const cover of leaves) {
    const length = lengthOf(cover, k);
    bits.ones(length - k, MOST - k);
    bits.put(cover + 2 ** k - 2 ** length, length);
  }
  return bits.words();
}

/** Reads what {@linkcode coversToBits} wrote; undefined where the bits are not those of so many covers. */
export function coversFromBits(words: Uint32Array, numLeaves: number): Uint32Array | undefined {
  const { take, done } = createBits(words);
  // A cover takes a bit at least.
  if (numLeaves > 32 * words.length) return undefined;
  const covers = new Uint32Array(numLeaves);
  const k = take(5);
  for (let i = 0; i < numLeaves; i++) {
    let length = k;
    while (length < MOST && take(1) > 0) length++;
    covers[i] = 2 ** length - 2 ** k + (length > 0 ? take(length) : 0);
  }
  return done() ? covers : undefined;
}

/** Covers of all nodes from those of the leaves: left plus right in float64, from below. */
export function coversOf(packed: Packed, leaves: Covers): Float64Array {
  const inner = packed.size.length;
  const cover = new Float64Array(2 * inner + packed.treeNodes.length);
  const nodeOf = new Uint32Array(inner);
  const childOf = new Uint32Array(inner);
  let tree = 0;
  /** A leaf's cover, or where the inner node `j` stands. */
  const place = (node: number, j: number, from: number, to: number) => {
    if (to - from === 1) cover[node] = leaves[from];
    else nodeOf[j] = node;
  };
  eachRange(packed, {
    tree: (root, from, to) => place(root, from - tree++, from, to),
    inner(j, child, from, middle, to) {
      childOf[j] = child;
      place(child, j + 1, from, middle);
      place(child + 1, j + middle - from, middle, to);
    },
  });
  for (let j = inner - 1; j >= 0; j--) {
    cover[nodeOf[j]] = cover[childOf[j]] + cover[childOf[j] + 1];
  }
  return cover;
}
