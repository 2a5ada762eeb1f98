/**
 * What all layouts of rows.ts have in common: the memory of the kernel with the tables of a row, its
 * codes and sums, and the scorer that calls the kernel.
 *
 * @module
 */
import { lazyModule } from "../../../util/wasm_module.ts";
import { createPlaces, MAX_MEMORY, openMemory, type Places } from "../grids.ts";
import { WASM_BASE64 } from "./wasm_bytes.ts";
import type { CodeGroup } from "./codes.ts";
import type { Prepared } from "./shape.ts";
import { FREE } from "./tables.ts";
import type { BatchScorer } from "../sliced.ts";

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

/** A memory that is being laid out. */
export interface Frame {
  /** Hands out places of trees. */
  readonly places: Places;
  /** Most rows of a call. */
  readonly mostRows: number;
  /** Where the codes of each group will be. */
  readonly groupsAt: readonly number[];
  /**
   * Makes the memory, with all but trees; undefined where it would be too large.
   *
   * @param own What the kernel is told of the layout besides.
   */
  open(own?: readonly number[]): ArrayBuffer | undefined;
  /**
   * The scorer, once trees are in the memory.
   *
   * @param pieceOf What the kernel is told of each piece, if the first `count` trees are asked.
   */
  scorer(pieceOf: (piece: number, count: number) => readonly number[]): BatchScorer;
}

/**
 * Begins a memory; undefined where the engine does not compile the kernel.
 *
 * @param levels What the kernel is told of the layout (kernels/assembly/rows.ts).
 * @param numPieces Calls of the kernel's parts for a row.
 */
export function createFrame(
  { packed, rules, ends, f32, codes }: Prepared,
  levels: number,
  groups: readonly CodeGroup[],
  numPieces: number,
): Frame | undefined {
  const module = kernelModule();
  if (module === null) return undefined;
  const { numOutputs } = rules;
  const numFeatures = packed.dictSize.length;
  const mostRows = Math.min(ROWS, Math.ceil(BLOCK_BYTES / (8 * (numFeatures + numOutputs))));
  const places = createPlaces();
  places.take(FREE);
  const tables = codes.place(places);
  const configAt = places.take(64);
  const xAt = places.take(8 * numFeatures * mostRows);
  const roomAt = places.take(4 * 32 * mostRows);
  const sumsAt = places.take(8 * numOutputs * mostRows);
  const piecesAt = places.take(16 * numPieces);
  const groupsAt = groups.map(() => places.take(codes.groupBytes));
  let memory: WebAssembly.Memory;
  return { places, mostRows, groupsAt, open, scorer };

  function open(own: readonly number[] = []): ArrayBuffer | undefined {
    if (places.end > mostBytes(packed.size.length)) return undefined;
    const opened = openMemory(places);
    if (opened === undefined) return undefined;
    memory = opened;
    const buffer = memory.buffer as ArrayBuffer;
    tables.write(buffer);
    groups.forEach((group, i) => group.write(new Int8Array(buffer, groupsAt[i])));
    new Uint32Array(buffer).set([
      ...[xAt, 8 * numFeatures, roomAt, sumsAt, 8 * numOutputs, piecesAt, numPieces],
      ...[levels, +f32, ...tables.config, ...own],
    ], configAt >> 2);
    return buffer;
  }

  function scorer(pieceOf: (piece: number, count: number) => readonly number[]): BatchScorer {
    const { buffer } = memory;
    const xs = new Float64Array(buffer, xAt, numFeatures * mostRows);
    const sums = new Float64Array(buffer, sumsAt, numOutputs * mostRows);
    const pieces = new Uint32Array(buffer, piecesAt, 4 * numPieces);
    const kernel = new WebAssembly.Instance(module!, { env: { memory } })
      .exports as unknown as Kernel;
    /** For how many trees `pieces` is. */
    let laid = -1;

    // Apart from `score`: what a closure keeps of a call would be an object a row.
    function layPieces(count: number): void {
      laid = count;
      for (let i = 0; i < numPieces; i++) pieces.set(pieceOf(i, count), 4 * i);
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
}
