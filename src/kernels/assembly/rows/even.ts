// Trees of up to eight levels; see ../rows.ts.

import { right, TESTS3, TESTS4, tops3, tops4 } from "./tops";

/** The exit of three levels for the bits of their seven tests, in heap order, whatever the eighth bit is. */
export const THREE: usize = 256;

/** The exit of four levels for the bits of their fifteen tests; the sixteenth must be 0. */
export const FOUR: usize = 512;

/** Bytes of an exit: the tests of what is below it, then its leaves. */
// @ts-ignore: decorator
@inline
function exitBytes<T>(levels: i32): usize {
  return levels == 3 ? 16 + 8 * sizeof<T>() : 32 + 16 * sizeof<T>();
}

/** Bits of the place of a slot, of its half; nothing; each a vector. */
export const PLACE: usize = 192;
export const HALF: usize = 208;
export const ZERO: usize = 224;

// @ts-ignore: decorator
@inline
function topsOf(at: usize, upper: i32, t0: v128, t1: v128, place: v128, half: v128, zero: v128): v128 {
  return upper == 3 ? tops3(at, t0, t1, place, half, zero) : tops4(at, t0, t1, place, half, zero);
}

/** Adds the leaves of two trees with three levels below their exits: eight slots, eight keys. */
// @ts-ignore: decorator
@inline
function add2<T>(
  sum: T, p: usize, q: usize, t0: v128, t1: v128, place: v128, half: v128, zero: v128,
): T {
  const a = v128.load(p);
  const b = v128.load(q);
  const rights = i8x16.bitmask(
    right(i64x2.shuffle(a, b, 0, 2), i64x2.shuffle(a, b, 1, 3), t0, t1, place, half, zero),
  );
  const i = <usize>load<u8>(THREE + (<usize>rights & 255));
  const j = <usize>load<u8>(THREE + (<usize>rights >> 8));
  sum = <T>(sum + load<T>(p + i * sizeof<T>(), 16));
  return <T>(sum + load<T>(q + j * sizeof<T>(), 16));
}

/** Adds the leaf of a tree with four levels below its exit: sixteen slots, sixteen keys. */
// @ts-ignore: decorator
@inline
function add1<T>(sum: T, p: usize, t0: v128, t1: v128, place: v128, half: v128, zero: v128): T {
  const rights = <usize>i8x16.bitmask(right(v128.load(p), v128.load(p, 16), t0, t1, place, half, zero));
  const leaf = <usize>load<u8>(FOUR + rights);
  return <T>(sum + load<T>(p + leaf * sizeof<T>(), 32));
}

// @ts-ignore: decorator
@inline
function addBlocks<T>(sum: T, block: usize, count: i32, upper: i32, levels: i32, t0: v128, t1: v128): T {
  const tests = upper == 3 ? TESTS3 : TESTS4;
  const part = exitBytes<T>(levels) >> 4; // an exit comes sixteen times
  const tree = exitBytes<T>(levels) << <usize>upper;
  const place = v128.load(PLACE);
  const half = v128.load(HALF);
  const zero = v128.load(ZERO);
  let at = <usize>load<u32>(block);
  let exit = <usize>load<u32>(block, 4);
  const exits = exit;
  // Apart from what is below: one block's levels wait for each other, and others' have time to be made.
  for (let i = count, tops = block + 32; i > 0; i -= 16, tops += tests, exit += 16) {
    v128.store(exit, topsOf(tops, upper, t0, t1, place, half, zero));
  }
  exit = exits;
  for (const end = exits + <usize>(max(count, 0) & -4); exit < end; exit += 4, at += tree << 2) {
    const e = load<u32>(exit);
    const p = at + <usize>(e & 255) * part;
    const q = at + tree + <usize>(e >> 8 & 255) * part;
    const r = at + 2 * tree + <usize>(e >> 16 & 255) * part;
    const s = at + 3 * tree + <usize>(e >> 24) * part;
    if (levels == 3) {
      sum = add2<T>(sum, p, q, t0, t1, place, half, zero);
      sum = add2<T>(sum, r, s, t0, t1, place, half, zero);
    } else {
      sum = add1<T>(sum, p, t0, t1, place, half, zero);
      sum = add1<T>(sum, q, t0, t1, place, half, zero);
      sum = add1<T>(sum, r, t0, t1, place, half, zero);
      sum = add1<T>(sum, s, t0, t1, place, half, zero);
    }
  }
  // Where only some of four trees are asked for.
  for (const end = exits + <usize>max(count, 0); exit < end; exit++, at += tree) {
    const p = at + <usize>load<u8>(exit) * part;
    if (levels == 3) {
      const a = v128.load(p);
      const rights = i8x16.bitmask(
        right(a, i64x2.shuffle(a, a, 1, 1), t0, t1, place, half, zero),
      );
      sum = <T>(sum + load<T>(p + <usize>load<u8>(THREE + (<usize>rights & 255)) * sizeof<T>(), 16));
    } else sum = add1<T>(sum, p, t0, t1, place, half, zero);
  }
  return sum;
}

/**
 * Adds trees. `block` is u32 where their exits begin, u32 room for a byte a tree, and 32 bytes further the tests of upper levels by sixteen
 * trees. There are three levels in all below three upper ones, or three or four below four.
 *
 * @param levels Of the deepest tree, 6 to 8.
 */
export function even<T>(sum: T, block: usize, count: i32, levels: i32, t0: v128, t1: v128): T {
  if (levels == 6) return addBlocks<T>(sum, block, count, 3, 3, t0, t1);
  if (levels == 7) return addBlocks<T>(sum, block, count, 4, 3, t0, t1);
  return addBlocks<T>(sum, block, count, 4, 4, t0, t1);
}
