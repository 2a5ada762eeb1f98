/**
 * Sums whose error does not grow with the number of terms.
 *
 * A. Neumaier, "Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen", ZAMM 54
 * (1974), algorithm IV.
 *
 * @module
 */

/** A running compensated sum. */
export interface Sum {
  add(x: number): void;
  value(): number;
}

/** Starts a compensated sum at zero. */
export function createSum(): Sum {
  let total = 0;
  let lost = 0;
  return {
    add(x: number): void {
      const next = total + x;
      lost += Math.abs(total) >= Math.abs(x) ? (total - next) + x : (x - next) + total;
      total = next;
    },
    // A total that is not finite has no meaningful correction.
    value: () => Number.isFinite(total) ? total + lost : total,
  };
}

/** Compensated sum of all numbers. */
export function sum(values: ArrayLike<number>): number {
  const total = createSum();
  for (let i = 0; i < values.length; i++) total.add(values[i]);
  return total.value();
}
