// Decimals → float64: whole numbers and powers that are exact, and the method of D. Lemire, "Number
// Parsing at a Gigabyte per Second", Software: Practice and Experience 51 (2021), for up to 19 digits.

/**
 * Whole numbers below are divided by a power of ten. All up to 2^53 may be, but those of full
 * precision lie on both sides of that, and a branch that cannot be guessed costs more.
 */
const SHORT: u64 = 1 << 40;

const TEN_TO_16: u64 = 10000000000000000;

/** Powers of ten that the table of 128-bit approximations holds: −65 … 40. */
const LOW_POWER: i32 = -65;
const HIGH_POWER: i32 = 40;

// What decimals need lies at the beginning of the memory, written by src/data/reading/wasm_module.ts: at
// an address that is known the engine looks up nothing, and constants in code it builds from halves.
const POWERS: usize = 0; // 10⁰ … 10²² as float64
const WHOLE_POWERS: usize = POWERS + 23 * 8; // 10⁰ … 10¹⁶ as whole numbers
const TO_LEAST: usize = WHOLE_POWERS + 17 * 8;
const ABOVE_NINE: usize = TO_LEAST + 16;
const TENS: usize = TO_LEAST + 32;
const HUNDREDS: usize = TO_LEAST + 48;
const THOUSANDS: usize = TO_LEAST + 64;
const NIBBLES: usize = TO_LEAST + 80;
/** 0 … 15, a byte each. */
export const PLACES: usize = TO_LEAST + 96;
const ZEROS: usize = TO_LEAST + 112; // "0" sixteen times
export const LFS: usize = TO_LEAST + 128;
export const CRS: usize = TO_LEAST + 144;
export const DOUBLE_QUOTES: usize = TO_LEAST + 160;
export const MINUSES: usize = TO_LEAST + 176;
const EIGHTS: usize = TO_LEAST + 192; // 10⁸ and 1 as float64
/**
 * Which bytes are the digits of a decimal, by the place of its point (at most 16) and its end (at most
 * 15), and behind them what they are to be divided by.
 */
const DIGITS: usize = TO_LEAST + 208;
/** Which of sixteen bytes are the digits of four whole numbers, by the lengths of those, two bits each. */
export const FOURS: usize = DIGITS + 17 * 16 * 32;
const FIVES: usize = FOURS + 256 * 16; // 128-bit approximations of 5^q, high half first

/** Number of digits at a place, 16 where there are more. */
// @ts-ignore: decorator
@inline
function countDigits(p: usize): i32 {
  // Bytes are moved so that the digits are the least of all signed ones.
  const moved = i8x16.add(v128.load(p), v128.load(TO_LEAST));
  return ctz(i8x16.bitmask(i8x16.gt_s(moved, v128.load(ABOVE_NINE))) | 0x10000);
}

/** Bits of those among sixteen bytes that are no digits. */
// @ts-ignore: decorator
@inline
export function othersIn(bytes: v128): i32 {
  const moved = i8x16.add(bytes, v128.load(TO_LEAST));
  return i8x16.bitmask(i8x16.gt_s(moved, v128.load(ABOVE_NINE)));
}

/**
 * A decimal of less than sixteen bytes without its sign.
 *
 * @param point Place of its point, its end where it has none.
 */
// @ts-ignore: decorator
@inline
export function decimalIn(bytes: v128, point: i32, end: i32): f64 {
  const entry = (<usize>point << 9) + (<usize>end << 5);
  // A sign and a point are below zero.
  const digits = i8x16.sub_sat_u(bytes, v128.load(ZEROS));
  const eights = eightsOf(i8x16.swizzle(digits, v128.load(entry, DIGITS)));
  const both = f64x2.mul(f64x2.convert_low_i32x4_s(eights), v128.load(EIGHTS));
  const whole = f64x2.add(both, i64x2.shuffle(both, both, 1, 1));
  return f64x2.extract_lane(whole, 0) / load<f64>(entry, DIGITS + 16);
}

/**
 * Bits of a decimal whose bytes are known to be right: a sign or not, digits and a point or not, less
 * than sixteen in all. Of others and of an empty one it gives any.
 */
// @ts-ignore: decorator
@inline
export function decimalBits(p: usize, length: i32): u64 {
  const bytes = v128.load(p);
  const others = othersIn(bytes);
  // A minus is odd, a point and a comma are even.
  const negative = others & i32x4.extract_lane(bytes, 0) & 1;
  const point = <i32>ctz(others ^ negative | 0x10000);
  return reinterpret<u64>(decimalIn(bytes, point, length)) ^ (<u64>negative << 63);
}

/** Four whole numbers of at most three digits; `order` is where the digits of each are told. */
// @ts-ignore: decorator
@inline
export function fourNumbers(bytes: v128, order: usize): v128 {
  const digits = i8x16.swizzle(v128.and(bytes, v128.load(NIBBLES)), v128.load(order));
  const pairs = i16x8.shr_u(i16x8.mul(digits, v128.load(TENS)), 8);
  return i32x4.dot_i16x8_s(pairs, v128.load(HUNDREDS));
}

/** Value of sixteen digits. */
// @ts-ignore: decorator
@inline
function sixteenDigits(p: usize): u64 {
  return sixteenNibbles(v128.and(v128.load(p), v128.load(NIBBLES)));
}

/** Value of sixteen numbers below ten. */
// @ts-ignore: decorator
@inline
function sixteenNibbles(digits: v128): u64 {
  const both = <u64>i64x2.extract_lane(eightsOf(digits), 0);
  return (both & 0xffffffff) * 100000000 + (both >> 32);
}

/** Values of the first eight of sixteen numbers below ten, and of the last. */
// @ts-ignore: decorator
@inline
function eightsOf(digits: v128): v128 {
  // Pairs of digits (10 · 256 + 1 leaves them in the upper byte), then fours, then eights.
  const pairs = i16x8.shr_u(i16x8.mul(digits, v128.load(TENS)), 8);
  const fours = i32x4.dot_i16x8_s(pairs, v128.load(HUNDREDS));
  return i32x4.dot_i16x8_s(i16x8.narrow_i32x4_u(fours, fours), v128.load(THOUSANDS));
}

/** Value of at most three digits. */
// @ts-ignore: decorator
@inline
function fewDigits(p: usize, n: i32): u64 {
  const v = ((load<u32>(p) << 8) << ((3 - n) << 3)) & 0x0f0f0f0f;
  return <u64>(((v >> 16) & 15) * 10 + (v >> 24) + ((v >> 8) & 15) * 100);
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

/** 10ⁿ, n ≤ 16. */
// @ts-ignore: decorator
@inline
export function smallPower(n: i32): u64 {
  return load<u64>(<usize>n << 3, WHOLE_POWERS);
}

/** The float64 nearest to m · 10^q, or NaN where the method cannot tell. */
export function nearest(m: u64, q: i32): f64 {
  return nearestInline(m, q);
}

/** `nearest` where a call is to be saved. */
// @ts-ignore: decorator
@inline
export function nearestInline(m: u64, q: i32): f64 {
  if (m === 0) return 0;
  if (<u32>(q - LOW_POWER) > <u32>(HIGH_POWER - LOW_POWER)) return NaN;
  const zeros = clz(m);
  const w = m << zeros;
  const five = load<u64>(<usize>(q - LOW_POWER) << 4, FIVES);
  const high = mulHigh(w, five);
  const low = w * five;
  // About one in 500 needs more of the product, or may be half way between two floats.
  if ((high & 0x1ff) === 0x1ff || low <= 1) return nearestOf(m, q);
  return rounded(high >> ((high >> 63) + 9), high, zeros, q);
}

/** The same by the whole product. */
function nearestOf(m: u64, q: i32): f64 {
  const zeros = clz(m);
  const w = m << zeros;
  const at = FIVES + (<usize>(q - LOW_POWER) << 4);
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
export function longDecimal(start: usize, end: usize, decimal: u32, power: i32): f64 {
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
  return nearest(m, power);
}

/** The number that `readDecimal` read last; NaN where there is none or the method cannot tell. */
export let decimalRead: f64 = 0;

/** Digits of the last fraction of less than sixteen: those of the next are mostly as many. */
let lastCount: i32 = 0;

/**
 * Reads the longest `[-] digits [. digits] [e [+-] digits]` from a place on into `decimalRead`.
 *
 * @param decimal Byte before the fraction.
 * @returns The place behind it. It does not depend on the value, so that whoever reads on need not
 * wait for that.
 */
export function readDecimal(p: usize, decimal: u32): usize {
  return readInline(p, decimal);
}

/** `readDecimal` where a call is to be saved. */
// @ts-ignore: decorator
@inline
export function readInline(p: usize, decimal: u32): usize {
  const negative = load<u8>(p) === 0x2d;
  p += <usize>negative;
  let ch = <u32>load<u8>(p);
  const first = p;
  let m: u64 = 0;
  while (ch - 48 < 10) {
    m = m * 10 + <u64>(ch - 48);
    ch = <u32>load<u8>(++p);
  }
  return readRest(p, ch, first, m, negative, decimal);
}

/**
 * Reads on behind the digits in front of a point, into `decimalRead`.
 *
 * @param ch Byte at `p`.
 * @param first Where the digits begin.
 * @param m Their value.
 * @returns The place behind the decimal.
 */
// @ts-ignore: decorator
@inline
export function readRest(
  p: usize,
  ch: u32,
  first: usize,
  m: u64,
  negative: bool,
  decimal: u32,
): usize {
  let digits = <i32>(p - first);
  let power = 0;
  if (ch === decimal) {
    const point = ++p;
    let count = countDigits(p);
    if (count === 16) {
      if (<u32>load<u8>(p, 16) === 0x65) {
        // Sixteen before an exponent: the next cell need not wait for them to be counted.
        m = m * TEN_TO_16 + sixteenDigits(p);
        p += 16;
      } else {
        // Up to three in front of sixteen, as good as random: no branch depends on them.
        count = countDigits(p + 16);
        m = (m * smallPower(count) + fewDigits(p, count)) * TEN_TO_16 +
          sixteenDigits(p + count);
        p += 16 + count;
        // More than 19 digits in all are read again below.
        if (count === 16) while (<u32>load<u8>(p) - 48 < 10) p++;
      }
    } else {
      let at = p;
      // Guessed: the next cell need not wait for these digits to be counted.
      if (count === lastCount) p += <usize>lastCount;
      else {
        lastCount = count;
        p += <usize>count;
      }
      if (count > 7) {
        m = m * 100000000 + eightDigits(load<u64>(at));
        at += 8;
        count -= 8;
      }
      if (count > 0) {
        m = m * smallPower(count) + eightDigits(load<u64>(at) << ((8 - count) << 3));
      }
    }
    power = <i32>(point - p);
    digits -= power;
    ch = <u32>load<u8>(p);
  }
  const behind = p;
  let exponent = 0;
  if ((ch | 32) === 0x65) {
    // One digit or two, plus or minus are as good as random: without a branch.
    ch = <u32>load<u8>(++p);
    const minus = ch === 0x2d;
    p += <usize>(<i32>minus | <i32>(ch === 0x2b));
    const one = <u32>load<u8>(p) - 48;
    const two = <u32>load<u8>(p, 1) - 48;
    if (one < 10) {
      const both = two < 10;
      exponent = <i32>select<u32>(one * 10 + two, one, both);
      p += 1 + <usize>both;
      ch = <u32>load<u8>(p);
      while (ch - 48 < 10) {
        if (exponent < 10000) exponent = exponent * 10 + <i32>(ch - 48);
        ch = <u32>load<u8>(++p);
      }
    } else digits = 0;
    exponent = select<i32>(-exponent, exponent, minus);
  }
  power += exponent;
  let value: f64;
  if (digits === 0) value = NaN;
  else if (digits > 19) value = longDecimal(first, behind, decimal, exponent);
  else if (m < SHORT && power >= -22 && power <= 22) {
    // Signed: one instruction, where unsigned takes a branch.
    const whole = <f64>(<i64>m);
    value = power < 0
      ? whole / load<f64>(<usize>(-power) << 3, POWERS)
      : whole * load<f64>(<usize>power << 3, POWERS);
  } else value = nearestInline(m, power);
  decimalRead = reinterpret<f64>(reinterpret<u64>(value) ^ (<u64>negative << 63));
  return p;
}
