/**
 * Rows of short cells: where cells end is told for 64 bytes at once, so that no branch depends on
 * how long one is, and the next cell need not wait for this one.
 *
 * It reads what is simple: no quotes, numbers of less than sixteen bytes without exponents, a digit
 * behind each minus and in front of each point, text of less than 64. Where it meets anything else
 * it stops at the beginning of that row, for the loop of rows.ts to judge it.
 */

import {
  CRS,
  decimalBits,
  DOUBLE_QUOTES,
  eightDigits,
  LFS,
  MINUSES,
  othersIn,
} from "./decimal";

const TEXT: u8 = 1;

const CR: u32 = 0x0d;
const LF: u32 = 0x0a;
const NAN: u64 = 0x7ff8000000000000;

/** Bits of four times sixteen bytes. */
// @ts-ignore: decorator
@inline
function joined(a: i32, b: i32, c: i32, d: i32): u64 {
  return <u64><u32>a | <u64><u32>b << 16 | <u64><u32>c << 32 | <u64><u32>d << 48;
}

/** Bits of those bytes that are like those of a vector. */
// @ts-ignore: decorator
@inline
function alike(a: v128, b: v128, c: v128, d: v128, one: v128): u64 {
  return joined(
    i8x16.bitmask(i8x16.eq(a, one)),
    i8x16.bitmask(i8x16.eq(b, one)),
    i8x16.bitmask(i8x16.eq(c, one)),
    i8x16.bitmask(i8x16.eq(d, one)),
  );
}

/**
 * Reads rows behind those that `result` tells of, up to the first that is not simple, and tells of
 * them there. Empty cells are missing.
 *
 * @param whole Whether most numbers have no point.
 */
// @ts-ignore: decorator
@inline
export function readShort(config: usize, to: i32, lastRow: i32, whole: bool): void {
  const input = <usize>load<u32>(config);
  const kinds = <usize>load<u32>(config, 4);
  const values = <usize>load<u32>(config, 8);
  const result = <usize>load<u32>(config, 16);
  const numColumns = <usize>load<u32>(config, 20);
  const stride = <usize>load<u32>(config, 36) << 3;
  const runs = <usize>load<u32>(config, 44);
  const delimiter = i8x16.splat(<i8>load<u32>(config, 24));
  const decimal = i8x16.splat(<i8>load<u32>(config, 28));
  const last = input + <usize>to;

  let rows = load<i32>(result);
  let position = input + <usize>load<u32>(result, 4);
  // Bits of 64 bytes from `base` on: ends of cells to come, ends of rows since this one began, and
  // bytes that make a number not simple.
  let base = position - 64;
  let ends: u64 = 0;
  let newlines: u64 = 0;
  let odd: u64 = 0;
  // What the last of the 64 bytes before was: 1 the end of a cell, a sign, a digit; in a fraction.
  let end1: u64 = 1;
  let minus1: u64 = 0;
  let digit1: u64 = 0;
  let fraction1: u64 = 0;
  while (rows < lastRow) {
    let start = position;
    let end = start;
    let out = values + (<usize>rows << 3);
    let column: usize = 0;
    let bad: u64 = 0;
    // Below zero where a number is too long.
    let room: i32 = 0;
    // Bits up to the end of the cell at hand.
    let upTo: u64 = 0;
    do {
      let isNumber = true;
      let count = <usize>load<u8>(runs + column);
      if (count === 0) {
        isNumber = false;
        count = 1;
      }
      column += count;
      do {
        if (ends === 0) {
          bad |= newlines;
          if (isNumber && !whole) bad |= odd;
          const spilled = <u64>(odd !== 0);
          base += 64;
          if (base > last) {
            // The row is not whole.
            base = last;
            start = last;
            bad = 1;
          }
          const a = v128.load(base);
          const b = v128.load(base, 16);
          const c = v128.load(base, 32);
          const d = v128.load(base, 48);
          newlines = alike(a, b, c, d, v128.load(LFS)) | alike(a, b, c, d, v128.load(CRS));
          ends = alike(a, b, c, d, delimiter) | newlines;
          const quote = v128.load(DOUBLE_QUOTES);
          bad |= <u64>v128.any_true(v128.or(
            v128.or(i8x16.eq(a, quote), i8x16.eq(b, quote)),
            v128.or(i8x16.eq(c, quote), i8x16.eq(d, quote)),
          ));
          const others = joined(othersIn(a), othersIn(b), othersIn(c), othersIn(d));
          if (whole) odd = others & ~ends | spilled;
          else {
            const digits = ~others;
            const minuses = alike(a, b, c, d, v128.load(MINUSES));
            const points = alike(a, b, c, d, decimal);
            // A sum carries a bit from each point through the digits behind it.
            const behind = points << 1 | fraction1;
            const sum = behind + digits;
            odd = others & ~ends & ~minuses & ~points;
            odd |= minuses & ~(ends << 1 | end1) | (minuses << 1 | minus1) & others;
            odd |= points & (~(digits << 1 | digit1) | sum & others);
            end1 = ends >> 63;
            minus1 = minuses >> 63;
            digit1 = digits >> 63;
            fraction1 = <u64>(sum < digits) | points >> 63;
          }
          if (ends === 0) {
            // Not short.
            ends = ~0;
            bad = 1;
          }
        }
        end = base + <usize>ctz(ends);
        upTo = ends ^ (ends - 1);
        ends &= ends - 1;
        const length = <i32>(end - start);
        if (!isNumber) {
          odd &= ~upTo;
          if (load<u8>(kinds + column - 1) === TEXT) {
            store<i32>(out, <i32>(start - input));
            store<i32>(out, <i32>(end - input), 4);
          }
        } else if (!whole) {
          store<u64>(out, select<u64>(NAN, decimalBits(start, length), length === 0));
          room |= 15 - length;
        } else if (<u32>length <= 8 && (odd & upTo) === 0) {
          const m = eightDigits(load<u64>(start) << <u64>((8 - length) << 3));
          const bits = reinterpret<u64>(<f64>(<i64>m));
          store<u64>(out, select<u64>(NAN, bits, length === 0));
        } else {
          odd &= ~upTo;
          room |= 15 - length;
          const bytes = v128.load(start);
          const isIn = (1 << length) - 1;
          const negative = <i32>(load<u8>(start) === 0x2d);
          const points = i8x16.bitmask(i8x16.eq(bytes, decimal)) & isIn;
          const others = othersIn(bytes) & isIn;
          // One point at most, and a digit.
          bad |= <u64>((others ^ (negative | (points & -points))) |
            <i32>(length <= negative + <i32>(points !== 0)));
          store<u64>(out, decimalBits(start, length));
        }
        start = end + 1;
        out += stride;
      } while (--count);
      if (isNumber && !whole) bad |= odd & upTo;
    } while (column < numColumns);
    // The last cell, and only it, ends with a newline; blank lines are not simple.
    bad |= (newlines & upTo) ^ ((upTo >> 1) + 1);
    if (bad !== 0 || room < 0 || end >= last || end === position) break;
    newlines &= ~upTo;
    let next = end + 1;
    if (<u32>load<u8>(end) === CR && <u32>load<u8>(next) === LF) {
      if (next >= last) break;
      next++;
      const lf = upTo + 1;
      ends &= ~lf;
      newlines &= ~lf;
      if (lf === 0) {
        // It would be the first of the 64 bytes that follow.
        base = next - 64;
        end1 = 1;
        minus1 = 0;
        digit1 = 0;
        fraction1 = 0;
      }
    }
    position = next;
    rows++;
  }
  store<i32>(result, rows);
  store<i32>(result, <i32>(position - input), 4);
}
