/**
 * Twins of the gradient kernels. They perform the operations of `src/loss` in the same order.
 *
 * @module
 */
import { exp, sigmoid } from "../../util/math.ts";
import type { Memory } from "../memory.ts";
import type { Kernels } from "../types.ts";

export const MIN_HESSIAN = 1e-16;
const SHIFTER = 6755399441055744; // 1.5 · 2^52: adding and subtracting it rounds half to even
const SHIFT16 = 1 / 65536;

/** Spreads row numbers over 32 bits: the dither of a row in a round. */
export function ditherOf(row: number, seed: number): number {
  let x = Math.imul(row ^ seed, 0x9e3779b1);
  x = Math.imul(x ^ (x >>> 15), 0x85ebca6b);
  return (x ^ (x >>> 13)) >>> 0;
}

/** Rounded half to even to a whole multiple of 1/fix, as a whole number. */
export function whole(x: number, fix: number): number {
  return (x * fix + SHIFTER) - SHIFTER;
}

type Gradients = Pick<
  Kernels,
  "squared" | "logistic" | "softmax" | "weigh" | "gradientStats" | "quantise" | "listRows"
>;

/** Gradient kernels over a memory. */
export function twinGradients(memory: Memory): Gradients {
  const gradients: Gradients = {
    squared(raw, label, gradient, hessian, n) {
      const { f64 } = memory;
      for (let i = 0; i < n; i++) {
        f64[(gradient >>> 3) + i] = f64[(raw >>> 3) + i] - f64[(label >>> 3) + i];
        f64[(hessian >>> 3) + i] = 1;
      }
    },

    logistic(raw, label, gradient, hessian, n) {
      const { f64 } = memory;
      for (let i = 0; i < n; i++) {
        const p = sigmoid(f64[(raw >>> 3) + i]);
        f64[(gradient >>> 3) + i] = p - f64[(label >>> 3) + i];
        f64[(hessian >>> 3) + i] = Math.max(p * (1 - p), MIN_HESSIAN);
      }
    },

    softmax(raw, label, gradient, hessian, n, numOutputs, stride, factor) {
      const { f64 } = memory;
      const step = stride >>> 3;
      for (let i = 0; i < n; i++) {
        const r = (raw >>> 3) + i;
        const g = (gradient >>> 3) + i;
        const h = (hessian >>> 3) + i;
        const y = f64[(label >>> 3) + i];
        let largest = -Infinity;
        for (let k = 0; k < numOutputs; k++) largest = Math.max(largest, f64[r + k * step]);
        let total = 0;
        for (let k = 0; k < numOutputs; k++) {
          total += f64[g + k * step] = exp(f64[r + k * step] - largest);
        }
        for (let k = 0; k < numOutputs; k++) {
          const p = f64[g + k * step] / total;
          f64[g + k * step] = y === k ? p - 1 : p;
          f64[h + k * step] = Math.max(factor * (p * (1 - p)), MIN_HESSIAN);
        }
      }
    },

    weigh(gradient, hessian, factor, n) {
      const { f64 } = memory;
      for (let i = 0; i < n; i++) {
        f64[(gradient >>> 3) + i] *= f64[(factor >>> 3) + i];
        f64[(hessian >>> 3) + i] *= f64[(factor >>> 3) + i];
      }
    },

    gradientStats(gradient, hessian, n, out) {
      const { f64 } = memory;
      let maxG = 0;
      let maxH = 0;
      const sumG = [0, 0];
      const sumH = [0, 0];
      for (let i = 0; i < n; i++) {
        const g = Math.abs(f64[(gradient >>> 3) + i]);
        const h = f64[(hessian >>> 3) + i];
        maxG = maxG < g ? g : maxG; // NaN shows in the sums
        maxH = maxH < h ? h : maxH;
        sumG[i & 1] += g;
        sumH[i & 1] += h;
      }
      f64[out >>> 3] = maxG;
      f64[(out >>> 3) + 1] = sumG[0] + sumG[1];
      f64[(out >>> 3) + 2] = maxH;
      f64[(out >>> 3) + 3] = sumH[0] + sumH[1];
    },

    listRows(n, mask, list) {
      const { u8, u16 } = memory;
      let front = list >>> 1;
      let back = front + n - 1;
      for (let i = 0; i < n; i++) {
        if (mask !== 0 && u8[mask + i] === 0) u16[back--] = i;
        else u16[front++] = i;
      }
      return front - (list >>> 1);
    },

    quantise(
      gradient,
      hessian,
      n,
      firstRow,
      mask,
      list,
      packed,
      fixG,
      fixH,
      packG,
      packH,
      seed,
      sums,
    ) {
      const { f64, u8, u32 } = memory;
      let sumG = 0;
      let sumH = 0;
      for (let i = 0; i < n; i++) {
        let g = f64[(gradient >>> 3) + i];
        let h = f64[(hessian >>> 3) + i];
        if (packG === 0) {
          g = f64[(gradient >>> 3) + i] = whole(g, fixG);
          h = f64[(hessian >>> 3) + i] = whole(h, fixH);
        } else {
          const dither = ditherOf(firstRow + i, seed);
          g = Math.floor(g * packG + (dither >>> 16) * SHIFT16);
          h = Math.floor(h * packH + (dither & 0xffff) * SHIFT16);
          u32[(packed >>> 2) + i] = (g << 16) | (h & 0xffff);
        }
        if (mask !== 0 && u8[mask + i] === 0) continue;
        sumG += g;
        sumH += h;
      }
      f64[sums >>> 3] = sumG;
      f64[(sums >>> 3) + 1] = sumH;
      return gradients.listRows(n, mask, list);
    },
  };
  return gradients;
}
