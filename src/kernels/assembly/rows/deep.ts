// Trees of any depth; see ../rows.ts.

import { FOUR, HALF, PLACE, ZERO } from "./even";
import { right, TESTS4, tops4 } from "./tops";

/** For each set of eight trees, which they are: eight u16. */
const WHICH: usize = 33280;

/** What an exit has that goes on: upper bits of a number that is none, and the place of a chunk in the lowest 22. */
const GOES_ON: u32 = 0x7fc00000;
const GOES_ON64: u32 = 0x7ff80000;
const CHUNK: u32 = 0x3fffff;

/** Whether what is at `at` goes on. */
// @ts-ignore: decorator
@inline
function goesOn<T>(at: usize): usize {
  const bits = sizeof<T>() == 4 ? GOES_ON : GOES_ON64;
  return usize((load<u32>(at, sizeof<T>() - 4) & bits) == bits);
}

/** Exits of four trees; each comes sixteen times. */
// @ts-ignore: decorator
@inline
function exitsOf4(at: usize, e: u32): v128 {
  let a = v128.load32_zero(at + (<usize>(e & 255) >> 2));
  a = v128.load32_lane(at + 64 + (<usize>(e >> 8 & 255) >> 2), a, 1);
  a = v128.load32_lane(at + 128 + (<usize>(e >> 16 & 255) >> 2), a, 2);
  return v128.load32_lane(at + 192 + (<usize>(e >> 24) >> 2), a, 3);
}

/** Exits of eight trees to `to`; those that are no leaves to the list at `end`. Gives its new end. */
// @ts-ignore: decorator
@inline
function leave8(at: usize, exits: usize, to: usize, tree: usize, end: usize): usize {
  const on = i32x4.splat(GOES_ON);
  const a = exitsOf4(at, load<u32>(exits));
  const b = exitsOf4(at + 256, load<u32>(exits, 4));
  v128.store(to, a);
  v128.store(to, b, 16);
  const which = <usize>i16x8.bitmask(
    i16x8.narrow_i32x4_s(i32x4.eq(v128.and(a, on), on), i32x4.eq(v128.and(b, on), on)),
  );
  v128.store(end, i16x8.add(v128.load(WHICH + (which << 4)), i16x8.splat(<i16>tree)));
  return end + (popcnt<usize>(which) << 1);
}

/**
 * Adds trees, of which an exit is a leaf or the place of a chunk of four levels, whose sixteen exits are such again.
 *
 * `block` is words: exits of upper levels, room for a byte a tree, chunks, room for what comes of each tree, room for
 * a list of u16 of trees; and 32 bytes further the tests of upper levels by sixteen trees.
 */
export function deep<T>(sum: T, block: usize, count: i32, t0: v128, t1: v128): T {
  let at = <usize>load<u32>(block);
  const exits = <usize>load<u32>(block, 4);
  const chunks = <usize>load<u32>(block, 8);
  const ends = <usize>load<u32>(block, 12);
  const list = <usize>load<u32>(block, 16);
  const place = v128.load(PLACE);
  const half = v128.load(HALF);
  const zero = v128.load(ZERO);
  const all = <usize>max(count, 0) + 15 & -16;
  let end = list;
  for (let k: usize = 0, tests = block + 32; k < all; k += 16, tests += TESTS4) {
    v128.store(exits + k, tops4(tests, t0, t1, place, half, zero));
  }
  if (sizeof<T>() == 4) {
    for (let k: usize = 0; k < all; k += 8, at += 512) {
      end = leave8(at, exits + k, ends + (k << 2), k, end);
    }
  } else {
    for (let k: usize = 0; k < all; k++, at += 128) {
      const exit = at + (<usize>load<u8>(exits + k) >> 1);
      store<T>(ends + (k << 3), load<T>(exit));
      store<u16>(end, <u16>k);
      end += goesOn<T>(exit) << 1;
    }
  }
  while (end != list) {
    let left = list;
    for (let item = list; item < end; item += 2) {
      const k = load<u16>(item);
      const to = ends + <usize>k * sizeof<T>();
      const chunk = chunks + <usize>(load<u32>(to) & CHUNK) * (32 + 16 * sizeof<T>());
      const rights = <usize>i8x16.bitmask(
        right(v128.load(chunk), v128.load(chunk, 16), t0, t1, place, half, zero),
      );
      const exit = chunk + 32 + <usize>load<u8>(FOUR + rights) * sizeof<T>();
      store<T>(to, load<T>(exit));
    }
    // Apart from the steps: where to write is known only after them, and reading would wait for it.
    for (let item = list; item < end; item += 2) {
      const k = load<u16>(item);
      store<u16>(left, k);
      left += goesOn<T>(ends + <usize>k * sizeof<T>()) << 1;
    }
    end = left;
  }
  at = ends;
  for (const last = ends + <usize>max(count, 0) * sizeof<T>(); at < last; at += sizeof<T>()) {
    sum = <T>(sum + load<T>(at));
  }
  return sum;
}
