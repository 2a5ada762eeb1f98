/**
 * The linear model of one leaf on histograms: a Newton step of a ridge regression whose constant has no
 * penalty, −(XᵀHX + Λ)⁻¹ Xᵀg with a column of ones in X.
 *
 * The features are taken less their means in the leaf and over their spread there, so that neither
 * a number far from 0 nor a unit decides which of them say something: what hardly differs in the
 * leaf beside its whole range, or what the features before it explain, has no term. Solved as it
 * stands, the noise of the sums gives such features coefficients of any size, which cancel in the
 * training rows and nowhere else.
 *
 * Shi et al., "Gradient Boosting with Piece-Wise Linear Regression Trees", IJCAI 2019, equation 3.
 *
 * @module
 */
import type { LeafTerms, LinearColumns } from "./linear_leaves.ts";

/** What a leaf is fitted to. */
export interface LeafTask {
  /** Variance of each of the leaf's features up to which it says nothing ({@linkcode leastSpreads}). */
  readonly least: ArrayLike<number>;
  readonly columns: LinearColumns;
  readonly gradient: ArrayLike<number>;
  readonly hessian: ArrayLike<number>;
  /** What the derivatives are multiplied by. */
  readonly fixG: number;
  readonly fixH: number;
  /** Ridge penalty of the coefficients. */
  readonly lambda: number;
  /** Learning rate, which the model is multiplied by. */
  readonly rate: number;
}

/** Least share of a feature's variance in a leaf that those before it leave unexplained. */
const UNEXPLAINED = 1e-8;

/** Standard deviation in a leaf, beside the range of the feature, up to which it says nothing. */
const NARROW = 1e-6;

/**
 * Variance of each feature up to which it says nothing in a leaf; rows are all there are, of which
 * those of weight 0 have no say.
 */
export function leastSpreads(columns: LinearColumns, weight?: ArrayLike<number>): Float64Array {
  return Float64Array.from(columns, (values) => {
    let low = Infinity;
    let high = -Infinity;
    for (let row = 0; values !== undefined && row < values.length; row++) {
      const value = values[row];
      if (Math.abs(value) === Infinity || weight?.[row] === 0) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
    return high > low ? (NARROW * (high - low)) ** 2 : 0;
  });
}

/**
 * Fits the model of a leaf to its rows, the bits depend on their order; rows without a value of each
 * feature and rows of weight 0 are left out.
 *
 * @param features Ascending.
 * @returns `undefined` with fewer rows than unknowns, and where numbers overflow.
 */
export function fitLeaf(
  features: readonly number[],
  rows: Int32Array,
  task: LeafTask,
): LeafTerms | undefined {
  const { least, columns, gradient, hessian, fixG, fixH, lambda, rate } = task;
  const size = features.length;
  const counted = rows.filter((row) =>
    (hessian[row] !== 0 || gradient[row] !== 0) &&
    features.every((feature) => !Number.isNaN(columns[feature]![row]))
  );
  if (counted.length <= size) return undefined;
  let G = 0;
  let H = 0;
  // From the first row on, so that the mean of what does not vary has no rounding.
  const origin = features.map((feature) => columns[feature]![counted[0]]);
  const mean = new Float64Array(size);
  for (const row of counted) {
    const h = hessian[row] / fixH;
    G += gradient[row] / fixG;
    H += h;
    for (let i = 0; i < size; i++) mean[i] += h * (columns[features[i]]![row] - origin[i]);
  }
  for (let i = 0; i < size; i++) mean[i] = origin[i] + mean[i] / H;
  const spread = new Float64Array(size * size);
  const pull = new Float64Array(size);
  const x = new Float64Array(size);
  for (const row of counted) {
    const g = gradient[row] / fixG;
    const h = hessian[row] / fixH;
    for (let i = 0; i < size; i++) x[i] = columns[features[i]]![row] - mean[i];
    for (let i = 0; i < size; i++) {
      pull[i] -= g * x[i];
      for (let j = i; j < size; j++) spread[i * size + j] += h * x[i] * x[j];
    }
  }
  const says = Array.from(least, (value, i) => spread[i * size + i] > value * H);
  for (let i = 0; i < size; i++) spread[i * size + i] += lambda;
  const found = solveInOrder(spread, pull, says);
  const used = features.map((_, i) => i).filter((i) => found[i] !== 0);
  const constant = used.reduce((sum, i) => sum - found[i] * mean[i], -G / H);
  if (!Number.isFinite(constant)) return undefined;
  return {
    constant: constant * rate,
    features: used.map((i) => features[i]),
    coefficients: used.map((i) => found[i] * rate),
  };
}

/**
 * Solves a symmetric system by elimination over its diagonal; unknowns that say nothing, or that those
 * before explain, are 0.
 *
 * @param matrix Its upper triangle, row-major; used up, as is `right`.
 */
function solveInOrder(
  matrix: Float64Array,
  right: Float64Array,
  says: readonly boolean[],
): Float64Array {
  const size = says.length;
  const unit = new Float64Array(size);
  for (let i = 0; i < size; i++) unit[i] = Math.sqrt(matrix[i * size + i]);
  for (let i = 0; i < size; i++) {
    right[i] /= unit[i];
    for (let j = i; j < size; j++) matrix[i * size + j] /= unit[i] * unit[j];
  }
  const found = new Float64Array(size);
  const isKept = new Uint8Array(size);
  for (let k = 0; k < size; k++) {
    const pivot = matrix[k * size + k];
    if (!says[k] || pivot < UNEXPLAINED) continue;
    isKept[k] = 1;
    for (let i = k + 1; i < size; i++) {
      if (!says[i]) continue;
      const factor = matrix[k * size + i] / pivot;
      right[i] -= factor * right[k];
      for (let j = i; j < size; j++) matrix[i * size + j] -= factor * matrix[k * size + j];
    }
  }
  for (let k = size - 1; k >= 0; k--) {
    if (isKept[k] === 0) continue;
    let sum = right[k];
    for (let j = k + 1; j < size; j++) {
      if (isKept[j] === 1) sum -= matrix[k * size + j] * found[j];
    }
    found[k] = sum / matrix[k * size + k];
  }
  return found.map((value, i) => isKept[i] === 1 ? value / unit[i] : 0);
}
