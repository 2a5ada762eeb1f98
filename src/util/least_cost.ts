/**
 * The decision of least expected cost.
 *
 * @module
 */

/** Sums this close, relatively, are equal: shares are weights divided and so rounded. */
const CLOSE = 1e-12;

/**
 * Class of least expected cost, the first on ties.
 *
 * @param costs Cost of answering `j` where `i` is true at `i × count + j`.
 * @param shares Share or weight of class `k` at `at + k × stride`.
 */
export function leastCost(
  costs: ArrayLike<number>,
  shares: ArrayLike<number>,
  at: number,
  count: number,
  stride = 1,
): number {
  let best = 0;
  let least = Infinity;
  for (let j = 0; j < count; j++) {
    let sum = 0;
    for (let i = 0; i < count; i++) sum += shares[at + i * stride] * costs[i * count + j];
    if (sum < least - CLOSE * least || least === Infinity && sum < Infinity) {
      least = sum;
      best = j;
    }
  }
  return best;
}
