/**
 * Twins of the kernels that keep one number a row and class: the probability, with the sign turned where
 * the row is of the class. Both derivatives of softmax follow from it.
 *
 * @module
 */
import { exp } from "../util/math.ts";
import type { Memory } from "./memory.ts";
import { ditherOf, MIN_HESSIAN, SHIFT16, whole } from "./twin_gradient.ts";
import type { Kernels } from "./types.ts";

type Signed = Pick<
  Kernels,
  "softmaxSigned" | "spreadSigned" | "quantiseSigned" | "leafSumsSigned"
>;

/** Derivatives of a signed probability; −0 is a probability of 0 of the row's own class. */
function derivativesOf(signed: number, factor: number): readonly [g: number, h: number] {
  const p = Math.abs(signed);
  const isOwn = signed < 0 || Object.is(signed, -0);
  return [isOwn ? p - 1 : p, Math.max(factor * (p * (1 - p)), MIN_HESSIAN)];
}

/** Kernels of signed probabilities over a memory. */
export function twinSigned(memory: Memory): Signed {
  return {
    softmaxSigned(raw, label, signed, n, numOutputs, stride, factor, _work, stats, statsStride) {
      const { f64 } = memory;
      const step = stride >>> 3;
      const [r, to] = [raw >>> 3, signed >>> 3];
      for (let row = 0; row < n; row++) {
        let largest = -Infinity;
        for (let k = 0; k < numOutputs; k++) largest = Math.max(largest, f64[r + k * step + row]);
        let total = 0;
        for (let k = 0; k < numOutputs; k++) {
          total += f64[to + k * step + row] = exp(f64[r + k * step + row] - largest);
        }
        for (let k = 0; k < numOutputs; k++) {
          const p = f64[to + k * step + row] / total;
          f64[to + k * step + row] = f64[(label >>> 3) + row] === k ? -p : p;
        }
      }
      for (let k = 0; k < numOutputs; k++) {
        let [maxG, maxH] = [0, 0];
        const [sumG, sumH] = [[0, 0], [0, 0]];
        for (let row = 0; row < n; row++) {
          const [slope, h] = derivativesOf(f64[to + k * step + row], factor);
          const g = Math.abs(slope);
          maxG = maxG < g ? g : maxG; // NaN shows in the sums
          maxH = maxH < h ? h : maxH;
          sumG[row & 1] += g;
          sumH[row & 1] += h;
        }
        const at = (stats + k * statsStride) >>> 3;
        f64.set([maxG, sumG[0] + sumG[1], maxH, sumH[0] + sumH[1]], at);
      }
    },

    spreadSigned(gradient, hessian, n, factor) {
      const { f64 } = memory;
      for (let i = 0; i < n; i++) {
        const [g, h] = derivativesOf(f64[(gradient >>> 3) + i], factor);
        f64[(gradient >>> 3) + i] = g;
        f64[(hessian >>> 3) + i] = h;
      }
    },

    quantiseSigned(signed, n, firstRow, factor, packed, packG, packH, seed, sums) {
      const { f64, u32 } = memory;
      let [sumG, sumH] = [0, 0];
      for (let i = 0; i < n; i++) {
        const [slope, curvature] = derivativesOf(f64[(signed >>> 3) + i], factor);
        const dither = ditherOf(firstRow + i, seed);
        const g = Math.floor(slope * packG + (dither >>> 16) * SHIFT16);
        const h = Math.floor(curvature * packH + (dither & 0xffff) * SHIFT16);
        u32[(packed >>> 2) + i] = (g << 16) | (h & 0xffff);
        sumG += g;
        sumH += h;
      }
      f64[sums >>> 3] = sumG;
      f64[(sums >>> 3) + 1] = sumH;
    },

    leafSumsSigned(leafOf, size, signed, n, factor, fixG, fixH, out) {
      const { f64, u8, i32 } = memory;
      for (let i = 0; i < n; i++) {
        const leaf = size === 1 ? u8[leafOf + i] : i32[(leafOf >>> 2) + i];
        const [g, h] = derivativesOf(f64[(signed >>> 3) + i], factor);
        f64[(out >>> 3) + 2 * leaf] += whole(g, fixG);
        f64[(out >>> 3) + 2 * leaf + 1] += whole(h, fixH);
      }
    },
  };
}
