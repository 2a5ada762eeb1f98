/**
 * Linear models in the leaves of a grown tree: one Newton step of a ridge regression on the numeric
 * features of the leaf's path, in LightGBM's arithmetic (float32 values and derivatives, float64 sums
 * and solution).
 *
 * Shi et al., "Gradient Boosting with Piece-Wise Linear Regression Trees", IJCAI 2019, equation 3;
 * `linear_tree_learner.cpp` of release 4.6.0.
 *
 * @module
 */
import type { Dataset } from "../../data/types.ts";
import type { TreeBuilder } from "../../model/trees.ts";
import { invert } from "../../util/full_pivot.ts";
import type { LeafwiseDerivatives } from "./histogram.ts";
import type { LeafwiseTree } from "./tree.ts";

/** A leaf's value: `constant + Σ coefficients[i] · features[i]`, or the leaf's own where one is missing. */
export interface LeafTerms {
  readonly constant: number;
  readonly features: readonly number[];
  readonly coefficients: readonly number[];
}

/** Models by node; a leaf without one is a constant. */
export type TreeTerms = readonly (LeafTerms | undefined)[];

const ZERO = Math.fround(1e-35); // kZeroThreshold

/** Sums of one leaf: the upper triangle of XᵀHX and Xᵀg, with the constant last. */
interface LeafSums {
  readonly features: readonly number[];
  readonly xhx: Float64Array;
  readonly xg: Float64Array;
  /** Values counted where the tree meets missing ones, else rows. */
  count: number;
}

/**
 * Makes the fitter of a training set: from a tree to the models of its leaves.
 *
 * @param lambda Ridge penalty of the coefficients; the constant has none.
 * @param rate Learning rate, which the models are multiplied by.
 */
export function linearFitter(
  data: Dataset,
  lambda: number,
  rate: number,
): (grown: LeafwiseTree, derivatives: LeafwiseDerivatives) => TreeTerms {
  const columns = data.features.map((column) =>
    column.kind === "numeric" ? Float32Array.from(column.values) : undefined
  );
  const hasMissing = columns.map((column) => column?.some((value) => value !== value) === true);
  return ({ tree, leafOf }, derivatives) => {
    const paths = pathFeatures(tree, (feature) => columns[feature] !== undefined);
    const counts = paths.some((path) => path?.some((feature) => hasMissing[feature]))
      ? "values"
      : "rows";
    const sums = openSums(paths);
    addRows(sums, { columns, leafOf, derivatives }, counts);
    return sums.map((leaf) => leaf && solve(leaf, lambda, rate));
  };
}

/** Numeric features on the path to each leaf, ascending; undefined for inner nodes. */
function pathFeatures(
  { children, feature }: TreeBuilder,
  isNumeric: (feature: number) => boolean,
): readonly (readonly number[] | undefined)[] {
  const paths: (readonly number[])[] = [[]];
  const found: (readonly number[] | undefined)[] = [];
  // A parent has a smaller number than its children.
  children.forEach((own, node) => {
    const path = paths[node];
    found[node] = own.length === 0 ? path : undefined;
    const split = feature[node];
    const next = own.length === 0 || !isNumeric(split) || path.includes(split)
      ? path
      : [...path, split].sort((a, b) => a - b);
    for (const child of own) paths[child] = next;
  });
  return found;
}

function openSums(
  paths: readonly (readonly number[] | undefined)[],
): (LeafSums | undefined)[] {
  return paths.map((features) => {
    if (features === undefined) return undefined;
    const size = features.length + 1;
    return {
      features,
      xhx: new Float64Array(size * (size + 1) / 2),
      xg: new Float64Array(size),
      count: 0,
    };
  });
}

/** Training rows as the fit sees them. */
interface FitRows {
  readonly columns: readonly (Float32Array | undefined)[];
  readonly leafOf: Int32Array;
  readonly derivatives: LeafwiseDerivatives;
}

/** Adds rows to the sums of their leaves; a row with a missing value is left out. */
function addRows(
  leaves: readonly (LeafSums | undefined)[],
  { columns, leafOf, derivatives: { gradient, hessian } }: FitRows,
  counts: "values" | "rows",
): void {
  const x = new Float64Array(columns.length + 1);
  for (let row = 0; row < leafOf.length; row++) {
    const leaf = leaves[leafOf[row]]!;
    const { features, xhx, xg } = leaf;
    const size = features.length;
    let known = 0;
    while (known < size) {
      const value = columns[features[known]]![row];
      if (value !== value) break;
      x[known++] = value;
    }
    leaf.count += counts === "values" ? known : 1;
    if (known < size) continue;
    x[size] = 1;
    let at = 0;
    for (let i = 0; i <= size; i++) {
      xg[i] += x[i] * gradient[row];
      const weighted = x[i] * hessian[row];
      for (let j = i; j <= size; j++) xhx[at++] += weighted * x[j];
    }
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
