/**
 * Twin of the kernel that finds a feature's best threshold: the plain case of `grow/histogram/split/scan.ts`,
 * without step limits, smoothing or monotone constraints.
 *
 * @module
 */
import type { Memory } from "../memory.ts";
import type { Kernels } from "../types.ts";

const LEAST_SHARE = 1e-10; // a gain must exceed what rounding can make of two equal scores

/** The scan over a memory. */
export function twinScan(memory: Memory): Pick<Kernels, "scanThresholds" | "scanFeatures"> {
  const kernels: ReturnType<typeof twinScan> = {
    scanThresholds(cells, counts, wide, numBins, params, out) {
      const { f64, i32, u32 } = memory;
      const [totalG, totalH, unitG, unitH, lambda, alpha, minHessian, parentScore, minRows, rows] =
        f64.subarray(params >>> 3, (params >>> 3) + 10);
      const soft = (g: number) => g > alpha ? g - alpha : g < -alpha ? g + alpha : 0;
      const side = (g: number, h: number) => {
        const t = soft(g);
        return h + lambda > 0 ? (t * t) / (h + lambda) : 0;
      };
      const gainOf = (g: number, h: number, c: number) => {
        if (counts !== 0 && (c < minRows || rows - c < minRows)) return -Infinity;
        const hl = h * unitH;
        const hr = (totalH - h) * unitH;
        if (hl < minHessian || hr < minHessian) return -Infinity;
        const score = side(g * unitG, hl) + side((totalG - g) * unitG, hr);
        const gain = score - parentScore;
        return gain > LEAST_SHARE * Math.abs(score) ? gain : -Infinity;
      };
      const cellG = (bin: number) =>
        wide === 1 ? f64[(cells >>> 3) + 2 * bin] : i32[(cells >>> 2) + 2 * bin + 1];
      const cellH = (bin: number) =>
        wide === 1 ? f64[(cells >>> 3) + 2 * bin + 1] : u32[(cells >>> 2) + 2 * bin];
      const cellC = (bin: number) => counts === 0 ? 0 : u32[(counts >>> 2) + bin];
      const missingG = cellG(numBins);
      const missingH = cellH(numBins);
      const missingC = cellC(numBins);
      const hasMissing = missingG !== 0 || missingH !== 0 || missingC !== 0;
      const best = [0, -1, 0, 0, 0, 0];
      let g = 0;
      let h = 0;
      let c = 0;
      for (let bin = 0; bin < numBins; bin++) {
        if (cellG(bin) === 0 && cellH(bin) === 0 && cellC(bin) === 0) continue;
        g += cellG(bin);
        h += cellH(bin);
        c += cellC(bin);
        for (let left = 0; left < (hasMissing ? 2 : 1); left++) {
          const gl = left === 0 ? g : g + missingG;
          const hl = left === 0 ? h : h + missingH;
          const cl = left === 0 ? c : c + missingC;
          const gain = gainOf(gl, hl, cl);
          if (gain > best[0]) best.splice(0, 6, gain, bin, left, gl, hl, cl);
        }
      }
      if (!hasMissing && best[0] > 0) best[2] = 2 * best[4] >= totalH ? 1 : 0;
      f64.set(best, out >>> 3);
    },

    scanFeatures(features, n, allowed, cells, counts, wide, params, work, out) {
      const { f64, u8, u32 } = memory;
      let best = [0, -1, -1, 0, 0, 0, 0, 0];
      for (let i = 0; i < n; i++) {
        const [cell, numBins, feature] = u32.subarray((features >>> 2) + 4 * i);
        if (feature === 0xffffffff || (allowed !== 0 && u8[allowed + feature] === 0)) continue;
        const at = cells + cell * (wide === 1 ? 16 : 8);
        const rows = counts === 0 ? 0 : counts + 4 * cell;
        kernels.scanThresholds(at, rows, wide, numBins, params, work);
        const [gain, ...rest] = f64.subarray(work >>> 3, (work >>> 3) + 6);
        if (gain > best[0] || (gain === best[0] && gain > 0 && feature < best[1])) {
          best = [gain, feature, rest[0], 0, ...rest.slice(1)];
        }
      }
      f64.set(best, out >>> 3);
    },
  };
  return kernels;
}
