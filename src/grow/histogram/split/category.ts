/**
 * Splits of categorical features into two sets of levels.
 *
 * Few levels: one against the rest. Many: levels in order of their mean gradient, smoothed towards
 * the node's (Fisher 1958; Breiman et al. 1984; Ke et al. 2017), cut where the gain is largest;
 * true row counts decide which levels may be parted. Missing goes to the side that gains more.
 *
 * @module
 */
import type { ScoreParams } from "./score.ts";
import { SplitKind } from "../../../kernels/types.ts";
import type { BinSums, FeatureSplit, Judge } from "./scan.ts";

/**
 * Levels of a node in the order in which they are cut.
 *
 * @param numLevels Bins of the feature without missing.
 * @returns How many there are; they are the first of `sums.order`.
 */
function levelOrder(
  sums: BinSums,
  numLevels: number,
  total: { readonly gradient: number; readonly hessian: number },
  params: ScoreParams,
): number {
  const { gradient, hessian, count, unitG, unitH, order: levels, ratios } = sums;
  const least = Math.max(1, params.minRowsPerCategory);
  const mean = total.hessian > 0 ? (total.gradient * unitG) / (total.hessian * unitH) : 0;
  const smooth = params.catSmooth;
  let n = 0;
  for (let level = 0; level < numLevels; level++) {
    if (count[level] < least) continue;
    const h = hessian[level] * unitH + smooth;
    ratios[level] = h > 0 ? (gradient[level] * unitG + smooth * mean) / h : 0;
    levels[n++] = level;
  }
  if (n > FEW) {
    levels.subarray(0, n).sort((a, b) => ratios[a] - ratios[b] || a - b);
    return n;
  }
  for (let i = 1; i < n; i++) {
    const level = levels[i];
    let at = i;
    for (; at > 0 && ratios[levels[at - 1]] > ratios[level]; at--) levels[at] = levels[at - 1];
    levels[at] = level;
  }
  return n;
}

/** Up to so many levels are sorted by insertion, which costs a fifth of calls of a comparison. */
const FEW = 48;

/** Whether levels are tried one against the rest. */
function isOneHot(numLevels: number, params: ScoreParams): boolean {
  return numLevels - 1 <= params.maxCategoriesOneHot; // one bin stands for unknown values
}

/** Best set of levels; `out.bin` is the level, or how many levels are on the left. */
export function scanCategories(
  sums: BinSums,
  numLevels: number,
  total: { readonly gradient: number; readonly hessian: number },
  judge: Judge,
  params: ScoreParams,
  out: FeatureSplit,
): void {
  out.gain = 0;
  const { gradient, hessian, count } = sums;
  const missing = numLevels;
  const hasMissing = count[missing] > 0;

  const consider = (kind: number, bin: number, g: number, h: number, c: number): void => {
    for (let side = 0; side < (hasMissing ? 2 : 1); side++) {
      const gl = side === 0 ? g : g + gradient[missing];
      const hl = side === 0 ? h : h + hessian[missing];
      const cl = side === 0 ? c : c + count[missing];
      const gain = judge.gain(gl, hl, cl);
      if (gain > out.gain) {
        out.gain = gain;
        out.kind = kind;
        out.bin = bin;
        out.missingLeft = side === 1;
        out.gradient = gl;
        out.hessian = hl;
        out.count = cl;
      }
    }
  };

  if (isOneHot(numLevels, params)) {
    for (let level = 0; level < numLevels; level++) {
      if (count[level] < Math.max(1, params.minRowsPerCategory)) continue;
      consider(SplitKind.one, level, gradient[level], hessian[level], count[level]);
    }
    return;
  }
  const { order } = sums;
  const numOrdered = levelOrder(sums, numLevels, total, params);
  const most = Math.min(params.maxCategoriesPerSplit, numOrdered);
  for (const kind of [SplitKind.low, SplitKind.high]) {
    let g = 0;
    let h = 0;
    let c = 0;
    for (let i = 0; i < most; i++) {
      const level = order[kind === SplitKind.low ? i : numOrdered - 1 - i];
      g += gradient[level];
      h += hessian[level];
      c += count[level];
      consider(kind, i + 1, g, h, c);
    }
  }
}

/** Levels on the left of a split that {@linkcode scanCategories} found. */
export function levelsOnLeft(
  sums: BinSums,
  numLevels: number,
  total: { readonly gradient: number; readonly hessian: number },
  params: ScoreParams,
  split: FeatureSplit,
): Int32Array {
  if (split.kind === SplitKind.one) return Int32Array.of(split.bin);
  const numOrdered = levelOrder(sums, numLevels, total, params);
  return split.kind === SplitKind.low
    ? sums.order.subarray(0, split.bin)
    : sums.order.subarray(numOrdered - split.bin, numOrdered);
}
