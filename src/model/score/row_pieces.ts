/**
 * Deals the trees of rows.ts to groups, each of which numbers the cuts that its trees ask by a byte
 * a feature, and those to pieces that lie together.
 *
 * @module
 */
import type { CodeGroup } from "./row_codes.ts";
import { isSmall, type Prepared, type Shape, TREES } from "./row_shape.ts";

/** Bytes of trees that the second cache keeps while rows go through them. */
const CACHE = 1 << 19;
/** Of all trees, how many may be guests at most: each of their pieces is left on its own. */
const MOST_GUESTS = 0.25;
/**
 * Most bytes of the codes of all groups. Each has one for each cut of the ensemble: many cuts need
 * many groups, and more than the 65,535 of a feature that grids number would need twice as much.
 */
const MOST_CODES = 1 << 23;

/** Trees of one output and one group of codes that lie together. */
export interface Piece {
  readonly output: number;
  /** Positions in the order of trees. */
  readonly from: number;
  to: number;
  readonly group: number;
  /** Bytes of the chunks of its trees, where they are of any depth. */
  chunkBytes: number;
  /**
   * Trees of any depth of another group, apart from the others: their places in the piece are empty
   * until what came of them is written there.
   */
  readonly guests?: Guests;
}

/** Trees whose places are in a piece. */
interface Guests {
  /** Positions in the order of trees. */
  readonly trees: readonly number[];
  readonly chunkBytes: number;
}

/** All pieces, and the groups of codes that they name. */
export interface Dealt {
  readonly pieces: readonly Piece[];
  readonly groups: readonly CodeGroup[];
}

/** Deals all trees; undefined where sixteen trees need too many codes. */
export function dealTrees(prepared: Prepared, shape: Shape): Dealt | undefined {
  const { packed, codes, order, start, firstNode } = prepared;
  const { treeNodes, size } = packed;
  const { deep, upper, lower, heapBytes, treeBytes, smallBytes, largeBytes } = shape;
  const numTrees = treeNodes.length;
  // About as many inner nodes as there are in a chunk.
  const perTree = deep ? heapBytes * size.length / numTrees / 8 : treeBytes;
  const most = Math.max(1, Math.min(4095, Math.floor(CACHE / (TREES * perTree)))) * TREES;
  return deep && dealGuests() || dealGroups();

  /**
   * Deals the trees of any depth to two groups of codes, if the second one has those few that ask cuts for which the
   * first one has no room: each group's trees wait for the last of them. XGBoost asks up to 256 cuts of a feature.
   */
  function dealGuests(): Dealt | undefined {
    const host = codes.openGroup();
    const other = codes.openGroup();
    const guests = new Set<number>();
    for (let p = 0; p < start.at(-1)!; p++) {
      const first = firstNode[order[p]];
      const nodes = Array.from({ length: treeNodes[order[p]] }, (_, j) => first + j);
      if (host.take(nodes)) continue;
      guests.add(p);
      if (guests.size > MOST_GUESTS * numTrees || !other.take(nodes)) return undefined;
    }
    if (guests.size === 0) return undefined;
    const pieces: Piece[] = [];
    for (let output = 0; output + 1 < start.length; output++) {
      for (let from = start[output]; from < start[output + 1]; from += most) {
        const to = Math.min(start[output + 1], from + most);
        const trees: number[] = [];
        const chunkBytes = [smallBytes, smallBytes];
        for (let p = from; p < to; p++) {
          if (guests.has(p)) trees.push(p);
          chunkBytes[+guests.has(p)] += countChunks(
            firstNode[order[p]],
            treeNodes[order[p]],
            upper,
          );
        }
        const own = trees.length === 0 ? {} : { guests: { trees, chunkBytes: chunkBytes[1] } };
        pieces.push({ output, from, to, group: 0, chunkBytes: chunkBytes[0], ...own });
      }
    }
    return { pieces, groups: [host.close(), other.close()] };
  }

  /**
   * Deals trees to groups of codes, and those to pieces; undefined where sixteen trees need too
   * many codes.
   */
  function dealGroups(): Dealt | undefined {
    const pieces: Piece[] = [];
    const groups: CodeGroup[] = [];
    let open = codes.openGroup();
    for (let output = 0; output + 1 < start.length; output++) {
      for (let from = start[output]; from < start[output + 1]; from += TREES) {
        const to = Math.min(start[output + 1], from + TREES);
        const nodes: number[] = [];
        let chunkBytes = 0;
        for (let p = from; p < to; p++) {
          const first = firstNode[order[p]];
          const count = treeNodes[order[p]];
          if (deep) chunkBytes += countChunks(first, count, upper);
          for (let j = 0; j < count; j++) nodes.push(first + j);
        }
        if (!open.take(nodes)) {
          groups.push(open.close());
          if (groups.length * codes.groupBytes > MOST_CODES) return undefined;
          open = codes.openGroup();
          if (!open.take(nodes)) return undefined;
        }
        const last = pieces.at(-1);
        if (
          last?.output === output && last.group === groups.length && to - last.from <= most
        ) {
          last.to = to;
          last.chunkBytes += chunkBytes;
        } else {
          chunkBytes += smallBytes;
          pieces.push({ output, from, to, group: groups.length, chunkBytes });
        }
      }
    }
    groups.push(open.close());
    return { pieces, groups };
  }

  /** Bytes of the chunks that are begun at the levels from `below` on. */
  function countChunks(j: number, n: number, below: number): number {
    if (n === 0) return 0;
    if (below === 0) {
      return isSmall(size, j, n) ? smallBytes : largeBytes + countChunks(j, n, lower);
    }
    const s = size[j];
    return countChunks(j + 1, s - 1, below - 1) + countChunks(j + s, n - s, below - 1);
  }
}
