/**
 * The number written between two neighbouring values.
 *
 * @module
 */

import { nextDown64 } from "../../util/float.ts";

/** How the number between two neighbours is chosen. */
export type CutStyle =
  | "midpoint"
  /** A float32 number near the midpoint. */
  | "short"
  /** As rpart: a value equal to the midpoint goes right. */
  | "below";

/**
 * The midpoint `t` with `low <= t < high`; `low` itself where rounding would make it `high`.
 * `short` prefers a float32 number near the midpoint, which models store in half the space.
 */
export function cutBetween(low: number, high: number, style: CutStyle): number {
  if (low === -Infinity) {
    if (high === Infinity) return 0;
    return high > -Number.MAX_VALUE ? -Number.MAX_VALUE : low;
  }
  if (high === Infinity) return low;
  const middle = low / 2 + high / 2;
  if (style === "short") {
    const rounded = Math.fround(middle);
    if (rounded >= low && rounded < high) return rounded;
  }
  return middle >= low && middle < high ? middle : low;
}

/**
 * Threshold between the values of two codes, and the largest code of the frame that it sends left
 * (rows outside the node may lie between the two).
 */
export function cutCodes(
  values: Float64Array,
  low: number,
  high: number,
  style: CutStyle,
): { readonly code: number; readonly threshold: number } {
  const threshold = cutBetween(values[low], values[high], style);
  let code = low;
  let beyond = high - 1;
  while (code < beyond) {
    const middle = (code + beyond + 1) >>> 1;
    if (values[middle] <= threshold) code = middle;
    else beyond = middle - 1;
  }
  if (style === "below" && code > low && values[code] === threshold) {
    return { code: code - 1, threshold: nextDown64(threshold) };
  }
  return { code, threshold };
}
