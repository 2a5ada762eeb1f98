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
  return low;
}

/**
 * Cut points of one feature.
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
  const { values, mass } = distinct(sorted, weight);
  const count = values.length;
  const cuts: number[] = [];
  if (count <= maxBins) {
    for (let i = 1; i < count; i++) cuts.push(thresholdBetween(values[i - 1], values[i]));
    return Float64Array.from(cuts);
  }
  let left = 0;
  for (let i = 0; i < count; i++) left += mass[i];
  let binsLeft = maxBins;
  let held = 0;
  for (let i = 0; i + 1 < count && binsLeft > 1; i++) {
    held += mass[i];
    const share = left / binsLeft;
    // Close the bin where its mass comes nearest to its share.
    if (held >= share || held + mass[i + 1] / 2 > share) {
      cuts.push(thresholdBetween(values[i], values[i + 1]));
      left -= held;
      held = 0;
      binsLeft--;
    }
  }
  return Float64Array.from(cuts);
}

/** Distinct values of positive weight and the mass of each. */
function distinct(
  sorted: Float64Array | Float32Array,
  weight: Float64Array | undefined,
): { values: Float64Array; mass: Float64Array } {
  const n = sorted.length;
  let count = 0;
  const values = new Float64Array(n);
  const mass = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    const w = weight === undefined ? 1 : weight[i];
    if (w === 0) continue;
    if (count > 0 && values[count - 1] === sorted[i]) {
      mass[count - 1] += w;
    } else {
      values[count] = sorted[i];
      mass[count++] = w;
    }
  }
  return { values: values.subarray(0, count), mass: mass.subarray(0, count) };
}
