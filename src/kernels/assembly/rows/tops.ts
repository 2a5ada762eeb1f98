// The upper levels of sixteen trees at once, a tree in each byte of a vector; see ../rows.ts.

/**
 * Which of sixteen tests go right. Each asks a slot: a place among sixteen, and the sign for the second sixteen;
 * 64 says that a missing number, the code -128, is above all keys: then codes are one less, so that it becomes 127.
 *
 * Places with the sign give 0, so that both halves join. Whatever an engine does with places from 16 to 127, here
 * are none.
 *
 * @param t0 Codes of slots 0 to 15, `t1` those of slots 16 to 31.
 * @param place 143 in each byte, `half` 128, `zero` 0: constants would be made anew for each test.
 */
// @ts-ignore: decorator
@inline
export function right(test: v128, key: v128, t0: v128, t1: v128, place: v128, half: v128, zero: v128): v128 {
  const slot = v128.and(test, place);
  const high = i8x16.relaxed_swizzle(t1, v128.xor(slot, half));
  const low = i8x16.add(i8x16.relaxed_swizzle(t0, slot), i8x16.gt_s(zero, i8x16.add(test, test)));
  return i8x16.gt_s(i8x16.add(low, high), key);
}

/** The bytes of trees that went left, or right. */
// @ts-ignore: decorator
@inline
function select(left: v128, right: v128, went: v128): v128 {
  return i8x16.relaxed_laneselect(right, left, went);
}

/**
 * Slots or keys of the second level, for trees that went right at the first where `a` says so. Offsets are the same for
 * all that is chosen from, so that less is computed to see whether words are within the memory.
 */
// @ts-ignore: decorator
@inline
function two(at: usize, a: v128): v128 {
  return select(v128.load(at), v128.load(at, 32), a);
}

/** The same of four vectors, for two levels above. */
// @ts-ignore: decorator
@inline
function four(at: usize, a: v128, b: v128): v128 {
  return select(two(at, a), select(v128.load(at, 64), v128.load(at, 96), a), b);
}

/** Bytes of the tests of three levels of sixteen trees, and of four levels. */
export const TESTS3: usize = 224;
export const TESTS4: usize = 480;

/**
 * Where a row leaves the first three levels of sixteen trees: 16 times the set of levels at which it went right,
 * a bit each.
 *
 * Tests are, for each level, vectors of slots and of keys for each set of the levels above. Those of the earliest level
 * are chosen first: few steps are left once the last answer is there, which is what all wait for.
 */
// @ts-ignore: decorator
@inline
export function tops3(at: usize, t0: v128, t1: v128, place: v128, half: v128, zero: v128): v128 {
  const a = right(v128.load(at), v128.load(at + 16), t0, t1, place, half, zero);
  const b = right(two(at + 32, a), two(at + 48, a), t0, t1, place, half, zero);
  const c = right(four(at + 96, a, b), four(at + 112, a, b), t0, t1, place, half, zero);
  return v128.or(
    v128.and(c, i8x16.splat(64)),
    v128.or(v128.and(a, i8x16.splat(16)), v128.and(b, i8x16.splat(32))),
  );
}

/** Vectors of 16, 32, 64 and 128: what a level adds to a set. */
export const BITS: usize = 38400;

/** The same for four levels; the set is in the unsigned byte. */
// @ts-ignore: decorator
@inline
export function tops4(at: usize, t0: v128, t1: v128, place: v128, half: v128, zero: v128): v128 {
  const a = right(v128.load(at), v128.load(at + 16), t0, t1, place, half, zero);
  const b = right(two(at + 32, a), two(at + 48, a), t0, t1, place, half, zero);
  const c = right(four(at + 96, a, b), four(at + 112, a, b), t0, t1, place, half, zero);
  const test = select(four(at + 224, a, b), four(at + 352, a, b), c);
  const key = select(four(at + 240, a, b), four(at + 368, a, b), c);
  const d = right(test, key, t0, t1, place, half, zero);
  const ab = v128.or(v128.and(a, v128.load(BITS)), v128.and(b, v128.load(BITS + 16)));
  return v128.or(
    v128.and(d, v128.load(BITS + 48)),
    v128.or(ab, v128.and(c, v128.load(BITS + 32))),
  );
}
