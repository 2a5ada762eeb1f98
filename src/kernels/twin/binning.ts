/**
 * Twins of the binning kernels: sort, quantiles, bins of values, columns to rows.
 *
 * @module
 */
import type { Memory } from "../memory.ts";
import type { Kernels } from "../types.ts";

type Binning = Pick<
  Kernels,
  | "widen"
  | "quantilePairs"
  | "quantileCodes"
  | "mapValues8"
  | "mapValues16"
  | "rowsOf8"
  | "rowsOf16"
>;

/** Neighbours between which the bins of sorted values close; a zero has no sign. */
export function pairsOf(sorted: Float64Array, maxBins: number): number[] {
  const n = sorted.length;
  const runEnd = (i: number) => {
    let j = i + 1;
    while (j < n && sorted[j] === sorted[i]) j++;
    return j;
  };
  if (n === 0) return [];
  let distinct = 1;
  for (let i = 1; i < n; i++) if (sorted[i] !== sorted[i - 1]) distinct++;
  const all = distinct <= maxBins;
  const pairs: number[] = [];
  let left = n;
  let binsLeft = maxBins;
  let held = 0;
  let begin = 0;
  let end = runEnd(0);
  while (end < n && (all || binsLeft > 1)) {
    const next = runEnd(end);
    held += end - begin;
    const share = left / binsLeft;
    if (all || held >= share || held + (next - end) / 2 > share) {
      pairs.push(sorted[begin] + 0, sorted[end] + 0);
      left -= held;
      held = 0;
      binsLeft--;
    }
    begin = end;
    end = next;
  }
  return pairs;
}

/** Writes how many bins close below each value, for NaN how many bins there are. */
export function writeCodes(
  { f64, u8 }: Memory,
  values: ArrayLike<number>,
  pairs: number,
  pairsAt: number,
  codes: number,
): void {
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    let [bin, end] = [0, value === value ? pairs : 0];
    while (bin < end) {
      const middle = (bin + end) >>> 1;
      if (f64[(pairsAt >>> 3) + 2 * middle] < value) bin = middle + 1;
      else end = middle;
    }
    u8[codes + i] = value === value ? bin : pairs + 1;
  }
}

/** Binning kernels over a memory. */
export function twinBinning(memory: Memory): Binning {
  function map(
    codes: Uint8Array | Uint16Array,
    out: number,
    values: number,
    n: number,
    cuts: number,
    size: number,
    missing: number,
  ): void {
    const { f64 } = memory;
    const table = cuts >>> 3;
    for (let i = 0; i < n; i++) {
      const value = f64[(values >>> 3) + i];
      let bin = 0;
      for (let half = size >>> 1; half > 0; half >>>= 1) {
        if (f64[table + bin + half - 1] < value) bin += half;
      }
      codes[out + i] = value === value ? bin : missing;
    }
  }

  function rows(
    codes: Uint8Array | Uint16Array,
    shift: number,
    columns: number,
    features: number,
    from: number,
    n: number,
    stride: number,
    out: number,
  ): void {
    const { u32 } = memory;
    for (let f = 0; f < stride; f++) {
      const column = f < features ? (u32[(columns >>> 2) + f] >>> shift) + from : -1;
      for (let i = 0; i < n; i++) codes[out + f + i * stride] = column < 0 ? 0 : codes[column + i];
    }
  }

  const binning: Binning = {
    widen(values, n, out) {
      const { f64 } = memory;
      const f32 = new Float32Array(memory.u8.buffer, values, n);
      for (let i = 0; i < n; i++) f64[(out >>> 3) + i] = f32[i];
    },

    quantilePairs(values, rows, maxBins, _scratch, tables, out) {
      const sorted = memory.f64.slice(values >>> 3, (values >>> 3) + rows).sort();
      let n = rows;
      while (n > 0 && sorted[n - 1] !== sorted[n - 1]) n--;
      const pairs = pairsOf(sorted.subarray(0, n), maxBins);
      memory.f64.set(pairs, out >>> 3);
      memory.u32[tables >>> 2] = rows - n;
      return pairs.length / 2;
    },

    quantileCodes(values, n, maxBins, scratch, tables, out, codes) {
      const pairs = binning.quantilePairs(values, n, maxBins, scratch, tables, out);
      writeCodes(memory, memory.f64.subarray(values >>> 3, (values >>> 3) + n), pairs, out, codes);
      return pairs;
    },

    mapValues8: (values, n, cuts, size, missing, _tables, out) =>
      map(memory.u8, out, values, n, cuts, size, missing),
    mapValues16: (values, n, cuts, size, missing, out) =>
      map(memory.u16, out >>> 1, values, n, cuts, size, missing),

    rowsOf8: (columns, features, from, n, stride, out) =>
      rows(memory.u8, 0, columns, features, from, n, stride, out),
    rowsOf16: (columns, features, from, n, stride, out) =>
      rows(memory.u16, 1, columns, features, from, n, stride >>> 1, out >>> 1),
  };
  return binning;
}
