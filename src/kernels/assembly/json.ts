/**
 * Reads the JSON rows of a request straight into the numbers that a model scores.
 *
 * It takes what nearly every body is: an object, or an array of objects, of numbers, texts and nulls
 * under the model's own names, without escapes and without repeated names. Numbers that need care
 * and texts that are no category are left over for the caller.
 * Anything else is left to `JSON.parse` and src/server/body/json_rows.ts, which are its specification:
 * `read` then answers 0 and what it wrote counts for nothing.
 *
 * All pointers are byte offsets into the imported memory, laid out by src/server/body/row_reader.ts.
 * The bytes behind the body are made 0, which no rule accepts, so that nothing reads on. Compiled by
 * tools/build_kernels.ts.
 */

const QUOTE: u32 = 0x22;
const COMMA: u32 = 0x2c;
const COLON: u32 = 0x3a;
const OPEN_LIST: u32 = 0x5b;
const CLOSE_LIST: u32 = 0x5d;
const OPEN: u32 = 0x7b;
const CLOSE: u32 = 0x7d;
const NULL: u32 = 0x6c6c756e; // "null", little-endian
const COMMA_QUOTE: u32 = 0x222c;

/** Whole numbers below are exact in float64. */
const EXACT: u64 = 1 << 53;

/** Words of a feature's record: name, its bytes, kind, may be missing, table, its mask. */
const FEATURE: usize = 24;
/** Bytes of an entry: the first 32 bytes of the text, then zeros; length, code, where the text is. */
const ENTRY: usize = 48;
/** Bytes of a text that are compared at once. */
const HEAD: usize = 32;

const NUMBER: i32 = 0;
const CATEGORY: i32 = 1;

/** Names that may come in another order than in the row before, for each body. */
const MISSES: i32 = 4096;

/** Where reading goes on; 0 once it has failed. */
let at: usize = 0;
let misses: i32 = 0;

// @ts-ignore: decorator
@inline
function blank(p: usize): usize {
  let c = <u32>load<u8>(p);
  // Nearly every body is written without blanks.
  while (c <= 0x20 && (c === 0x20 || c === 0x0a || c === 0x0d || c === 0x09)) {
    c = <u32>load<u8>(++p);
  }
  return p;
}

/** Bytes up to the closing quote; a backslash or a control character ends the text as well. */
// @ts-ignore: decorator
@inline
function textLength(p: usize): usize {
  const start = p;
  while (true) {
    const bytes = v128.load(p);
    const mask = ends(bytes);
    if (mask !== 0) return p - start + <usize>ctz(mask);
    p += 16;
  }
}

// @ts-ignore: decorator
@inline
function firstWord(p: usize, length: usize): u64 {
  const word = load<u64>(p);
  return length >= 8 ? word : word & ((<u64>1 << (<u64>length << 3)) - 1);
}

/** Bit of each byte that ends a text: a quote, a backslash or a control character. */
// @ts-ignore: decorator
@inline
function ends(bytes: v128): i32 {
  return i8x16.bitmask(v128.or(
    v128.or(i8x16.eq(bytes, i8x16.splat(0x22)), i8x16.eq(bytes, i8x16.splat(0x5c))),
    i8x16.lt_u(bytes, i8x16.splat(0x20)),
  ));
}

/** The first `length` bytes of sixteen, then zeros. */
// @ts-ignore: decorator
@inline
function keep(bytes: v128, length: i32): v128 {
  const places = i8x16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  return v128.and(bytes, i8x16.gt_s(i8x16.splat(<i8>length), places));
}

/** As `keep`, of the sixteen bytes behind those. */
// @ts-ignore: decorator
@inline
function keepNext(bytes: v128, length: i32): v128 {
  const places = i8x16(16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31);
  return v128.and(bytes, i8x16.gt_s(i8x16.splat(<i8>length), places));
}

// @ts-ignore: decorator
@inline
function mix(low: v128, high: v128): u32 {
  const both = v128.xor(low, i64x2.shl(high, 1));
  const h = i64x2.extract_lane(both, 0) * 0x9e3779b97f4a7c15 ^
    i64x2.extract_lane(both, 1) * 0xc2b2ae3d27d4eb4f;
  return <u32>(h >> 32) ^ <u32>(h >> 17);
}

function same(a: usize, b: usize, length: usize): bool {
  for (let i: usize = 0; i < length; i++) {
    if (load<u8>(a + i) !== load<u8>(b + i)) return false;
  }
  return true;
}

/** Enters a text into the table of a feature; of equal ones the first counts. */
export function enter(table: usize, mask: i32, text: usize, length: i32, code: i32): void {
  const short = min(length, <i32>HEAD);
  const low = keep(v128.load(text), short);
  const high = keepNext(v128.load(text, 16), short);
  let slot = mix(low, high) & mask;
  while (true) {
    const entry = table + <usize>slot * ENTRY;
    if (load<i32>(entry, 32) < 0) {
      v128.store(entry, low);
      v128.store(entry, high, 16);
      store<i32>(entry, length, 32);
      store<i32>(entry, code, 36);
      store<i32>(entry, <i32>text, 40);
      return;
    }
    slot = (slot + 1) & mask;
  }
}

/**
 * Code of a text; −1 where the table has none. Texts of any length up to 32 take the same way: a branch
 * by length would be guessed wrong once in a few cells.
 */
// @ts-ignore: decorator
@inline
function find(
  table: usize,
  mask: u32,
  text: usize,
  length: usize,
  first: v128,
  next: v128,
): i32 {
  const short = <i32>min(length, HEAD);
  const low = keep(first, short);
  const high = keepNext(next, short);
  let slot = mix(low, high) & mask;
  while (true) {
    const entry = table + <usize>slot * ENTRY;
    const differ = v128.or(
      v128.xor(v128.load(entry), low),
      v128.xor(v128.load(entry, 16), high),
    );
    const found = load<i32>(entry, 32);
    if (found === <i32>length && !v128.any_true(differ)) {
      if (length <= HEAD || same(text, <usize>load<i32>(entry, 40), length)) {
        return load<i32>(entry, 36);
      }
    }
    if (found < 0) return -1;
    slot = (slot + 1) & mask;
  }
}

/** Whether the name of a feature, with its closing quote, is at `p`. */
// @ts-ignore: decorator
@inline
function isName(features: usize, f: i32, p: usize): bool {
  const record = features + <usize>f * FEATURE;
  const name = <usize>load<i32>(record);
  const length = <usize>load<i32>(record, 4); // the closing quote included
  let i: usize = 0;
  for (; i + 8 <= length; i += 8) {
    if (load<u64>(p + i) !== load<u64>(name + i)) return false;
  }
  return firstWord(p + i, length - i) === load<u64>(name + i);
}

/** Feature whose name, with its closing quote, is at `p`; −1 where there is none. */
function searchName(features: usize, numFeatures: i32, p: usize): i32 {
  misses += numFeatures;
  if (misses > MISSES + 2 * numFeatures * numFeatures) return -1;
  for (let f = 0; f < numFeatures; f++) if (isName(features, f, p)) return f;
  return -1;
}

// @ts-ignore: decorator
@inline
function power(n: i32): f64 {
  let value = 1.0;
  let base = 10.0;
  while (n > 0) {
    if (n & 1) value *= base;
    base *= base;
    n >>= 1;
  }
  return value;
}

/** Number of digits (0 to 8) at the start of eight bytes; see csv/decimal.ts. */
// @ts-ignore: decorator
@inline
function countDigits(bytes: u64): u64 {
  const low = bytes & 0x7f7f7f7f7f7f7f7f;
  const bad = (low + 0x4646464646464646) | ((low | 0x8080808080808080) - 0x3030303030303030 ^
    0x8080808080808080) | bytes;
  return ctz(bad & 0x8080808080808080) >> 3;
}

/** Value of eight digits, first digit in the lowest byte. */
// @ts-ignore: decorator
@inline
function eightDigits(bytes: u64): u64 {
  let v = bytes & 0x0f0f0f0f0f0f0f0f;
  v = v * 10 + (v >> 8);
  return ((v & 0x000000ff000000ff) * 0x000f424000000064 +
    ((v >> 16) & 0x000000ff000000ff) * 0x0000271000000001) >> 32;
}

/**
 * A number by the rules of JSON. `at` is behind it then, or 0 when it is none. The answer is NaN
 * where two roundings could differ from one: then the text must be read by someone else.
 */
function readNumber(p: usize): f64 {
  let c = <u32>load<u8>(p);
  const negative = c === 0x2d;
  if (negative) c = <u32>load<u8>(++p);
  let value: u64 = 0;
  let digits = 0;
  let exponent = 0;
  at = 0;
  if (c - 0x30 > 9) return 0;
  if (c === 0x30) c = <u32>load<u8>(++p);
  else {
    do {
      value = value * 10 + (c - 0x30);
      digits++;
      c = <u32>load<u8>(++p);
    } while (c - 0x30 <= 9);
  }
  if (c === 0x2e) {
    c = <u32>load<u8>(++p);
    if (c - 0x30 > 9) return 0;
    do {
      value = value * 10 + (c - 0x30);
      digits += i32(value !== 0);
      exponent--;
      c = <u32>load<u8>(++p);
    } while (c - 0x30 <= 9);
  }
  if ((c | 0x20) === 0x65) {
    c = <u32>load<u8>(++p);
    const down = c === 0x2d;
    if (down || c === 0x2b) c = <u32>load<u8>(++p);
    if (c - 0x30 > 9) return 0;
    let shift = 0;
    do {
      if (shift < 10000) shift = shift * 10 + <i32>(c - 0x30);
      c = <u32>load<u8>(++p);
    } while (c - 0x30 <= 9);
    exponent += down ? -shift : shift;
  }
  at = p;
  // Both factors are exact, so that the one rounding is the right one (Clinger 1990).
  if (digits > 18 || value > EXACT || exponent < -22 || exponent > 22) return NaN;
  let number = <f64>value;
  if (exponent < 0) number /= power(-exponent);
  else if (exponent > 0) number *= power(exponent);
  return negative ? -number : number;
}

/**
 * Reads a body.
 *
 * `config` is 14 words: features, their records, predicted successors, stamps, cells sent (float64),
 * missing cells (float64), cells left over (3 words each: from, to, place), room for those; then
 * what is written: how many were left over, cells in all; then the last stamp, rows, room for rows; then
 * missing cells in all, which is written. Behind the body are 64 bytes of room.
 *
 * @returns Rows read, or 0.
 */
export function read(config: usize, from: usize, to: usize): i32 {
  const numFeatures = load<i32>(config);
  const features = <usize>load<i32>(config, 4);
  const next = <usize>load<i32>(config, 8);
  const stamps = <usize>load<i32>(config, 12);
  const sent = <usize>load<i32>(config, 16);
  const missing = <usize>load<i32>(config, 20);
  const spare = <usize>load<i32>(config, 24);
  const maxSpare = load<i32>(config, 28);
  let stamp = load<i32>(config, 40);
  let x = <usize>load<i32>(config, 44);
  const maxRows = load<i32>(config, 48);
  const width = <usize>numFeatures << 3;
  memory.fill(sent, 0, 2 * width); // the missing ones lie behind; until the end absent cells are counted
  if (stamp > 0x3fffffff) {
    memory.fill(stamps, 0, <usize>numFeatures << 2);
    stamp = 0;
  }
  misses = 0;
  let spares = 0;
  let cells = 0;
  let nulls = 0;
  let rows = 0;
  for (let i: usize = 0; i < 64; i += 16) v128.store(to + i, i64x2.splat(0));
  let p = blank(from);
  const list = <u32>load<u8>(p) === OPEN_LIST;
  if (list) p = blank(p + 1);
  while (true) {
    if (<u32>load<u8>(p) !== OPEN || rows === maxRows) return 0;
    p = blank(p + 1);
    store<i32>(config, ++stamp, 40); // also when the body is given up
    const before = cells;
    let last = 0; // 1 + the feature before
    while (true) {
      if (<u32>load<u8>(p) !== QUOTE) return 0;
      p++;
      let f = load<i32>(next + (<usize>last << 2));
      if (!isName(features, f, p)) {
        f = searchName(features, numFeatures, p);
        if (f < 0) return 0;
        store<i32>(next + (<usize>last << 2), f);
      }
      if (load<i32>(stamps + (<usize>f << 2)) === stamp) return 0;
      store<i32>(stamps + (<usize>f << 2), stamp);
      last = f + 1;
      const record = features + <usize>f * FEATURE;
      p += <usize>load<i32>(record, 4);
      if (<u32>load<u8>(p) !== COLON) {
        p = blank(p);
        if (<u32>load<u8>(p) !== COLON) return 0;
      }
      p = blank(p + 1);
      const column = <usize>f << 3;
      const kind = load<i32>(record, 8);
      if (load<u32>(p) === NULL) {
        if (kind > CATEGORY || load<i32>(record, 12) === 0) return 0;
        store<f64>(x + column, NaN);
        store<f64>(missing + column, load<f64>(missing + column) + 1);
        nulls++;
        p += 4;
      } else if (kind === NUMBER) {
        // Whole numbers of up to seven digits are read without a branch a digit.
        const bytes = load<u64>(p);
        const count = countDigits(bytes);
        const end = <u32>(bytes >> (count << 3)) & 0xff;
        if (count - 1 < 7 && (end === COMMA || end === CLOSE)) {
          // A zero in front of other digits is no number of JSON.
          if ((bytes & 0xff) === 0x30 && count > 1) return 0;
          store<f64>(x + column, <f64><i64>eightDigits(bytes << ((8 - count) << 3)));
          p += <usize>count;
        } else {
          const value = readNumber(p);
          if (at === 0) return 0;
          if (value !== value) {
            if (spares === maxSpare) return 0;
            const place = spare + <usize>spares * 12;
            store<i32>(place, <i32>p);
            store<i32>(place, <i32>at, 4);
            store<i32>(place, <i32>(x + column), 8);
            spares++;
          }
          store<f64>(x + column, value);
          p = at;
        }
      } else if (kind === CATEGORY) {
        if (<u32>load<u8>(p) !== QUOTE) return 0;
        const first = v128.load(++p);
        const behind = v128.load(p, 16);
        const end = ends(first) | ends(behind) << 16;
        const length = end !== 0 ? <usize>ctz(end) : HEAD + textLength(p + HEAD);
        if (<u32>load<u8>(p + length) !== QUOTE) return 0;
        const table = <usize>load<i32>(record, 16);
        const code = find(table, load<i32>(record, 20), p, length, first, behind);
        if (code < 0) {
          // What an unknown text means is not for us to say.
          if (spares === maxSpare) return 0;
          const place = spare + <usize>spares * 12;
          store<i32>(place, <i32>p);
          store<i32>(place, <i32>(p + length), 4);
          store<i32>(place, <i32>(x + column), 8);
          spares++;
        }
        store<f64>(x + column, <f64>code);
        p += length + 1;
      } else return 0;
      cells++;
      if (<u32>load<u16>(p) === COMMA_QUOTE) {
        p++;
        continue;
      }
      p = blank(p);
      const c = <u32>load<u8>(p);
      if (c === COMMA) p = blank(p + 1);
      else if (c === CLOSE) break;
      else return 0;
    }
    if (cells - before !== numFeatures) {
      for (let f: usize = 0; f < width; f += 8) {
        if (load<i32>(stamps + (f >> 1)) === stamp) continue;
        store<f64>(x + f, NaN);
        store<f64>(sent + f, load<f64>(sent + f) + 1);
      }
    }
    rows++;
    x += width;
    p = blank(p + 1);
    if (!list) break;
    const c = <u32>load<u8>(p);
    if (c === COMMA) p = blank(p + 1);
    else if (c === CLOSE_LIST) {
      p = blank(p + 1);
      break;
    } else return 0;
  }
  for (let f: usize = 0; f < width; f += 8) store<f64>(sent + f, <f64>rows - load<f64>(sent + f));
  store<i32>(config, spares, 32);
  store<i32>(config, cells, 36);
  store<i32>(config, nulls, 52);
  return p === to ? rows : 0;
}
