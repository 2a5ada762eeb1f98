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
  const code = v128.or(
    i8x16.relaxed_swizzle(t0, slot),
    i8x16.relaxed_swizzle(t1, v128.xor(slot, half)),
  );
  return i8x16.gt_s(i8x16.add(code, i8x16.gt_s(zero, i8x16.add(test, test))), key);
}

/** Adds what a test is more where all of `mask` went right. */
// @ts-ignore: decorator
@inline
function term(sum: v128, more: v128, mask: v128): v128 {
  return v128.xor(sum, v128.and(more, mask));
}

/** Bytes of the tests of three levels of sixteen trees, and of four levels. */
export const TESTS3: usize = 224;
export const TESTS4: usize = 480;

/**
 * Where a row leaves the first three levels of sixteen trees: 16 times the set of levels at which it went right,
 * a bit each.
 *
 * Tests are, for each level, vectors of slots and of keys for each set of the levels above: the test of
 * a tree is the sum (XOR) of those of all sets of levels at which the row went right.
 */
// @ts-ignore: decorator
@inline
export function tops3(at: usize, t0: v128, t1: v128, place: v128, half: v128, zero: v128): v128 {
  const a = right(v128.load(at), v128.load(at, 16), t0, t1, place, half, zero);
  let test = term(v128.load(at, 32), v128.load(at, 64), a);
  let key = term(v128.load(at, 48), v128.load(at, 80), a);
  const b = right(test, key, t0, t1, place, half, zero);
  const ab = v128.and(a, b);
  test = term(v128.load(at, 96), v128.load(at, 128), a);
  test = term(test, v128.load(at, 160), b);
  test = term(test, v128.load(at, 192), ab);
  key = term(v128.load(at, 112), v128.load(at, 144), a);
  key = term(key, v128.load(at, 176), b);
  key = term(key, v128.load(at, 208), ab);
  const c = right(test, key, t0, t1, place, half, zero);
  return v128.or(
    v128.and(a, i8x16.splat(16)),
    v128.or(v128.and(b, i8x16.splat(32)), v128.and(c, i8x16.splat(64))),
  );
}

/** Where vectors of 16, 32, 64 and 128 are: what a level adds to a set. Of 4, 8, 16 and 32 behind them. */
export const BITS: usize = 38400;
export const FOURTHS: usize = BITS + 64;

/** The same for four levels; the set 16 times, in the unsigned byte, where `bits` is `BITS`, or 4 times. */
// @ts-ignore: decorator
@inline
export function tops4(
  at: usize, t0: v128, t1: v128, place: v128, half: v128, zero: v128, bits: usize,
): v128 {
  const a = right(v128.load(at), v128.load(at, 16), t0, t1, place, half, zero);
  let test = term(v128.load(at, 32), v128.load(at, 64), a);
  let key = term(v128.load(at, 48), v128.load(at, 80), a);
  const b = right(test, key, t0, t1, place, half, zero);
  const ab = v128.and(a, b);
  test = term(v128.load(at, 96), v128.load(at, 128), a);
  test = term(test, v128.load(at, 160), b);
  test = term(test, v128.load(at, 192), ab);
  key = term(v128.load(at, 112), v128.load(at, 144), a);
  key = term(key, v128.load(at, 176), b);
  key = term(key, v128.load(at, 208), ab);
  const c = right(test, key, t0, t1, place, half, zero);
  const ac = v128.and(a, c);
  const bc = v128.and(b, c);
  const abc = v128.and(ab, c);
  test = term(v128.load(at, 224), v128.load(at, 256), a);
  test = term(test, v128.load(at, 288), b);
  test = term(test, v128.load(at, 320), ab);
  test = term(test, v128.load(at, 352), c);
  test = term(test, v128.load(at, 384), ac);
  test = term(test, v128.load(at, 416), bc);
  test = term(test, v128.load(at, 448), abc);
  key = term(v128.load(at, 240), v128.load(at, 272), a);
  key = term(key, v128.load(at, 304), b);
  key = term(key, v128.load(at, 336), ab);
  key = term(key, v128.load(at, 368), c);
  key = term(key, v128.load(at, 400), ac);
  key = term(key, v128.load(at, 432), bc);
  key = term(key, v128.load(at, 464), abc);
  const d = right(test, key, t0, t1, place, half, zero);
  return v128.or(
    v128.or(v128.and(a, v128.load(bits)), v128.and(b, v128.load(bits + 16))),
    v128.or(v128.and(c, v128.load(bits + 32)), v128.and(d, v128.load(bits + 48))),
  );
}
