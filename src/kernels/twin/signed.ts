/**
 * Twins of the kernels that keep one number a row and class: the first derivative of softmax or of
 * logistic loss, in float32. The second is a function of its size.
 *
 * @module
 */
import type { Memory } from "../memory.ts";
import { ditherOf, MIN_HESSIAN, whole } from "./gradients.ts";
import type { Kernels } from "../types.ts";

type Signed = Pick<
  Kernels,
  "softmaxSigned" | "logisticSigned" | "spreadSigned" | "quantiseSigned" | "leafSumsSigned"
>;

const { fround } = Math;

/** Rows whose sums are of float32. */
const TILE = 128;

/** The second derivative of a row whose first is g. */
function hessianOf(g: number, factor: number): number {
  const p = Math.abs(g);
  return Math.max(
    fround(fround(factor) * fround(p * fround(1 - p))),
    fround(MIN_HESSIAN),
  );
}

/** Polynomial for e^r, |r| ≤ ln 2 / 2, from r^7 down to r^2: expf of Cephes (Moshier). */
const TERMS = [
  1.9875691500e-4,
  1.3981999507e-3,
  8.3334519073e-3,
  4.1665795894e-2,
  1.6666665459e-1,
  5.0000001201e-1,
].map(fround);

/** e^x in float32 for x ≤ 0; below −80 that of −80. */
function power(x: number): number {
  const most = x < -80 ? -80 : x;
  const k = most * 1.442695040888963387 + 6755399441055744 - 6755399441055744; // rounds half to even
  const r = fround(most - k * Math.LN2);
  let y = fround(r * TERMS[0]);
  for (let i = 1; i < 5; i++) y = fround(r * fround(y + TERMS[i]));
  y = fround(fround(r * r) * fround(y + TERMS[5]));
  return fround(fround(fround(y + r) + 1) * 2 ** k);
}

/** Kernels of signed derivatives over a memory. */
export function twinSigned(memory: Memory): Signed {
  const floats = () => new Float32Array(memory.u8.buffer as ArrayBuffer);
  const leaf = (leafOf: number, size: number, row: number) =>
    size === 1 ? memory.u8[leafOf + row] : memory.i32[(leafOf >>> 2) + row];

  /** Sums of float32 by fours, tile by tile in float64. */
  function sumOf(n: number, value: (row: number) => number): number {
    const sums = [0, 0];
    for (let from = 0; from < n; from += TILE) {
      const four = [0, 0, 0, 0];
      for (let row = from; row < Math.min(n, from + TILE); row++) {
        four[row & 3] = fround(four[row & 3] + value(row));
      }
      four.forEach((sum, lane) => sums[lane & 1] += sum);
    }
    return sums[0] + sums[1];
  }

  /** What `gradientStats` tells of some rows. */
  function statsOf(slopes: Float32Array, factor: number, out: number): void {
    let [maxG, maxH] = [0, 0];
    for (const slope of slopes) {
      const g = Math.abs(slope);
      const h = hessianOf(slope, factor);
      maxG = maxG < g ? g : maxG; // NaN shows in the sums
      maxH = maxH < h ? h : maxH;
    }
    const sumG = sumOf(slopes.length, (row) => Math.abs(slopes[row]));
    const sumH = sumOf(slopes.length, (row) => hessianOf(slopes[row], factor));
    memory.f64.set([maxG, sumG, maxH, sumH], out >>> 3);
  }

  return {
    softmaxSigned(
      raw,
      label,
      signed,
      n,
      numOutputs,
      stride,
      factor,
      _work,
      stats,
      statsStride,
      leafOf,
      leafSize,
      leafStride,
      values,
      valuesStride,
    ) {
      const { f64 } = memory;
      const f32 = floats();
      const step = stride >>> 3;
      const [r, to] = [raw >>> 3, signed >>> 2];
      for (let row = 0; row < n; row++) {
        let largest = -Infinity;
        for (let k = 0; k < numOutputs; k++) {
          const at = r + k * step + row;
          if (leafOf !== 0) {
            const value = (values + k * valuesStride) >>> 3;
            f64[at] += f64[value + leaf(leafOf + k * leafStride, leafSize, row)];
          }
          largest = largest < f64[at] || k === 0 ? f64[at] : largest;
        }
        const own = f64[(label >>> 3) + row];
        let [rest, total] = [0, 0];
        for (let k = 0; k < numOutputs; k++) {
          const e = f32[to + k * step + row] = power(f64[r + k * step + row] - largest);
          total = fround(total + e);
          if (k !== own) rest = fround(rest + e);
        }
        const inverse = fround(1 / total);
        for (let k = 0; k < numOutputs; k++) {
          const at = to + k * step + row;
          f32[at] = fround((k === own ? -rest : f32[at]) * inverse);
        }
      }
      for (let k = 0; k < numOutputs; k++) {
        statsOf(f32.subarray(to + k * step, to + k * step + n), factor, stats + k * statsStride);
      }
    },

    logisticSigned(raw, signed, n, stats, leafOf, leafSize, values) {
      const { f64 } = memory;
      const slopes = floats().subarray(signed >>> 2, (signed >>> 2) + n);
      const scores = f64.subarray(raw >>> 3, (raw >>> 3) + n);
      for (let row = 0; row < n; row++) {
        if (leafOf !== 0) scores[row] += f64[(values >>> 3) + leaf(leafOf, leafSize, row)];
        const x = scores[row];
        const e = power(-Math.abs(x));
        const isOne = slopes[row] < 0;
        // The probability of the class that the row is not of.
        const rest = fround((isOne === (x < 0) ? 1 : e) / fround(1 + e));
        slopes[row] = isOne ? -rest : rest;
      }
      statsOf(slopes, 1, stats);
    },

    spreadSigned(signed, gradient, hessian, n, factor) {
      const { f64 } = memory;
      const f32 = floats();
      for (let i = 0; i < n; i++) {
        const g = f32[(signed >>> 2) + i];
        f64[(gradient >>> 3) + i] = g;
        f64[(hessian >>> 3) + i] = hessianOf(g, factor);
      }
    },

    quantiseSigned(signed, n, firstRow, factor, packed, packG, packH, seed, sums) {
      const { f64, u32 } = memory;
      const f32 = floats();
      const [scaleG, scaleH] = [fround(packG * 65536), fround(packH * 32768)];
      let [sumG, sumH] = [0, 0];
      for (let i = 0; i < n; i++) {
        const slope = f32[(signed >>> 2) + i];
        const dither = ditherOf(firstRow + i, seed);
        const g = (Math.trunc(fround(slope * scaleG)) + (dither >>> 16)) >> 16;
        const curvature = fround(hessianOf(slope, factor) * scaleH);
        const h = (Math.trunc(curvature) + (dither & 0x7fff)) >>> 15;
        u32[(packed >>> 2) + i] = (g << 16) | h;
        sumG += g;
        sumH += h;
      }
      f64[sums >>> 3] = sumG;
      f64[(sums >>> 3) + 1] = sumH;
    },

    leafSumsSigned(leafOf, size, signed, n, factor, fixG, fixH, even, odd) {
      const { f64 } = memory;
      const f32 = floats();
      for (let i = 0; i < n; i++) {
        const at = ((i % 2 === 0 ? even : odd) >>> 3) + 2 * leaf(leafOf, size, i);
        const g = f32[(signed >>> 2) + i];
        f64[at] += whole(g, fixG);
        f64[at + 1] += whole(hessianOf(g, factor), fixH);
      }
    },
  };
}
