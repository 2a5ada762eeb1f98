/**
 * Text cells → codes, by a hash table of cells for each column that the caller fills.
 *
 * Tables, cells and the bytes of long ones lie in an arena that only grows and begins as zeros. A
 * slot has 4 bytes: where its cell is, a multiple of 16, and four bits of its hash (0: free), so that
 * hardly any other cell is looked at. A cell has 32: its first sixteen bytes (zeros behind
 * its end), its length, its code, its hash, and where the next of its column is (odd: it is another
 * spelling of a level). The rest of a longer one lies behind it.
 */

import { PLACES } from "./decimal";
import { isPlain } from "./text";

/** Bytes of a table: where its slots are (0: none), how many, how many are taken. */
export const TABLE_BYTES: usize = 28;

/** Where a table has how many slots are taken, the next code, the bytes of its levels, its first cell and its last. */
const TAKEN: usize = 8;
export const NEXT_CODE: usize = 12;
const TEXT_BYTES: usize = 16;
export const FIRST_CELL: usize = 20;
const LAST_CELL: usize = 24;

/** Where a cell has what. */
export const LENGTH: usize = 16;
export const CODE: usize = 20;
const HASH: usize = 24;
export const NEXT: usize = 28;
const CELL_BYTES: u32 = 32;

/** What lies at a place `n` of a cell behind its sixteenth byte lies so far behind its beginning. */
export const BEHIND: usize = 16;

/** A code that no cell has. */
export const UNKNOWN: i32 = -3;

/** Slots of a new table, and how many times as many the next has. */
const FIRST_SLOTS: u32 = 64;
const WIDER: u32 = 8;

/** Odd numbers whose bits are as good as random. */
const FACTOR_A: u64 = 0x9e3779b97f4a7c15;
const FACTOR_B: u64 = 0xd6e8feb86659fd93;

/** Sixteen bytes of a cell, zeros behind its end. */
// @ts-ignore: decorator
@inline
function keyOf(at: usize, length: u32): v128 {
  const isIn = i8x16.gt_s(i8x16.splat(<i8>min<u32>(length, 16)), v128.load(PLACES));
  return v128.and(v128.load(at), isIn);
}

// @ts-ignore: decorator
@inline
function fold(hash: u64, key: v128): u64 {
  let x = (hash ^ i64x2.extract_lane(key, 0)) * FACTOR_A;
  x ^= x >> 29;
  x = (x ^ i64x2.extract_lane(key, 1)) * FACTOR_B;
  return x ^ (x >> 32);
}

/** Hash of a cell whose first sixteen bytes are `key`. */
// @ts-ignore: decorator
@inline
function hashOf(key: v128, at: usize, length: u32): u32 {
  let hash = fold(length, key);
  for (let done: u32 = 16; done < length; done += 16) {
    hash = fold(hash, keyOf(at + done, length - done));
  }
  return <u32>hash;
}

/** Hash of any cell. */
// @ts-ignore: decorator
@inline
export function hashAt(at: usize, length: u32): u32 {
  return hashOf(keyOf(at, length), at, length);
}

/** Whether a cell is like the bytes at hand, the first sixteen of which are `key`. */
// @ts-ignore: decorator
@inline
function isLike(cell: usize, key: v128, at: usize, length: u32): bool {
  return !v128.any_true(v128.xor(v128.load(cell), key)) && load<u32>(cell, LENGTH) === length &&
    (length <= 16 || sameRest(cell, at, length));
}

/** Code of a cell that is like the bytes at hand, or `UNKNOWN`; at 0 there is no cell. */
// @ts-ignore: decorator
@inline
export function codeIn(cell: usize, at: usize, length: u32): i32 {
  // Without a branch: whether a cell is new is as good as random.
  // Length and code at once: the engine asks for the bounds of each access.
  const both = load<u64>(cell, LENGTH);
  const differ = v128.xor(v128.load(cell), keyOf(at, length));
  let same = <bool>(<i32>(cell !== 0) & <i32>!v128.any_true(differ) & <i32>(<u32>both === length));
  if (length > 16 && same) same = sameRest(cell, at, length);
  return select<i32>(<i32>(both >> 32), UNKNOWN, same);
}

/** Whether bytes behind the sixteenth are alike; the arena holds zeros behind a cell's end. */
function sameRest(cell: usize, at: usize, length: u32): bool {
  for (let done: u32 = 16; done < length; done += 16) {
    const here = keyOf(at + done, length - done);
    if (v128.any_true(v128.xor(v128.load(cell + BEHIND + done), here))) return false;
  }
  return true;
}

/** The slot of a cell, or the free one where it belongs. */
// @ts-ignore: decorator
@inline
function slotOf(
  slots: usize,
  mask: u32,
  key: v128,
  hash: u32,
  at: usize,
  length: u32,
): usize {
  const tag = tagOf(hash);
  let place = hash & mask;
  let slot = slots + (<usize>place << 2);
  let held = load<u32>(slot);
  while (held !== 0 && ((held & 15) !== tag || !isLike(cellIn(held), key, at, length))) {
    place = (place + 1) & mask;
    slot = slots + (<usize>place << 2);
    held = load<u32>(slot);
  }
  return slot;
}

/** Bits of a hash beside those that tell its slot. */
// @ts-ignore: decorator
@inline
function tagOf(hash: u32): u32 {
  return hash >> 28;
}

/** The cell that a slot holds, or 0. */
// @ts-ignore: decorator
@inline
export function cellIn(slot: u32): usize {
  return <usize>(slot & ~15);
}

/** The cell of a table that is like the bytes at hand, or 0. */
// @ts-ignore: decorator
@inline
export function findCell(table: usize, at: usize, length: u32): usize {
  const slots = <usize>load<u32>(table);
  if (slots === 0) return 0;
  const key = keyOf(at, length);
  const hash = hashOf(key, at, length);
  return cellIn(load<u32>(slotOf(slots, load<u32>(table, 4) - 1, key, hash, at, length)));
}

/**
 * Writes the codes of one column's cells in rows `from … to − 1`, up to the first cell that the
 * table does not have.
 *
 * @param tables `TABLE_BYTES` for each column.
 * @param spans Start and end of each row's cell, offsets into `input`.
 * @returns The row of that cell, or `to`.
 */
export function findCodes(
  tables: usize,
  column: i32,
  spans: usize,
  input: usize,
  codes: usize,
  from: i32,
  to: i32,
): i32 {
  const table = tables + TABLE_BYTES * <usize>column;
  const slots = <usize>load<u32>(table);
  if (slots === 0) return from;
  const mask = load<u32>(table, 4) - 1;
  for (let row = from; row < to; row++) {
    const span = spans + (<usize>row << 3);
    const at = input + <usize>load<u32>(span);
    const length = load<u32>(span, 4) - load<u32>(span);
    const key = keyOf(at, length);
    const hash = hashOf(key, at, length);
    let cell = cellIn(load<u32>(slots + (<usize>(hash & mask) << 2)));
    if (cell === 0) return row;
    if (!isLike(cell, key, at, length)) {
      cell = cellIn(load<u32>(slotOf(slots, mask, key, hash, at, length)));
      if (cell === 0) return row;
    }
    store<i32>(codes + (<usize>row << 2), load<i32>(cell, CODE));
  }
  return to;
}

/**
 * Gives a cell a code; it must not have one.
 *
 * @param alias Whether the cell is another spelling of the level of that code.
 * @param arena Where the next free byte is and where the last, two numbers.
 * @returns Whether there was room.
 */
export function keepCode(
  tables: usize,
  column: i32,
  at: usize,
  length: u32,
  code: i32,
  alias: bool,
  arena: usize,
): bool {
  const table = tables + TABLE_BYTES * <usize>column;
  if (isFull(table) && !widen(table, arena)) return false;
  const key = keyOf(at, length);
  const hash = hashOf(key, at, length);
  const slots = <usize>load<u32>(table);
  const slot = slotOf(slots, load<u32>(table, 4) - 1, key, hash, at, length);
  return putCell(table, slot, key, hash, at, length, code, alias, arena);
}

/** Whether three in four slots are taken. */
// @ts-ignore: decorator
@inline
function isFull(table: usize): bool {
  return load<u32>(table, TAKEN) << 2 >= load<u32>(table, 4) * 3;
}

/** Writes a cell and takes a slot for it. */
// @ts-ignore: decorator
@inline
function putCell(
  table: usize,
  slot: usize,
  key: v128,
  hash: u32,
  at: usize,
  length: u32,
  code: i32,
  alias: bool,
  arena: usize,
): bool {
  const cell = take(arena, cellBytes(length));
  if (cell === 0) return false;
  writeCell(cell, slot, key, hash, at, length, code, <u32>alias);
  const last = <usize>load<u32>(table, LAST_CELL);
  if (last === 0) store<u32>(table, <u32>cell, FIRST_CELL);
  else store<u32>(last, <u32>cell | load<u32>(last, NEXT), NEXT);
  store<u32>(table, <u32>cell, LAST_CELL);
  store<u32>(table, load<u32>(table, TAKEN) + 1, TAKEN);
  if (code >= load<i32>(table, NEXT_CODE)) store<i32>(table, code + 1, NEXT_CODE);
  if (code >= 0 && !alias) store<u32>(table, load<u32>(table, TEXT_BYTES) + length, TEXT_BYTES);
  return true;
}

/** Code of a cell, which it gets if it has none; `UNKNOWN` for one that is not plain. */
export function codeOrNext(table: usize, at: usize, length: u32, arena: usize): i32 {
  if (isFull(table) && !widen(table, arena)) return UNKNOWN;
  const key = keyOf(at, length);
  const hash = hashOf(key, at, length);
  const slot = slotOf(load<u32>(table), load<u32>(table, 4) - 1, key, hash, at, length);
  const cell = cellIn(load<u32>(slot));
  if (cell !== 0) return load<i32>(cell, CODE);
  if (!isPlain(at, length)) return UNKNOWN;
  const code = load<i32>(table, NEXT_CODE);
  return putCell(table, slot, key, hash, at, length, code, false, arena) ? code : UNKNOWN;
}

/**
 * Codes of cells that are most likely new, as `codeOrNext`; the table has cells already.
 *
 * @param rows Their rows, 4 bytes each, up to `end`.
 * @param hashes Hash of each row's cell, 8 bytes a row, that of row 0 first.
 * @returns Where the first row is that has no code, or `end`.
 */
export function addCodes(
  table: usize,
  spans: usize,
  input: usize,
  codes: usize,
  rows: usize,
  end: usize,
  hashes: usize,
  arena: usize,
): usize {
  let slots = <usize>load<u32>(table);
  let mask = load<u32>(table, 4) - 1;
  // What the table and the arena have is written back at the end.
  let taken = load<u32>(table, TAKEN);
  let code = load<i32>(table, NEXT_CODE);
  let bytes = load<u32>(table, TEXT_BYTES);
  let last = <usize>load<u32>(table, LAST_CELL);
  let free = load<u32>(arena);
  for (; rows < end; rows += 4) {
    const row = <usize>load<u32>(rows);
    const span = load<u64>(spans + (row << 3));
    const at = input + <usize><u32>span;
    const length = <u32>(span >> 32) - <u32>span;
    const key = keyOf(at, length);
    const hash = load<u32>(hashes + (row << 3));
    const slot = slotOf(slots, mask, key, hash, at, length);
    const held = cellIn(load<u32>(slot));
    if (held !== 0) {
      store<i32>(codes + (row << 2), load<i32>(held, CODE));
      continue;
    }
    const cell = <usize>free;
    const size = cellBytes(length);
    if (size > load<u32>(arena, 4) - free || !isPlain(at, length)) break;
    free += size;
    writeCell(cell, slot, key, hash, at, length, code, 0);
    store<u32>(last, <u32>cell | load<u32>(last, NEXT), NEXT);
    store<i32>(codes + (row << 2), code);
    last = cell;
    bytes += length;
    code++;
    taken++;
    if (taken << 2 < (mask + 1) * 3) continue;
    store<u32>(table, taken, TAKEN);
    store<u32>(table, <u32>last, LAST_CELL);
    store<u32>(arena, free);
    if (!widen(table, arena)) {
      rows += 4;
      break;
    }
    slots = <usize>load<u32>(table);
    mask = load<u32>(table, 4) - 1;
    free = load<u32>(arena);
  }
  store<u32>(table, taken, TAKEN);
  store<i32>(table, code, NEXT_CODE);
  store<u32>(table, bytes, TEXT_BYTES);
  store<u32>(table, <u32>last, LAST_CELL);
  store<u32>(arena, free);
  return rows;
}

/** Bytes that a cell takes. */
// @ts-ignore: decorator
@inline
function cellBytes(length: u32): u32 {
  return CELL_BYTES + (length > 16 ? (length + 15) & ~15 : 0);
}

/** Writes a cell to where there is room for it, and takes a slot for it. */
// @ts-ignore: decorator
@inline
function writeCell(
  cell: usize,
  slot: usize,
  key: v128,
  hash: u32,
  at: usize,
  length: u32,
  code: i32,
  alias: u32,
): void {
  for (let done: u32 = 16; done < length; done += 16) {
    v128.store(cell + BEHIND + done, keyOf(at + done, length - done));
  }
  store<u32>(slot, <u32>cell | tagOf(hash));
  v128.store(cell, key);
  store<u64>(cell, <u64>length | <u64><u32>code << 32, LENGTH);
  store<u64>(cell, <u64>hash | <u64>alias << 32, HASH);
}

/** A table of more slots. Cells come in order of appearance, in which they lie in memory. */
function widen(table: usize, arena: usize): bool {
  const before = load<u32>(table, 4);
  const after = before === 0 ? FIRST_SLOTS : before * WIDER;
  const slots = take(arena, after << 2);
  if (slots === 0) return false;
  for (let cell = <usize>load<u32>(table, FIRST_CELL); cell !== 0;) {
    const hash = load<u32>(cell, HASH);
    let place = hash & (after - 1);
    while (load<u32>(slots + (<usize>place << 2)) !== 0) place = (place + 1) & (after - 1);
    store<u32>(slots + (<usize>place << 2), <u32>cell | tagOf(hash));
    cell = <usize>(load<u32>(cell, NEXT) & ~1);
  }
  store<u32>(table, <u32>slots);
  store<u32>(table, after, 4);
  return true;
}

/** Bytes of the arena, or 0 where it is full. */
function take(arena: usize, size: u32): usize {
  const at = load<u32>(arena);
  const bytes = (size + 15) & ~15;
  if (bytes > load<u32>(arena, 4) - at) return 0;
  store<u32>(arena, at + bytes);
  return <usize>at;
}
