/**
 * Scores few rows faster than walks.ts, for who loads it (`useRows` of tiers.ts): the library, the
 * server and what explains do, `./predict` alone does not. It takes sums of trees with one value a
 * leaf, and gives the bits of the other scorers; what it does not take is walked.
 *
 * The upper levels of sixteen trees are left at once, a tree in each byte of a vector. Where trees
 * have up to eight levels, what is below is a heap for each exit, its tests and its leaves next to
 * each other. In others an exit is a leaf or goes on to such a heap of three levels, whose exits
 * are the same again. Large trees of even depth are a forest: chunks of four levels, each a line of
 * the cache (row_forest.ts), sixteen ways in step.
 *
 * @module
 */
import type { Packed, Rules } from "../packed.ts";
import { createForest } from "./row_forest.ts";
import { createFrame } from "./row_frame.ts";
import { dealTrees, type Piece } from "./row_pieces.ts";
import { prepare, type Prepared, shapeOf, TREES } from "./row_shape.ts";
import { writeTables } from "./row_tables.ts";
import { createLayer, HEAD } from "./row_trees.ts";
import type { BatchScorer } from "./sliced.ts";
import { useRows } from "./tiers.ts";

/** Most bytes of heaps of trees of any depth: beyond the cache, walks read less. */
const MOST_CHUNKS = 1 << 22;

/** Makes the scorer, or undefined where the ensemble or the machine does not allow it. */
export function createRows(packed: Packed, rules: Rules): BatchScorer | undefined {
  const prepared = prepare(packed, rules);
  return prepared && (createHeaps(prepared) ?? createForest(prepared));
}

/** Makes the scorer of heaps. */
function createHeaps(prepared: Prepared): BatchScorer | undefined {
  const shape = shapeOf(prepared);
  const dealt = dealTrees(prepared, shape);
  if (dealt === undefined) return undefined;
  const { pieces, groups } = dealt;
  const { deep, levels, lower, treeBytes, topBytes } = shape;
  const { packed, f32, end } = prepared;
  const numTrees = packed.treeNodes.length;
  const allChunks = pieces.reduce(
    (sum, { chunkBytes, guests }) => sum + chunkBytes + (guests?.chunkBytes ?? 0),
    0,
  );
  if (allChunks > MOST_CHUNKS) return undefined;
  const blocksOf = ({ from, to }: Piece) => Math.ceil((to - from) / TREES);
  const mostGuests = Math.max(0, ...pieces.map(({ guests }) => guests?.trees.length ?? 0));
  const frame = createFrame(prepared, levels, groups, pieces.length);
  if (frame === undefined) return undefined;
  const { places, groupsAt } = frame;
  const takenAt = places.take(numTrees + TREES);
  const endsAt = places.take(4 * (numTrees + TREES));
  const listAt = places.take(2 * (numTrees + TREES) + 16);
  const guestListAt = places.take(mostGuests === 0 ? 0 : 2 * (mostGuests + TREES) + 16);
  const guestsAt = places.take(mostGuests === 0 ? 0 : 4 * (mostGuests + TREES));
  const take = (blocks: number, chunkBytes: number) => {
    const block = places.take(HEAD + topBytes * blocks);
    const trees = places.take(treeBytes * TREES * blocks);
    // The last chunk ends with a line.
    const all = Math.ceil(chunkBytes / 16) * 16;
    const chunks = Math.ceil((places.take(all + 48) + all) / 64) * 64 - all;
    return { block, trees, chunks };
  };
  const laidAt = pieces.map((piece) => {
    const { guests } = piece;
    return {
      ...take(blocksOf(piece), piece.chunkBytes),
      guests: guests && {
        ...take(Math.ceil(guests.trees.length / TREES), guests.chunkBytes),
        placesAt: places.take(2 * guests.trees.length),
      },
    };
  });
  const buffer = frame.open();
  if (buffer === undefined) return undefined;
  const u32 = new Uint32Array(buffer);
  writeTables(new Int8Array(buffer), lower === 4, deep, f32);
  const { layTrees } = createLayer(prepared, shape, buffer);
  pieces.forEach((piece, i) => {
    const { from, to } = piece;
    const { block, trees, chunks, guests } = laidAt[i];
    const own = new Set(piece.guests?.trees);
    u32.set(
      [trees, deep ? endsAt : takenAt, chunks, listAt, guests?.block ?? 0],
      block >> 2,
    );
    layTrees(
      laidAt[i],
      blocksOf(piece),
      groups[piece.group],
      piece.chunkBytes,
      Array.from({ length: to - from }, (_, k) => own.has(from + k) ? -1 : from + k),
    );
    if (piece.guests === undefined || guests === undefined) return;
    const { length } = piece.guests.trees;
    u32.set(
      [guests.trees, guestsAt, guests.chunks, guestListAt, 0, groupsAt[1], length, guests.placesAt],
      guests.block >> 2,
    );
    new Uint16Array(buffer, guests.placesAt, length).set(piece.guests.trees.map((p) => p - from));
    layTrees(
      guests,
      Math.ceil(length / TREES),
      groups[1],
      piece.guests.chunkBytes,
      piece.guests.trees,
    );
  });
  return frame.scorer((i, count) => {
    const { output, from, to, group } = pieces[i];
    const last = Math.min(to, end(output, count));
    // Places behind the last tree add nothing; less than 1, where all come too late, is no tree.
    const some = last === to ? TREES * blocksOf(pieces[i]) : last - from;
    return [laidAt[i].block, some, 8 * output, groupsAt[group]];
  });
}

useRows(createRows);
