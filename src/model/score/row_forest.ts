/**
 * Large trees of even depth for rows.ts: below their upper levels nodes of four bytes, as in
 * walks.ts, of which those that a way meets one after the other share a line of the cache. A leaf
 * tells the number of its value.
 *
 * @module
 */
import type { Keys } from "./keys.ts";
import type { Packed } from "../packed.ts";

/** Cuts of a feature that a key tells apart, and the longest way to a child. */
const KEYS = 256;
const MAX_WAY = 16383;
/** Pairs of children that lie together, and subtrees below upper levels at most. */
const PAIRS = 8;
const ROOTS = 16;
/**
 * Leaves ask a slot from here on, whose code is 0. Their number is in the other 17 bits below the
 * distance.
 */
const NO_SLOT = 256;
/** Most numbers of leaves. */
export const MOST_LEAVES = 1 << 17;

/** Whether nodes have room for what the trees ask. */
export function isForest(packed: Packed, keyed: Keys): boolean {
  return keyed.blocks.length === 0 && packed.dictSize.every((cuts) => cuts <= KEYS) &&
    packed.treeNodes.every((nodes) => forestWords(nodes) <= MAX_WAY);
}

/** Words that the nodes of a tree take at most: pairs of children, and roots below its upper levels. */
export function forestWords(nodes: number): number {
  return 2 * nodes + ROOTS;
}

/** A subtree: its first inner node, how many there are, its first leaf. */
export type Subtree = readonly [j: number, n: number, b: number];

/** A subtree whose root has its place. */
interface Placed {
  at: number;
  readonly subtree: Subtree;
}

/**
 * Lays a subtree out, by up to eight pairs of children, 64 bytes: from a node on those of the
 * largest subtrees, which rows most likely go to. What is further below begins such a group of its
 * own.
 *
 * @param words Where nodes go, from `placed` on.
 * @param leafOf Number of a leaf, less than {@linkcode MOST_LEAVES}.
 * @returns The place after the last node.
 */
export function layForest(
  { size }: Packed,
  keyed: Keys,
  subtree: Subtree,
  words: Uint32Array,
  placed: number,
  leafOf: (b: number) => number,
): number {
  const root = { at: placed, subtree };
  const waiting: Placed[] = [];
  let end = placed + 1;
  wait(root);
  while (waiting.length > 0) layGroup();
  return end;

  /** Keeps a subtree for later; a leaf is done. */
  function wait(placed: Placed): void {
    const [, n, b] = placed.subtree;
    if (n > 0) waiting.push(placed);
    else {
      const leaf = leafOf(b);
      words[placed.at] = NO_SLOT + (leaf & 255) + (leaf >> 8) * 512;
    }
  }

  /** Lays out what is below the last node of those that wait. */
  function layGroup(): void {
    const above = waiting.pop()!;
    const open = [above];
    const pairs: [parent: Placed, left: Placed, right: Placed][] = [];
    while (pairs.length < PAIRS) {
      let largest = -1;
      let most = 0;
      for (let i = 0; i < open.length; i++) {
        if (open[i].subtree[1] > most) most = open[largest = i].subtree[1];
      }
      if (largest < 0) break;
      const [parent] = open.splice(largest, 1);
      const [j, n, b] = parent.subtree;
      const s = size[j];
      const left: Placed = { at: 0, subtree: [j + 1, s - 1, b] };
      const right: Placed = { at: 0, subtree: [j + s, n - s, b + s] };
      open.push(left, right);
      pairs.push([parent, left, right]);
    }
    for (const [parent, left, right] of pairs) {
      left.at = end;
      right.at = end + 1;
      const [j] = parent.subtree;
      words[parent.at] = (end - parent.at) * 2 ** 18 + (255 - keyed.keyOf(j)) * 1024 +
        4 * keyed.slotOf(j);
      end += 2;
    }
    // Smaller subtrees wait longer.
    open.sort((a, b) => a.subtree[1] - b.subtree[1]);
    open.forEach(wait);
  }
}
