/**
 * Text cells that are new → the next codes, and the levels of a column in order at the end.
 *
 * Order is by bytes of UTF-8, which is that of code points. Eight bytes at a time are sorted by
 * radix, and cells that are alike in them by the next eight.
 */

import { findSlot, keepCode, NEXT_CODE, TABLE_BYTES } from "./cells";

/** Runs of so few cells are sorted by comparing. */
const SHORT_RUN: u32 = 16;

/** A record to sort: eight bytes of the cell with the first on top, and its slot. */
const RECORD: u32 = 16;

/**
 * As `findCodes`, but cells that the table does not have get the next codes. It stops at cells that
 * the caller must judge: with spaces around, a NUL or what is not UTF-8.
 *
 * @returns The row of such a cell, or `to`.
 */
export function takeCodes(
  tables: usize,
  column: i32,
  spans: usize,
  input: usize,
  codes: usize,
  from: i32,
  to: i32,
  arena: usize,
): i32 {
  const table = tables + TABLE_BYTES * <usize>column;
  for (let row = from; row < to; row++) {
    const span = spans + (<usize>row << 3);
    const at = input + <usize>load<u32>(span);
    const length = load<u32>(span, 4) - load<u32>(span);
    const slot = findSlot(table, at, length);
    let code: i32;
    if (slot !== 0) code = load<i32>(slot, 20);
    else {
      if (!isPlain(at, length)) return row;
      code = load<i32>(table, NEXT_CODE);
      if (!keepCode(tables, column, at, length, code, false, arena)) return row;
    }
    store<i32>(codes + (<usize>row << 2), code);
  }
  return to;
}

/** Whether a cell is text without spaces at its ends. */
function isPlain(at: usize, length: u32): bool {
  if (length === 0) return true;
  const end = at + length;
  if (isSpace(load<u8>(at)) || isSpace(load<u8>(end - 1))) return false;
  while (at < end) {
    const byte = <u32>load<u8>(at);
    if (byte - 1 < 0x7f) {
      at++;
      continue;
    }
    // The second byte of some sequences is narrower: neither overlong nor a surrogate.
    let more: u32 = 0;
    let low: u32 = 0x80;
    let high: u32 = 0xbf;
    if (byte >= 0xc2 && byte <= 0xdf) more = 1;
    else if (byte >= 0xe0 && byte <= 0xef) {
      more = 2;
      if (byte === 0xe0) low = 0xa0;
      if (byte === 0xed) high = 0x9f;
    } else if (byte >= 0xf0 && byte <= 0xf4) {
      more = 3;
      if (byte === 0xf0) low = 0x90;
      if (byte === 0xf4) high = 0x8f;
    } else return false;
    if (at + more >= end) return false;
    const second = <u32>load<u8>(at, 1);
    if (second < low || second > high) return false;
    for (let i: u32 = 2; i <= more; i++) {
      if ((load<u8>(at + i) & 0xc0) !== 0x80) return false;
    }
    at += more + 1;
  }
  return true;
}

// @ts-ignore: decorator
@inline
function isSpace(byte: u8): bool {
  return byte === 0x20 || byte === 0x09;
}

/** Code of one cell, or −3 where the table has none. */
export function findCode(tables: usize, column: i32, at: usize, length: u32): i32 {
  const slot = findSlot(tables + TABLE_BYTES * <usize>column, at, length);
  return slot === 0 ? -3 : load<i32>(slot, 20);
}

/**
 * Writes the levels of a column in order, one behind another.
 *
 * @param work 33 bytes a level, and 1040.
 * @param text Bytes of the levels.
 * @param out Three numbers a level: its code, its end in `text`, and its end in UTF-16.
 * @returns Number of levels.
 */
export function writeLevels(tables: usize, column: i32, work: usize, text: usize, out: usize): u32 {
  const table = tables + TABLE_BYTES * <usize>column;
  const slots = <usize>load<u32>(table);
  const numSlots = load<u32>(table, 4);
  let count: u32 = 0;
  for (let i: u32 = 0; i < numSlots; i++) {
    const slot = slots + (<usize>i << 5);
    // Free, missing, or another spelling of a level.
    if (load<u32>(slot, 16) === 0 || load<i32>(slot, 20) < 0 || (load<u32>(slot, 24) & 1) !== 0) {
      continue;
    }
    store<u32>(work + count * RECORD, <u32>slot, 8);
    count++;
  }
  sortSlots(work, work + count * RECORD, count);
  let at = text;
  let units: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const slot = <usize>load<u32>(work + i * RECORD, 8);
    const length = load<u32>(slot, 16) - 1;
    for (let done: u32 = 0; done < length; done += 16) v128.store(at + done, chunkOf(slot, done));
    for (let p = at; p < at + length; p++) {
      const byte = load<u8>(p);
      units += <u32>((byte & 0xc0) !== 0x80) + <u32>(byte >= 0xf0);
    }
    at += length;
    store<i32>(out, load<i32>(slot, 20));
    store<u32>(out, <u32>(at - text), 4);
    store<u32>(out, units, 8);
    out += 12;
  }
  return count;
}

/** Sixteen bytes of a cell from a multiple of sixteen on. */
// @ts-ignore: decorator
@inline
function chunkOf(slot: usize, from: u32): v128 {
  return v128.load(from === 0 ? slot : <usize>(load<u32>(slot, 24) & ~1) + from - 16);
}

/** Eight bytes of a cell as a number that is ordered as they are. */
function windowOf(slot: usize, depth: u32): u64 {
  if (depth < 16) return bswap<u64>(load<u64>(slot + depth));
  if (depth + 1 >= load<u32>(slot, 16)) return 0; // at its end or behind
  return bswap<u64>(load<u64>(<usize>(load<u32>(slot, 24) & ~1) + depth - 16));
}

function sortSlots(work: usize, other: usize, count: u32): void {
  const counts = other + count * RECORD;
  const stack = counts + 1024;
  let top = stack;
  store<u32>(top, 0);
  store<u32>(top, count, 4);
  store<u32>(top, 0, 8);
  top += 12;
  while (top > stack) {
    top -= 12;
    const from = load<u32>(top);
    const to = load<u32>(top, 4);
    const depth = load<u32>(top, 8);
    if (to - from <= SHORT_RUN) {
      sortShort(work, from, to, depth);
      continue;
    }
    for (let i = from; i < to; i++) {
      const record = work + i * RECORD;
      store<u64>(record, windowOf(<usize>load<u32>(record, 8), depth));
    }
    radixSort(work + from * RECORD, other, to - from, counts);
    // Runs that are alike so far. All that wait are apart, so that there are few.
    for (let i = from; i < to;) {
      const key = load<u64>(work + i * RECORD);
      let end = i + 1;
      while (end < to && load<u64>(work + end * RECORD) === key) end++;
      // Zeros are the end of the cells, unless a text has some.
      if (end - i > SHORT_RUN && key !== 0) {
        store<u32>(top, i);
        store<u32>(top, end, 4);
        store<u32>(top, depth + 8, 8);
        top += 12;
      } else if (end - i > 1) sortShort(work, i, end, depth + 8);
      i = end;
    }
  }
}

/** Sorts few records whose cells are alike up to `depth` by insertion. */
function sortShort(work: usize, from: u32, to: u32, depth: u32): void {
  for (let i = from + 1; i < to; i++) {
    const slot = load<u32>(work + i * RECORD, 8);
    let place = i;
    while (place > from && isBelow(slot, load<u32>(work + (place - 1) * RECORD, 8), depth)) {
      store<u32>(work + place * RECORD, load<u32>(work + (place - 1) * RECORD, 8), 8);
      place--;
    }
    store<u32>(work + place * RECORD, slot, 8);
  }
}

/** Whether a cell comes before another; the shorter does where only zeros tell them apart. */
function isBelow(a: usize, b: usize, depth: u32): bool {
  const shorter = load<u32>(a, 16) < load<u32>(b, 16);
  const longest = max(load<u32>(a, 16), load<u32>(b, 16));
  let left = windowOf(a, depth);
  let right = windowOf(b, depth);
  while (left === right && depth < longest) {
    depth += 8;
    left = windowOf(a, depth);
    right = windowOf(b, depth);
  }
  return left === right ? shorter : left < right;
}

/** Sorts records by their first eight bytes; bytes that are the same in all cost one look. */
function radixSort(records: usize, other: usize, count: u32, counts: usize): void {
  let all: u64 = 0;
  const first = load<u64>(records);
  for (let i: u32 = 0; i < count; i++) all |= load<u64>(records + i * RECORD) ^ first;
  let from = records;
  let to = other;
  for (let shift: u64 = 0; shift < 64; shift += 8) {
    if (((all >> shift) & 0xff) === 0) continue;
    memory.fill(counts, 0, 1024);
    for (let i: u32 = 0; i < count; i++) {
      const at = counts + (<usize>((load<u64>(from + i * RECORD) >> shift) & 0xff) << 2);
      store<u32>(at, load<u32>(at) + 1);
    }
    let sum: u32 = 0;
    for (let at = counts; at < counts + 1024; at += 4) {
      const here = load<u32>(at);
      store<u32>(at, sum);
      sum += here;
    }
    for (let i: u32 = 0; i < count; i++) {
      const record = from + i * RECORD;
      const at = counts + (<usize>((load<u64>(record) >> shift) & 0xff) << 2);
      const place = load<u32>(at);
      store<u32>(at, place + 1);
      v128.store(to + place * RECORD, v128.load(record));
    }
    const before = from;
    from = to;
    to = before;
  }
  if (from !== records) memory.copy(records, from, count * RECORD);
}
