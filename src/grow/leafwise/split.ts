/**
 * The best split of one node and one feature, with the order of sums and the rule for ties of
 * LightGBM 4's `feature_histogram.hpp`: the scan from the right (missing values left) comes first,
 * the scan from the left replaces its find only where it gains more.
 *
 * @module
 */
import type { LeafwiseFeature } from "../../binning/leafwise_bins.ts";
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
  count: number;
}

/** Finds the best split of a feature. */
export function findLeafwiseSplit(
  histogram: LeafwiseHistogram,
  feature: LeafwiseFeature,
  node: LeafwiseSums,
  options: LeafwiseOptions,
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
  const best = numeric
    ? bestCut(histogram, feature, sums, least, options)
    : oneHot
    ? bestCategory(histogram, feature, sums, least, options)
    : bestCategories(histogram, feature, sums, least, used, options);
  if (best === undefined) return { splittable: false };
  const g = sums.gradient - best.g;
  const h = sums.hessian - best.h;
  const count = sums.count - best.count;
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
        value: leafValue(best.g, best.h, best.count, sums.value, used, options),
      },
      right: {
        gradient: g,
        hessian: h - EPSILON,
        count,
        value: leafValue(g, h, count, sums.value, used, options),
      },
    },
  };
}

/** Gain of two children. */
function pairGain(
  gl: number,
  hl: number,
  cl: number,
  node: LeafwiseSums,
  lambda: number,
  options: LeafwiseOptions,
): number {
  const { gradient, hessian, count, value } = node;
  return leafGain(gl, hl, cl, value, lambda, options) +
    leafGain(gradient - gl, hessian - hl, count - cl, value, lambda, options);
}

/** Thresholds of a numeric feature. */
function bestCut(
  histogram: LeafwiseHistogram,
  feature: LeafwiseFeature,
  node: LeafwiseSums,
  least: number,
  options: LeafwiseOptions,
): Candidate | undefined {
  const twoWays = feature.hasMissing && feature.numBins > 2;
  const first = scanFromRight(histogram, feature, node, least, twoWays, options);
  if (!twoWays) return first && { ...first, missingLeft: !feature.hasMissing };
  const second = scanFromLeft(histogram, feature, node, least, options);
  if (first === undefined) return second;
  // Compared as LightGBM does, with the node's own gain taken off and added again.
  return second !== undefined && second.gain > (first.gain - least) + least ? second : first;
}

function scanFromRight(
  { sums, at }: LeafwiseHistogram,
  { numBins }: LeafwiseFeature,
  node: LeafwiseSums,
  least: number,
  skipMissing: boolean,
  options: LeafwiseOptions,
): Candidate | undefined {
  const { minRowsPerLeaf, minChildWeight, lambda } = options;
  const rowsPerHessian = node.count / node.hessian;
  let best: Candidate | undefined;
  let g = 0;
  let h = EPSILON;
  let count = 0;
  for (let bin = numBins - 1 - (skipMissing ? 1 : 0); bin >= 1; bin--) {
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
    const gain = leafGain(leftG, leftH, leftCount, node.value, lambda, options) +
      leafGain(g, h, count, node.value, lambda, options);
    if (gain > least && gain > (best?.gain ?? -Infinity)) {
      best = {
        gain,
        bin: bin - 1,
        bins: [],
        missingLeft: true,
        g: leftG,
        h: leftH,
        count: leftCount,
      };
    }
  }
  return best;
}

/** Missing values right. */
function scanFromLeft(
  { sums, at }: LeafwiseHistogram,
  { numBins, restBin }: LeafwiseFeature,
  node: LeafwiseSums,
  least: number,
  options: LeafwiseOptions,
): Candidate | undefined {
  const { minRowsPerLeaf, minChildWeight, lambda } = options;
  const rowsPerHessian = node.count / node.hessian;
  let best: Candidate | undefined;
  let g = 0;
  let h = EPSILON;
  let count = 0;
  if (restBin === 0) {
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
  for (let bin = 0; bin <= numBins - 2; bin++) {
    if (bin > 0 || restBin !== 0) {
      const hessian = sums[at + 2 * bin + 1];
      g += sums[at + 2 * bin];
      h += hessian;
      count += estimatedRows(hessian, rowsPerHessian);
    }
    if (count < minRowsPerLeaf || h < minChildWeight) continue;
    if (node.count - count < minRowsPerLeaf || node.hessian - h < minChildWeight) break;
    const gain = pairGain(g, h, count, node, lambda, options);
    if (gain > least && gain > (best?.gain ?? -Infinity)) {
      best = { gain, bin, bins: [], missingLeft: false, g, h, count };
    }
  }
  return best;
}

/** One category against the rest. */
function bestCategory(
  { sums, at }: LeafwiseHistogram,
  { numBins }: LeafwiseFeature,
  node: LeafwiseSums,
  least: number,
  options: LeafwiseOptions,
): Candidate | undefined {
  const { minRowsPerLeaf, minChildWeight, lambda } = options;
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
    const { value } = node;
    const gain = leafGain(node.gradient - g, otherH, node.count - count, value, lambda, options) +
      leafGain(g, h + EPSILON, count, value, lambda, options);
    if (gain > least && gain > (best?.gain ?? -Infinity)) {
      best = { gain, bin: -1, bins: [bin], missingLeft: false, g, h: h + EPSILON, count };
    }
  }
  return best;
}

/** Categories in order of G / (H + catSmooth), taken from either end. */
function bestCategories(
  { sums, at }: LeafwiseHistogram,
  { numBins }: LeafwiseFeature,
  node: LeafwiseSums,
  least: number,
  lambda: number,
  options: LeafwiseOptions,
): Candidate | undefined {
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
      const gain = pairGain(g, h, count, node, lambda, options);
      if (gain > least && gain > (best?.gain ?? -Infinity)) {
        best = { gain, bin: -1, bins: bins.slice(0, i + 1), missingLeft: false, g, h, count };
      }
    }
  }
  return best;
}
