// Values that repeat: counted in a hash table, all of them where they are few, and the frequent ones
// of a sample where they are many.

/** Most rows of a sample, and how many rows it is one of at the least. */
const SAMPLE: i32 = 16384;
const SAMPLE_STRIDE: i32 = 16;
/** Slots of the table of a sample, and of the table of frequent values; powers of two. */
const SAMPLE_BITS: u64 = 15;
const FREQUENT_BITS: u64 = 10;
/** A value is frequent from this share of the sample on, about that of a bin. */
const FREQUENT_SHARE: u32 = 256;

/** Bytes of the table of frequent values; the list of them, a row for each and one more. */
export const FREQUENT_BYTES: usize = 16 << 10;
export const FREQUENT_LIST_BYTES: usize = 24 * 257;

/** Rows of the last sample, and how many had values that had been there before, frequent ones not counted. */
let sampleRows: i32 = 0;
let sampleEqual: u32 = 0;

/** About how many of n rows have the same value, by the last sample, the frequent ones not counted. */
export function equalRows(n: i32): f64 {
  return 1 + (2 * <f64>n * <f64>sampleEqual) / (<f64>sampleRows * <f64>sampleRows);
}

/** The slot of a value, or the free one where it belongs: a value and its count. */
// @ts-ignore: decorator
@inline
export function slotOf(table: usize, bits: u64, value: f64): usize {
  const mask: usize = (1 << <usize>bits) - 1;
  let slot = <usize>((reinterpret<u64>(value) * 0x9e3779b97f4a7c15) >> (64 - bits));
  while (true) {
    const at = table + (slot << 4);
    if (load<u32>(at, 8) == 0 || load<f64>(at) == value) return at;
    slot = (slot + 1) & mask;
  }
}

/** Counts values; returns how many are distinct, or −1 when they are more than `most`. */
export function countDistinct(values: usize, n: i32, table: usize, bits: u64, most: i32): i32 {
  memory.fill(table, 0, 16 << <usize>bits);
  const end = values + (<usize>n << 3);
  let distinct: i32 = 0;
  for (let at = values; at < end; at += 8) {
    const value = load<f64>(at) + 0;
    if (value != value) continue;
    const slot = slotOf(table, bits, value);
    const before = load<u32>(slot, 8);
    if (before == 0) {
      if (distinct == most) return -1;
      distinct++;
      store<f64>(slot, value);
    }
    store<u32>(slot, before + 1, 8);
  }
  return distinct;
}

/**
 * Finds the frequent values of a column in a sample of its rows.
 *
 * @param work Bytes of the sample's table, 16 << 15.
 * @param table Of `FREQUENT_BYTES`; afterwards it holds the frequent values with counts of 1.
 * @returns Number of frequent values; negative, and one less, where those that are not are mostly
 *   different from each other.
 */
export function findFrequent(values: usize, n: i32, work: usize, table: usize): i32 {
  const stride = max<i32>(SAMPLE_STRIDE, n / SAMPLE);
  const bits = 2 * n / stride <= SAMPLE ? SAMPLE_BITS - 1 : SAMPLE_BITS;
  memory.fill(work, 0, 16 << <usize>bits);
  memory.fill(table, 0, FREQUENT_BYTES);
  let seen: u32 = 0;
  let distinct: u32 = 0;
  sampleRows = min<i32>(SAMPLE, n / stride);
  for (let i = 0, row = 0; i < sampleRows; i++, row += stride) {
    const value = load<f64>(values + (<usize>row << 3)) + 0;
    if (value != value) continue;
    const slot = slotOf(work, bits, value);
    const before = load<u32>(slot, 8);
    distinct += u32(before == 0);
    store<f64>(slot, value);
    store<u32>(slot, before + 1, 8);
    seen++;
  }
  const least = max<u32>(2, seen / FREQUENT_SHARE);
  let frequent: u32 = 0;
  let rest = seen;
  for (let at = work; at < work + (16 << <usize>bits); at += 16) {
    const count = load<u32>(at, 8);
    if (count < least) continue;
    const slot = slotOf(table, FREQUENT_BITS, load<f64>(at));
    store<f64>(slot, load<f64>(at));
    store<u32>(slot, 1, 8);
    frequent++;
    rest -= count;
  }
  sampleEqual = rest + frequent - distinct;
  return 10 * (distinct - frequent) > 9 * rest ? -1 - <i32>frequent : <i32>frequent;
}

/** The slot of a frequent value, or 0 for another value. */
// @ts-ignore: decorator
@inline
export function frequentSlot(table: usize, value: f64): usize {
  const at = slotOf(table, FREQUENT_BITS, value);
  return load<u32>(at, 8) == 0 ? 0 : at;
}

/**
 * Lists frequent values in ascending order: the value, how many rows it has besides one, and 0. NaN
 * follows the last.
 *
 * @param table Counts of rows, and one more.
 */
export function listFrequent(table: usize, list: usize): void {
  let end = list;
  for (let at = table; at < table + FREQUENT_BYTES; at += 16) {
    // A value that only the sample was thought to have cannot be: it was drawn from the rows.
    const count = load<u32>(at, 8);
    if (count == 0) continue;
    const value = load<f64>(at);
    let place = end;
    while (place > list && load<f64>(place - 24) > value) {
      memory.copy(place, place - 24, 24);
      place -= 24;
    }
    store<f64>(place, value);
    store<u32>(place, count - 2, 8);
    end += 24;
  }
  store<f64>(end, NaN);
}

/** Rows of a value beyond the one that was kept, where it is the one that a list has next. */
// @ts-ignore: decorator
@inline
export function moreRows(next: usize, value: f64): u32 {
  return load<f64>(next) == value ? load<u32>(next, 8) : 0;
}
