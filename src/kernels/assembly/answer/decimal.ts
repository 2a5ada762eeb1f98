// float64 → the text that JavaScript makes of it: the shortest decimal that reads back as the same
// number, of several the nearest. R. Giulietti, "The Schubfach way to render doubles" (2020), sections
// 9.8 and 9.9; the form is that of Number::toString in ECMA-262.

/** 10^k for k = −POWER … POWER, each 128 bits rounded up, high half first. */
const POWER: i32 = 60;
/** Decimal digits of a float64 at most. */
const DIGITS: usize = 17;
/** Bytes that a number takes at most: `-1.2345678901234567e-300`. */
export const MAX_TEXT: usize = 25;

const ZEROS: u64 = 0x3030303030303030;

/** Upper half of the last product; the lower half is what `multiply` returns. */
let high: u64 = 0;

// @ts-ignore: decorator
@inline
function multiply(a: u64, b: u64): u64 {
  const aLow = a & 0xffffffff;
  const aHigh = a >> 32;
  const bLow = b & 0xffffffff;
  const bHigh = b >> 32;
  const low = aLow * bLow;
  const cross = aHigh * bLow + (low >> 32);
  const middle = aLow * bHigh + (cross & 0xffffffff);
  high = aHigh * bHigh + (cross >> 32) + (middle >> 32);
  return (middle << 32) | (low & 0xffffffff);
}

/** Eight digits of a number below 10^8, the first in the lowest byte. */
// @ts-ignore: decorator
@inline
function eight(value: u64): u64 {
  const top = value / 10000;
  let x = top | ((value - top * 10000) << 32);
  let q = ((x * 10486) >> 20) & 0x0000007f0000007f;
  x = q | ((x - q * 100) << 16);
  q = ((x * 103) >> 10) & 0x000f000f000f000f;
  return q | ((x - q * 10) << 8);
}

/** Decimal exponent of the digits that `shortest` returned. */
let exponent: i32 = 0;

/** The shortest digits of a positive number that is no whole number below 2^53; 0 beyond the table. */
function shortest(bits: u64, powers: usize): u64 {
  const fraction = bits & 0x000fffffffffffff;
  const biased = <i32>(bits >> 52);
  const c = biased === 0 ? fraction : fraction | 0x0010000000000000;
  const q = (biased === 0 ? 1 : biased) - 1075;
  const closer = fraction === 0 && biased > 1;
  // floor(log10(2^q)), or of ¾ · 2^q where the gap below is half the one above.
  const k = closer ? (q * 1262611 - 524031) >> 22 : (q * 1262611) >> 22;
  if (k < -POWER || k > POWER) return 0;
  const h = <u64>(q + ((-k * 1741647) >> 19) + 1);
  const at = powers + (<usize>(POWER - k) << 4);
  const gHigh = load<u64>(at);
  const gLow = load<u64>(at, 8);
  // 4c · g · 2^h in three words, and 2 · g · 2^h, by which the bounds of the interval are away.
  const cb = (c << 2) << h;
  const p0 = multiply(gLow, cb);
  const carry = high;
  let p1 = multiply(gHigh, cb);
  let p2 = high;
  p1 += carry;
  p2 += u64(p1 < carry);
  const d0 = gLow << (h + 1);
  const d1 = (gHigh << (h + 1)) | (gLow >> (63 - h));
  const d2 = gHigh >> (63 - h);
  const up0 = p0 + d0;
  const carry0 = u64(up0 < d0);
  const part = p1 + d1;
  const up1 = part + carry0;
  const up2 = p2 + d2 + u64(part < d1) + u64(up1 < carry0);
  const e0 = closer ? gLow << h : d0;
  const e1 = closer ? (gHigh << h) | (gLow >> (64 - h)) : d1;
  const e2 = closer ? gHigh >> (64 - h) : d2;
  const borrow0 = u64(p0 < e0);
  const rest = p1 - e1;
  const down1 = rest - borrow0;
  const down2 = p2 - e2 - u64(p1 < e1) - u64(rest < borrow0);
  const odd = c & 1;
  const lower = (down2 | u64(down1 > 1)) + odd;
  const value = p2 | u64(p1 > 1);
  const upper = (up2 | u64(up1 > 1)) - odd;
  const s = value >> 2;
  const ten = s / 10;
  const tenUp = lower <= 40 * ten;
  const tenDown = 40 * ten + 40 <= upper;
  exponent = k + 1;
  if (s >= 10 && tenUp !== tenDown) return ten + u64(tenDown);
  exponent = k;
  const isUp = lower <= s << 2;
  const isDown = (s << 2) + 4 <= upper;
  if (isUp !== isDown) return s + u64(isDown);
  const middle = (s << 2) + 2;
  return s + u64(value > middle || value === middle && (s & 1) !== 0);
}

/** Copies up to 24 bytes; what is behind them may be overwritten. */
// @ts-ignore: decorator
@inline
function copy24(from: usize, to: usize): void {
  v128.store(to, v128.load(from));
  store<u64>(to, load<u64>(from, 16), 16);
}

/**
 * Writes a number as text; what is not finite becomes `null`.
 *
 * @param powers The powers of ten, then 48 bytes of which those from the eighteenth on are "0".
 * @returns The place behind it, at most 25 bytes on (32 may be written); 0 where the powers do not reach.
 */
export function writeNumber(to: usize, number: f64, powers: usize): usize {
  let bits = reinterpret<u64>(number);
  if (<i64>bits < 0) {
    bits &= 0x7fffffffffffffff;
    if (number - number === 0 && bits !== 0) store<u8>(to++, 0x2d);
  }
  if (bits >= 0x7ff0000000000000) {
    store<u32>(to, 0x6c6c756e); // null
    return to + 4;
  }
  const absolute = reinterpret<f64>(bits);
  let digits: u64;
  if (absolute < 9007199254740992 && Math.floor(absolute) === absolute) {
    digits = <u64>absolute;
    exponent = 0;
    if (digits < 10) {
      store<u8>(to, 0x30 + <u8>digits);
      return to + 1;
    }
  } else {
    digits = shortest(bits, powers);
    if (digits === 0) return 0;
  }
  const scratch = powers + (<usize>(2 * POWER + 1) << 4);
  const upper = digits / 100000000;
  const first = upper / 100000000;
  const mid = eight(upper - first * 100000000);
  const low = eight(digits - upper * 100000000);
  store<u8>(scratch, 0x30 + <u8>first);
  store<u64>(scratch + 1, mid | ZEROS);
  store<u64>(scratch + 9, low | ZEROS);
  const start: usize = first !== 0
    ? 0
    : mid !== 0
    ? 1 + (<usize>ctz(mid) >> 3)
    : 9 + (<usize>ctz(low) >> 3);
  const end: usize = low !== 0
    ? DIGITS - (<usize>clz(low) >> 3)
    : mid !== 0
    ? 9 - (<usize>clz(mid) >> 3)
    : 1;
  const length = <i32>(end - start);
  const from = scratch + start;
  const point = <i32>(DIGITS - start) + exponent;
  if (point <= 0 && point > -6) {
    store<u64>(to, 0x3030303030302e30); // 0.000000
    to += <usize>(2 - point);
    copy24(from, to);
    return to + <usize>length;
  }
  if (point > 0 && point <= 21) {
    copy24(from, to);
    if (length <= point) return to + <usize>point;
    to += <usize>point;
    store<u8>(to, 0x2e);
    copy24(from + <usize>point, to + 1);
    return to + 1 + <usize>(length - point);
  }
  return writeExponent(to, from, length, point - 1);
}

/** Digits with a power of ten: `1e-7`, `1.5e+21`. */
function writeExponent(to: usize, from: usize, length: i32, power: i32): usize {
  store<u8>(to++, load<u8>(from));
  if (length > 1) {
    store<u8>(to, 0x2e);
    copy24(from + 1, to + 1);
    to += <usize>length;
  }
  store<u8>(to, 0x65);
  store<u8>(to + 1, power < 0 ? 0x2d : 0x2b);
  to += 2;
  if (power < 0) power = -power;
  // The table ends before three digits.
  if (power >= 10) store<u8>(to++, 0x30 + <u8>(power / 10));
  store<u8>(to, 0x30 + <u8>(power % 10));
  return to + 1;
}
