/**
 * Twin of the kernel that finds the best sets of levels: the plain case of `grow/histogram/split/category.ts`,
 * without step limits, smoothing of values or monotone constraints.
 *
 * @module
 */
import type { Memory } from "../memory.ts";
import { type Kernels, SplitKind } from "../types.ts";

const LEAST_SHARE = 1e-10; // a gain must exceed what rounding can make of two equal scores

/** A feature's sums and rows by bin, missing last. */
interface Bins {
  readonly gradient: number[];
  readonly hessian: number[];
  readonly count: number[];
}

/** Rows of a bin; where none are counted, 1 where there are any. */
function rowsBy({ gradient, hessian, count }: Bins, counted: boolean): (bin: number) => number {
  return (bin) => counted ? count[bin] : gradient[bin] !== 0 || hessian[bin] !== 0 ? 1 : 0;
}

/** The scan over a memory; `scanThresholds` is that of numbers. */
export function twinLevels(
  memory: Memory,
  scanThresholds: Kernels["scanThresholds"],
): Pick<Kernels, "scanLevels" | "leftLevels"> {
  /** Reads the cells of a feature; writes them anew where they are those of joint codes. */
  function binsOf(
    cells: number,
    counts: number,
    wide: number,
    numBins: number,
    codes: Uint8Array | undefined,
  ): Bins {
    const { f64, i32, u32 } = memory;
    const zeros = () => new Array<number>(numBins + 1).fill(0);
    const bins = { gradient: zeros(), hessian: zeros(), count: zeros() };
    const numCodes = codes?.length ?? numBins + 1;
    for (let code = 0; code < numCodes; code++) {
      const bin = codes === undefined ? code : codes[code];
      const at = 2 * code;
      bins.gradient[bin] += wide === 1 ? f64[(cells >>> 3) + at] : i32[(cells >>> 2) + at + 1];
      bins.hessian[bin] += wide === 1 ? f64[(cells >>> 3) + at + 1] : u32[(cells >>> 2) + at];
      if (counts !== 0) bins.count[bin] += u32[(counts >>> 2) + code];
    }
    return bins;
  }

  /** The bins of a feature of a bundle: the usual one has what the others leave of the node. */
  function binsOfBundle(
    cells: number,
    counts: number,
    wide: number,
    numBins: number,
    codes: Uint8Array,
    usual: number,
    params: number,
  ): Bins {
    const { f64 } = memory;
    const apart = binsOf(cells, counts, wide, Math.max(...codes), undefined);
    const take = (of: readonly number[], total: number) => {
      const bins = new Array<number>(numBins + 1).fill(0);
      codes.forEach((code, bin) => {
        if (bin !== usual) bins[bin] = of[code];
      });
      bins[usual] = bins.reduce((left, one) => left - one, total);
      return bins;
    };
    const [totalG, totalH] = f64.subarray(params >>> 3, (params >>> 3) + 2);
    return {
      gradient: take(apart.gradient, totalG),
      hessian: take(apart.hessian, totalH),
      count: counts === 0 ? apart.count : take(apart.count, f64[(params >>> 3) + 9]),
    };
  }

  /** Best set of levels: gain, bin, kind, missing on the left, ΣG, ΣH, rows. */
  function bestSet(
    bins: Bins,
    counted: boolean,
    numBins: number,
    params: number,
  ) {
    const { gradient, hessian } = bins;
    const [
      totalG,
      totalH,
      unitG,
      unitH,
      plainLambda,
      alpha,
      minHessian,
      parentScore,
      minRows,
      rows,
    ] = memory.f64.subarray(params >>> 3, (params >>> 3) + 10);
    const [mostOneHot, mostLevels, , least, setLambda] = memory.f64.subarray(
      (params >>> 3) + 10,
      (params >>> 3) + 15,
    );
    const oneHot = numBins - 1 <= mostOneHot;
    const lambda = plainLambda + (oneHot ? 0 : setLambda);
    const rowsOf = rowsBy(bins, counted);
    const side = (g: number, h: number) => {
      const t = g > alpha ? g - alpha : g < -alpha ? g + alpha : 0;
      return h + lambda > 0 ? (t * t) / (h + lambda) : 0;
    };
    const gainOf = (g: number, h: number, c: number) => {
      if (counted && (c < minRows || rows - c < minRows)) return -Infinity;
      const hl = h * unitH;
      const hr = (totalH - h) * unitH;
      if (hl < minHessian || hr < minHessian) return -Infinity;
      const score = side(g * unitG, hl) + side((totalG - g) * unitG, hr);
      const gain = score - parentScore;
      return gain > LEAST_SHARE * Math.abs(score) ? gain : -Infinity;
    };
    let best = [0, -1, 0, 0, 0, 0, 0];
    const consider = (kind: number, bin: number, g: number, h: number, c: number) => {
      for (let left = 0; left < (rowsOf(numBins) > 0 ? 2 : 1); left++) {
        const gl = left === 0 ? g : g + gradient[numBins];
        const hl = left === 0 ? h : h + hessian[numBins];
        const cl = left === 0 ? c : c + rowsOf(numBins);
        const gain = gainOf(gl, hl, cl);
        if (gain > best[0]) best = [gain, bin, kind, left, gl, hl, cl];
      }
    };
    if (oneHot) {
      for (let level = 0; level < numBins; level++) {
        if (rowsOf(level) < least) continue;
        consider(SplitKind.one, level, gradient[level], hessian[level], rowsOf(level));
      }
      return best;
    }
    const levels = orderOf(bins, rowsOf, numBins, params);
    for (const kind of [SplitKind.low, SplitKind.high]) {
      const ordered = kind === SplitKind.low ? levels : levels.toReversed();
      let [g, h, c] = [0, 0, 0];
      ordered.slice(0, mostLevels).forEach((level, i) => {
        g += gradient[level];
        h += hessian[level];
        c += rowsOf(level);
        consider(kind, i + 1, g, h, c);
      });
    }
    return best;
  }

  /** Best threshold of a number that shares its byte, whose cells are written to `work` first. */
  function bestThreshold(
    { gradient, hessian, count }: Bins,
    counted: boolean,
    wide: number,
    numBins: number,
    params: number,
    work: number,
  ): number[] {
    const { f64, i32, u32 } = memory;
    for (let bin = 0; bin <= numBins; bin++) {
      if (wide === 1) f64.set([gradient[bin], hessian[bin]], (work >>> 3) + 2 * bin);
      else {
        u32[(work >>> 2) + 2 * bin] = hessian[bin];
        i32[(work >>> 2) + 2 * bin + 1] = gradient[bin];
      }
      if (counted) u32[((work + 4096) >>> 2) + bin] = count[bin];
    }
    scanThresholds(work, counted ? work + 4096 : 0, wide, numBins, params, work + 8192);
    const at = (work + 8192) >>> 3;
    const [gain, bin, left, g, h, c] = f64.subarray(at, at + 6);
    return [gain, bin, SplitKind.threshold, left, g, h, c];
  }

  /** Levels with rows enough in the order in which they are cut. */
  function orderOf(
    { gradient, hessian }: Bins,
    rowsOf: (bin: number) => number,
    numBins: number,
    params: number,
  ): number[] {
    const [totalG, totalH, unitG, unitH] = memory.f64.subarray(params >>> 3, (params >>> 3) + 4);
    const [smooth, least] = memory.f64.subarray((params >>> 3) + 12, (params >>> 3) + 14);
    const mean = totalH > 0 ? (totalG * unitG) / (totalH * unitH) : 0;
    const ratios = gradient.map((g, bin) => {
      const h = hessian[bin] * unitH + smooth;
      return h > 0 ? (g * unitG + smooth * mean) / h : 0;
    });
    return gradient.keys().take(numBins).filter((bin) => rowsOf(bin) >= least).toArray()
      .sort((a, b) => ratios[a] - ratios[b] || a - b);
  }

  return {
    leftLevels(feature, cells, counts, wide, params, _work, split, out) {
      const { f64, u8, u32 } = memory;
      const [cell, numBins, , joint, numCodes] = u32.subarray(feature >>> 2, (feature >>> 2) + 5);
      const codes = joint === 0 ? undefined : u8.subarray(joint, joint + numCodes);
      const cellsAt = cells + cell * (wide === 1 ? 16 : 8);
      const bins = binsOf(cellsAt, counts === 0 ? 0 : counts + 4 * cell, wide, numBins, codes);
      const rowsOf = rowsBy(bins, counts !== 0);
      const [, , bin, kind, missingLeft, , hessian] = f64.subarray(split >>> 3, (split >>> 3) + 7);
      const order = orderOf(bins, rowsOf, numBins, params);
      const chosen = new Set(
        kind === SplitKind.one
          ? [bin]
          : kind === SplitKind.low
          ? order.slice(0, bin)
          : order.slice(order.length - bin),
      );
      const weight = bins.hessian.slice(0, numBins)
        .reduce((sum, h, level) => sum + (chosen.has(level) ? h : -h), 0);
      for (let level = 0; level < numBins; level++) {
        u8[out + level] = (rowsOf(level) === 0 ? weight >= 0 : chosen.has(level)) ? 1 : 0;
      }
      u8[out + numBins] = rowsOf(numBins) === 0
        ? 2 * hessian >= f64[(params >>> 3) + 1] ? 1 : 0
        : missingLeft;
    },

    scanLevels(features, n, allowed, cells, counts, countsNumbers, wide, params, work, out) {
      const { f64, u8, u32 } = memory;
      for (let i = 0; i < n; i++) {
        const [cell, numBins, feature, joint, numCodes, kindOf] = u32.subarray(
          (features >>> 2) + 6 * i,
          (features >>> 2) + 6 * i + 6,
        );
        if (allowed !== 0 && u8[allowed + feature] === 0) continue;
        const counted = counts !== 0 && (kindOf === 1 || countsNumbers === 1);
        const cellsAt = cells + cell * (wide === 1 ? 16 : 8);
        const countsAt = counted ? counts + 4 * cell : 0;
        const codes = joint === 0 ? undefined : u8.subarray(joint, joint + numCodes);
        const bins = kindOf >= 2
          ? binsOfBundle(cellsAt, countsAt, wide, numBins, codes!, kindOf - 2, params)
          : binsOf(cellsAt, countsAt, wide, numBins, codes);
        const [gain, ...rest] = kindOf === 1
          ? bestSet(bins, counted, numBins, params)
          : bestThreshold(bins, counted, wide, numBins, params, work);
        const at = out >>> 3;
        if (gain > f64[at] || (gain === f64[at] && gain > 0 && feature < f64[at + 1])) {
          f64.set([gain, feature, ...rest], at);
        }
      }
    },
  };
}
