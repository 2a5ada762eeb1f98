// Bins and codes of columns of whole numbers that lie near each other, as ages and years do: each number has
// a count and then a code of its own, so that nothing is looked for. Twin: ../../twin/whole.ts.

import { begin, binsLeft, close, closes, everyRun, hold, storePair } from "./closes";

/** Most numbers that there may be, and for each row; none may be as far from 0 as the largest. */
const MOST_NUMBERS: i32 = 1 << 17;
const NUMBERS_A_ROW: i32 = 2;
const LARGEST: i32 = 1 << 30;

/** The least number of the last column, and how many there are from it to the largest, padded. */
let least: i32 = 0;
let numbers: i32 = 0;

/** Four values as whole numbers; of those that are missing 0. */
// @ts-ignore: decorator
@inline
function wholeOf(values: usize, wide: bool): v128 {
  if (!wide) return i32x4.trunc_sat_f32x4_s(v128.load(values));
  const low = i32x4.trunc_sat_f64x2_s_zero(v128.load(values));
  const high = i32x4.trunc_sat_f64x2_s_zero(v128.load(values, 16));
  return v128.shuffle<i32>(low, high, 0, 1, 4, 5);
}

/** All ones for four values, from those of two times two. */
// @ts-ignore: decorator
@inline
function joinHalves(low: v128, high: v128): v128 {
  return v128.shuffle<i32>(low, high, 0, 2, 4, 6);
}

/** All ones for each of four values that is not missing. */
// @ts-ignore: decorator
@inline
function presentOf(values: usize, wide: bool): v128 {
  const some = v128.load(values);
  if (!wide) return f32x4.eq(some, some);
  const more = v128.load(values, 16);
  return joinHalves(f64x2.eq(some, some), f64x2.eq(more, more));
}

/** All ones for each of four values that is its whole number. */
// @ts-ignore: decorator
@inline
function isWhole(values: usize, whole: v128, wide: bool): v128 {
  if (!wide) return f32x4.eq(v128.load(values), f32x4.convert_i32x4_s(whole));
  const high = v128.shuffle<i32>(whole, whole, 2, 3, 2, 3);
  return joinHalves(
    f64x2.eq(v128.load(values), f64x2.convert_low_i32x4_s(whole)),
    f64x2.eq(v128.load(values, 16), f64x2.convert_low_i32x4_s(high)),
  );
}

// @ts-ignore: decorator
@inline
function valueAt(values: usize, i: i32, wide: bool): f64 {
  return wide ? load<f64>(values + (<usize>i << 3)) : <f64>load<f32>(values + (<usize>i << 2));
}

// @ts-ignore: decorator
@inline
function leastLane(x: v128): i32 {
  return min<i32>(
    min<i32>(i32x4.extract_lane(x, 0), i32x4.extract_lane(x, 1)),
    min<i32>(i32x4.extract_lane(x, 2), i32x4.extract_lane(x, 3)),
  );
}

/** Finds the least number and how many there may be; false where the column is another. */
// @ts-ignore: decorator
@inline
function findNumbers(values: usize, n: i32, wide: bool): bool {
  const none = i32x4.splat(i32.MAX_VALUE);
  let low = none;
  let high = none; // of the negated numbers
  let i: i32 = 0;
  for (; i + 4 <= n; i += 4) {
    const at = values + (<usize>i << (wide ? 3 : 2));
    const whole = wholeOf(at, wide);
    const present = presentOf(at, wide);
    if (v128.any_true(v128.andnot(present, isWhole(at, whole, wide)))) return false;
    low = i32x4.min_s(low, v128.bitselect(whole, none, present));
    high = i32x4.min_s(high, v128.bitselect(i32x4.neg(whole), none, present));
  }
  let first = leastLane(low);
  let last = -leastLane(high);
  for (; i < n; i++) {
    const value = valueAt(values, i, wide);
    if (value != value) continue;
    if (abs<f64>(value) >= <f64>LARGEST || trunc<f64>(value) != value) return false;
    first = min<i32>(first, <i32>value);
    last = max<i32>(last, <i32>value);
  }
  if (first > last || first <= -LARGEST || last >= LARGEST) return false;
  least = first;
  numbers = (last - first + 4) & ~3;
  return last - first < min<i32>(MOST_NUMBERS, NUMBERS_A_ROW * n);
}

/** Numbers of four rows from the least on, after the last where missing. */
// @ts-ignore: decorator
@inline
function numbersOf(values: usize, wide: bool): v128 {
  const number = i32x4.sub(wholeOf(values, wide), i32x4.splat(least));
  return v128.bitselect(number, i32x4.splat(numbers), presentOf(values, wide));
}

// @ts-ignore: decorator
@inline
function numberOf(values: usize, i: i32, wide: bool): i32 {
  const value = valueAt(values, i, wide);
  return value != value ? numbers : <i32>value - least;
}

// @ts-ignore: decorator
@inline
function countOne(counts: usize, number: i32): void {
  const at = counts + (<usize>number << 2);
  store<u32>(at, load<u32>(at) + 1);
}

// @ts-ignore: decorator
@inline
function countNumbers(values: usize, n: i32, wide: bool, counts: usize): void {
  memory.fill(counts, 0, <usize>(numbers + 4) << 2);
  let i: i32 = 0;
  for (; i + 4 <= n; i += 4) {
    const four = numbersOf(values + (<usize>i << (wide ? 3 : 2)), wide);
    countOne(counts, i32x4.extract_lane(four, 0));
    countOne(counts, i32x4.extract_lane(four, 1));
    countOne(counts, i32x4.extract_lane(four, 2));
    countOne(counts, i32x4.extract_lane(four, 3));
  }
  for (; i < n; i++) countOne(counts, numberOf(values, i, wide));
}

/** Closes bins by the counts, and writes the code of each number. */
function closeNumbers(counts: usize, present: i32, maxBins: i32, out: usize, table: usize): i32 {
  let distinct: i32 = 0;
  for (let v = 0; v < numbers; v++) distinct += i32(load<u32>(counts + (<usize>v << 2)) != 0);
  begin(present, maxBins, distinct);
  let pairs: i32 = 0;
  let last: i32 = -1;
  for (let v = 0; v < numbers; v += 4) {
    if (!v128.any_true(v128.load(counts + (<usize>v << 2)))) {
      store<u32>(table + <usize>v, pairs * 0x01010101);
      continue;
    }
    for (let k = v; k < v + 4; k++) {
      const count = load<u32>(counts + (<usize>k << 2));
      if (count != 0) {
        if (last >= 0 && (everyRun || binsLeft > 1) && closes(<f64>count)) {
          storePair(out, pairs++, <f64>(least + last), <f64>(least + k));
          close();
        }
        hold(<f64>count);
        last = k;
      }
      store<u8>(table + <usize>k, <u8>pairs);
    }
  }
  store<u8>(table + <usize>numbers, <u8>(pairs + 1));
  return pairs;
}

// @ts-ignore: decorator
@inline
function codeNumbers(values: usize, n: i32, wide: bool, table: usize, codes: usize): void {
  let i: i32 = 0;
  for (; i + 4 <= n; i += 4) {
    const four = numbersOf(values + (<usize>i << (wide ? 3 : 2)), wide);
    const a = <u32>load<u8>(table + <usize>i32x4.extract_lane(four, 0));
    const b = <u32>load<u8>(table + <usize>i32x4.extract_lane(four, 1));
    const c = <u32>load<u8>(table + <usize>i32x4.extract_lane(four, 2));
    const d = <u32>load<u8>(table + <usize>i32x4.extract_lane(four, 3));
    store<u32>(codes + <usize>i, a | (b << 8) | (c << 16) | (d << 24));
  }
  for (; i < n; i++) {
    store<u8>(codes + <usize>i, load<u8>(table + <usize>numberOf(values, i, wide)));
  }
}

// @ts-ignore: decorator
@inline
function wholeCodes(values: usize, n: i32, wide: bool, maxBins: i32, scratch: usize, tables: usize, out: usize, codes: usize): i32 {
  if (!findNumbers(values, n, wide)) return -1;
  countNumbers(values, n, wide, scratch);
  const missing = load<u32>(scratch + (<usize>numbers << 2));
  // What is after the counts of numbers are the codes.
  const table = scratch + (<usize>(numbers + 4) << 2);
  const pairs = closeNumbers(scratch, n - <i32>missing, maxBins, out, table);
  codeNumbers(values, n, wide, table, codes);
  store<u32>(tables, missing);
  return pairs;
}

export function wholeCodes32(values: usize, n: i32, maxBins: i32, scratch: usize, tables: usize, out: usize, codes: usize): i32 {
  return wholeCodes(values, n, false, maxBins, scratch, tables, out, codes);
}

export function wholeCodes64(values: usize, n: i32, maxBins: i32, scratch: usize, tables: usize, out: usize, codes: usize): i32 {
  return wholeCodes(values, n, true, maxBins, scratch, tables, out, codes);
}
