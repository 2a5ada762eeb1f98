/**
 * The best split of one feature from its histogram.
 *
 * A numeric feature is scanned once from the left; where the node has missing values both sides
 * are tried for them, and where it has none, those to come go with the heavier child. Parted from all
 * numbers, missing values keep no monotone order. Ties go to the lower threshold, and to missing on the
 * right.
 *
 * @module
 */
import { SplitKind } from "../../../kernels/types.ts";
import { childrenScore, isPlain, type NodeSums, plainScore, type ScoreParams } from "./score.ts";

/** Sums of one feature's bins as float64: whole numbers, so that running sums are exact. */
export interface BinSums {
  readonly gradient: Float64Array;
  readonly hessian: Float64Array;
  /** Only filled where rows are counted. */
  readonly count: Float64Array;
  /** Levels of a category in the order in which they are cut, and what they are ordered by. */
  readonly order: Int32Array;
  readonly ratios: Float64Array;
  counted: boolean;
  /** Size of one unit of the whole numbers. */
  unitG: number;
  unitH: number;
}

/** A split of one feature. */
export interface FeatureSplit {
  gain: number;
  feature: number;
  /** Last bin on the left, or for categories the number of levels on the left. */
  bin: number;
  /** See {@linkcode SplitKind}. */
  kind: number;
  missingLeft: boolean;
  /** Sums of the left child, as whole numbers. */
  gradient: number;
  hessian: number;
  count: number;
}

/** A split that any other beats. */
export function noSplit(): FeatureSplit {
  return {
    gain: 0,
    feature: -1,
    bin: -1,
    kind: SplitKind.threshold,
    missingLeft: false,
    gradient: 0,
    hessian: 0,
    count: 0,
  };
}

// A gain must exceed what rounding can produce from two equal scores.
const LEAST_SHARE = 1e-10;

/** Decides on one candidate; shared by all scans of a node. */
export interface Judge {
  /**
   * Gain of a split with these left sums (whole numbers), or −Infinity where it is not allowed.
   *
   * @param way Direction that the values of the two sides keep; that of the feature unless given.
   */
  gain(gl: number, hl: number, cl: number, way?: number): number;
  /** Direction of the feature; 0 without a monotone constraint. */
  readonly direction: number;
  /** Sum of the node, a whole number. */
  readonly hessian: number;
}

/**
 * Makes the judge of one node and feature.
 *
 * @param total Sums of the node, whole numbers.
 */
export function createJudge(
  sums: BinSums,
  total: { readonly gradient: number; readonly hessian: number },
  node: NodeSums,
  parentScore: number,
  lambda: number,
  direction: number,
  params: ScoreParams,
): Judge {
  const { unitG, unitH, counted } = sums;
  const { alpha } = params;
  // Whole multiples of a unit may miss the weight they stand for by a rounding.
  const minHessian = params.minChildWeight * (1 - 1e-9);
  const minRows = params.minRowsPerLeaf;
  const plain = isPlain(params);
  return {
    direction,
    hessian: total.hessian,
    gain(gl: number, hl: number, cl: number, way = direction): number {
      const cr = node.count - cl;
      if (counted && (cl < minRows || cr < minRows)) return -Infinity;
      const hLeft = hl * unitH;
      const hRight = (total.hessian - hl) * unitH;
      if (hLeft < minHessian || hRight < minHessian) return -Infinity;
      const gLeft = gl * unitG;
      const gRight = (total.gradient - gl) * unitG;
      const score = plain
        ? plainScore(gLeft, hLeft, lambda, alpha) + plainScore(gRight, hRight, lambda, alpha)
        : childrenScore(
          gLeft,
          hLeft,
          cl,
          gRight,
          hRight,
          cr,
          node,
          lambda,
          way,
          params,
        );
      const gain = score - parentScore;
      return gain > LEAST_SHARE * Math.abs(score) ? gain : -Infinity;
    },
  };
}

/** Takes a candidate over when it is better. */
function keep(
  best: FeatureSplit,
  gain: number,
  bin: number,
  missingLeft: boolean,
  g: number,
  h: number,
  c: number,
): void {
  best.gain = gain;
  best.bin = bin;
  best.missingLeft = missingLeft;
  best.gradient = g;
  best.hessian = h;
  best.count = c;
}

/**
 * Best threshold of a numeric feature.
 *
 * @param numBins Value bins; the sums of missing rows are in bin `numBins`.
 * @param out Takes the split; `gain` stays 0 where there is none.
 */
export function scanNumeric(
  sums: BinSums,
  numBins: number,
  judge: Judge,
  out: FeatureSplit,
): void {
  const { gradient, hessian, count } = sums;
  out.gain = 0;
  out.kind = SplitKind.threshold;
  const missingG = gradient[numBins];
  const missingH = hessian[numBins];
  const missingC = sums.counted ? count[numBins] : 0;
  const hasMissing = missingG !== 0 || missingH !== 0 || missingC !== 0;
  let g = 0;
  let h = 0;
  let c = 0;
  for (let bin = 0; bin < numBins; bin++) {
    // An empty bin repeats the split before it.
    if (gradient[bin] === 0 && hessian[bin] === 0 && (!sums.counted || count[bin] === 0)) continue;
    g += gradient[bin];
    h += hessian[bin];
    if (sums.counted) c += count[bin];
    const gain = judge.gain(g, h, c);
    if (gain > out.gain) keep(out, gain, bin, false, g, h, c);
    if (!hasMissing) continue;
    const other = judge.gain(g + missingG, h + missingH, c + missingC);
    if (other > out.gain) {
      keep(out, other, bin, true, g + missingG, h + missingH, c + missingC);
    }
  }
  if (!hasMissing) {
    out.missingLeft = 2 * out.hessian >= judge.hessian;
    return;
  }
  if (judge.direction === 0) return;
  // All numbers against missing values, which have no place in the order: whatever side is above.
  const apart = judge.gain(g, h, c, 0);
  if (apart > out.gain) keep(out, apart, numBins - 1, false, g, h, c);
}
