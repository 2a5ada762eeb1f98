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

/** Where a table has the next code, the bytes of its levels, its first cell and its last. */
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

/** Slots of a new table; from how many on it is doubled, not made four times as large. */
const FIRST_SLOTS: u32 = 64;
const MANY_SLOTS: u32 = 4096;

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
  const key = keyOf(at, length);
  // Length and code at once: the engine asks for the bounds of each access.
  const both = load<u64>(cell, LENGTH);
  return cell !== 0 && !v128.any_true(v128.xor(v128.load(cell), key)) && <u32>both === length &&
      (length <= 16 || sameRest(cell, at, length))
    ? <i32>(both >> 32)
    : UNKNOWN;
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
  return load<u32>(table, 8) << 2 >= load<u32>(table, 4) * 3;
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
  const cell = take(arena, CELL_BYTES + (length > 16 ? length : 0));
  if (cell === 0) return false;
  for (let done: u32 = 16; done < length; done += 16) {
    v128.store(cell + BEHIND + done, keyOf(at + done, length - done));
  }
  store<u32>(slot, <u32>cell | tagOf(hash));
  v128.store(cell, key);
  store<u32>(cell, length, LENGTH);
  store<i32>(cell, code, CODE);
  store<u32>(cell, hash, HASH);
  store<u32>(cell, <u32>alias, NEXT);
  const last = <usize>load<u32>(table, LAST_CELL);
  if (last === 0) store<u32>(table, <u32>cell, FIRST_CELL);
  else store<u32>(last, <u32>cell | load<u32>(last, NEXT), NEXT);
  store<u32>(table, <u32>cell, LAST_CELL);
  store<u32>(table, load<u32>(table, 8) + 1, 8);
  if (code >= load<i32>(table, NEXT_CODE)) store<i32>(table, code + 1, NEXT_CODE);
  if (code >= 0 && !alias) store<u32>(table, load<u32>(table, TEXT_BYTES) + length, TEXT_BYTES);
  return true;
}

/** Code of a cell, which it gets if it has none; `UNKNOWN` for one that is not plain. */
export function codeOrNext(table: usize, at: usize, length: u32, arena: usize): i32 {
  return hashedCode(table, at, length, hashAt(at, length), arena);
}

/** The same where the hash is known. */
export function hashedCode(table: usize, at: usize, length: u32, hash: u32, arena: usize): i32 {
  if (isFull(table) && !widen(table, arena)) return UNKNOWN;
  const key = keyOf(at, length);
  const slot = slotOf(load<u32>(table), load<u32>(table, 4) - 1, key, hash, at, length);
  const cell = cellIn(load<u32>(slot));
  if (cell !== 0) return load<i32>(cell, CODE);
  if (!isPlain(at, length)) return UNKNOWN;
  const code = load<i32>(table, NEXT_CODE);
  return putCell(table, slot, key, hash, at, length, code, false, arena) ? code : UNKNOWN;
}

/** A table of more slots. Cells come in order of appearance, in which they lie in memory. */
function widen(table: usize, arena: usize): bool {
  const before = load<u32>(table, 4);
  const after = before === 0 ? FIRST_SLOTS : before << (before < MANY_SLOTS ? 2 : 1);
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
