/**
 * Exact quantile cuts of a feature from all its rows.
 *
 * When a feature has few distinct values each gets its own bin; otherwise bins are closed greedily
 * so that each holds about its share of what is left, and a value heavier than a share stands alone.
 *
 * @module
 */

const FLOAT32_MAX = 3.4028234663852886e38;

/**
 * A threshold between neighbouring values: `low <= threshold < high`, as a float32 number where
 * there is one, nearest to the middle.
 */
export function thresholdBetween(low: number, high: number): number {
  const middle = low / 2 + high / 2;
  const single = Math.fround(middle);
  if (low <= single && single < high && Number.isFinite(single)) return single;
  if (low <= middle && middle < high && Number.isFinite(middle)) return middle;
  // An infinite neighbour has no middle: the largest float32 divides it from the rest.
  if (high === Infinity && low <= FLOAT32_MAX) return FLOAT32_MAX;
  if (low === -Infinity && -FLOAT32_MAX < high) return -FLOAT32_MAX;
  return low === -Infinity && -Number.MAX_VALUE < high ? -Number.MAX_VALUE : low;
}

/**
 * Cut points of one feature whose rows have weights.
 *
 * @param low Largest value of each fine bin, ascending; with few distinct values, the values.
 * @param high Smallest value of each fine bin.
 * @param mass Weight of each fine bin; those without any are passed over.
 * @param maxBins Largest number of bins, at least 1.
 * @returns Ascending cuts; value `v` is in the first bin whose cut is ≥ `v`.
 *
 * @example Four values, two bins
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const values = new Float64Array([1, 2, 3, 4]);
 * assertEquals(weightedCuts(values, values, [1, 1, 1, 1], 2), new Float64Array([2.5]));
 * ```
 */
export function weightedCuts(
  low: ArrayLike<number>,
  high: ArrayLike<number>,
  mass: ArrayLike<number>,
  maxBins: number,
): Float64Array {
  const bins: number[] = [];
  let left = 0;
  for (let i = 0; i < mass.length; i++) {
    if (mass[i] === 0) continue;
    bins.push(i);
    left += mass[i];
  }
  const cuts: number[] = [];
  const all = bins.length <= maxBins;
  let binsLeft = maxBins;
  let held = 0;
  for (let i = 0; i + 1 < bins.length && (all || binsLeft > 1); i++) {
    held += mass[bins[i]];
    const share = left / binsLeft;
    // Close the bin where its mass comes nearest to its share.
    if (all || held >= share || held + mass[bins[i + 1]] / 2 > share) {
      cuts.push(thresholdBetween(low[bins[i]], high[bins[i + 1]]));
      left -= held;
      held = 0;
      binsLeft--;
    }
  }
  return Float64Array.from(cuts);
}

/**
 * Cut points of one feature from its sorted values.
 *
 * @param sorted Values in ascending order, without NaN.
 * @param maxBins Largest number of bins, at least 1.
 * @param weight Weight of each sorted value; omitted means all ones.
 * @returns Ascending cuts; value `v` is in the first bin whose cut is ≥ `v`.
 *
 * @example Four values, two bins
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(quantileCuts(new Float64Array([1, 2, 3, 4]), 2), new Float64Array([2.5]));
 * ```
 */
export function quantileCuts(
  sorted: Float64Array | Float32Array,
  maxBins: number,
  weight?: Float64Array,
): Float64Array {
  const values = new Float64Array(sorted.length);
  const mass = new Float64Array(sorted.length);
  let count = 0;
  for (let i = 0; i < sorted.length; i++) {
    if (count === 0 || values[count - 1] !== sorted[i]) values[count++] = sorted[i];
    mass[count - 1] += weight === undefined ? 1 : weight[i];
  }
  const found = values.subarray(0, count);
  return weightedCuts(found, found, mass.subarray(0, count), maxBins);
}
