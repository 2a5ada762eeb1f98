/**
 * Numbers as the page shows them.
 *
 * @module
 */

/** Four significant digits, without a tail of noughts. */
export function shownNumber(value: number): string {
  return Number.isFinite(value) ? String(Number(value.toPrecision(4))).replace("-", "−") : "–";
}

/**
 * A number in a column of numbers whose largest is `largest`: all with as many decimals as give that one
 * four digits, so that they can be compared.
 */
export function shownBeside(value: number, largest: number): string {
  const decimals = 3 - Math.floor(Math.log10(largest));
  if (!(decimals >= 0 && decimals <= 9)) return shownNumber(value);
  return Number.isFinite(value) ? value.toFixed(decimals).replace("-", "−") : "–";
}

/** A share of 1 in percent. */
export function shownPercent(value: number): string {
  return `${(100 * value).toFixed(1)} %`;
}
