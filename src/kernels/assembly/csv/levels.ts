/**
 * Text cells that are new → the next codes, and the levels of a column in order at the end.
 *
 * Order is by bytes of UTF-8, which is that of code points. Eight bytes at a time are sorted by
 * radix, and cells that are alike in them by the next eight.
 */

import {
  addCodes,
  BEHIND,
  cellIn,
  CODE,
  codeIn,
  codeOrNext,
  findCell,
  findCodes,
  FIRST_CELL,
  hashAt,
  LENGTH,
  NEXT,
  TABLE_BYTES,
  UNKNOWN,
} from "./cells";

/** Runs of so few cells are sorted by comparing. */
const SHORT_RUN: u32 = 16;

/** A record to sort: eight bytes of the cell with the first on top, and where it is. */
const RECORD: u32 = 16;

/** From so many on, records are sorted by eleven bits at a time, before by eight. */
const MANY_RECORDS: u32 = 2048;

/** How often each digit occurs in 64 bits, and eight masks with their shifts. */
const COUNT_BYTES: usize = 6 * 4 * 2048;
const FIELD_BYTES: usize = 8 * 16;

/** Rows whose places in a large table are looked up together, so that the cache is waited for once. */
const BATCH: i32 = 256;

/** Bytes of their guesses, and some. */
const BATCH_BYTES: usize = 8 * 256 + 8;

/** Tables of more slots are large. */
const LARGE_TABLE: u32 = 512;

/**
 * As `findCodes`, but cells that the table does not have get the next codes. It stops at cells that
 * the caller must judge: with spaces around, a NUL or what is not UTF-8.
 *
 * @param work 3080 bytes.
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
  work: usize,
): i32 {
  const table = tables + TABLE_BYTES * <usize>column;
  let row = from;
  while (row < to) {
    if (load<u32>(table, 4) > LARGE_TABLE) {
      const last = min(row + BATCH, to);
      const count = findGuessed(table, spans, input, codes, row, last, work);
      const unknown = work + BATCH_BYTES;
      const end = unknown + (count << 2);
      const hashes = work + 4 - (<usize>row << 3);
      const left = addCodes(table, spans, input, codes, unknown, end, hashes, arena);
      if (left !== end) return load<i32>(left);
      row = last;
      continue;
    }
    row = findCodes(tables, column, spans, input, codes, row, to);
    if (row === to) break;
    const span = spans + (<usize>row << 3);
    const length = load<u32>(span, 4) - load<u32>(span);
    const code = codeOrNext(table, input + <usize>load<u32>(span), length, arena);
    if (code === UNKNOWN) return row;
    store<i32>(codes + (<usize>row << 2), code);
    row++;
  }
  return to;
}

/**
 * Writes which cell, if any, is first in the place of each row's, and the hash: without a branch to
 * be guessed. Then it looks at all of them, so that whoever compares them next does not wait.
 */
function guessCells(
  table: usize,
  spans: usize,
  input: usize,
  from: i32,
  to: i32,
  out: usize,
): void {
  const slots = <usize>load<u32>(table);
  const mask = load<u32>(table, 4) - 1;
  const first = out;
  for (let row = from; row < to; row++) {
    const span = load<u64>(spans + (<usize>row << 3));
    const hash = hashAt(input + <usize><u32>span, <u32>(span >> 32) - <u32>span);
    const cell = cellIn(load<u32>(slots + (<usize>(hash & mask) << 2)));
    store<u64>(out, <u64>cell | (<u64>hash << 32));
    out += 8;
  }
  let seen: u32 = 0;
  for (let guess = first; guess < out; guess += 8) {
    seen += load<u32>(<usize>load<u32>(guess), CODE);
  }
  // What is not used is not looked at.
  store<u32>(out, seen);
}

/**
 * Writes the codes of cells that are first in their place.
 *
 * @param work The guesses, and from `BATCH_BYTES` on the rows of cells that are not.
 * @returns How many are not.
 */
function findGuessed(
  table: usize,
  spans: usize,
  input: usize,
  codes: usize,
  from: i32,
  to: i32,
  work: usize,
): usize {
  guessCells(table, spans, input, from, to, work);
  const unknown = work + BATCH_BYTES;
  let end = unknown;
  let guess = work;
  for (let row = from; row < to; row++) {
    const span = load<u64>(spans + (<usize>row << 3));
    const at = input + <usize><u32>span;
    const code = codeIn(<usize>load<u32>(guess), at, <u32>(span >> 32) - <u32>span);
    store<i32>(codes + (<usize>row << 2), code);
    store<i32>(end, row);
    end += <usize>(code === UNKNOWN) << 2;
    guess += 8;
  }
  return (end - unknown) >> 2;
}

/** Code of one cell, or −3 where the table has none. */
export function findCode(tables: usize, column: i32, at: usize, length: u32): i32 {
  const cell = findCell(tables + TABLE_BYTES * <usize>column, at, length);
  return cell === 0 ? UNKNOWN : load<i32>(cell, CODE);
}

/**
 * Writes the levels of a column in order, one behind another.
 *
 * @param work 33 bytes a level, and 50,000.
 * @param text Bytes of the levels.
 * @param out Three numbers a level: its code, its end in `text`, and its end in UTF-16.
 * @returns Number of levels.
 */
export function writeLevels(tables: usize, column: i32, work: usize, text: usize, out: usize): u32 {
  const table = tables + TABLE_BYTES * <usize>column;
  let count: u32 = 0;
  // In order of appearance, in which they lie in memory.
  for (let cell = <usize>load<u32>(table, FIRST_CELL); cell !== 0;) {
    const next = load<u32>(cell, NEXT);
    // Neither missing nor another spelling of a level.
    if (load<i32>(cell, CODE) >= 0 && (next & 1) === 0) {
      store<u32>(work + count * RECORD, <u32>cell, 8);
      count++;
    }
    cell = <usize>(next & ~1);
  }
  sortCells(work, work + count * RECORD, count);
  let at = text;
  let units: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const cell = <usize>load<u32>(work + i * RECORD, 8);
    const length = load<u32>(cell, LENGTH);
    let high = 0;
    for (let done: u32 = 0; done < length; done += 16) {
      const bytes = chunkOf(cell, done);
      v128.store(at + done, bytes);
      high |= i8x16.bitmask(bytes);
    }
    units += high === 0 ? length : unitsOf(at, length);
    at += length;
    store<i32>(out, load<i32>(cell, CODE));
    store<u32>(out, <u32>(at - text), 4);
    store<u32>(out, units, 8);
    out += 12;
  }
  return count;
}

/** Length of UTF-8 in UTF-16. */
function unitsOf(at: usize, length: u32): u32 {
  let units: u32 = 0;
  for (let p = at; p < at + length; p++) {
    const byte = load<u8>(p);
    units += <u32>((byte & 0xc0) !== 0x80) + <u32>(byte >= 0xf0);
  }
  return units;
}

/** Sixteen bytes of a cell from a multiple of sixteen on. */
// @ts-ignore: decorator
@inline
function chunkOf(cell: usize, from: u32): v128 {
  return v128.load(from === 0 ? cell : cell + BEHIND + from);
}

/** Eight bytes of a cell as a number that is ordered as they are. */
function windowOf(cell: usize, depth: u32): u64 {
  if (depth >= load<u32>(cell, LENGTH)) return 0;
  if (depth <= 8) return bswap<u64>(load<u64>(cell + depth));
  if (depth >= 16) return bswap<u64>(load<u64>(cell + BEHIND + depth));
  const shift = <u64>(depth - 8) << 3;
  const rest = load<u32>(cell, LENGTH) > 16 ? load<u64>(cell + BEHIND + 16) : 0;
  return bswap<u64>(load<u64>(cell, 8) >> shift | rest << (64 - shift));
}

/** Writes the windows of records, and tells in which bits any two differ. */
function writeWindows(records: usize, count: u32, depth: u32): u64 {
  const end = records + count * RECORD;
  const first = windowOf(<usize>load<u32>(records, 8), depth);
  let differ: u64 = 0;
  for (let record = records; record < end; record += RECORD) {
    const key = windowOf(<usize>load<u32>(record, 8), depth);
    store<u64>(record, key);
    differ |= key ^ first;
  }
  return differ;
}

function sortCells(work: usize, other: usize, count: u32): void {
  const counts = other + count * RECORD;
  const stack = counts + COUNT_BYTES + FIELD_BYTES;
  let top = stack;
  store<u32>(top, 0);
  store<u32>(top, count, 4);
  store<u32>(top, 0, 8);
  top += 12;
  while (top > stack) {
    top -= 12;
    const from = load<u32>(top);
    const to = load<u32>(top, 4);
    let depth = load<u32>(top, 8);
    if (to - from <= SHORT_RUN) {
      sortShort(work, from, to, depth);
      continue;
    }
    const records = work + from * RECORD;
    let differ = writeWindows(records, to - from, depth);
    const common = <u32>clz(differ) >> 3;
    if (common > 0 && common < 8) {
      // Begin where they begin to differ: one look then tells most of them apart.
      depth += common;
      differ = writeWindows(records, to - from, depth);
    }
    radixSort(records, other, to - from, counts, differ);
    // Runs that are alike so far. All that wait are apart, so that there are few.
    for (let i = from; i < to;) {
      const key = load<u64>(work + i * RECORD);
      let end = i + 1;
      while (end < to && load<u64>(work + end * RECORD) === key) end++;
      // Zeros are the end of the cells, unless a text has some.
      const isMore = end - i > SHORT_RUN && windowOf(load<u32>(work + i * RECORD, 8), depth) !== 0;
      if (isMore) {
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
    const cell = load<u32>(work + i * RECORD, 8);
    let place = i;
    while (place > from && isBelow(cell, load<u32>(work + (place - 1) * RECORD, 8), depth)) {
      store<u32>(work + place * RECORD, load<u32>(work + (place - 1) * RECORD, 8), 8);
      place--;
    }
    store<u32>(work + place * RECORD, cell, 8);
  }
}

/** Whether a cell comes before another; the shorter does where only zeros tell them apart. */
function isBelow(a: usize, b: usize, depth: u32): bool {
  const shorter = load<u32>(a, LENGTH) < load<u32>(b, LENGTH);
  const longest = max(load<u32>(a, LENGTH), load<u32>(b, LENGTH));
  let left = windowOf(a, depth);
  let right = windowOf(b, depth);
  while (left === right && depth < longest) {
    depth += 8;
    left = windowOf(a, depth);
    right = windowOf(b, depth);
  }
  return left === right ? shorter : left < right;
}

/**
 * Sorts records by their first eight bytes, of which only the bits in which any two differ count: in
 * digits that is half of them. They are moved together, and their keys are what is left.
 */
function radixSort(records: usize, other: usize, count: u32, counts: usize, differ: u64): void {
  const fields = counts + COUNT_BYTES;
  let field = fields;
  let width: u64 = 0;
  for (let shift: u64 = 0; shift < 64; shift += 8) {
    const bits = (differ >> shift) & 0xff;
    if (bits === 0) continue;
    const low = ctz(bits);
    const behind = 64 - clz(bits);
    store<u64>(field, (((<u64>1) << behind) - ((<u64>1) << low)) << shift);
    store<u64>(field, shift + low - width, 8);
    field += 16;
    width += behind - low;
  }
  const digit: u64 = count < MANY_RECORDS ? 8 : 11;
  const tableBytes: usize = <usize>4 << <usize>digit;
  const mask = ((<u64>1) << digit) - 1;
  memory.fill(counts, 0, <usize>((width + digit - 1) / digit) * tableBytes);
  for (let record = records; record < records + count * RECORD; record += RECORD) {
    const whole = load<u64>(record);
    let key: u64 = 0;
    for (let at = fields; at < field; at += 16) key |= (whole & load<u64>(at)) >> load<u64>(at, 8);
    store<u64>(record, key);
    for (let table = counts, shift: u64 = 0; shift < width; shift += digit) {
      const at = table + (<usize>((key >> shift) & mask) << 2);
      store<u32>(at, load<u32>(at) + 1);
      table += tableBytes;
    }
  }
  let from = records;
  let to = other;
  for (let table = counts, shift: u64 = 0; shift < width; shift += digit) {
    // Where the first record of each goes.
    let place = <u32>to;
    for (let at = table; at < table + tableBytes; at += 4) {
      const here = load<u32>(at);
      store<u32>(at, place);
      place += here * RECORD;
    }
    for (let record = from; record < from + count * RECORD; record += RECORD) {
      const both = v128.load(record);
      const at = table + (<usize>((<u64>i64x2.extract_lane(both, 0) >> shift) & mask) << 2);
      const place = load<u32>(at);
      store<u32>(at, place + RECORD);
      v128.store(place, both);
    }
    table += tableBytes;
    const before = from;
    from = to;
    to = before;
  }
  if (from !== records) memory.copy(records, from, count * RECORD);
}
