/**
 * Twins of the histogram kernels.
 *
 * @module
 */
import type { Memory } from "../memory.ts";
import { type Kernels, STRIDE8 } from "../types.ts";

type Histograms = Pick<
  Kernels,
  | "packed8"
  | "packed16"
  | "wide8"
  | "wide16"
  | "count8"
  | "count16"
  | "clearCells"
  | "addCells"
  | "subtractCells"
>;

/** Histogram kernels over a memory. */
export function twinHistograms(memory: Memory): Histograms {
  /** Calls `work` with each range in numbers of which `each` make a cell. */
  function forRanges(
    ranges: number,
    n: number,
    each: number,
    work: (from: number, to: number) => void,
  ): void {
    const { u32 } = memory;
    for (let i = 0; i < n; i++) {
      work(each * u32[(ranges >>> 2) + 2 * i], each * u32[(ranges >>> 2) + 2 * i + 1]);
    }
  }

  function combine(
    ranges: number,
    n: number,
    target: number,
    source: number,
    size: number,
    sign: number,
  ): void {
    const [list, shift] = size === 16 ? [memory.f64, 3] : [memory.i32, 2];
    const [to, by] = [target >>> shift, source >>> shift];
    forRanges(ranges, n, size >>> shift, (from, end) => {
      for (let i = from; i < end; i++) list[to + i] += sign * list[by + i];
    });
  }

  return {
    packed8(list, n, rows, stride, numFeatures, packed, out) {
      const { u8, u16, u32, i32 } = memory;
      const end = (list >>> 1) + n;
      for (let at = list >>> 1; at < end; at++) {
        const both = i32[(packed >>> 2) + u16[at]];
        const g = both >> 16;
        const h = both & 0xffff;
        const row = rows + u16[at] * stride;
        let cells = out >>> 2;
        for (let f = 0; f < numFeatures; f++, cells += 2 * STRIDE8) {
          const cell = cells + 2 * u8[row + f];
          u32[cell] += h;
          i32[cell + 1] += g;
        }
      }
    },

    packed16(list, n, rows, stride, numFeatures, starts, packed, out) {
      const { u16, u32, i32 } = memory;
      const end = (list >>> 1) + n;
      for (let at = list >>> 1; at < end; at++) {
        const both = i32[(packed >>> 2) + u16[at]];
        const g = both >> 16;
        const h = both & 0xffff;
        const row = (rows + u16[at] * stride) >>> 1;
        for (let f = 0; f < numFeatures; f++) {
          const cell = (out >>> 2) + 2 * (u32[(starts >>> 2) + f] + u16[row + f]);
          u32[cell] += h;
          i32[cell + 1] += g;
        }
      }
    },

    wide8(list, n, rows, stride, numFeatures, gradient, hessian, out) {
      const { u8, u16, f64 } = memory;
      const end = (list >>> 1) + n;
      for (let at = list >>> 1; at < end; at++) {
        const r = u16[at];
        const g = f64[(gradient >>> 3) + r];
        const h = f64[(hessian >>> 3) + r];
        const row = rows + r * stride;
        let cells = out >>> 3;
        for (let f = 0; f < numFeatures; f++, cells += 2 * STRIDE8) {
          const cell = cells + 2 * u8[row + f];
          f64[cell] += g;
          f64[cell + 1] += h;
        }
      }
    },

    wide16(list, n, rows, stride, numFeatures, starts, gradient, hessian, out) {
      const { u16, u32, f64 } = memory;
      const end = (list >>> 1) + n;
      for (let at = list >>> 1; at < end; at++) {
        const r = u16[at];
        const g = f64[(gradient >>> 3) + r];
        const h = f64[(hessian >>> 3) + r];
        const row = (rows + r * stride) >>> 1;
        for (let f = 0; f < numFeatures; f++) {
          const cell = (out >>> 3) + 2 * (u32[(starts >>> 2) + f] + u16[row + f]);
          f64[cell] += g;
          f64[cell + 1] += h;
        }
      }
    },

    count8(list, n, rows, stride, numFeatures, out) {
      const { u8, u16, u32 } = memory;
      const end = (list >>> 1) + n;
      for (let at = list >>> 1; at < end; at++) {
        const row = rows + u16[at] * stride;
        let cells = out >>> 2;
        for (let f = 0; f < numFeatures; f++, cells += STRIDE8) u32[cells + u8[row + f]]++;
      }
    },

    count16(list, n, rows, stride, numFeatures, starts, out) {
      const { u16, u32 } = memory;
      const end = (list >>> 1) + n;
      for (let at = list >>> 1; at < end; at++) {
        const row = (rows + u16[at] * stride) >>> 1;
        for (let f = 0; f < numFeatures; f++) {
          u32[(out >>> 2) + u32[(starts >>> 2) + f] + u16[row + f]]++;
        }
      }
    },

    clearCells(ranges, n, cells, size) {
      forRanges(ranges, n, size >>> 2, (from, to) => {
        memory.u32.fill(0, (cells >>> 2) + from, (cells >>> 2) + to);
      });
    },

    addCells: (ranges, n, target, source, size) => combine(ranges, n, target, source, size, 1),
    subtractCells: (ranges, n, parent, child, size) => combine(ranges, n, parent, child, size, -1),
  };
}
