/**
 * Scores few rows faster than walks.ts, for who loads it (`useRows` of tiers.ts): the library, the
 * server and what explains do, `./predict` alone does not. It takes sums of trees with one value a
 * leaf, and gives the bits of the other scorers; what it does not take is walked.
 *
 * The upper levels of sixteen trees are left at once, a tree in each byte of a vector. Where trees
 * have up to eight levels, what is below is a heap for each exit, its tests and its leaves next to
 * each other. In others an exit is a leaf or goes on to such a heap of three levels, whose exits
 * are the same again. Large trees of even depth are a forest: nodes of four bytes (row_forest.ts),
 * sixteen ways in step.
 *
 * @module
 */
import { lazyModule } from "../../util/wasm_module.ts";
import { createPlaces, MAX_MEMORY, openMemory } from "./grids.ts";
import type { Packed, Rules } from "../packed.ts";
import { WASM_BASE64 } from "./row_bytes.ts";
import { dealTrees, type Piece } from "./row_pieces.ts";
import { prepare, type Prepared, shapeOf, TREES } from "./row_shape.ts";
import { FREE, writeTables } from "./row_tables.ts";
import { createLayer, HEAD } from "./row_trees.ts";
import type { BatchScorer } from "./sliced.ts";
import { useRows } from "./tiers.ts";

/** Most bytes of heaps of trees of any depth: beyond the cache, walks read less. */
const MOST_CHUNKS = 1 << 22;
/** Most bytes of all: heaps of many small trees are mostly empty. */
const mostBytes = (nodes: number) => Math.min(MAX_MEMORY, (1 << 24) + 64 * nodes);
/** Most rows of a block, and bytes of their numbers and sums. */
const ROWS = 1024;
const BLOCK_BYTES = 1 << 19;

const kernelModule = lazyModule(WASM_BASE64);

/** Exports of the kernel. */
interface Kernel {
  score(config: number, rows: number): void;
}

/** Makes the scorer, or undefined where the ensemble or the machine does not allow it. */
export function createRows(packed: Packed, rules: Rules): BatchScorer | undefined {
  const prepared = prepare(packed, rules);
  const module = kernelModule();
  if (prepared === undefined || module === null) return undefined;
  return createScorer(prepared, module, false) ?? createScorer(prepared, module, true);
}

/** @param forest Whether trees are laid out as a forest's, if they are deep and even. */
function createScorer(
  prepared: Prepared,
  module: WebAssembly.Module,
  forest: boolean,
): BatchScorer | undefined {
  const shape = shapeOf(prepared, forest);
  if (shape === undefined) return undefined;
  const dealt = dealTrees(prepared, shape);
  if (dealt === undefined) return undefined;
  const { pieces, groups } = dealt;
  const { deep, levels, upper, lower, valueBytes, treeBytes, topBytes, shared } = shape;
  const { packed, rules, ends, f32, deepest, codes, end } = prepared;
  const { treeNodes, size, leaves, dictSize } = packed;
  const { numOutputs } = rules;
  const numTrees = treeNodes.length;
  const numFeatures = dictSize.length;
  const allChunks = pieces.reduce(
    (sum, { chunkBytes, guests }) => sum + chunkBytes + (guests?.chunkBytes ?? 0),
    0,
  );
  if (!forest && allChunks > MOST_CHUNKS) return undefined;
  const blocksOf = ({ from, to }: Piece) => Math.ceil((to - from) / TREES);
  const mostGuests = Math.max(0, ...pieces.map(({ guests }) => guests?.trees.length ?? 0));

  const mostRows = Math.min(ROWS, Math.ceil(BLOCK_BYTES / (8 * (numFeatures + numOutputs))));
  const places = createPlaces();
  places.take(FREE);
  const tables = codes.place(places);
  const configAt = places.take(64);
  const xAt = places.take(8 * numFeatures * mostRows);
  const roomAt = places.take(4 * 32 * mostRows);
  const sumsAt = places.take(8 * numOutputs * mostRows);
  const piecesAt = places.take(16 * pieces.length);
  const takenAt = places.take(numTrees + TREES);
  const endsAt = places.take(4 * (numTrees + TREES));
  const listAt = places.take(2 * (numTrees + TREES) + 16);
  const groupsAt = groups.map(() => places.take(codes.groupBytes));
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
  const valuesAt = places.take(
    !forest ? 0 : valueBytes * (shared ? leaves.length : size.length + numTrees),
  );
  const valuesOfAt = places.take(forest ? 4 * numTrees : 0);
  if (places.end > mostBytes(size.length)) return undefined;
  const memory = openMemory(places);
  if (memory === undefined) return undefined;
  const buffer = memory.buffer as ArrayBuffer;
  const bytes = new Int8Array(buffer);
  const u32 = new Uint32Array(buffer);
  const xs = new Float64Array(buffer, xAt, numFeatures * mostRows);
  const sums = new Float64Array(buffer, sumsAt, numOutputs * mostRows);
  const pieceTable = new Uint32Array(buffer, piecesAt, 4 * pieces.length);
  tables.write(buffer);
  groups.forEach((group, i) => group.write(bytes.subarray(groupsAt[i])));
  u32.set([
    ...[xAt, 8 * numFeatures, roomAt, sumsAt, 8 * numOutputs, piecesAt, pieces.length],
    ...[levels, +f32, ...tables.config, tables.basesAt, tables.numNumbers],
  ], configAt >> 2);
  writeTables(bytes, lower === 4, deep, f32);
  const { layTrees, layValues } = createLayer(prepared, shape, buffer);
  if (forest) layValues(valuesAt, valuesOfAt);
  pieces.forEach((piece, i) => {
    const { from, to } = piece;
    const { block, trees, chunks, guests } = laidAt[i];
    const own = new Set(piece.guests?.trees);
    u32.set(
      forest
        ? [trees, takenAt, deepest - upper, endsAt, valuesOfAt + 4 * from]
        : [trees, deep ? endsAt : takenAt, chunks, listAt, guests?.block ?? 0],
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
  const kernel = new WebAssembly.Instance(module, { env: { memory } }).exports as unknown as Kernel;

  /** For how many trees `pieceTable` is. */
  let laid = -1;

  // Apart from `score`: what a closure keeps of a call would be an object a row.
  function layPieces(count: number): void {
    laid = count;
    pieces.forEach((piece, i) => {
      const { output, from, to, group } = piece;
      const last = Math.min(to, end(output, count));
      // Places behind the last tree add nothing; less than 1, where all come too late, is no tree.
      const some = last === to && !forest ? TREES * blocksOf(piece) : last - from;
      pieceTable.set([laidAt[i].block, some, 8 * output, groupsAt[group]], 4 * i);
    });
  }

  return {
    score(x, rows, count, out) {
      if (count !== laid) layPieces(count);
      for (let from = 0; from < rows; from += mostRows) {
        const block = Math.min(mostRows, rows - from);
        const first = from * numFeatures;
        for (let i = 0; i < block * numFeatures; i++) xs[i] = x[first + i];
        for (let i = 0; i < block * numOutputs; i++) sums[i] = ends.start[i % numOutputs];
        kernel.score(configAt, block);
        for (let i = 0; i < block * numOutputs; i++) out[from * numOutputs + i] = sums[i];
        for (let r = from; r < from + block && ends.needsFinish; r++) {
          ends.finish(count, out, r * numOutputs);
        }
      }
    },
  };
}

useRows(createRows);
