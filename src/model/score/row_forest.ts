/**
 * Large trees of even depth for rows.ts: below their upper levels nodes of four bytes, as in walks.ts, with the
 * values of leaves in an array beside them.
 *
 * @module
 */
import type { Keys } from "./keys.ts";
import type { Packed } from "../packed.ts";

/** Cuts of a feature that a key tells apart, and the longest way to a child. */
const KEYS = 256;
const MAX_WAY = 16383;
/** Words of codes of a row, after which one is 0: leaves ask it. */
const ZERO_SLOT = 64;

/** Whether nodes have room for what the trees ask. */
export function isForest(packed: Packed, keyed: Keys): boolean {
  return keyed.blocks.length === 0 && packed.dictSize.every((cuts) => cuts <= KEYS) &&
    packed.treeNodes.every((nodes) => 2 * nodes + 17 < MAX_WAY);
}

/** Words that the nodes of a tree take at most. */
export function forestWords(nodes: number): number {
  return 2 * nodes + 1;
}

/** A subtree: its first inner node, how many there are, its first leaf. */
export type Subtree = readonly [j: number, n: number, b: number];

/**
 * Lays a subtree out by four levels, then by parts of three: each is in a line of the cache or two.
 *
 * @param nodes Where nodes go, from `placed` on.
 * @param leaf Takes the place of a leaf.
 * @returns The place after the last node.
 */
export function layForest(
  { size }: Packed,
  keyed: Keys,
  subtree: Subtree,
  nodes: Uint32Array,
  placed: number,
  leaf: (place: number, b: number) => void,
): number {
  // Numbers of a node: level, place, inner nodes of its subtree, the first of them, the first leaf.
  const parts = [0, placed++, subtree[1], subtree[0], subtree[2]];
  while (parts.length > 0) {
    const part = parts.splice(-5);
    for (let i = 0; i < part.length; i += 5) {
      const level = part[i];
      const node = part[i + 1];
      const n = part[i + 2];
      const j = part[i + 3];
      const b = part[i + 4];
      if (n === 0) {
        nodes[node] = 4 * ZERO_SLOT;
        leaf(node, b);
        continue;
      }
      nodes[node] = (placed - node) * 2 ** 18 + (255 - keyed.keyOf(j)) * 1024 +
        4 * keyed.slotOf(j);
      const s = size[j];
      const next = level > 0 && level % 3 === 0 ? parts : part;
      next.push(level + 1, placed, s - 1, j + 1, b, level + 1, placed + 1, n - s, j + s, b + s);
      placed += 2;
    }
  }
  return placed;
}
