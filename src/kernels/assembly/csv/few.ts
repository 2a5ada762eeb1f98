/**
 * Whole numbers of one to three digits, four at once: which bytes of sixteen are ends of cells says
 * where all digits are.
 */

import { CRS, FOURS, fourNumbers, LFS, othersIn } from "./decimal";

/**
 * Reads up to four cells that begin at a place into as many columns, or more columns than cells: what
 * is written behind the last counts for nothing.
 *
 * @param run Columns of numbers that follow, at least one.
 * @returns Bytes up to the last cell's end, and 256 times the number of cells; 0 where there are none.
 */
// @ts-ignore: decorator
@inline
export function readFew(p: usize, out: usize, stride: usize, run: i32, delimiters: v128): i32 {
  const bytes = v128.load(p);
  const newlines = i8x16.bitmask(
    v128.or(i8x16.eq(bytes, v128.load(LFS)), i8x16.eq(bytes, v128.load(CRS))),
  );
  const ends = i8x16.bitmask(i8x16.eq(bytes, delimiters)) | newlines;
  // Whatever is not simple: bytes that are no digits, no digit in a cell, four of them, what is behind
  // a newline and behind these bytes.
  const odd = othersIn(bytes) ^ ends | ends & (ends << 1 | 1) | newlines << 1 |
    ~(ends | ends >> 1 | ends >> 2 | ends >> 3);
  const simple = ends & (odd ^ (odd - 1)) >> 1;
  let count = popcnt(simple);
  if (count === 0) return 0;
  const e1 = ctz(ends);
  let more = ends & (ends - 1);
  const e2 = ctz(more);
  more &= more - 1;
  const e3 = ctz(more);
  more &= more - 1;
  const e4 = ctz(more);
  // Lengths of the cells, two bits each.
  const lengths = (e4 << 6) - 48 * e3 - 12 * e2 - 3 * e1 - 84;
  const numbers = fourNumbers(bytes, FOURS + (<usize>(lengths & 255) << 4));
  const two = f64x2.convert_low_i32x4_s(numbers);
  const next = f64x2.convert_low_i32x4_s(i64x2.shuffle(numbers, numbers, 1, 1));
  v128.store64_lane(out, two, 0);
  v128.store64_lane(out + stride, two, 1);
  v128.store64_lane(out + 2 * stride, next, 0);
  v128.store64_lane(out + 3 * stride, next, 1);
  const last = select<i32>(e4, 31 - clz(simple), count > 4);
  count = min(count, 4);
  return count > run ? 0 : last | count << 8;
}
