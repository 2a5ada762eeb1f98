// Trees of any depth; see ../rows.ts.

import { codesOf } from "./encode";
import { HALF, PLACE, THREE, ZERO } from "./even";
import { BITS, right, TESTS4, tops4 } from "./tops";

/** For each set of eight u16, the bytes of those. */
const KEEP: usize = 33280;
/** Vectors: 0 to 7, u16; 1, 2, 4 to 128, twice; where in a line the exits of sixteen trees are, four vectors. */
const EIGHT: usize = BITS + 64;
const POWERS: usize = BITS + 80;
const LINES: usize = BITS + 96;

/** Bytes of the tests of sixteen trees, and a bit for each exit that goes on. */
const TESTS: usize = TESTS4 + 32;
/** Upper half of an exit that goes on, at least; the lowest bits of one are the place of a chunk. */
const GOES_ON: i32 = 0x7fc00000;
const GOES_ON64: i32 = 0x7ff80000;
const CHUNK: u32 = 0x3fffff;

/** Adds a set of eight u16 to the list at `end`. Gives its new end. */
// @ts-ignore: decorator
@inline
function list8(end: usize, set: usize, items: v128): usize {
  v128.store(end, i8x16.relaxed_swizzle(items, v128.load(KEEP + (set << 4))));
  return end + (popcnt<usize>(set) << 1);
}

/** Adds the trees of sixteen that leave their upper levels to a chunk. */
// @ts-ignore: decorator
@inline
function list16(end: usize, tests: usize, sets: v128, tree: usize, zero: v128): usize {
  const ons = i8x16.relaxed_laneselect(
    v128.load(tests, TESTS4 + 16), v128.load(tests, TESTS4), i8x16.gt_s(zero, sets),
  );
  const bit = i8x16.relaxed_swizzle(v128.load(POWERS), v128.and(i16x8.shr_u(sets, 4), i8x16.splat(7)));
  const set = <usize>i8x16.bitmask(i8x16.eq(v128.and(ons, bit), bit));
  const items = i16x8.add(i16x8.splat(<i16>tree), v128.load(EIGHT));
  end = list8(end, set & 255, items);
  return list8(end, set >> 8, i16x8.add(items, i16x8.splat(8)));
}

/** Where the exits of sixteen trees are. */
// @ts-ignore: decorator
@inline
export function places16(to: usize, at: usize, sets: v128): void {
  const from = i32x4.splat(<i32>at);
  const low = i16x8.extend_low_i8x16_u(sets);
  const high = i16x8.extend_high_i8x16_u(sets);
  v128.store(to, i32x4.add(i32x4.add(from, v128.load(LINES)), i32x4.extend_low_i16x8_u(low)));
  v128.store(to, i32x4.add(i32x4.add(from, v128.load(LINES + 16)), i32x4.extend_high_i16x8_u(low)), 16);
  v128.store(to, i32x4.add(i32x4.add(from, v128.load(LINES + 32)), i32x4.extend_low_i16x8_u(high)), 32);
  v128.store(to, i32x4.add(i32x4.add(from, v128.load(LINES + 48)), i32x4.extend_high_i16x8_u(high)), 48);
}

/** Adds what four places hold. */
// @ts-ignore: decorator
@inline
function add4<T>(sum: T, at: usize): T {
  sum = <T>(sum + load<T>(<usize>load<u32>(at)));
  sum = <T>(sum + load<T>(<usize>load<u32>(at, 4)));
  sum = <T>(sum + load<T>(<usize>load<u32>(at, 8)));
  return <T>(sum + load<T>(<usize>load<u32>(at, 12)));
}

/** Adds what sixteen places hold. */
// @ts-ignore: decorator
@inline
function add16<T>(sum: T, at: usize): T {
  return add4<T>(add4<T>(add4<T>(add4<T>(sum, at), at + 16), at + 32), at + 48);
}

/** Takes trees `i` and `j` through their chunks. Gives the upper halves of their exits, in the first two words. */
// @ts-ignore: decorator
@inline
function goOn2<T>(
  i: u32, j: u32, places: usize, chunks: usize, t0: v128, t1: v128, place: v128, half: v128, zero: v128,
): v128 {
  const a = places + (<usize>i << 2);
  const b = places + (<usize>j << 2);
  const p = chunks + <usize>(load<u32>(<usize>load<u32>(a)) & CHUNK);
  const q = chunks + <usize>(load<u32>(<usize>load<u32>(b)) & CHUNK);
  const u = v128.load(p);
  const v = v128.load(q);
  const rights = <usize>i8x16.bitmask(
    right(i64x2.shuffle(u, v, 0, 2), i64x2.shuffle(u, v, 1, 3), t0, t1, place, half, zero),
  );
  const x = p + 16 + <usize>load<u8>(THREE + (rights & 255)) * sizeof<T>();
  const y = q + 16 + <usize>load<u8>(THREE + (rights >> 8)) * sizeof<T>();
  store<u32>(a, <u32>x);
  store<u32>(b, <u32>y);
  return v128.load32_lane(y, v128.load32_zero(x, sizeof<T>() - 4), 1, sizeof<T>() - 4);
}

/** Writes where the exits of guests are to their places among others. */
// @ts-ignore: decorator
@inline
function seat(places: usize, guests: usize): void {
  let from = <usize>load<u32>(guests, 4);
  let at = <usize>load<u32>(guests, 28);
  for (const end = at + (<usize>load<u32>(guests, 24) << 1); at < end; at += 2, from += 4) {
    store<u32>(places + (<usize>load<u16>(at) << 2), load<u32>(from));
  }
}

/** Takes trees through their upper levels. Gives the end of the list of those that go on. */
function leave<T>(block: usize, all: usize, t0: v128, t1: v128): usize {
  const place = v128.load(PLACE);
  const half = v128.load(HALF);
  const zero = v128.load(ZERO);
  let at = <usize>load<u32>(block);
  const places = <usize>load<u32>(block, 4);
  let tests = block + 32;
  let end = <usize>load<u32>(block, 12);
  let k: usize = 0;
  for (; k < all; k += 16, at += 256 * sizeof<T>(), tests += TESTS) {
    const sets = tops4(tests, t0, t1, place, half, zero);
    places16(places + (k << 2), at, sets);
    end = list16(end, tests, sets, k, zero);
  }
  // What fills eight up goes to the first chunk, which has leaves alone.
  store<u32>(places + (k << 2), <u32>ZERO);
  return end;
}

/**
 * Takes those of a list through a chunk each. Gives the end of the list of those that go on.
 *
 * @param end Of the list, `all` how many trees there are.
 */
function goOn<T>(block: usize, end: usize, all: usize, t0: v128, t1: v128): usize {
  const place = v128.load(PLACE);
  const half = v128.load(HALF);
  const zero = v128.load(ZERO);
  const places = <usize>load<u32>(block, 4);
  const chunks = <usize>load<u32>(block, 8);
  const on = i32x4.splat((sizeof<T>() == 8 ? GOES_ON64 : GOES_ON) - 1);
  let left = <usize>load<u32>(block, 12);
  v128.store(end, i16x8.splat(<i16>(all + 15 & -16)));
  for (let item = left; item < end; item += 16) {
    const items = v128.load(item);
    const i0 = i16x8.extract_lane_u(items, 0);
    const i1 = i16x8.extract_lane_u(items, 1);
    const a = goOn2<T>(i0, i1, places, chunks, t0, t1, place, half, zero);
    const i2 = i16x8.extract_lane_u(items, 2);
    const i3 = i16x8.extract_lane_u(items, 3);
    const b = goOn2<T>(i2, i3, places, chunks, t0, t1, place, half, zero);
    const i4 = i16x8.extract_lane_u(items, 4);
    const i5 = i16x8.extract_lane_u(items, 5);
    const c = goOn2<T>(i4, i5, places, chunks, t0, t1, place, half, zero);
    const i6 = i16x8.extract_lane_u(items, 6);
    const i7 = i16x8.extract_lane_u(items, 7);
    const d = goOn2<T>(i6, i7, places, chunks, t0, t1, place, half, zero);
    const set = i16x8.bitmask(
      i16x8.narrow_i32x4_s(
        i32x4.gt_s(i64x2.shuffle(a, b, 0, 2), on),
        i32x4.gt_s(i64x2.shuffle(c, d, 0, 2), on),
      ),
    );
    left = list8(left, <usize>set, items);
  }
  return left;
}

/**
 * Adds trees, of which an exit is a leaf or the place of a chunk of three levels, whose eight exits are such again.
 *
 * `block` is words: exits of upper levels, room for the place of each tree's exit, chunks, room for a list of u16 of
 * trees, the block of guests or 0; and 32 bytes further the tests of upper levels by sixteen trees. Guests are trees
 * that another group of codes numbers. Their block has these words, too, and then: codes, how many they are, their
 * places among the others, u16.
 */
export function deep<T>(sum: T, block: usize, count: i32, t0: v128, t1: v128): T {
  const all = <usize>max(count, 0);
  const list = <usize>load<u32>(block, 12);
  const guests = <usize>load<u32>(block, 16);
  let others: usize = 0;
  let some: usize = 0;
  let g0 = t0;
  let g1 = t1;
  let left: usize = 0;
  if (guests != 0) {
    const codes = <usize>load<u32>(guests, 20);
    others = <usize>load<u32>(guests, 12);
    some = <usize>load<u32>(guests, 24);
    g0 = codesOf(codes, 0);
    g1 = codesOf(codes, 64);
    left = leave<T>(guests, some, g0, g1);
  }
  let end = leave<T>(block, all, t0, t1);
  // Guests and the others in turn: the last few of each wait for themselves alone.
  while (left != others || end != list) {
    if (left != others) left = goOn<T>(guests, left, some, g0, g1);
    end = goOn<T>(block, end, all, t0, t1);
  }
  if (guests != 0) seat(<usize>load<u32>(block, 4), guests);
  let places = <usize>load<u32>(block, 4);
  const last = places + (all << 2);
  for (; places + 60 < last; places += 64) sum = add16<T>(sum, places);
  for (; places < last; places += 4) sum = <T>(sum + load<T>(<usize>load<u32>(places)));
  return sum;
}
