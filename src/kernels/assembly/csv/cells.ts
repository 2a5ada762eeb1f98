/**
 * Text cells → codes, by a hash table of cells for each column that the caller fills.
 *
 * Tables and the bytes of long cells lie in an arena that only grows and begins as zeros. A slot
 * has 32 bytes: the first sixteen of the cell (zeros behind its end), its length + 1 (0: free), its
 * code, where the rest of a longer cell is (odd: another spelling of a level), and its hash.
 */

/** Bytes of a table: where its slots are (0: none), how many, how many are taken. */
export const TABLE_BYTES: usize = 20;

/** Where a table has the next code, and the bytes of its levels. */
export const NEXT_CODE: usize = 12;
const TEXT_BYTES: usize = 16;

/** Slots of a new table. */
const FIRST_SLOTS: u32 = 64;

/** Odd numbers whose bits are as good as random. */
const FACTOR_A: u64 = 0x9e3779b97f4a7c15;
const FACTOR_B: u64 = 0xd6e8feb86659fd93;

/** Sixteen bytes of which those behind the end of the cell are zeros. */
// @ts-ignore: decorator
@inline
function chunk(at: usize, length: u32): v128 {
  const places = i8x16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  return v128.and(v128.load(at), i8x16.lt_u(places, i8x16.splat(<i8>min<u32>(length, 16))));
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
    hash = fold(hash, chunk(at + done, length - done));
  }
  return <u32>hash;
}

/** Whether bytes behind the sixteenth are alike; the arena holds zeros behind a cell's end. */
function sameRest(held: usize, at: usize, length: u32): bool {
  held &= ~1;
  for (let done: u32 = 16; done < length; done += 16) {
    const here = chunk(at + done, length - done);
    if (!i8x16.all_true(i8x16.eq(v128.load(held + done - 16), here))) return false;
  }
  return true;
}

/** The slot of a cell, or the free one where it belongs. */
// @ts-ignore: decorator
@inline
function slotOf(slots: usize, mask: u32, key: v128, hash: u32, at: usize, length: u32): usize {
  let slot = slots + (<usize>(hash & mask) << 5);
  let held = load<u32>(slot, 16);
  while (held !== 0) {
    if (
      held === length + 1 && i8x16.all_true(i8x16.eq(v128.load(slot), key)) &&
      (length <= 16 || sameRest(load<u32>(slot, 24), at, length))
    ) {
      break;
    }
    slot = slots + (((slot - slots) + 32) & ((<usize>mask << 5) | 31));
    held = load<u32>(slot, 16);
  }
  return slot;
}

/** The slot of a cell that a table has, or 0. */
// @ts-ignore: decorator
@inline
export function findSlot(table: usize, at: usize, length: u32): usize {
  const slots = <usize>load<u32>(table);
  if (slots === 0) return 0;
  const key = chunk(at, length);
  const slot = slotOf(slots, load<u32>(table, 4) - 1, key, hashOf(key, at, length), at, length);
  return load<u32>(slot, 16) === 0 ? 0 : slot;
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
  for (let row = from; row < to; row++) {
    const span = spans + (<usize>row << 3);
    const slot = findSlot(table, input + <usize>load<u32>(span), load<u32>(span, 4) - load<u32>(span));
    if (slot === 0) return row;
    store<i32>(codes + (<usize>row << 2), load<i32>(slot, 20));
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
  if (load<u32>(table, 8) << 1 >= load<u32>(table, 4) && !widen(table, arena)) return false;
  const key = chunk(at, length);
  const hash = hashOf(key, at, length);
  let rest: usize = 0;
  if (length > 16) {
    rest = take(arena, length);
    if (rest === 0) return false;
    for (let done: u32 = 16; done < length; done += 16) {
      v128.store(rest + done - 16, chunk(at + done, length - done));
    }
  }
  const slots = <usize>load<u32>(table);
  const slot = slotOf(slots, load<u32>(table, 4) - 1, key, hash, at, length);
  v128.store(slot, key);
  store<u32>(slot, length + 1, 16);
  store<i32>(slot, code, 20);
  store<u32>(slot, <u32>rest | <u32>alias, 24);
  store<u32>(slot, hash, 28);
  store<u32>(table, load<u32>(table, 8) + 1, 8);
  if (code >= load<i32>(table, NEXT_CODE)) store<i32>(table, code + 1, NEXT_CODE);
  if (code >= 0 && !alias) store<u32>(table, load<u32>(table, TEXT_BYTES) + length, TEXT_BYTES);
  return true;
}

/** A table of four times as many slots. */
function widen(table: usize, arena: usize): bool {
  const before = load<u32>(table, 4);
  const after = before === 0 ? FIRST_SLOTS : before << 2;
  const slots = take(arena, after << 5);
  if (slots === 0) return false;
  const old = <usize>load<u32>(table);
  for (let i: u32 = 0; i < before; i++) {
    const from = old + (<usize>i << 5);
    if (load<u32>(from, 16) === 0) continue;
    let place = load<u32>(from, 28) & (after - 1);
    while (load<u32>(slots + (<usize>place << 5), 16) !== 0) place = (place + 1) & (after - 1);
    const to = slots + (<usize>place << 5);
    v128.store(to, v128.load(from));
    v128.store(to, v128.load(from, 16), 16);
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
