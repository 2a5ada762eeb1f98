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

import { ends, enter, find, HEAD, same, textLength } from "./json/text";

export { enter };

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

/**
 * A feature's record: words name, its bytes (the closing quote included), kind, may be missing, table, its
 * mask; from byte 32 on the first 16 bytes of the name, then a mask of those that count.
 */
const FEATURE: usize = 64;
const NUMBER: i32 = 0;
const CATEGORY: i32 = 1;

/** Names that may come in another order than in the row before, for each body. */
const MISSES: i32 = 4096;

/** Where reading goes on; 0 once it has failed. */
let at: usize = 0;
let misses: i32 = 0;

/** Nearly every body is written without blanks: a loop would cost as much as the rest. */
// @ts-ignore: decorator
@inline
function blank(p: usize): usize {
  return <u32>load<u8>(p) > 0x20 ? p : skipBlanks(p);
}

function skipBlanks(p: usize): usize {
  let c = <u32>load<u8>(p);
  while (c === 0x20 || c === 0x0a || c === 0x0d || c === 0x09) c = <u32>load<u8>(++p);
  return p;
}

/** Whether the name of a feature, with its closing quote, is at `p`. */
// @ts-ignore: decorator
@inline
function isName(record: usize, p: usize): bool {
  const differ = v128.and(v128.xor(v128.load(p), v128.load(record, 32)), v128.load(record, 48));
  return !v128.any_true(differ) && (load<i32>(record, 4) <= 16 || isRest(record, p));
}

/** Whether what is behind the first 16 bytes of a name is the same. */
function isRest(record: usize, p: usize): bool {
  return same(p + 16, <usize>load<i32>(record) + 16, <usize>load<i32>(record, 4) - 16);
}

/** Feature whose name, with its closing quote, is at `p`; −1 where there is none. */
function searchName(features: usize, numFeatures: i32, p: usize): i32 {
  misses += numFeatures;
  if (misses > MISSES + 2 * numFeatures * numFeatures) return -1;
  for (let f = 0; f < numFeatures; f++) if (isName(features + <usize>f * FEATURE, p)) return f;
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
      let record = features + <usize>f * FEATURE;
      if (!isName(record, p)) {
        f = searchName(features, numFeatures, p);
        if (f < 0) return 0;
        store<i32>(next + (<usize>last << 2), f);
        record = features + <usize>f * FEATURE;
      }
      if (load<i32>(stamps + (<usize>f << 2)) === stamp) return 0;
      store<i32>(stamps + (<usize>f << 2), stamp);
      last = f + 1;
      p += <usize>load<i32>(record, 4);
      if (<u32>load<u8>(p) !== COLON) {
        p = blank(p);
        if (<u32>load<u8>(p) !== COLON) return 0;
      }
      p = blank(p + 1);
      const column = <usize>f << 3;
      const kind = load<i32>(record, 8);
      const bytes = load<u64>(p);
      // Where a text ends, or how many digits there are.
      let left: usize = 0;
      if (kind === CATEGORY && (<u32>bytes & 0xff) === QUOTE) {
        const first = v128.load(++p);
        const behind = v128.load(p, 16);
        const end = ends(first) | ends(behind) << 16;
        const length = end !== 0 ? <usize>ctz(end) : HEAD + textLength(p + HEAD);
        if (<u32>load<u8>(p + length) !== QUOTE) return 0;
        const table = <usize>load<i32>(record, 16);
        const code = find(table, load<i32>(record, 20), p, length, first, behind);
        store<f64>(x + column, <f64>code);
        // What an unknown text means is not for us to say.
        if (code < 0) left = p + length;
        else p += length + 1;
      } else {
        const count = countDigits(bytes);
        const end = <u32>(bytes >> (count << 3)) & 0xff;
        if (kind === NUMBER && count - 1 < 7 && (end === COMMA || end === CLOSE)) {
          // Whole numbers of up to seven digits are read without a branch a digit. A zero in front of
          // other digits is no number of JSON.
          if ((bytes & 0xff) === 0x30 && count > 1) return 0;
          store<f64>(x + column, <f64><i64>eightDigits(bytes << ((8 - count) << 3)));
          p += <usize>count;
        } else if (<u32>bytes === NULL) {
          if (kind > CATEGORY || load<i32>(record, 12) === 0) return 0;
          store<f64>(x + column, NaN);
          store<f64>(missing + column, load<f64>(missing + column) + 1);
          nulls++;
          p += 4;
        } else {
          if (kind !== NUMBER) return 0;
          const value = readNumber(p);
          if (at === 0) return 0;
          store<f64>(x + column, value);
          if (value !== value) left = at;
          else p = at;
        }
      }
      if (left !== 0) {
        if (spares === maxSpare) return 0;
        const place = spare + <usize>spares * 12;
        store<i32>(place, <i32>p);
        store<i32>(place, <i32>left, 4);
        store<i32>(place, <i32>(x + column), 8);
        spares++;
        p = left + usize(kind === CATEGORY);
      }
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
