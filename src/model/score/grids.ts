/**
 * Tables by which the wasm kernel finds a number's rank among the cuts of its feature: a grid of even
 * cells over most of the cuts, then a short search within the cell.
 *
 * @module
 */
import type { Packed } from "../packed.ts";

/** Cells of the coarsest and of the finest grid. */
const CELLS = [512, 2048];
const PAGE = 65536;

/** Most cuts of a feature: grids count them by u16. A file may have more than its trees ask. */
export const MOST_CUTS = 65535;

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

/** A memory with room for all places; undefined where it would be too large, or the machine has none. */
export function openMemory({ end }: Places): WebAssembly.Memory | undefined {
  try {
    if (end <= MAX_MEMORY) return new WebAssembly.Memory({ initial: Math.ceil(end / PAGE) });
  } catch {
    // A RangeError: others score without.
  }
  return undefined;
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
      grid: places.take(2 * spread.first.length),
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
        const last = spread.first.length - 1;
        u32.set([f, table, 8 * spread.half, dictSize[f], ...sides, grid], to);
        f32[to + 7] = last;
        f32[to + 8] = spread.low;
        f32[to + 9] = spread.scale;
        new Uint16Array(buffer, grid, last + 1).set(spread.first);
        const padded = new Float64Array(buffer, table, length).fill(Infinity);
        padded.set(cuts.subarray(dictAt[f], dictAt[f] + dictSize[f]));
      });
    },
  };
}

/** A feature's cuts over the cells of an even grid; what lies outside falls into the cells at its ends. */
interface Spread {
  readonly low: number;
  readonly scale: number;
  /** Number of cuts in lower cells. */
  readonly first: Uint16Array;
  /** First step of the search within a cell: half the smallest power of two that holds it. */
  readonly half: number;
}

/**
 * The grid with the shortest search. Few large cuts far from the others make cells wide: so grids are
 * tried that leave out cuts at the ends.
 */
export function spreadCuts(packed: Packed, f: number): Spread {
  const from = packed.dictAt[f];
  const cuts = packed.cuts.subarray(from, from + packed.dictSize[f]);
  let best: Spread | undefined;
  for (const cells of CELLS) {
    for (const beyond of [0, 1, 3, 7]) {
      if (best !== undefined && 2 * best.half <= beyond + 1 || 2 * beyond >= cuts.length) break;
      for (const low of [0, beyond]) {
        const spread = spreadOver(cuts, low, cuts.length - 1 - beyond, cells);
        if (best === undefined || spread.half < best.half) best = spread;
      }
    }
  }
  return best!;
}

/** The kernel computes cells in float32; the same roundings here make cells ascend with cuts. */
function spreadOver(cuts: Packed["cuts"], from: number, to: number, cells: number): Spread {
  const fround = Math.fround;
  const low = fround(cuts[from]);
  const ratio = fround((cells - 2) / fround(fround(cuts[to]) - low));
  const scale = Number.isFinite(ratio) ? ratio : 0;
  const first = new Uint16Array(cells);
  let fullest = 0;
  let last = 0;
  let start = 0;
  for (let k = 0; k < cuts.length; k++) {
    const place = fround(fround(fround(cuts[k]) - low) * scale);
    const inside = place > 0 ? Math.min(place, cells - 1) : 0;
    const cell = fround(inside + 8388608) - 8388608;
    if (cell > last) {
      first.fill(k, last + 1, cell + 1);
      last = cell;
      start = k;
    }
    fullest = Math.max(fullest, k + 1 - start);
  }
  first.fill(cuts.length, last + 1);
  const bits = 32 - Math.clz32(fullest);
  return { low, scale, first, half: bits === 0 ? 0 : 1 << bits - 1 };
}
