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
  if (m === 0) return 0;
  if (q < LOW_POWER || q > HIGH_POWER) return NaN;
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
  const upper = high >> 63;
  const shift = upper + 9;
  let mantissa = high >> shift;
  let power = <i64>((217706 * q) >> 16) + 63 + <i64>upper - <i64>zeros + 1023;
  if (power <= 0 || power >= 2046) return NaN;
  // Half way between two floats: to even.
  if (low <= 1 && q >= -4 && q <= 23 && (mantissa & 3) === 1 && mantissa << shift === high) {
    mantissa &= ~(<u64>1);
  }
  mantissa = (mantissa + (mantissa & 1)) >> 1;
  if (mantissa >= EXACT) {
    mantissa = 1 << 52;
    power++;
  }
  return reinterpret<f64>((mantissa & 0x000fffffffffffff) | (<u64>power << 52));
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

/** The number that `readDecimal` read last. */
export let decimalRead: f64 = 0;

/**
 * Reads the longest `[-] digits [. digits] [e [+-] digits]` from a place on into `decimalRead`.
 *
 * @param decimal Byte before the fraction.
 * @returns The place behind it, or 0 where there is none or the method cannot tell its value.
 */
export function readDecimal(p: usize, decimal: u32, powers: usize, table: usize): usize {
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
    let bytes = load<u64>(p);
    let count = countDigits(bytes);
    while (count === 8) {
      m = m * 100000000 + eightDigits(bytes);
      p += 8;
      bytes = load<u64>(p);
      count = countDigits(bytes);
    }
    if (count > 0) {
      m = m * smallPower(powers, count) + eightDigits(bytes << ((8 - count) << 3));
      p += <usize>count;
    }
    power = <i32>(point - p);
    digits -= power;
    ch = <u32>load<u8>(p);
  }
  if (digits === 0) return 0;
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
    if (p === digit) return 0;
  }
  power += exponent;
  let value: f64;
  if (digits > 19) value = longDecimal(first, behind, decimal, exponent, table);
  else if (m < EXACT && power >= -22 && power <= 22) {
    const whole = <f64>(<i64>m);
    value = power < 0
      ? whole / load<f64>(powers + (<usize>(-power) << 3))
      : whole * load<f64>(powers + (<usize>power << 3));
  } else value = nearest(m, power, table);
  if (value !== value) return 0;
  decimalRead = reinterpret<f64>(reinterpret<u64>(value) ^ (<u64>negative << 63));
  return p;
}
