/**
 * Twins of the kernels on codes: levels of categories, columns of two values, features that share a byte.
 *
 * @module
 */
import type { Memory } from "../memory.ts";
import type { Kernels } from "../types.ts";

type Codes = Pick<
  Kernels,
  | "levels8"
  | "levels16"
  | "numberPairs"
  | "gather8"
  | "codesSeen"
  | "spreadRows"
  | "usualCode"
  | "meetsOther"
  | "mergeCodes"
  | "twoCodes32"
  | "twoCodes64"
>;

/** Kernels on codes over a memory. */
export function twinCodes(memory: Memory): Codes {
  function levels(
    codes: Uint8Array | Uint16Array,
    out: number,
    from: number,
    n: number,
    unknown: number,
  ): number {
    let missing = 0;
    for (let i = 0; i < n; i++) {
      const level = memory.i32[(from >>> 2) + i];
      if (level < 0) missing = 1;
      codes[out + i] = level < 0 ? unknown + 1 : Math.min(level, unknown);
    }
    return missing;
  }

  function twoCodes(
    values: Float32Array | Float64Array,
    low: number,
    high: number,
    out: number,
  ): number {
    for (let i = 0; i < values.length; i++) {
      if (values[i] !== low && values[i] !== high) return 0;
      memory.u8[out + i] = values[i] === high ? 1 : 0;
    }
    return 1;
  }

  return {
    twoCodes32: (values, n, low, high, out) =>
      twoCodes(new Float32Array(memory.u8.buffer as ArrayBuffer, values, n), low, high, out),
    twoCodes64: (values, n, low, high, out) =>
      twoCodes(memory.f64.subarray(values >>> 3, (values >>> 3) + n), low, high, out),

    levels8: (from, n, unknown, out) => levels(memory.u8, out, from, n, unknown),
    levels16: (from, n, unknown, out) => levels(memory.u16, out >>> 1, from, n, unknown),

    numberPairs(first, second, n, numbers, pairs, out) {
      const { u8, u16 } = memory;
      let count = 0;
      for (let i = 0; i < n && count >= 0; i++) {
        const pair = u8[first + i] * 256 + u8[second + i];
        const at = (numbers >>> 1) + pair;
        if (u16[at] === 0) {
          if (count === 256) {
            count = -1;
            break;
          }
          u16[(pairs >>> 1) + count] = pair;
          u16[at] = ++count;
        }
        u8[out + i] = u16[at] - 1;
      }
      const filled = count < 0 ? 256 : count;
      for (let i = 0; i < filled; i++) u16[(numbers >>> 1) + u16[(pairs >>> 1) + i]] = 0;
      return count;
    },

    gather8(codes, rows, n, out) {
      const { u8, u32 } = memory;
      for (let i = 0; i < n; i++) u8[out + i] = u8[codes + u32[(rows >>> 2) + i]];
    },

    codesSeen: (codes, n) => new Set(memory.u8.subarray(codes, codes + n)).size,

    usualCode(codes, n, stride, at) {
      const counts = memory.u32.subarray(at >>> 2, (at >>> 2) + 256).fill(0);
      let looks = 0;
      for (let row = 0; row < n; row += stride, looks++) counts[memory.u8[codes + row]]++;
      return counts.findIndex((count) => count > 0 && 2 * count >= looks);
    },

    spreadRows(numRows, count, out) {
      for (let i = 0; i < count; i++) {
        memory.u32[(out >>> 2) + i] = (Math.imul(i, 0x9e3779b1) >>> 0) % numRows;
      }
    },

    meetsOther(codes, n, usual, merged) {
      const { u8 } = memory;
      for (let i = 0; i < n; i++) if (u8[codes + i] !== usual && u8[merged + i] !== 0) return 1;
      return 0;
    },

    mergeCodes(merged, codes, n, table) {
      const { u8 } = memory;
      for (let i = 0; i < n; i++) u8[merged + i] |= u8[table + u8[codes + i]];
    },
  };
}
