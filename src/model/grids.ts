/**
 * Tables by which the wasm kernel finds a number's rank among the cuts of its feature: a grid of even
 * cells, then a short search within the cell.
 *
 * @module
 */
import type { Packed } from "./packed.ts";

const GRID = 512;
const PAGE = 65536;

/** Largest memory of a scorer. */
export const MAX_MEMORY = 1 << 28;

/** Hands out places in a memory; 0 is never one. */
export interface Places {
  take(bytes: number): number;
  readonly end: number;
}

/** No places taken yet. */
export function createPlaces(): Places {
  let end = 64;
  return {
    take(bytes) {
      const at = end;
      end = Math.ceil((end + bytes) / 16) * 16;
      return at;
    },
    get end() {
      return end;
    },
  };
}

/** A memory with room for all places. */
export function openMemory(places: Places): { memory: WebAssembly.Memory; buffer: ArrayBuffer } {
  const memory = new WebAssembly.Memory({ initial: Math.ceil(places.end / PAGE) });
  return { memory, buffer: memory.buffer as ArrayBuffer };
}

/** Descriptors of numeric features, as the kernel reads them. */
export interface NumberTables {
  readonly at: number;
  /** Writes descriptors, cuts and grids. */
  write(buffer: ArrayBuffer): void;
}

/** Lays tables out; `sides` are places of masks, or 0. */
export function layNumbers(
  packed: Packed,
  numbers: readonly { readonly f: number; readonly sides: readonly [number, number] }[],
  places: Places,
): NumberTables {
  const { cuts, dictAt, dictSize } = packed;
  const laid = numbers.map(({ f, sides }) => {
    const spread = spreadCuts(packed, f);
    const length = dictSize[f] + 2 * spread.half + 1;
    return {
      f,
      sides,
      spread,
      length,
      table: places.take(8 * length),
      grid: places.take(2 * GRID),
    };
  });
  const at = places.take(40 * laid.length);
  return {
    at,
    write(buffer) {
      const u32 = new Uint32Array(buffer);
      const f32 = new Float32Array(buffer);
      laid.forEach(({ f, sides, spread, length, table, grid }, i) => {
        const to = (at >> 2) + 10 * i;
        u32.set([f, table, 8 * spread.half, dictSize[f], ...sides, grid, 0], to);
        f32[to + 8] = spread.low;
        f32[to + 9] = spread.scale;
        new Uint16Array(buffer, grid, GRID).set(spread.first);
        const padded = new Float64Array(buffer, table, length).fill(Infinity);
        padded.set(cuts.subarray(dictAt[f], dictAt[f] + dictSize[f]));
      });
    },
  };
}

/** A feature's cuts over the cells of an even grid. */
interface Spread {
  readonly low: number;
  readonly scale: number;
  /** Number of cuts in lower cells. */
  readonly first: Uint16Array;
  /** First step of the search within a cell: half the smallest power of two that holds it. */
  readonly half: number;
}

/** The kernel computes cells in float32; the same roundings here make cells ascend with cuts. */
function spreadCuts(packed: Packed, f: number): Spread {
  const { cuts, dictAt, dictSize } = packed;
  const fround = Math.fround;
  const from = dictAt[f];
  const low = fround(cuts[from]);
  const range = fround(fround(cuts[from + dictSize[f] - 1]) - low);
  const ratio = fround((GRID - 2) / range);
  const scale = Number.isFinite(ratio) ? ratio : 0;
  const first = new Uint16Array(GRID);
  const counts = new Uint32Array(GRID);
  let fullest = 0;
  for (let k = 0; k < dictSize[f]; k++) {
    const place = fround(fround(fround(cuts[from + k]) - low) * scale);
    const inside = place > 0 ? Math.min(place, GRID - 1) : 0;
    const cell = fround(inside + 8388608) - 8388608;
    fullest = Math.max(fullest, ++counts[cell]);
  }
  for (let c = 1; c < GRID; c++) first[c] = first[c - 1] + counts[c - 1];
  const bits = 32 - Math.clz32(fullest);
  return { low, scale, first, half: bits === 0 ? 0 : 1 << bits - 1 };
}
