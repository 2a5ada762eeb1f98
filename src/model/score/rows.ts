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
import { createEnds, weighLeaf } from "./additive.ts";
import { depthOf } from "./depth.ts";
import { createPlaces, MAX_MEMORY, openMemory } from "./grids.ts";
import { groupTrees } from "./groups.ts";
import { createKeys } from "./keys.ts";
import type { Packed, Rules } from "../packed.ts";
import { WASM_BASE64 } from "./row_bytes.ts";
import { type CodeGroup, createRowCodes } from "./row_codes.ts";
import { forestWords, isForest, layForest, MOST_LEAVES } from "./row_forest.ts";
import { exitPlace, FREE, writeTables } from "./row_tables.ts";
import type { BatchScorer } from "./sliced.ts";
import { useRows } from "./tiers.ts";

/** Trees whose upper levels are left together. */
const TREES = 16;
/** Least and most levels of the kernel. */
const LEVELS = [6, 8];
/** Words at the beginning of a block, in bytes. */
const HEAD = 32;
/** Bytes of trees that the second cache keeps while rows go through them. */
const CACHE = 1 << 19;
/** Of all trees, how many may be guests at most: each of their pieces is left on its own. */
const MOST_GUESTS = 0.25;
/** Most bytes of heaps of trees of any depth: beyond the cache, walks read less. */
const MOST_CHUNKS = 1 << 22;
/**
 * Most bytes of the codes of all groups. Each has one for each cut of the ensemble: many cuts need
 * many groups, and more than the 65,535 of a feature that grids number would need twice as much.
 */
const MOST_CODES = 1 << 23;
/** Most bytes of all: heaps of many small trees are mostly empty. */
const mostBytes = (nodes: number) => Math.min(MAX_MEMORY, (1 << 24) + 64 * nodes);
/** Most levels: trees are laid out by functions that call themselves. */
const MOST_LEVELS = 1024;
/** Most rows of a block, and bytes of their numbers and sums. */
const ROWS = 1024;
const BLOCK_BYTES = 1 << 19;

const kernelModule = lazyModule(WASM_BASE64);

/** Exports of the kernel. */
interface Kernel {
  score(config: number, rows: number): void;
}

/** Trees of one output and one group of codes that lie together. */
interface Piece {
  readonly output: number;
  /** Positions in the order of trees. */
  readonly from: number;
  to: number;
  readonly group: number;
  /** Bytes of the chunks of its trees, where they are of any depth; of the nodes of a forest. */
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

/** What both layouts begin with. */
function prepare(packed: Packed, rules: Rules) {
  const ends = createEnds(rules);
  const f32 = rules.profile.sum === "f32";
  if (rules.leafWidth !== 1) return undefined;
  if (f32 && ends.start.some((v) => Math.fround(v) !== v)) return undefined;
  const keyed = createKeys(packed);
  const module = kernelModule();
  if (keyed === undefined || module === null) return undefined;
  const deepest = depthOf(packed);
  const codes = deepest > MOST_LEVELS ? undefined : createRowCodes(packed, keyed);
  if (codes === undefined) return undefined;
  return { packed, rules, ends, f32, keyed, module, deepest, codes, ...groupTrees(packed, rules) };
}

/** Makes the scorer, or undefined where the ensemble or the machine does not allow it. */
export function createRows(packed: Packed, rules: Rules): BatchScorer | undefined {
  const prepared = prepare(packed, rules);
  if (prepared === undefined) return undefined;
  return createScorer(prepared, false) ?? createScorer(prepared, true);
}

/** @param forest Whether trees are laid out as a forest's, if they are deep and even. */
function createScorer(
  prepared: NonNullable<ReturnType<typeof prepare>>,
  forest: boolean,
): BatchScorer | undefined {
  const { packed, rules, ends, f32, keyed, module, deepest, codes } = prepared;
  const { order, start, firstNode, end } = prepared;
  const { treeNodes, size, leaves, leafIndex, dictSize } = packed;
  const { numOutputs } = rules;
  const numTrees = treeNodes.length;
  const numFeatures = dictSize.length;
  // Where the longest way is far longer than that of a full tree, heaps would be mostly empty.
  const uneven = deepest > 1.5 * Math.log2(1 + size.length / numTrees) + 1;
  const deep = uneven || deepest > LEVELS[1];
  if (forest && (uneven || !deep || !isForest(packed, keyed))) return undefined;
  const levels = forest ? -1 : deep ? 0 : Math.max(deepest, LEVELS[0]);
  const upper = levels === 6 ? 3 : 4;
  const lower = deep ? 3 : levels - upper;
  const testBytes = lower === 3 ? 8 : 16;
  const valueBytes = f32 ? 4 : 8;
  const heapBytes = 2 * testBytes + (valueBytes << lower);
  // Chunks of trees of any depth: if exits are float32, each is a line of the cache or half of one.
  const largeBytes = f32 ? 64 : heapBytes;
  const smallBytes = 2 * testBytes + 4 * valueBytes;
  const exitBytes = forest ? 4 : deep ? valueBytes : heapBytes;
  const treeBytes = exitBytes << upper;
  // Behind the tests of trees of any depth are bits: which exits go on.
  const onsAt = 32 * ((1 << upper) - 1);
  const topBytes = onsAt + (deep && !forest ? 32 : 0);
  // Whether a forest's trees share values of leaves.
  const shared = leafIndex !== undefined && leaves.length <= MOST_LEAVES &&
    rules.treeWeight.every((weight) => weight === 1);

  const grouped = groupCodes();
  if (grouped === undefined) return undefined;
  const { pieces, groups } = grouped;
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
  const values = f32 ? new Float32Array(buffer) : new Float64Array(buffer);
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
  /** Where the next small chunk goes, and behind which the next large one: they meet. */
  let small = 0;
  let large = 0;
  /** Place of the next node of a forest, in words. */
  let placed = 0;
  if (forest) layValues();
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

  /** Lays trees out by their positions in the order of trees, -1 for a place without one. */
  function layTrees(
    { block, trees, chunks }: { block: number; trees: number; chunks: number },
    blocks: number,
    group: CodeGroup,
    chunkBytes: number,
    positions: readonly number[],
  ): void {
    // Places without a tree add nothing, not even a sign; of a forest they are not asked.
    const last = trees + treeBytes * TREES * blocks;
    if (forest) u32.fill(chunks, trees >> 2, last >> 2);
    else values.fill(-0, trees / valueBytes, last / valueBytes);
    // No code is above this key: what has no test goes left.
    if (deep && !forest) bytes.fill(127, chunks, chunks + chunkBytes);
    for (let at = trees; lower === 4 && at < last; at += heapBytes) bytes[at + 31] = 127;
    // The first one has leaves alone: what fills a list up goes there.
    bytes.fill(0, chunks + 16, chunks + smallBytes);
    small = chunks + smallBytes;
    large = chunks + chunkBytes;
    placed = chunks >> 2;
    positions.forEach((p, k) => {
      if (p < 0) return;
      layTree(
        p,
        group,
        block + HEAD + topBytes * (k >> 4) + (k & 15),
        trees +
          (!deep || forest ? treeBytes * k : TREES * treeBytes * (k >> 4) + exitPlace(k & 15, f32)),
        chunks,
      );
    });
  }

  /**
   * Deals the trees of any depth to two groups of codes, if the second one has those few that ask cuts for which the
   * first one has no room: each group's trees wait for the last of them. XGBoost asks up to 256 cuts of a feature.
   */
  function groupGuests(most: number): { pieces: Piece[]; groups: CodeGroup[] } | undefined {
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
  function groupCodes(): { pieces: Piece[]; groups: CodeGroup[] } | undefined {
    const pieces: Piece[] = [];
    const groups: CodeGroup[] = [];
    // About as many inner nodes as there are in a chunk.
    const perTree = deep ? heapBytes * size.length / numTrees / 8 : treeBytes;
    const most = Math.max(1, Math.min(4095, Math.floor(CACHE / (TREES * perTree)))) * TREES;
    const guested = deep && !forest ? groupGuests(most) : undefined;
    if (guested !== undefined) return guested;
    let open = codes.openGroup();
    for (let output = 0; output + 1 < start.length; output++) {
      for (let from = start[output]; from < start[output + 1]; from += TREES) {
        const to = Math.min(start[output + 1], from + TREES);
        const nodes: number[] = [];
        let chunkBytes = 0;
        for (let p = from; p < to; p++) {
          const first = firstNode[order[p]];
          const count = treeNodes[order[p]];
          if (forest) {
            chunkBytes += 4 * forestWords(count);
            pushUpper(nodes, first, count, upper);
          } else {
            if (deep) chunkBytes += countChunks(first, count, upper);
            for (let j = 0; j < count; j++) nodes.push(first + j);
          }
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
        } else {pieces.push({
            output,
            from,
            to,
            group: groups.length,
            chunkBytes: chunkBytes + smallBytes,
          });}
      }
    }
    groups.push(open.close());
    return { pieces, groups };
  }

  /** What a tree adds at a leaf, the `b`-th of all. */
  function valueOfLeaf(tree: number, b: number): number {
    return weighLeaf(rules, tree, leaves[leafIndex === undefined ? b : leafIndex[b]]);
  }

  /**
   * Values of the leaves of a forest, and where those of each tree are, by positions in the order
   * of trees.
   */
  function layValues(): void {
    for (let i = 0; shared && i < leaves.length; i++) {
      values[valuesAt / valueBytes + i] = weighLeaf(rules, 0, leaves[i]);
    }
    for (let p = 0; p < numTrees; p++) {
      const tree = order[p];
      const first = firstNode[tree] + tree;
      u32[(valuesOfAt >> 2) + p] = shared ? valuesAt : valuesAt + valueBytes * first;
      for (let b = first; !shared && b <= first + treeNodes[tree]; b++) {
        values[valuesAt / valueBytes + b] = valueOfLeaf(tree, b);
      }
    }
  }

  /** Adds the inner nodes of the upper levels. */
  function pushUpper(nodes: number[], j: number, n: number, below: number): void {
    if (n === 0 || below === 0) return;
    nodes.push(j);
    const s = size[j];
    pushUpper(nodes, j + 1, s - 1, below - 1);
    pushUpper(nodes, j + s, n - s, below - 1);
  }

  /** Bytes of the chunks that are begun at the levels from `below` on. */
  function countChunks(j: number, n: number, below: number): number {
    if (n === 0) return 0;
    if (below === 0) return isSmall(j, n) ? smallBytes : largeBytes + countChunks(j, n, lower);
    const s = size[j];
    return countChunks(j + 1, s - 1, below - 1) + countChunks(j + s, n - s, below - 1);
  }

  /** Whether a subtree has no more than two levels: the first four exits are enough. */
  function isSmall(j: number, n: number): boolean {
    return n === 1 || n === 2 || n === 3 && size[j] === 2;
  }

  /** Lays a tree out; `place` is where its test of the first level is. */
  function layTree(
    p: number,
    group: CodeGroup,
    place: number,
    at: number,
    chunks: number,
  ): void {
    const tree = order[p];
    const firstLeaf = firstNode[tree] + tree;
    const valueOf = (b: number) => valueOfLeaf(tree, b);
    const leafOf = (b: number) => shared ? leafIndex[b] : b - firstLeaf;
    layTop(firstNode[tree], treeNodes[tree], firstLeaf, 0, 0);

    /** @param set Levels at which the way went right, a bit each. */
    function layTop(j: number, n: number, b: number, level: number, set: number): void {
      if (n === 0 || level === upper) {
        // What leaves the upper levels early has many exits.
        const node = placed;
        if (forest) placed = layForest(packed, keyed, [j, n, b], u32, placed, leafOf);
        for (let e = set; e < 1 << upper; e += 1 << level) {
          if (forest) u32[at + exitBytes * e >> 2] = 4 * node;
          else if (deep) {
            layExit(at + 16 * e, j, n, b);
            if (n > 0) bytes[place + onsAt + 2 * (e & 8)] |= 1 << (e & 7);
          } else layHeap(at + exitBytes * e, 1, lower, j, n, b);
        }
        return;
      }
      const { slot, key } = group.testOf(j);
      const all = 1 << level;
      const to = place + 32 * (all - 1 + set);
      bytes[to] = slot;
      bytes[to + 16] = key;
      const s = size[j];
      layTop(j + 1, s - 1, b, level + 1, set);
      layTop(j + s, n - s, b + s, level + 1, set | all);
    }

    /** An exit of trees of any depth: a leaf, which is a number, or what is none and tells its chunk. */
    function layExit(exit: number, j: number, n: number, b: number): void {
      if (n === 0) {
        values[exit / valueBytes] = valueOf(b);
        return;
      }
      const isLarge = !isSmall(j, n);
      const heap = isLarge ? large -= largeBytes : small;
      if (!isLarge) small += smallBytes;
      u32[exit >> 2] = 0;
      u32[(exit + valueBytes >> 2) - 1] = f32 ? 0x7fc00000 : 0x7ff80000;
      u32[exit >> 2] += heap - chunks;
      layChunk(heap, 1, 0, 0, j, n, b);
    }

    /** @param set Levels at which the way went right: which exit it is. */
    function layChunk(
      heap: number,
      i: number,
      level: number,
      set: number,
      j: number,
      n: number,
      b: number,
    ): void {
      if (n === 0 || level === lower) {
        layExit(heap + 2 * testBytes + valueBytes * set, j, n, b);
        return;
      }
      layTest(heap + i - 1, j);
      const s = size[j];
      layChunk(heap, 2 * i, level + 1, set, j + 1, s - 1, b);
      layChunk(heap, 2 * i + 1, level + 1, set | 1 << level, j + s, n - s, b + s);
    }

    function layTest(at: number, j: number): void {
      const { slot, key } = group.testOf(j);
      bytes[at] = slot;
      bytes[at + testBytes] = key;
    }

    function layHeap(
      heap: number,
      i: number,
      below: number,
      j: number,
      n: number,
      b: number,
    ): void {
      if (n === 0) {
        const value = valueOf(b);
        const from = (heap + 2 * testBytes) / valueBytes - (1 << lower);
        values.fill(value, from + (i << below), from + (i + 1 << below));
        return;
      }
      layTest(heap + i - 1, j);
      const s = size[j];
      layHeap(heap, 2 * i, below - 1, j + 1, s - 1, b);
      layHeap(heap, 2 * i + 1, below - 1, j + s, n - s, b + s);
    }
  }

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
