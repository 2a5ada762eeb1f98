// Buckets of numbers in their order: the sign and exponent of a number choose a top, which has as many
// buckets as it was given, by the leading bits of the rest. -0 counts as 0.

import { key64 } from "./sort";

/** Sign and exponent, 12 bits. */
export const TOPS: usize = 4096;
/** Most bits by which a top is divided. */
const MOST_BITS: u64 = 13;

// @ts-ignore: decorator
@inline
export function clearTops(tops: usize): void {
  memory.fill(tops, 0, TOPS << 2);
}

/** Counts a number, to be followed by `spreadTops`. */
// @ts-ignore: decorator
@inline
export function countTop(tops: usize, value: f64): void {
  const at = tops + (<usize>(key64(value + 0) >> 52) << 2);
  store<u32>(at, load<u32>(at) + 1);
}

/**
 * Turns counts into the tops' first buckets and shifts: `factor` buckets for each that was counted,
 * rounded up to a power of two, and one where nothing was.
 *
 * @returns How many buckets there are.
 */
export function spreadTops(tops: usize, factor: f64): i32 {
  let next: u32 = 0;
  for (let top: usize = 0; top < TOPS; top++) {
    const at = tops + (top << 2);
    const wanted = <f64>load<u32>(at) * factor;
    const bits = wanted <= 1 ? 0 : min<u64>(MOST_BITS, 64 - clz<u64>(<u64>ceil(wanted) - 1));
    store<u32>(at, (next << 6) | <u32>(52 - bits));
    next += 1 << <u32>bits;
  }
  return next;
}

/** The bucket of a number; that of NaN is one of them. */
// @ts-ignore: decorator
@inline
export function bucketOf(tops: usize, value: f64): usize {
  const key = key64(value + 0);
  const top = load<u32>(tops + (<usize>(key >> 52) << 2));
  return <usize>(top >> 6) + <usize>((key & 0xfffffffffffff) >> <u64>(top & 63));
}
