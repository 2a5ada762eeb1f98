/**
 * Trees of an XGBoost UBJSON file → nodes in their final places, for the plain case that nearly every
 * file is: numeric tests, leaves of one number, arrays of the types that the library writes.
 *
 * Whatever is not that case, or not in order, makes a function return 0, and
 * src/convert/xgboost/import.ts reads the file: it is the specification, and it knows what to say.
 * Nothing outside `from … end` is read. All pointers are byte offsets into the imported memory, laid
 * out by src/convert/xgboost/kernel.ts. Compiled by tools/build_kernels.ts.
 */

/** Fields of a tree, in the order of the key table and of a tree's record. */
const LEFT: i32 = 0;
const DEFAULT: i32 = 4;
const TYPE: i32 = 5;
const COVER: i32 = 6;
const GAIN: i32 = 7;
/** Behind them: keys that are no arrays of nodes. */
const CATEGORIES: i32 = 8;
const PARAMS: i32 = 9;
const WIDTH: i32 = 10;
const NUM_KEYS: i32 = 11;
/** The number of a tree, a key too short for the table; and its two bytes. */
const ID: i32 = 12;
const ID_TEXT: u16 = 0x6469;

/** A key: its first and its last eight bytes (it has 8 to 16), its length, the key likely to follow. */
const KEY_SIZE: usize = 24;
/** A tree: pointers of its eight arrays, its number of nodes. */
const RECORD: usize = 36;

const ARRAY: i32 = 0x5b;
const OBJECT: i32 = 0x7b;
const OBJECT_END: i32 = 0x7d;
const INT32: i32 = 0x6c;
const INT64: i32 = 0x4c;
const INT16: i32 = 0x49;
const INT8: i32 = 0x69;
const UINT8: i32 = 0x55;
const FLOAT32: i32 = 0x64;

let cursor: usize = 0;
let limit: usize = 0;

/** A length, with its marker, that the rest of the file may hold; −1 when there is none. */
function takeLength(): i32 {
  if (limit - cursor < 9) return -1;
  const marker = <i32>load<u8>(cursor);
  let length: u64;
  if (marker === INT64) {
    length = bswap<u64>(load<u64>(cursor + 1));
    cursor += 9;
  } else if (marker === INT32) {
    length = <u64>bswap<u32>(load<u32>(cursor + 1));
    cursor += 5;
  } else if (marker === UINT8) {
    length = <u64>load<u8>(cursor + 1);
    cursor += 2;
  } else return -1;
  return length <= <u64>(limit - cursor) ? <i32>length : -1;
}

/** Number of the key that follows key `k` in the first trees: files repeat their order. */
let guess: i32 = 0;

// @ts-ignore: decorator
@inline
function isKey(entry: usize, first: u64, last: u64, length: i32): bool {
  return load<u64>(entry) === first && load<u64>(entry, 8) === last &&
    load<i32>(entry, 16) === length;
}

/** Whether a text is ASCII; others are left to the general reader, which refuses what is no UTF-8. */
function isPlain(from: usize, to: usize): bool {
  for (let at = from; at < to; at++) if (load<u8>(at) > 127) return false;
  return true;
}

/** Number of a key among those of the table, `ID` for "id", `NUM_KEYS` for others, −1 where there is none or none of ASCII. */
function takeKey(keys: usize): i32 {
  const length = takeLength();
  if (length < 0) return -1;
  const at = cursor;
  cursor += length;
  if (length === 2 && load<u16>(at) === ID_TEXT) return ID;
  if (length < 8 || length > 16) return isPlain(at, cursor) ? NUM_KEYS : -1;
  const first = load<u64>(at);
  const last = load<u64>(at + length - 8);
  const link = keys + <usize>guess * KEY_SIZE + 20;
  const likely = load<i32>(link);
  if (isKey(keys + <usize>likely * KEY_SIZE, first, last, length)) return guess = likely;
  for (let k = 0; k < NUM_KEYS; k++) {
    if (!isKey(keys + <usize>k * KEY_SIZE, first, last, length)) continue;
    store<i32>(link, k);
    return guess = k;
  }
  return isPlain(at, cursor) ? NUM_KEYS : -1;
}

/** Bytes of an item of a typed array; 0 for types that are not known here. */
// @ts-ignore: decorator
@inline
function widthOf(type: i32): i32 {
  if (type === INT32 || type === FLOAT32) return 4;
  if (type === INT64 || type === 0x44) return 8;
  if (type === INT16) return 2;
  return type === UINT8 || type === INT8 ? 1 : 0;
}

/** What `takeArray` found: type of the items. */
let arrayType: i32 = 0;
let arrayAt: usize = 0;

/** Passes a typed array behind its bracket and returns its length, −1 where there is none. */
function takeArray(): i32 {
  if (limit - cursor < 4 || load<u8>(cursor) !== 0x24 || load<u8>(cursor + 2) !== 0x23) return -1;
  arrayType = <i32>load<u8>(cursor + 1);
  cursor += 3;
  const width = widthOf(arrayType);
  const length = takeLength();
  if (length < 0 || width === 0 || <u64>length * width > <u64>(limit - cursor)) return -1;
  arrayAt = cursor;
  cursor += length * width;
  return length;
}

/** Passes a whole number and tells whether it is this one. */
function isNumber(expected: i32): bool {
  if (limit - cursor < 9) return false;
  const marker = <i32>load<u8>(cursor++);
  const width = widthOf(marker);
  let value: i32;
  if (marker === INT32) value = bswap<i32>(load<i32>(cursor));
  else if (marker === INT16) value = <i32>bswap<i16>(load<i16>(cursor));
  else if (marker === INT8) value = <i32>load<i8>(cursor);
  else return false;
  cursor += width;
  return value === expected;
}

/** Passes a value that nobody needs: a scalar, a text, a typed array. */
function pass(): bool {
  if (cursor >= limit) return false;
  const marker = <i32>load<u8>(cursor++);
  if (marker === ARRAY) return takeArray() >= 0;
  if (marker === 0x53) {
    const length = takeLength();
    if (length < 0) return false;
    cursor += length;
    return isPlain(cursor - length, cursor);
  }
  const width = widthOf(marker);
  if (width === 0 || <i32>(limit - cursor) < width) return false;
  cursor += width;
  return true;
}

/** Passes `tree_param`, whose `size_leaf_vector`, if any, must be "0" or "1". */
function takeParams(keys: usize): bool {
  if (cursor >= limit || load<u8>(cursor++) !== OBJECT) return false;
  for (;;) {
    if (cursor >= limit) return false;
    if (load<u8>(cursor) === OBJECT_END) break;
    const key = takeKey(keys);
    if (key < 0) return false;
    const at = cursor;
    if (!pass()) return false;
    if (key !== WIDTH) continue;
    const digit = <i32>load<u8>(cursor - 1);
    if (load<u8>(at) !== 0x53 || digit !== 0x30 && digit !== 0x31) return false;
    // A text of one character: marker, length with its marker, the digit.
    const marker = <i32>load<u8>(at + 1);
    const head: usize = marker === INT64 ? 10 : marker === INT32 ? 6 : 3;
    if (cursor - at !== head + 1) return false;
  }
  cursor++;
  return true;
}

/** Reads one tree into a record and returns its number of nodes; 0 for "not here". */
function scanTree(keys: usize, record: usize, tree: i32): i32 {
  if (cursor >= limit || load<u8>(cursor++) !== OBJECT) return 0;
  memory.fill(record, 0, RECORD);
  let count = 0;
  let params = false;
  for (;;) {
    if (cursor >= limit) return 0;
    if (load<u8>(cursor) === OBJECT_END) break;
    const key = takeKey(keys);
    if (key < 0) return 0;
    if (key === PARAMS) {
      if (params || !takeParams(keys)) return 0;
      params = true;
      continue;
    }
    if (key === ID) {
      if (!isNumber(tree)) return 0;
      continue;
    }
    if (key >= CATEGORIES) {
      if (key === CATEGORIES) {
        if (cursor >= limit || load<u8>(cursor++) !== ARRAY || takeArray() !== 0) return 0;
      } else if (!pass()) return 0;
      continue;
    }
    if (cursor >= limit || load<u8>(cursor++) !== ARRAY) return 0;
    const length = takeArray();
    const type = key < 3 ? INT32 : key === DEFAULT || key === TYPE ? UINT8 : FLOAT32;
    const slot = record + (<usize>key << 2);
    if (length <= 0 || arrayType !== type || load<u32>(slot) !== 0) return 0;
    if (count !== 0 && length !== count) return 0;
    count = length;
    store<u32>(slot, <u32>arrayAt);
    if (key !== TYPE) continue;
    for (let i = 0; i < length; i++) if (load<u8>(arrayAt + i) !== 0) return 0;
  }
  cursor++;
  for (let key = LEFT; key <= DEFAULT; key++) {
    if (load<u32>(record + (<usize>key << 2)) === 0) return 0;
  }
  store<i32>(record, count, 32);
  return params ? count : 0;
}

/**
 * Finds the arrays of `numTrees` trees between `from` and `end`.
 *
 * @param keys The table of keys.
 * @param records Gets a record a tree; in front of them, two words: nodes of all and of the largest.
 * @returns Where the trees end, or 0.
 */
export function scan(
  from: usize,
  end: usize,
  numTrees: i32,
  keys: usize,
  records: usize,
): usize {
  cursor = from;
  limit = end;
  let total = 0;
  let largest = 0;
  for (let t = 0; t < numTrees; t++) {
    const count = scanTree(keys, records + 8 + <usize>t * RECORD, t);
    if (count === 0) return 0;
    total += count;
    if (count > largest) largest = count;
  }
  store<i32>(records, total);
  store<i32>(records, largest, 4);
  return cursor;
}

/** A big-endian word of a file. */
// @ts-ignore: decorator
@inline
function word(array: usize, node: i32): i32 {
  return bswap<i32>(load<i32>(array + (<usize>node << 2)));
}

/** A number as float64. */
// @ts-ignore: decorator
@inline
function number(array: usize, node: i32): f64 {
  return <f64>reinterpret<f32>(word(array, node));
}

/**
 * Puts the nodes that roots reach into the places that `placeTree` gives them.
 *
 * The memory of `out` is new: what stays 0 is not written, since first touches of pages are most of
 * the time of a first import.
 *
 * @param records As `scan` left them.
 * @param seen `largest` words, 0.
 * @param stack `largest` + 1 words.
 * @param out Pointers of the arrays of nodes: firstChild, feature, sourceId, categoryAt (32 bits),
 * threshold, leaf, cover, gain (64 bits), kind, missing (8 bits), treeStart (32 bits, a tree).
 * @returns 1 + the largest feature that is tested, or −1 where this is not the plain case.
 */
export function place(
  records: usize,
  numTrees: i32,
  seen: usize,
  stack: usize,
  out: usize,
): i32 {
  const firstChild = <usize>load<u32>(out);
  const feature = <usize>load<u32>(out, 4);
  const sourceId = <usize>load<u32>(out, 8);
  const categoryAt = <usize>load<u32>(out, 12);
  const threshold = <usize>load<u32>(out, 16);
  const leaf = <usize>load<u32>(out, 20);
  const cover = <usize>load<u32>(out, 24);
  const gain = <usize>load<u32>(out, 28);
  const kind = <usize>load<u32>(out, 32);
  const missing = <usize>load<u32>(out, 36);
  const treeStart = <usize>load<u32>(out, 40);
  let placed = 0;
  let numFeatures = 0;
  for (let t = 0; t < numTrees; t++) {
    const record = records + 8 + <usize>t * RECORD;
    const left = <usize>load<u32>(record);
    const right = <usize>load<u32>(record, 4);
    const index = <usize>load<u32>(record, 8);
    const condition = <usize>load<u32>(record, 12);
    const defaultLeft = <usize>load<u32>(record, 16);
    const hessian = <usize>load<u32>(record, 24);
    const change = <usize>load<u32>(record, 28);
    const count = <u32>load<i32>(record, 32);
    const stamp = t + 1;
    store<i32>(treeStart + (<usize>t << 2), placed);
    store<i32>(sourceId + (<usize>placed << 2), 0);
    store<i32>(seen, stamp);
    let open = stack;
    store<i32>(open, placed++);
    open += 4;
    while (open > stack) {
      open -= 4;
      const at = load<i32>(open);
      const at4 = <usize>at << 2;
      const at8 = <usize>at << 3;
      const node = load<i32>(sourceId + at4);
      const value = word(condition, node);
      const first = word(left, node);
      if (hessian !== 0) store<f64>(cover + at8, number(hessian, node));
      if (first === -1) {
        if ((value & 0x7f800000) === 0x7f800000) return -1;
        store<i32>(firstChild + at4, -1);
        store<i32>(feature + at4, -1);
        store<f64>(leaf + at8, <f64>reinterpret<f32>(value));
        continue;
      }
      const second = word(right, node);
      if (<u32>first >= count || <u32>second >= count || second !== first + 1) return -1;
      if (load<i32>(seen + (<usize>first << 2)) === stamp) return -1;
      store<i32>(seen + (<usize>first << 2), stamp);
      if (load<i32>(seen + (<usize>second << 2)) === stamp) return -1;
      store<i32>(seen + (<usize>second << 2), stamp);
      const f = word(index, node);
      if (<u32>f > 0x3fffffff) return -1;
      if (f >= numFeatures) numFeatures = f + 1;
      const missingRight = <i32>(load<u8>(defaultLeft + node) !== 1);
      const pair = sourceId + (<usize>placed << 2);
      if ((value & 0x7fffffff) > 0x7f800000 || value === <i32>0xff800000) {
        // No number is below NaN or −Infinity: exchanged children say so with a `<=`.
        store<f64>(threshold + at8, Infinity);
        store<u8>(missing + at, 1 - missingRight);
        store<i32>(pair, second);
        store<i32>(pair, first, 4);
      } else {
        // The next float32 below makes `<` a `<=`; below both zeros is the smallest subnormal.
        const below = value << 1 === 0 ? <i32>0x80000001 : value > 0 ? value - 1 : value + 1;
        store<f64>(threshold + at8, <f64>reinterpret<f32>(below));
        store<u8>(missing + at, missingRight);
        store<i32>(pair, first);
        store<i32>(pair, second, 4);
      }
      store<i32>(firstChild + at4, placed);
      store<i32>(feature + at4, f);
      store<f64>(leaf + at8, NaN);
      if (change !== 0) store<f64>(gain + at8, number(change, node));
      store<u8>(kind + at, 1);
      store<i32>(open, placed + 1);
      store<i32>(open, placed, 4);
      open += 8;
      placed += 2;
    }
  }
  store<i32>(treeStart + (<usize>numTrees << 2), placed);
  memory.fill(categoryAt, 0xff, <usize>placed << 2);
  return numFeatures;
}
