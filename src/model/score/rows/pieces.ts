/**
 * Deals the trees of rows.ts to groups, each of which numbers the cuts that its trees ask by a byte
 * a feature, and those to pieces that lie together.
 *
 * @module
 */
import type { CodeGroup } from "./codes.ts";
import { type Prepared, TREES } from "./shape.ts";

/**
 * Most bytes of the codes of all groups. Each has one for each cut of the ensemble: many cuts need
 * many groups.
 */
const MOST_BYTES = 1 << 23;

/** Trees of one output and one group of codes that lie together. */
export interface Piece {
  readonly output: number;
  /** Positions in the order of trees. */
  readonly from: number;
  to: number;
  readonly group: number;
}

/** All pieces, and the groups of codes that they name. */
export interface Dealt {
  readonly pieces: readonly Piece[];
  readonly groups: readonly CodeGroup[];
}

/** Sixteen trees after the other. */
export const blocksOf = ({ from, to }: Piece): number => Math.ceil((to - from) / TREES);

/**
 * Deals all trees; undefined where sixteen trees need too many codes.
 *
 * @param fits Whether trees can be one piece: sixteen always are.
 */
export function dealTrees(
  { packed, codes, order, start, firstNode }: Prepared,
  fits: (from: number, to: number) => boolean,
): Dealt | undefined {
  const { treeNodes } = packed;
  const pieces: Piece[] = [];
  const groups: CodeGroup[] = [];
  let open = codes.openGroup();
  for (let output = 0; output + 1 < start.length; output++) {
    for (let from = start[output]; from < start[output + 1]; from += TREES) {
      const to = Math.min(start[output + 1], from + TREES);
      const nodes: number[] = [];
      for (let p = from; p < to; p++) {
        const first = firstNode[order[p]];
        for (let j = 0; j < treeNodes[order[p]]; j++) nodes.push(first + j);
      }
      if (!open.take(nodes)) {
        groups.push(open.close());
        if (groups.length * codes.groupBytes > MOST_BYTES) return undefined;
        open = codes.openGroup();
        if (!open.take(nodes)) return undefined;
      }
      putTrees(pieces, { output, from, to, group: groups.length }, fits);
    }
  }
  groups.push(open.close());
  return { pieces, groups };
}

/** Adds trees to the last piece, or as a new one. */
export function putTrees(
  pieces: Piece[],
  trees: Piece,
  fits: (from: number, to: number) => boolean,
): void {
  const last = pieces.at(-1);
  const isNext = last?.output === trees.output && last.group === trees.group;
  if (isNext && fits(last.from, trees.to)) last.to = trees.to;
  else pieces.push(trees);
}
