// Codes of categories, of columns of two values, and of features that share a byte. Twin:
// ../../twin/codes.ts.

/** Codes of four levels: missing (below 0) after the last, others no more than `unknown`. */
// @ts-ignore: decorator
@inline
function clamp4(codes: v128, unknown: v128): v128 {
  return i32x4.sub(i32x4.min_u(codes, unknown), i32x4.shr_s(codes, 31));
}

export function levels8(levels: usize, n: i32, unknown: i32, out: usize): i32 {
  const most = i32x4.splat(unknown);
  let all = i32x4.splat(0);
  let i = 0;
  for (; i + 16 <= n; i += 16, levels += 64, out += 16) {
    const a = v128.load(levels);
    const b = v128.load(levels, 16);
    const c = v128.load(levels, 32);
    const d = v128.load(levels, 48);
    all = v128.or(all, v128.or(v128.or(a, b), v128.or(c, d)));
    const low = i16x8.narrow_i32x4_u(clamp4(a, most), clamp4(b, most));
    const high = i16x8.narrow_i32x4_u(clamp4(c, most), clamp4(d, most));
    v128.store(out, i8x16.narrow_i16x8_u(low, high));
  }
  let missing = i32(i32x4.bitmask(all) != 0);
  for (; i < n; i++, levels += 4, out++) {
    const level = load<i32>(levels);
    missing |= i32(level < 0);
    store<u8>(out, <u8>(level < 0 ? unknown + 1 : min<i32>(level, unknown)));
  }
  return missing;
}

export function levels16(levels: usize, n: i32, unknown: i32, out: usize): i32 {
  let missing = 0;
  for (let i = 0; i < n; i++, levels += 4, out += 2) {
    const level = load<i32>(levels);
    missing |= i32(level < 0);
    store<u16>(out, <u16>(level < 0 ? unknown + 1 : min<i32>(level, unknown)));
  }
  return missing;
}

/** Numbers of eight pairs that have one, 0 of others; `pairs` are first × 256 + second. */
// @ts-ignore: decorator
@inline
function numbersOf(pairs: v128, numbers: usize): v128 {
  let found = v128.load16_lane(numbers + (<usize>i16x8.extract_lane_u(pairs, 0) << 1), pairs, 0);
  found = v128.load16_lane(numbers + (<usize>i16x8.extract_lane_u(pairs, 1) << 1), found, 1);
  found = v128.load16_lane(numbers + (<usize>i16x8.extract_lane_u(pairs, 2) << 1), found, 2);
  found = v128.load16_lane(numbers + (<usize>i16x8.extract_lane_u(pairs, 3) << 1), found, 3);
  found = v128.load16_lane(numbers + (<usize>i16x8.extract_lane_u(pairs, 4) << 1), found, 4);
  found = v128.load16_lane(numbers + (<usize>i16x8.extract_lane_u(pairs, 5) << 1), found, 5);
  found = v128.load16_lane(numbers + (<usize>i16x8.extract_lane_u(pairs, 6) << 1), found, 6);
  return v128.load16_lane(numbers + (<usize>i16x8.extract_lane_u(pairs, 7) << 1), found, 7);
}

/** Rows from … to that may have new pairs; returns how many pairs there are then, or −1. */
function numberRows(first: usize, second: usize, from: usize, to: usize, numbers: usize, pairs: usize, out: usize, count: i32): i32 {
  for (let i = from; i < to; i++) {
    const pair = (<usize>load<u8>(first + i) << 8) + <usize>load<u8>(second + i);
    const at = numbers + (pair << 1);
    let number = <i32>load<u16>(at);
    if (number == 0) {
      if (count == 256) return -1;
      store<u16>(pairs + (<usize>count << 1), <u16>pair);
      number = ++count;
      store<u16>(at, <u16>number);
    }
    store<u8>(out + i, <u8>(number - 1));
  }
  return count;
}

export function numberPairs(first: usize, second: usize, n: i32, numbers: usize, pairs: usize, out: usize): i32 {
  const rows = <usize>n;
  let count = 0;
  let i: usize = 0;
  for (; i + 8 <= rows && count >= 0; i += 8) {
    const high = v128.load64_zero(first + i);
    const low = v128.load64_zero(second + i);
    const eight = v128.shuffle<u8>(low, high, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const found = numbersOf(eight, numbers);
    if (i16x8.all_true(found)) {
      const codes = i16x8.sub(found, i16x8.splat(1));
      v128.store64_lane(out + i, i8x16.narrow_i16x8_u(codes, codes), 0);
    } else count = numberRows(first, second, i, i + 8, numbers, pairs, out, count);
  }
  if (count >= 0) count = numberRows(first, second, i, rows, numbers, pairs, out, count);
  const filled = count < 0 ? 256 : count;
  for (let i: usize = 0; i < <usize>filled; i++) {
    store<u16>(numbers + (<usize>load<u16>(pairs + (i << 1)) << 1), 0);
  }
  return count;
}

export function meetsOther(codes: usize, n: i32, usual: i32, merged: usize): i32 {
  const most = i8x16.splat(<i8>usual);
  let i = 0;
  for (; i + 16 <= n; i += 16, codes += 16, merged += 16) {
    const away = v128.andnot(v128.load(merged), i8x16.eq(v128.load(codes), most));
    if (v128.any_true(away)) return 1;
  }
  for (; i < n; i++, codes++, merged++) {
    if (load<u8>(codes) != <u8>usual && load<u8>(merged) != 0) return 1;
  }
  return 0;
}

export function mergeCodes(merged: usize, codes: usize, n: i32, table: usize): void {
  const few = v128.load(table);
  const last = i8x16.splat(15);
  let i = 0;
  // Few codes, as those of flags, are looked up in one register; the first other one ends it.
  for (; i + 16 <= n; i += 16, merged += 16, codes += 16) {
    const some = v128.load(codes);
    if (v128.any_true(i8x16.gt_u(some, last))) break;
    v128.store(merged, v128.or(v128.load(merged), i8x16.swizzle(few, some)));
  }
  for (; i < n; i++, merged++, codes++) {
    store<u8>(merged, load<u8>(merged) | load<u8>(table + <usize>load<u8>(codes)));
  }
}

/** A value of either width. */
// @ts-ignore: decorator
@inline
function valueAt(values: usize, i: i32, wide: bool): f64 {
  return wide ? load<f64>(values + (<usize>i << 3)) : <f64>load<f32>(values + (<usize>i << 2));
}

/** All ones for each of four values that is equal to x. */
// @ts-ignore: decorator
@inline
function areEqual(values: usize, i: i32, wide: bool, x: v128): v128 {
  if (!wide) return f32x4.eq(v128.load(values + (<usize>i << 2)), x);
  const at = values + (<usize>i << 3);
  const a = f64x2.eq(v128.load(at), x);
  const b = f64x2.eq(v128.load(at, 16), x);
  return v128.shuffle<i32>(a, b, 0, 2, 4, 6);
}

// @ts-ignore: decorator
@inline
function splatOf(x: f64, wide: bool): v128 {
  return wide ? f64x2.splat(x) : f32x4.splat(<f32>x);
}

// @ts-ignore: decorator
@inline
function twoCodes(values: usize, n: i32, wide: bool, low: f64, high: f64, out: usize): i32 {
  const lows = splatOf(low, wide);
  const highs = splatOf(high, wide);
  let i: i32 = 0;
  for (; i + 16 <= n; i += 16) {
    const a = areEqual(values, i, wide, highs);
    const b = areEqual(values, i + 4, wide, highs);
    const c = areEqual(values, i + 8, wide, highs);
    const d = areEqual(values, i + 12, wide, highs);
    const ab = v128.and(
      v128.or(a, areEqual(values, i, wide, lows)),
      v128.or(b, areEqual(values, i + 4, wide, lows)),
    );
    const cd = v128.and(
      v128.or(c, areEqual(values, i + 8, wide, lows)),
      v128.or(d, areEqual(values, i + 12, wide, lows)),
    );
    if (!i32x4.all_true(v128.and(ab, cd))) return 0;
    const halves = i8x16.narrow_i16x8_s(i16x8.narrow_i32x4_s(a, b), i16x8.narrow_i32x4_s(c, d));
    v128.store(out + <usize>i, i8x16.neg(halves));
  }
  for (; i < n; i++) {
    const value = valueAt(values, i, wide);
    if (value != low && value != high) return 0;
    store<u8>(out + <usize>i, <u8>(value == high));
  }
  return 1;
}

export function twoCodes32(values: usize, n: i32, low: f64, high: f64, out: usize): i32 {
  return twoCodes(values, n, false, low, high, out);
}

export function twoCodes64(values: usize, n: i32, low: f64, high: f64, out: usize): i32 {
  return twoCodes(values, n, true, low, high, out);
}

export function gather8(codes: usize, rows: usize, n: i32, out: usize): void {
  for (let i: usize = 0; i < <usize>n; i++) {
    store<u8>(out + i, load<u8>(codes + load<u32>(rows + (i << 2))));
  }
}

export function usualCode(codes: usize, n: i32, stride: i32, counts: usize): i32 {
  memory.fill(counts, 0, 1024);
  let looks = 0;
  for (let row = 0; row < n; row += stride, looks++) {
    const at = counts + (<usize>load<u8>(codes + <usize>row) << 2);
    store<u32>(at, load<u32>(at) + 1);
  }
  for (let code = 0; code < 256; code++) {
    // Two codes may have half of the rows each: the lower one is met first.
    const count = load<i32>(counts + (<usize>code << 2));
    if (count > 0 && 2 * count >= looks) return code;
  }
  return -1;
}

export function spreadRows(numRows: u32, count: i32, out: usize): void {
  for (let i = 0; i < count; i++) {
    store<u32>(out + (<usize>i << 2), <u32>(i * <i32>0x9e3779b1) % numRows);
  }
}

export function codesSeen(codes: usize, n: i32): i32 {
  let first: u64 = 0;
  let second: u64 = 0;
  let third: u64 = 0;
  let fourth: u64 = 0;
  for (let i = 0; i < n; i++) {
    const code = load<u8>(codes + <usize>i);
    const bit = (<u64>1) << (code & 63);
    const group = code >> 6;
    if (group == 0) first |= bit;
    else if (group == 1) second |= bit;
    else if (group == 2) third |= bit;
    else fourth |= bit;
  }
  return <i32>(popcnt(first) + popcnt(second) + popcnt(third) + popcnt(fourth));
}
