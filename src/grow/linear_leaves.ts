/**
 * Linear models in the leaves of a grown tree: one Newton step of a ridge regression on the numeric
 * features of the leaf's path, −(XᵀHX + Λ)⁻¹ Xᵀg, where X ends with a column of ones that has no
 * penalty; sums and solution are float64.
 *
 * Shi et al., "Gradient Boosting with Piece-Wise Linear Regression Trees", IJCAI 2019, equation 3.
 *
 * @module
 */
import { invert } from "../util/full_pivot.ts";

/** Values of each feature, length `numRows`; undefined for categories. */
export type LinearColumns = readonly (Float32Array | Float64Array | undefined)[];

/** A leaf's value: `constant + Σ coefficients[i] · features[i]`, or the leaf's own where one is missing. */
export interface LeafTerms {
  readonly constant: number;
  readonly features: readonly number[];
  readonly coefficients: readonly number[];
}

/** Models by node; a leaf without one is a constant. */
export type TreeTerms = readonly (LeafTerms | undefined)[];

/** What the leaves of a tree are fitted to. */
export interface LinearTask {
  readonly columns: LinearColumns;
  /** Numeric features on the path to each leaf, ascending, by node; undefined: it stays constant. */
  readonly paths: readonly (readonly number[] | undefined)[];
  /** Leaf (node) of each row; −1: the row takes no part. */
  readonly leafOf: Int32Array;
  readonly gradient: ArrayLike<number>;
  readonly hessian: ArrayLike<number>;
  /** Ridge penalty of the coefficients; the constant has none. */
  readonly lambda: number;
  /** Learning rate, which the models are multiplied by. */
  readonly rate: number;
  /**
   * A model of k features needs k + 1 `rows` with values of them all; LightGBM counts `values` up to
   * the first missing one of each row where a split of the tree has some missing.
   */
  readonly counts: "rows" | "values";
}

const ZERO = Math.fround(1e-35); // kZeroThreshold

/** Sums of one leaf: the upper triangle of XᵀHX and Xᵀg, with the constant last. */
interface LeafSums {
  readonly features: readonly number[];
  readonly xhx: Float64Array;
  readonly xg: Float64Array;
  /** Values counted where the tree meets missing ones, else rows. */
  count: number;
}

/** Fits the models; a leaf stays constant with too few rows, and where numbers overflow. */
export function fitLeaves(task: LinearTask): TreeTerms {
  const sums = task.paths.map((features) => features && openSums(features));
  addRows(sums, task);
  return sums.map((leaf) => leaf && solve(leaf, task.lambda, task.rate));
}

/**
 * What a leaf gives a row.
 *
 * @param value The leaf's constant, for rows that lack one of the model's features.
 */
export function leafOutput(
  value: number,
  terms: LeafTerms | undefined,
  columns: LinearColumns,
  row: number,
): number {
  if (terms === undefined) return value;
  let sum = terms.constant;
  for (let i = 0; i < terms.features.length; i++) {
    const x = columns[terms.features[i]]![row];
    if (x !== x) return value;
    sum += x * terms.coefficients[i];
  }
  return sum;
}

/**
 * Numeric features on the path to each leaf, ascending; undefined for other nodes. Children have
 * larger numbers than their parents.
 *
 * @param split Feature and children of a node; undefined at leaves.
 */
export function pathFeatures(
  numNodes: number,
  split: (
    node: number,
  ) => { readonly feature: number; readonly children: readonly number[] } | undefined,
  columns: LinearColumns,
): readonly (readonly number[] | undefined)[] {
  const paths: (readonly number[] | undefined)[] = [[]];
  const found: (readonly number[] | undefined)[] = [];
  for (let node = 0; node < numNodes; node++) {
    const path = paths[node];
    const own = split(node);
    // Nothing leads to what was pruned.
    found[node] = own === undefined ? path : undefined;
    if (own === undefined || path === undefined) continue;
    const isKnown = columns[own.feature] === undefined || path.includes(own.feature);
    const next = isKnown ? path : [...path, own.feature].sort((a, b) => a - b);
    for (const child of own.children) paths[child] = next;
  }
  return found;
}

function openSums(features: readonly number[]): LeafSums {
  const size = features.length + 1;
  return {
    features,
    xhx: new Float64Array(size * (size + 1) / 2),
    xg: new Float64Array(size),
    count: 0,
  };
}

/** Adds rows to the sums of their leaves; a row with a missing value is left out. */
function addRows(
  leaves: readonly (LeafSums | undefined)[],
  { columns, leafOf, gradient, hessian, counts }: LinearTask,
): void {
  const x = new Float64Array(columns.length + 1);
  for (let row = 0; row < leafOf.length; row++) {
    const leaf = leaves[leafOf[row]];
    if (leaf === undefined) continue;
    const known = findValues(x, leaf.features, columns, row);
    if (counts === "values") leaf.count += known;
    if (known < leaf.features.length) continue;
    if (counts === "rows") leaf.count++;
    addRow(leaf, x, gradient[row], hessian[row]);
  }
}

/** Writes a row's values of some features up to the first missing one; returns how many there are. */
function findValues(
  x: Float64Array,
  features: readonly number[],
  columns: LinearColumns,
  row: number,
): number {
  let known = 0;
  while (known < features.length) {
    const value = columns[features[known]]![row];
    if (value !== value) break;
    x[known++] = value;
  }
  return known;
}

/** Adds a row with all values to the sums of its leaf. */
function addRow({ features, xhx, xg }: LeafSums, x: Float64Array, g: number, h: number): void {
  const size = features.length;
  x[size] = 1;
  let at = 0;
  for (let i = 0; i <= size; i++) {
    xg[i] += x[i] * g;
    const weighted = x[i] * h;
    for (let j = i; j <= size; j++) xhx[at++] += weighted * x[j];
  }
}

/** The model of a leaf, or undefined where it has too few rows to fit one. */
function solve(
  { features, xhx, xg, count }: LeafSums,
  lambda: number,
  rate: number,
): LeafTerms | undefined {
  const size = features.length + 1;
  if (count < size) return undefined;
  const matrix = new Float64Array(size * size);
  let at = 0;
  for (let i = 0; i < size; i++) {
    for (let j = i; j < size; j++) matrix[i * size + j] = matrix[j * size + i] = xhx[at++];
    if (i < size - 1) matrix[i * size + i] += lambda;
  }
  const inverse = invert(matrix, size);
  const found = Array.from({ length: size }, (_, i) => {
    let sum = 0;
    for (let j = 0; j < size; j++) sum += -inverse[i * size + j] * xg[j];
    return sum;
  });
  if (!found.every(Number.isFinite)) return undefined;
  const used = features.map((_, i) => i).filter((i) => Math.abs(found[i]) > ZERO);
  return {
    constant: found[size - 1] * rate,
    features: used.map((i) => features[i]),
    coefficients: used.map((i) => found[i] * rate),
  };
}
