// Decimals → float64: whole numbers and powers that are exact, and the method of D. Lemire, "Number
// Parsing at a Gigabyte per Second", Software: Practice and Experience 51 (2021), for up to 19 digits.

/** Whole numbers below are exact in float64. */
export const EXACT: u64 = 1 << 53;

/** Powers of ten that the table of 128-bit approximations holds: −65 … 40. */
const LOW_POWER: i32 = -65;
const HIGH_POWER: i32 = 40;

/** Number of digits (0 to 8) at the start of eight bytes. */
// @ts-ignore: decorator
@inline
export function countDigits(bytes: u64): u64 {
  const high = bytes & 0x8080808080808080;
  const low = bytes & 0x7f7f7f7f7f7f7f7f;
  const bad = (low + 0x4646464646464646) | ((low | 0x8080808080808080) - 0x3030303030303030 ^
    0x8080808080808080) | high;
  return ctz(bad & 0x8080808080808080) >> 3;
}

/** Number of digits (0 to 16) at the start of sixteen bytes. */
// @ts-ignore: decorator
@inline
export function countDigits16(p: usize): i32 {
  // Bytes are moved so that the digits are the least of all signed ones.
  const moved = i8x16.add(v128.load(p), i8x16.splat(80));
  return ctz(i8x16.bitmask(i8x16.gt_s(moved, i8x16.splat(-119))) | 0x10000);
}

/** Value of eight digits, first digit in the lowest byte. */
// @ts-ignore: decorator
@inline
export function eightDigits(bytes: u64): u64 {
  let v = bytes & 0x0f0f0f0f0f0f0f0f;
  v = v * 10 + (v >> 8);
  return ((v & 0x000000ff000000ff) * 0x000f424000000064 +
    ((v >> 16) & 0x000000ff000000ff) * 0x0000271000000001) >> 32;
}

/** 10⁰ … 10⁸ as whole numbers, which stand behind those in float64. */
// @ts-ignore: decorator
@inline
export function smallPower(powers: usize, n: u64): u64 {
  return load<u64>(powers + (<usize>n << 3), 23 * 8);
}

/**
 * The float64 nearest to m · 10^q, or NaN where the method cannot tell. `table` holds 128-bit
 * approximations of 5^q, high half first.
 */
export function nearest(m: u64, q: i32, table: usize): f64 {
  return nearestInline(m, q, table);
}

/** `nearest` where a call is to be saved. */
// @ts-ignore: decorator
@inline
export function nearestInline(m: u64, q: i32, table: usize): f64 {
  if (m === 0) return 0;
  if (<u32>(q - LOW_POWER) > <u32>(HIGH_POWER - LOW_POWER)) return NaN;
  const zeros = clz(m);
  const w = m << zeros;
  const five = load<u64>(table + (<usize>(q - LOW_POWER) << 4));
  const high = mulHigh(w, five);
  const low = w * five;
  // About one in 500 needs more of the product, or may be half way between two floats.
  if ((high & 0x1ff) === 0x1ff || low <= 1) return nearestOf(m, q, table);
  return rounded(high >> ((high >> 63) + 9), high, zeros, q);
}

/** The same by the whole product. */
function nearestOf(m: u64, q: i32, table: usize): f64 {
  const zeros = clz(m);
  const w = m << zeros;
  const at = table + (<usize>(q - LOW_POWER) << 4);
  let high = mulHigh(w, load<u64>(at));
  let low = w * load<u64>(at);
  if ((high & 0x1ff) === 0x1ff) {
    const more = mulHigh(w, load<u64>(at + 8));
    low += more;
    if (more > low) high++;
  }
  if (low === 0xffffffffffffffff && (q < -27 || q > 55)) return NaN;
  const shift = (high >> 63) + 9;
  let mantissa = high >> shift;
  // Half way between two floats: to even.
  if (low <= 1 && q >= -4 && q <= 23 && (mantissa & 3) === 1 && mantissa << shift === high) {
    mantissa &= ~(<u64>1);
  }
  return rounded(mantissa, high, zeros, q);
}

/**
 * A mantissa of 54 bits rounded to 53, with its power of two. A mantissa of 2^53 carries into the
 * power. Powers of ten in the table are so few that no result is subnormal or infinite.
 */
// @ts-ignore: decorator
@inline
function rounded(mantissa: u64, high: u64, zeros: u64, q: i32): f64 {
  const power = <u64>(<i64>((217706 * q) >> 16) + (63 + 1022)) + (high >> 63) - zeros;
  return reinterpret<f64>((power << 52) + ((mantissa + (mantissa & 1)) >> 1));
}

/** Upper half of a product of 64-bit numbers. */
// @ts-ignore: decorator
@inline
function mulHigh(a: u64, b: u64): u64 {
  const aLow = a & 0xffffffff;
  const aHigh = a >> 32;
  const bLow = b & 0xffffffff;
  const bHigh = b >> 32;
  const cross = aHigh * bLow + ((aLow * bLow) >> 32);
  const middle = aLow * bHigh + (cross & 0xffffffff);
  return aHigh * bHigh + (cross >> 32) + (middle >> 32);
}

/**
 * A decimal that the short way does not take: more than 19 digits, or a power beyond 22. Zeros in
 * front do not count, zeros at the end of the fraction are dropped.
 */
export function longDecimal(start: usize, end: usize, decimal: u32, power: i32, table: usize): f64 {
  let p = end;
  let point: usize = 0;
  for (let q = start; q < end; q++) if (<u32>load<u8>(q) === decimal) point = q;
  if (point !== 0) {
    power -= <i32>(end - point - 1);
    while (p > point + 1 && load<u8>(p - 1) === 48) {
      p--;
      power++;
    }
  }
  let m: u64 = 0;
  let digits = 0;
  for (let q = start; q < p; q++) {
    if (q === point && point !== 0) continue;
    const digit = <u64>(load<u8>(q) - 48);
    if (m !== 0 || digit !== 0) digits++;
    if (digits > 19) return NaN;
    m = m * 10 + digit;
  }
  return nearest(m, power, table);
}

/** The number that `readDecimal` read last; NaN where there is none or the method cannot tell. */
export let decimalRead: f64 = 0;

/**
 * Reads the longest `[-] digits [. digits] [e [+-] digits]` from a place on into `decimalRead`.
 *
 * @param decimal Byte before the fraction.
 * @returns The place behind it. It does not depend on the value, so that whoever reads on need not
 * wait for that.
 */
export function readDecimal(p: usize, decimal: u32, powers: usize, table: usize): usize {
  return readInline(p, decimal, powers, table);
}

/** `readDecimal` where a call is to be saved. */
// @ts-ignore: decorator
@inline
export function readInline(p: usize, decimal: u32, powers: usize, table: usize): usize {
  let ch = <u32>load<u8>(p);
  const negative = ch === 0x2d;
  p += <usize>negative;
  ch = <u32>load<u8>(p);
  const first = p;
  let m: u64 = 0;
  while (ch - 48 < 10) {
    m = m * 10 + <u64>(ch - 48);
    ch = <u32>load<u8>(++p);
  }
  let digits = <i32>(p - first);
  let power = 0;
  if (ch === decimal) {
    const point = ++p;
    let count = countDigits16(p);
    while (count === 16) {
      m = (m * 100000000 + eightDigits(load<u64>(p))) * 100000000 + eightDigits(load<u64>(p, 8));
      p += 16;
      count = countDigits16(p);
    }
    if (count > 7) {
      m = m * 100000000 + eightDigits(load<u64>(p));
      p += 8;
      count -= 8;
    }
    if (count > 0) {
      m = m * smallPower(powers, count) + eightDigits(load<u64>(p) << ((8 - count) << 3));
      p += <usize>count;
    }
    power = <i32>(point - p);
    digits -= power;
    ch = <u32>load<u8>(p);
  }
  const behind = p;
  let exponent = 0;
  if ((ch | 32) === 0x65) {
    ch = <u32>load<u8>(++p);
    const minus = ch === 0x2d;
    if (minus || ch === 0x2b) ch = <u32>load<u8>(++p);
    const digit = p;
    while (ch - 48 < 10) {
      if (exponent < 10000) exponent = exponent * 10 + <i32>(ch - 48);
      ch = <u32>load<u8>(++p);
    }
    if (minus) exponent = -exponent;
    if (p === digit) digits = 0;
  }
  power += exponent;
  let value: f64;
  if (digits === 0) value = NaN;
  else if (digits > 19) value = longDecimal(first, behind, decimal, exponent, table);
  else if (m < EXACT && power >= -22 && power <= 22) {
    // Signed: one instruction, where unsigned takes a branch.
    const whole = <f64>(<i64>m);
    value = power < 0
      ? whole / load<f64>(powers + (<usize>(-power) << 3))
      : whole * load<f64>(powers + (<usize>power << 3));
  } else value = nearest(m, power, table);
  decimalRead = reinterpret<f64>(reinterpret<u64>(value) ^ (<u64>negative << 63));
  return p;
}
