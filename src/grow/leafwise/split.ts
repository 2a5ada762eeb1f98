/**
 * The best split of one node and one feature, with the order of sums and the rule for ties of
 * LightGBM 4's `feature_histogram.hpp`: the scan from the right (missing values left) comes first,
 * the scan from the left replaces its find only where it gains more.
 *
 * @module
 */
import type { LeafwiseFeature } from "../../binning/leafwise_bins.ts";
import { clamp, type CutBounds, type FeatureBounds, inOrder } from "./bounds.ts";
import {
  EPSILON,
  estimatedRows,
  gainOfValue,
  leafGain,
  leafValue,
  type LeafwiseOptions,
  type LeafwiseSums,
} from "./math.ts";

/** A split of a node. */
export interface LeafwiseSplit {
  readonly feature: LeafwiseFeature;
  /** Gain above that of the node itself and `gamma`. */
  readonly gain: number;
  /** Numeric: last bin on the left. */
  readonly bin: number;
  /** Categorical: bins on the left. */
  readonly bins: readonly number[];
  readonly missingLeft: boolean;
  readonly left: LeafwiseSums;
  readonly right: LeafwiseSums;
  /** What both leaves get, where rounding alone puts LightGBM's values out of order. */
  readonly middle?: number;
}

/** What one feature has to offer. */
export interface LeafwiseFind {
  readonly split?: LeafwiseSplit;
  /** Some cut gains more than the node itself; without one, its descendants need not look. */
  readonly splittable: boolean;
}

/** A node's histogram: sums of gradient and hessian of each bin of a feature, from `at` on. */
export interface LeafwiseHistogram {
  readonly sums: Float64Array;
  readonly at: number;
}

/** The best cut found so far, as sums of the left side (with `EPSILON`). */
interface Candidate {
  gain: number;
  bin: number;
  bins: readonly number[];
  missingLeft: boolean;
  g: number;
  h: number;
  /** Sums of the right side, where the scan has others than what `g` and `h` leave, by rounding. */
  right?: { readonly g: number; readonly h: number };
  count: number;
  cut: CutBounds | undefined;
}

const FREE: CutBounds = {
  leftMin: -Infinity,
  leftMax: Infinity,
  rightMin: -Infinity,
  rightMax: Infinity,
};

/** Finds the best split of a feature; `bounds` are those of a model with monotone constraints. */
export function findLeafwiseSplit(
  histogram: LeafwiseHistogram,
  feature: LeafwiseFeature,
  node: LeafwiseSums,
  options: LeafwiseOptions,
  bounds?: FeatureBounds,
): LeafwiseFind {
  const sums = { ...node, hessian: node.hessian + 2 * EPSILON };
  const numeric = feature.kind === "numeric";
  const { lambda, gamma } = options;
  const own = numeric || !(options.pathSmooth > EPSILON)
    ? leafGain(sums.gradient, sums.hessian, sums.count, sums.value, lambda, options)
    : gainOfValue(sums.gradient, sums.hessian, sums.value, lambda, options.alpha);
  const least = own + gamma;
  const oneHot = feature.numBins <= options.maxCategoriesOneHot;
  const used = numeric || oneHot ? lambda : lambda + options.catL2;
  const search = { node: sums, least, lambda: used, options, bounds, gains: false };
  const best = numeric
    ? bestCut(histogram, feature, search)
    : oneHot
    ? bestCategory(histogram, feature, search)
    : bestCategories(histogram, feature, search);
  if (best === undefined) return { splittable: search.gains };
  const g = sums.gradient - best.g;
  const h = sums.hessian - best.h;
  const count = sums.count - best.count;
  const { leftMin, leftMax, rightMin, rightMax } = best.cut ?? FREE;
  const value = (...side: [number, number, number]) =>
    leafValue(...side, sums.value, used, options);
  const left = clamp(value(best.g, best.h, best.count), leftMin, leftMax);
  const right = clamp(value(g, h, count), rightMin, rightMax);
  const seen = best.right === undefined
    ? right
    : clamp(value(best.right.g, best.right.h, count), rightMin, rightMax);
  const isRounded = bounds !== undefined && !inOrder(bounds.direction, left, right) &&
    inOrder(bounds.direction, left, seen);
  const rules = isRounded ? options.monotone?.rules : undefined;
  return {
    splittable: true,
    split: {
      feature,
      gain: best.gain - least,
      bin: best.bin,
      bins: best.bins,
      missingLeft: best.missingLeft,
      left: {
        gradient: best.g,
        hessian: best.h - EPSILON,
        count: best.count,
        value: left,
      },
      right: {
        gradient: g,
        hessian: h - EPSILON,
        count,
        value: rules === "sound" ? seen : right,
      },
      ...(rules === "lightgbm" ? { middle: (left + right) / 2 } : {}),
    },
  };
}

/** What a cut must gain, the bounds of its children, and whether some cut gained enough. */
interface Search {
  readonly node: LeafwiseSums;
  readonly least: number;
  readonly lambda: number;
  readonly options: LeafwiseOptions;
  readonly bounds: FeatureBounds | undefined;
  gains: boolean;
}

/** Gain of two children, or −∞ where their values are out of order. */
function pairGain(
  { node: { value }, lambda, options, bounds }: Search,
  gl: number,
  hl: number,
  cl: number,
  gr: number,
  hr: number,
  cr: number,
  cut: CutBounds | undefined,
): number {
  if (cut === undefined) {
    return leafGain(gl, hl, cl, value, lambda, options) +
      leafGain(gr, hr, cr, value, lambda, options);
  }
  const left = clamp(leafValue(gl, hl, cl, value, lambda, options), cut.leftMin, cut.leftMax);
  const right = clamp(leafValue(gr, hr, cr, value, lambda, options), cut.rightMin, cut.rightMax);
  if (!inOrder(bounds!.direction, left, right)) {
    return options.monotone?.rules === "sound" ? -Infinity : 0;
  }
  return gainOfValue(gl, hl, left, lambda, options.alpha) +
    gainOfValue(gr, hr, right, lambda, options.alpha);
}

/** Whether a cut is the best so far and its bounds can be kept. */
function isBest(
  gain: number,
  search: Search,
  best: Candidate | undefined,
  cut: CutBounds | undefined,
): boolean {
  // A cut out of order gains 0 in LightGBM: never taken here, but its feature stays in sight.
  if (gain === -Infinity ? 0 > search.least : gain > search.least) search.gains = true;
  if (!(gain > search.least)) return false;
  if (best !== undefined && !(gain > best.gain)) return false;
  return cut === undefined || (cut.leftMin <= cut.leftMax && cut.rightMin <= cut.rightMax);
}

/** Thresholds of a numeric feature. */
function bestCut(
  histogram: LeafwiseHistogram,
  feature: LeafwiseFeature,
  search: Search,
): Candidate | undefined {
  const twoWays = feature.missingBin >= 0 && feature.numBins > 2;
  const { least } = search;
  const first = scanFromRight(histogram, feature, search, twoWays);
  // Of two bins, missing values stay in theirs.
  if (!twoWays) return first && { ...first, missingLeft: feature.missingBin <= first.bin };
  const second = scanFromLeft(histogram, feature, search);
  if (first === undefined) return second;
  // Compared as LightGBM does, with the node's own gain taken off and added again.
  return second !== undefined && second.gain > (first.gain - least) + least ? second : first;
}

function scanFromRight(
  { sums, at }: LeafwiseHistogram,
  { numBins, missingBin }: LeafwiseFeature,
  search: Search,
  skipMissing: boolean,
): Candidate | undefined {
  const { node, bounds, options: { minRowsPerLeaf, minChildWeight } } = search;
  const rowsPerHessian = node.count / node.hessian;
  let best: Candidate | undefined;
  let g = 0;
  let h = EPSILON;
  let count = 0;
  for (let bin = numBins - 1; bin >= 1; bin--) {
    if (skipMissing && bin === missingBin) continue;
    const hessian = sums[at + 2 * bin + 1];
    g += sums[at + 2 * bin];
    h += hessian;
    count += estimatedRows(hessian, rowsPerHessian);
    if (count < minRowsPerLeaf || h < minChildWeight) continue;
    const leftCount = node.count - count;
    if (leftCount < minRowsPerLeaf) break;
    const leftH = node.hessian - h;
    if (leftH < minChildWeight) break;
    const leftG = node.gradient - g;
    const cut = bounds?.at(bin, skipMissing);
    const gain = pairGain(search, leftG, leftH, leftCount, g, h, count, cut);
    if (isBest(gain, search, best, cut)) {
      best = {
        gain,
        cut,
        bin: bin - 1,
        bins: [],
        missingLeft: true,
        g: leftG,
        h: leftH,
        right: { g, h },
        count: leftCount,
      };
    }
  }
  return best;
}

/** Missing values right. */
function scanFromLeft(
  { sums, at }: LeafwiseHistogram,
  { numBins, restBin, missingBin }: LeafwiseFeature,
  search: Search,
): Candidate | undefined {
  const { node, bounds, options: { minRowsPerLeaf, minChildWeight } } = search;
  const rowsPerHessian = node.count / node.hessian;
  let best: Candidate | undefined;
  let g = 0;
  let h = EPSILON;
  let count = 0;
  const isLast = missingBin === numBins - 1;
  if (restBin === 0 && isLast) {
    // Bin 0 is what all others leave.
    g = node.gradient;
    h = node.hessian - EPSILON;
    count = node.count;
    for (let bin = 1; bin < numBins; bin++) {
      const hessian = sums[at + 2 * bin + 1];
      g -= sums[at + 2 * bin];
      h -= hessian;
      count -= estimatedRows(hessian, rowsPerHessian);
    }
  }
  // Where zeros are missing, LightGBM leaves out a rest in bin 0 that is not theirs.
  for (let bin = 0; bin <= numBins - 2; bin++) {
    if (bin === missingBin) continue;
    if (bin > 0 || restBin !== 0) {
      const hessian = sums[at + 2 * bin + 1];
      g += sums[at + 2 * bin];
      h += hessian;
      count += estimatedRows(hessian, rowsPerHessian);
    }
    if (count < minRowsPerLeaf || h < minChildWeight) continue;
    if (node.count - count < minRowsPerLeaf || node.hessian - h < minChildWeight) break;
    const cut = bounds?.fromLeft(bin + 1);
    const [rightG, rightH] = [node.gradient - g, node.hessian - h];
    const gain = pairGain(search, g, h, count, rightG, rightH, node.count - count, cut);
    if (isBest(gain, search, best, cut)) {
      best = { gain, cut, bin, bins: [], missingLeft: false, g, h, count };
    }
  }
  return best;
}

/** One category against the rest. */
function bestCategory(
  { sums, at }: LeafwiseHistogram,
  { numBins }: LeafwiseFeature,
  search: Search,
): Candidate | undefined {
  const { node, bounds, options: { minRowsPerLeaf, minChildWeight } } = search;
  const rowsPerHessian = node.count / node.hessian;
  let best: Candidate | undefined;
  for (let bin = 1; bin < numBins; bin++) {
    const g = sums[at + 2 * bin];
    const h = sums[at + 2 * bin + 1];
    const count = estimatedRows(h, rowsPerHessian);
    if (count < minRowsPerLeaf || h < minChildWeight) continue;
    if (node.count - count < minRowsPerLeaf) continue;
    const otherH = node.hessian - h - EPSILON;
    if (otherH < minChildWeight) continue;
    const otherG = node.gradient - g;
    const rest = node.count - count;
    const cut = bounds?.at(bin, false);
    const gain = pairGain(search, otherG, otherH, rest, g, h + EPSILON, count, cut);
    if (isBest(gain, search, best, cut)) {
      best = { gain, cut, bin: -1, bins: [bin], missingLeft: false, g, h: h + EPSILON, count };
    }
  }
  return best;
}

/** Categories in order of G / (H + catSmooth), taken from either end. */
function bestCategories(
  { sums, at }: LeafwiseHistogram,
  { numBins }: LeafwiseFeature,
  search: Search,
): Candidate | undefined {
  const { node, bounds, options } = search;
  const { minRowsPerLeaf, minChildWeight, minRowsPerCategory, catSmooth } = options;
  const rowsPerHessian = node.count / node.hessian;
  const rank = (bin: number) => sums[at + 2 * bin] / (sums[at + 2 * bin + 1] + catSmooth);
  const order = Array.from({ length: numBins - 1 }, (_, i) => i + 1)
    .filter((bin) => estimatedRows(sums[at + 2 * bin + 1], rowsPerHessian) >= catSmooth)
    .sort((a, b) => rank(a) - rank(b));
  const most = Math.min(options.maxCategoriesPerSplit, (order.length + 1) >>> 1);
  let best: Candidate | undefined;
  for (const bins of [order, order.toReversed()]) {
    let g = 0;
    let h = EPSILON;
    let count = 0;
    let inGroup = 0;
    for (let i = 0; i < most; i++) {
      const bin = bins[i];
      const hessian = sums[at + 2 * bin + 1];
      const rows = estimatedRows(hessian, rowsPerHessian);
      g += sums[at + 2 * bin];
      h += hessian;
      count += rows;
      inGroup += rows;
      if (count < minRowsPerLeaf || h < minChildWeight) continue;
      const rest = node.count - count;
      if (rest < minRowsPerLeaf || rest < minRowsPerCategory) break;
      if (node.hessian - h < minChildWeight) break;
      if (inGroup < minRowsPerCategory) continue;
      inGroup = 0;
      const cut = bounds?.at(bin, false);
      const [rightG, rightH] = [node.gradient - g, node.hessian - h];
      const gain = pairGain(search, g, h, count, rightG, rightH, rest, cut);
      if (isBest(gain, search, best, cut)) {
        best = { gain, cut, bin: -1, bins: bins.slice(0, i + 1), missingLeft: false, g, h, count };
      }
    }
  }
  return best;
}
