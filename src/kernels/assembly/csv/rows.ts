/**
 * Records of any cells, byte by byte where it has to be.
 */

import {
  decimalIn,
  decimalRead,
  othersIn,
  readDecimal,
  readInline,
  readRest,
} from "./decimal";
import { readFew } from "./few";

export const NUMBER: u8 = 0;
const TEXT: u8 = 1;

const END: i32 = 0;
export const FULL: i32 = 1;
const ODD: i32 = 2;

const QUOTE: u32 = 0x22;
export const LF: u32 = 0x0a;
const CR: u32 = 0x0d;

/**
 * What most numbers are: of one digit, of up to three, of less than sixteen bytes with a point, or
 * anything.
 */
export const TINY: i32 = 0;
export const FEW: i32 = 1;
export const SHORT: i32 = 2;
export const ANY: i32 = 3;

/** First byte at or behind `p` that is a delimiter, a newline or a quote. */
// @ts-ignore: decorator
@inline
function findEnd(p: usize, delimiter: v128): usize {
  let mask = hits(p, delimiter);
  while (mask === 0) {
    p += 16;
    mask = hits(p, delimiter);
  }
  return p + <usize>ctz(mask);
}

/** Bits of those among sixteen bytes. */
// @ts-ignore: decorator
@inline
function hits(p: usize, delimiter: v128): i32 {
  const bytes = v128.load(p);
  return i8x16.bitmask(v128.or(
    v128.or(i8x16.eq(bytes, delimiter), i8x16.eq(bytes, i8x16.splat(0x0a))),
    v128.or(i8x16.eq(bytes, i8x16.splat(0x0d)), i8x16.eq(bytes, i8x16.splat(0x22))),
  ));
}

/** Stores the number that was read, or a missing one for an empty cell; false where there is neither. */
// @ts-ignore: decorator
@inline
function storeRead(out: usize, isMissing: bool): bool {
  const value = decimalRead;
  if (value === value) store<f64>(out, value);
  else if (isMissing) store<f64>(out, NaN);
  else return false;
  return true;
}

/**
 * Scans records behind those that `result` tells of; it tells of none where `most` is `ANY`.
 *
 * @param most What most numbers are; whichever it is, all are read alike.
 */
// @ts-ignore: decorator
@inline
export function scanRows(config: usize, to: i32, lastRow: i32, most: i32): void {
  const input = <usize>load<u32>(config);
  const kinds = <usize>load<u32>(config, 4);
  const values = <usize>load<u32>(config, 8);
  const slow = <usize>load<u32>(config, 12);
  const result = <usize>load<u32>(config, 16);
  const numColumns = load<i32>(config, 20);
  const delimiter = load<u32>(config, 24);
  const decimal = load<u32>(config, 28);
  const emptyIsMissing = load<u32>(config, 32) !== 0;
  const slowCells = load<i32>(config, 40);
  const runs = <usize>load<u32>(config, 44);
  const delimiters = i8x16.splat(<i8>delimiter);
  const eightDelimiters = <u64>delimiter * 0x0101010101010101;
  const stride = <usize>load<u32>(config, 36) << 3;

  const last = input + <usize>to;
  store<u8>(last, <u8>LF);
  // Numbers of any kind are read from the first row on; where that is not known at compile time,
  // registers are others and full precision is 5 % slower.
  let rows = most === ANY ? 0 : load<i32>(result);
  let position = input + <usize>load<u32>(result, 4);
  let numSlow = most === ANY ? 0 : load<i32>(result, 8);
  let stop = FULL;
  // Bytes of the last number behind its sign.
  let lastLength = 0;
  while (rows < lastRow && numSlow <= slowCells) {
    if (position >= last) {
      stop = END;
      break;
    }
    let p = position;
    let column = 0;
    let pending = numSlow;
    let out = values + (<usize>rows << 3);
    let ch = <u32>load<u8>(p);
    if (ch === LF || ch === CR) {
      stop = ODD;
      break;
    }
    let odd = false;
    for (;;) {
      const kind = load<u8>(kinds + <usize>column);
      let start = p;
      let done = false;
      let end: usize = 0;
      if (most === FEW && kind === NUMBER) {
        const read = readFew(p, out, stride, <i32>load<u8>(runs + <usize>column), delimiters);
        if (read !== 0) {
          const more = (read >> 8) - 1;
          p += <usize>(read & 255);
          ch = <u32>load<u8>(p);
          column += more;
          out += <usize>more * stride;
          done = true;
        }
      }
      if (most === FEW && done) {
        // It and those behind it are there.
      } else if (ch === QUOTE) {
        start = ++p;
        if (kind === NUMBER) {
          // A number in quotes; anything else in them is left to the caller.
          const empty = <u32>load<u8>(p) === QUOTE && emptyIsMissing;
          const behind = empty ? p : readDecimal(p, decimal);
          if (<u32>load<u8>(behind) === QUOTE) {
            const next = <u32>load<u8>(behind, 1);
            if (next === delimiter || next === LF || next === CR) {
              const value = empty ? NaN : decimalRead;
              if (empty || value === value) {
                store<f64>(out, value);
                done = true;
                p = behind;
              }
            }
          }
        }
        if (!done) p = findEnd(p, i8x16.splat(0x22));
        end = p;
        if (<u32>load<u8>(p) !== QUOTE) {
          odd = true;
          break;
        }
        ch = <u32>load<u8>(++p);
        if (ch !== delimiter && ch !== LF && ch !== CR) {
          odd = true;
          break;
        }
      } else if (ch === delimiter && kind === NUMBER && emptyIsMissing) {
        // Empty cells in a row are passed over at once: how many they are is as good as random.
        const empty = min<usize>(
          <usize>(ctz(load<u64>(p) ^ eightDelimiters) >> 3),
          <usize>load<u8>(runs + <usize>column),
        );
        store<f64>(out, NaN);
        store<f64>(out + stride, NaN);
        store<f64>(out + 2 * stride, NaN);
        store<f64>(out + 3 * stride, NaN);
        for (let i: usize = 4; i < empty; i++) store<f64>(out + i * stride, NaN);
        p += empty - 1;
        column += <i32>empty - 1;
        out += (empty - 1) * stride;
        done = true;
      } else if (
        most === TINY && kind === NUMBER && <u32>load<u8>(p, 1) === delimiter && ch - 48 < 10
      ) {
        // Numbers of one digit in a row: how many they are is as good as random.
        const bytes = v128.load(p);
        const ends = i8x16.bitmask(i8x16.eq(bytes, delimiters));
        const ones = ~othersIn(bytes) & (ends >> 1) & 0x5555;
        const ones8 = min<usize>(
          <usize>(ctz(ones ^ 0x15555) >> 1),
          <usize>load<u8>(runs + <usize>column),
        );
        const digits = v128.and(bytes, i16x8.splat(15));
        const four = i32x4.extend_low_i16x8_u(digits);
        const two = f64x2.convert_low_i32x4_s(four);
        const next = f64x2.convert_low_i32x4_s(i64x2.shuffle(four, four, 1, 1));
        v128.store64_lane(out, two, 0);
        v128.store64_lane(out + stride, two, 1);
        v128.store64_lane(out + 2 * stride, next, 0);
        v128.store64_lane(out + 3 * stride, next, 1);
        const upper = i32x4.extend_high_i16x8_u(digits);
        const third = f64x2.convert_low_i32x4_s(upper);
        const fourth = f64x2.convert_low_i32x4_s(i64x2.shuffle(upper, upper, 1, 1));
        v128.store64_lane(out + 4 * stride, third, 0);
        v128.store64_lane(out + 5 * stride, third, 1);
        v128.store64_lane(out + 6 * stride, fourth, 0);
        v128.store64_lane(out + 7 * stride, fourth, 1);
        p += 2 * ones8 - 1;
        ch = delimiter;
        column += <i32>ones8 - 1;
        out += (ones8 - 1) * stride;
        done = true;
      } else if (kind === NUMBER) {
        // Without a branch: signs are as good as random in many columns.
        const negative = <i32>(ch === 0x2d);
        if (most !== ANY) {
          // Less than sixteen bytes without an exponent.
          const bytes = v128.load(p);
          let others = othersIn(bytes) & ~negative;
          const point = <i32>ctz(others);
          let next = <u32>load<u8>(p + <usize>point);
          let length = point;
          let value: f64;
          if (next === decimal) {
            others &= others - 1;
            length = <i32>ctz(others);
            next = <u32>load<u8>(p + <usize>length);
            value = decimalIn(bytes, point & 15, length & 15);
            done = length > negative + 1;
          } else {
            value = decimalIn(bytes, point & 15, point & 15);
            done = length > negative;
          }
          done = <bool>(<i32>done & <i32>(length < 16) &
            (<i32>(next === delimiter) | <i32>(next === LF) | <i32>(next === CR)));
          if (done) {
            store<u64>(out, reinterpret<u64>(value) ^ (<u64>negative << 63));
            // Guessed: the next cell need not wait for these digits to be counted. Among others that are
            // short there is less to wait for.
            length -= negative;
            if (most !== SHORT) p += <usize>(length + negative);
            else if (length === lastLength) p += <usize>(lastLength + negative);
            else {
              lastLength = length;
              p += <usize>(length + negative);
            }
            ch = next;
          }
        } else {
          p += <usize>negative;
          ch = <u32>load<u8>(p);
          const first = p;
          let m: u64 = 0;
          while (ch - 48 < 10) {
            m = m * 10 + <u64>(ch - 48);
            ch = <u32>load<u8>(++p);
          }
          if (
            ch !== decimal && <u32>(p - first) - 1 < 15 &&
            (ch === delimiter || ch === LF || ch === CR)
          ) {
            // A whole number below 10^15 is what it is.
            store<u64>(out, reinterpret<u64>(<f64>(<i64>m)) ^ (<u64>negative << 63));
            done = true;
          } else {
            p = readRest(p, ch, first, m, negative !== 0, decimal);
            ch = <u32>load<u8>(p);
            if (ch === delimiter || ch === LF || ch === CR) {
              done = storeRead(out, p === start && emptyIsMissing);
              end = p;
            }
          }
        }
        if (most !== ANY && !done) {
          p = readInline(p, decimal);
          ch = <u32>load<u8>(p);
          if (ch === delimiter || ch === LF || ch === CR) {
            done = storeRead(out, p === start && emptyIsMissing);
            end = p;
          }
        }
      }
      if (!done) {
        if (end === 0) {
          p = findEnd(p, delimiters);
          ch = <u32>load<u8>(p);
          if (ch === QUOTE) {
            odd = true;
            break;
          }
          end = p;
        }
        if (kind === TEXT) {
          store<i32>(out, <i32>(start - input));
          store<i32>(out, <i32>(end - input), 4);
        } else if (kind === NUMBER) {
          const at = slow + (<usize>pending << 4);
          store<i32>(at, rows);
          store<i32>(at, column, 4);
          store<i32>(at, <i32>(start - input), 8);
          store<i32>(at, <i32>(end - input), 12);
          pending++;
        }
      }
      column++;
      if (ch !== delimiter) break;
      if (column === numColumns) {
        odd = true;
        break;
      }
      out += stride;
      ch = <u32>load<u8>(++p);
    }
    if (!odd) {
      if (ch === CR && <u32>load<u8>(p, 1) === LF) p++;
      p++;
      if (p > last) {
        stop = END;
        break;
      }
      odd = column !== numColumns;
    }
    if (odd) {
      stop = ODD;
      break;
    }
    position = p;
    numSlow = pending;
    rows++;
  }
  store<i32>(result, rows);
  store<i32>(result, <i32>(position - input), 4);
  store<i32>(result, numSlow, 8);
  store<i32>(result, stop, 12);
}
