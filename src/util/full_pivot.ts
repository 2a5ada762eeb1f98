/**
 * Inverse of a small matrix by elimination with full pivoting, which also makes something sensible of
 * matrices that have none.
 *
 * Golub & Van Loan, "Matrix Computations", 4th edition, algorithm 3.4.3; the rank is that of Eigen's
 * `FullPivLU`.
 *
 * @module
 */

/**
 * Inverts a matrix. Where its rank is less than its size (pivots below the largest times size · 2⁻⁵²
 * count as 0), the unknowns that are left over are 0.
 *
 * @param matrix size · size numbers, row-major; it is used up.
 * @returns NaN everywhere where a number of the matrix is not finite.
 */
export function invert(matrix: Float64Array, size: number): Float64Array {
  const rowOf = Int32Array.from({ length: size }, (_, i) => i);
  const colOf = rowOf.slice();
  const inverse = new Float64Array(size * size);
  if (!matrix.every(Number.isFinite)) return inverse.fill(NaN);
  const rank = eliminate(matrix, size, rowOf, colOf);
  const x = new Float64Array(size);
  for (let unit = 0; unit < size; unit++) {
    for (let i = 0; i < size; i++) x[i] = rowOf[i] === unit ? 1 : 0;
    solveLower(matrix, size, x);
    solveUpper(matrix, size, rank, x);
    for (let i = 0; i < rank; i++) inverse[colOf[i] * size + unit] = x[i];
  }
  return inverse;
}

/**
 * Unknowns are solved in panels of four, whose products are summed before they are taken from the
 * rest: Eigen's order, so that coefficients which cancel to 0 there do so here.
 */
const PANEL = 4;

function solveLower(matrix: Float64Array, size: number, x: Float64Array): void {
  for (let from = 0; from < size; from += PANEL) {
    const to = Math.min(size, from + PANEL);
    for (let k = from; k < to; k++) {
      for (let i = k + 1; i < to; i++) x[i] -= x[k] * matrix[i * size + k];
    }
    for (let i = to; i < size; i++) x[i] -= explained(matrix, size, i, x, from, to);
  }
}

/** The first `rank` unknowns, the last one first. */
function solveUpper(matrix: Float64Array, size: number, rank: number, x: Float64Array): void {
  for (let to = rank; to > 0; to -= PANEL) {
    const from = Math.max(0, to - PANEL);
    for (let k = to - 1; k >= from; k--) {
      x[k] *= 1 / matrix[k * size + k];
      for (let i = from; i < k; i++) x[i] -= x[k] * matrix[i * size + k];
    }
    for (let i = 0; i < from; i++) x[i] -= explained(matrix, size, i, x, from, to);
  }
}

/** Σ of a row times the unknowns of a panel. */
function explained(
  matrix: Float64Array,
  size: number,
  row: number,
  x: Float64Array,
  from: number,
  to: number,
): number {
  let sum = 0;
  for (let k = from; k < to; k++) sum += matrix[row * size + k] * x[k];
  return sum;
}

/** Turns a matrix into its factors L (below the diagonal, 1 on it) and U; returns the rank. */
function eliminate(
  matrix: Float64Array,
  size: number,
  rowOf: Int32Array,
  colOf: Int32Array,
): number {
  let largest = 0;
  for (let k = 0; k < size; k++) {
    const [row, col] = pivotOf(matrix, size, k);
    const pivot = Math.abs(matrix[row * size + col]);
    if (!(pivot > 0)) break;
    largest = Math.max(largest, pivot);
    for (let j = 0; j < size; j++) swap(matrix, k * size + j, row * size + j);
    for (let i = 0; i < size; i++) swap(matrix, i * size + k, i * size + col);
    swap(rowOf, k, row);
    swap(colOf, k, col);
    for (let i = k + 1; i < size; i++) {
      const factor = matrix[i * size + k] /= matrix[k * size + k];
      for (let j = k + 1; j < size; j++) matrix[i * size + j] -= factor * matrix[k * size + j];
    }
  }
  const least = largest * Number.EPSILON * size;
  let rank = 0;
  for (let k = 0; k < size; k++) if (Math.abs(matrix[k * size + k]) > least) rank++;
  return rank;
}

/** Place of the largest entry from row and column `k` on. */
function pivotOf(matrix: Float64Array, size: number, k: number): readonly [number, number] {
  let place: readonly [number, number] = [k, k];
  let most = -1;
  for (let col = k; col < size; col++) {
    for (let row = k; row < size; row++) {
      const entry = Math.abs(matrix[row * size + col]);
      if (entry > most) [most, place] = [entry, [row, col]];
    }
  }
  return place;
}

function swap(list: Float64Array | Int32Array, a: number, b: number): void {
  const held = list[a];
  list[a] = list[b];
  list[b] = held;
}
