/**
 * Leaf values and gains as LightGBM computes them, in float64:
 * w = −T(G)/(H + λ) with T the soft threshold by α, gain T(G)²/(H + λ) without the factor ½.
 *
 * @module
 */

/** What LightGBM adds to sums of second derivatives, so that none is zero. */
export const EPSILON = Math.fround(1e-15);

/** Order that trees must keep. */
export interface LeafwiseMonotone {
  /** Direction of each feature of the dataset: 1, −1 or 0. */
  readonly directions: ArrayLike<number>;
  readonly method: "basic" | "intermediate" | "advanced";
  /**
   * `sound` bounds keep the order. `lightgbm` and `lightgbm-unproved` are LightGBM's own; of the
   * former, values that are out of order by rounding alone become one.
   */
  readonly rules: "sound" | "lightgbm" | "lightgbm-unproved";
  /** Splits on constrained features are held back down to about this depth; 0: nowhere. */
  readonly penalty: number;
}

/** Penalties and limits of a tree. */
export interface LeafwiseOptions {
  readonly learningRate: number;
  /** 0: no limit. */
  readonly maxDepth: number;
  /** At least 2. */
  readonly maxLeaves: number;
  readonly lambda: number;
  readonly alpha: number;
  readonly gamma: number;
  readonly minChildWeight: number;
  readonly minRowsPerLeaf: number;
  /** 0: no limit. */
  readonly maxDeltaStep: number;
  /** 0: none. */
  readonly pathSmooth: number;
  readonly maxCategoriesOneHot: number;
  readonly maxCategoriesPerSplit: number;
  readonly catSmooth: number;
  readonly catL2: number;
  readonly minRowsPerCategory: number;
  readonly monotone?: LeafwiseMonotone;
}

/** Float32 derivatives of the rows, of one output. */
export interface LeafwiseDerivatives {
  readonly gradient: Float32Array;
  readonly hessian: Float32Array;
}

/** A node whose splits are sought. */
export interface LeafwiseSums {
  readonly gradient: number;
  readonly hessian: number;
  readonly count: number;
  /** Value of the node, towards which path smoothing pulls its children. */
  readonly value: number;
}

function softThreshold(g: number, alpha: number): number {
  const rest = Math.max(0, Math.abs(g) - alpha);
  return g > 0 ? rest : g < 0 ? -rest : 0;
}

/** Value of a leaf before the learning rate. */
export function leafValue(
  g: number,
  h: number,
  count: number,
  parent: number,
  lambda: number,
  options: LeafwiseOptions,
): number {
  const { alpha, maxDeltaStep, pathSmooth } = options;
  let value = -(alpha > 0 ? softThreshold(g, alpha) : g) / (h + lambda);
  if (maxDeltaStep > 0 && Math.abs(value) > maxDeltaStep) {
    value = Math.sign(value) * maxDeltaStep;
  }
  if (pathSmooth > EPSILON) {
    const share = count / pathSmooth;
    value = value * share / (share + 1) + parent / (share + 1);
  }
  return value;
}

/** What a leaf takes off the loss, twice. */
export function leafGain(
  g: number,
  h: number,
  count: number,
  parent: number,
  lambda: number,
  options: LeafwiseOptions,
): number {
  const { alpha, maxDeltaStep, pathSmooth } = options;
  if (maxDeltaStep > 0 || pathSmooth > EPSILON) {
    return gainOfValue(g, h, leafValue(g, h, count, parent, lambda, options), lambda, alpha);
  }
  const t = alpha > 0 ? softThreshold(g, alpha) : g;
  return t * t / (h + lambda);
}

/** The same for a leaf that takes a given value. */
export function gainOfValue(
  g: number,
  h: number,
  value: number,
  lambda: number,
  alpha: number,
): number {
  const t = alpha > 0 ? softThreshold(g, alpha) : g;
  return -(2 * t * value + (h + lambda) * value * value);
}

/** Rows that a second derivative stands for; LightGBM counts this way and so may be off by some. */
export function estimatedRows(hessian: number, rowsPerHessian: number): number {
  return Math.trunc(hessian * rowsPerHessian + 0.5);
}
