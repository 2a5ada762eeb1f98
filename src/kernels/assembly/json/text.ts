// Texts of a body: where they end, and which category they are; see ../json.ts.

/** Bytes of an entry: the first 32 bytes of the text, then zeros; length, code, where the text is. */
const ENTRY: usize = 48;
/** Bytes of a text that are compared at once. */
export const HEAD: usize = 32;

/**
 * Vectors of 0 … 15, 16 … 31, quotes, backslashes and the last control character: V8 loads a vector in one
 * instruction, and makes one anew each time it stands in the code.
 */
const CONSTANTS: usize = 64;

/** Bytes up to the closing quote; a backslash or a control character ends the text as well. */
// @ts-ignore: decorator
@inline
export function textLength(p: usize): usize {
  const start = p;
  while (true) {
    const bytes = v128.load(p);
    const mask = ends(bytes);
    if (mask !== 0) return p - start + <usize>ctz(mask);
    p += 16;
  }
}

/** Bit of each byte that ends a text: a quote, a backslash or a control character. */
// @ts-ignore: decorator
@inline
export function ends(bytes: v128): i32 {
  return i8x16.bitmask(v128.or(
    v128.or(
      i8x16.eq(bytes, v128.load(CONSTANTS, 32)),
      i8x16.eq(bytes, v128.load(CONSTANTS, 48)),
    ),
    i8x16.le_u(bytes, v128.load(CONSTANTS, 64)),
  ));
}

/** The first `length` bytes of sixteen, then zeros. */
// @ts-ignore: decorator
@inline
function keep(bytes: v128, length: i32): v128 {
  return v128.and(bytes, i8x16.gt_s(i8x16.splat(<i8>length), v128.load(CONSTANTS)));
}

/** As `keep`, of the sixteen bytes behind those. */
// @ts-ignore: decorator
@inline
function keepNext(bytes: v128, length: i32): v128 {
  return v128.and(bytes, i8x16.gt_s(i8x16.splat(<i8>length), v128.load(CONSTANTS, 16)));
}

// @ts-ignore: decorator
@inline
function mix(low: v128, high: v128): u32 {
  const both = v128.xor(low, i64x2.shl(high, 1));
  const h = i64x2.extract_lane(both, 0) * 0x9e3779b97f4a7c15 ^
    i64x2.extract_lane(both, 1) * 0xc2b2ae3d27d4eb4f;
  return <u32>(h >> 32) ^ <u32>(h >> 17);
}

export function same(a: usize, b: usize, length: usize): bool {
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
export function find(
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
  const slot = mix(low, high) & mask;
  const entry = table + <usize>slot * ENTRY;
  const differ = v128.or(
    v128.xor(v128.load(entry), low),
    v128.xor(v128.load(entry, 16), high),
  );
  // An empty slot is code −1, and the head of a longer text is no shorter one: its last byte is not 0.
  return length < HEAD && !v128.any_true(differ)
    ? load<i32>(entry, 36)
    : search(table, mask, slot, text, length, low, high);
}

/** As `find`, from a slot on. */
function search(
  table: usize,
  mask: u32,
  slot: u32,
  text: usize,
  length: usize,
  low: v128,
  high: v128,
): i32 {
  while (true) {
    const entry = table + <usize>slot * ENTRY;
    const found = load<i32>(entry, 32);
    if (found < 0) return -1;
    const differ = v128.or(
      v128.xor(v128.load(entry), low),
      v128.xor(v128.load(entry, 16), high),
    );
    if (found === <i32>length && !v128.any_true(differ)) {
      if (length <= HEAD || same(text, <usize>load<i32>(entry, 40), length)) {
        return load<i32>(entry, 36);
      }
    }
    slot = (slot + 1) & mask;
  }
}
