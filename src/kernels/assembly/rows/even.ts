// Trees of up to eight levels; see ../rows.ts.

import { right, TESTS3, TESTS4, tops3, tops4 } from "./tops";

/** Where sixteen trees are left: 16 times the exit, a byte each. */
const EXITS: usize = 16;
/** The exit of three levels for the bits of their seven tests, in heap order, whatever the eighth bit is. */
export const THREE: usize = 256;

/** Bytes of an exit: the tests of what is below it, then its leaves. */
// @ts-ignore: decorator
@inline
function exitBytes<T>(levels: i32): usize {
  return levels == 3 ? 16 + 8 * sizeof<T>() : 32 + 16 * sizeof<T>();
}

/** Where tree `k` of a block is left. */
// @ts-ignore: decorator
@inline
function exitOf<T>(trees: usize, upper: i32, levels: i32, k: usize): usize {
  const bytes = exitBytes<T>(levels);
  return trees + k * (bytes << <usize>upper) + <usize>load<u8>(EXITS + k) * (bytes >> 4);
}

/** Leaves of trees `k` and `k + 1`, with three levels below an exit: eight slots, eight keys. */
// @ts-ignore: decorator
@inline
function add2<T>(sum: T, trees: usize, upper: i32, k: usize, t0: v128, t1: v128): T {
  const p = exitOf<T>(trees, upper, 3, k);
  const q = exitOf<T>(trees, upper, 3, k + 1);
  const a = v128.load(p);
  const b = v128.load(q);
  const rights = i8x16.bitmask(
    right(i64x2.shuffle(a, b, 0, 2), i64x2.shuffle(a, b, 1, 3), t0, t1),
  );
  const i = <usize>load<u8>(THREE + (<usize>rights & 255));
  const j = <usize>load<u8>(THREE + (<usize>rights >> 8));
  sum = <T>(sum + load<T>(p + i * sizeof<T>(), 16));
  return <T>(sum + load<T>(q + j * sizeof<T>(), 16));
}

/** The leaf of tree `k`, with four levels below an exit: sixteen slots, sixteen keys. */
// @ts-ignore: decorator
@inline
function add1<T>(sum: T, trees: usize, k: usize, t0: v128, t1: v128): T {
  const p = exitOf<T>(trees, 4, 4, k);
  const rights = <usize>i8x16.bitmask(right(v128.load(p), v128.load(p, 16), t0, t1));
  const i = <usize>load<u8>(THREE + (rights & 255));
  const leaf = 2 * i + (rights >> (7 + i) & 1);
  return <T>(sum + load<T>(p + leaf * sizeof<T>(), 32));
}

// @ts-ignore: decorator
@inline
function addBlocks<T>(sum: T, block: usize, count: i32, upper: i32, levels: i32, t0: v128, t1: v128): T {
  const tests = upper == 3 ? TESTS3 : TESTS4;
  const bytes = exitBytes<T>(levels) << <usize>upper << 4;
  let trees = <usize>load<u32>(block);
  block += 16;
  for (; count > 15; count -= 16, block += tests, trees += bytes) {
    v128.store(EXITS, upper == 3 ? tops3(block, t0, t1) : tops4(block, t0, t1));
    if (levels == 3) {
      sum = add2<T>(sum, trees, upper, 0, t0, t1);
      sum = add2<T>(sum, trees, upper, 2, t0, t1);
      sum = add2<T>(sum, trees, upper, 4, t0, t1);
      sum = add2<T>(sum, trees, upper, 6, t0, t1);
      sum = add2<T>(sum, trees, upper, 8, t0, t1);
      sum = add2<T>(sum, trees, upper, 10, t0, t1);
      sum = add2<T>(sum, trees, upper, 12, t0, t1);
      sum = add2<T>(sum, trees, upper, 14, t0, t1);
    } else {
      sum = add1<T>(sum, trees, 0, t0, t1);
      sum = add1<T>(sum, trees, 1, t0, t1);
      sum = add1<T>(sum, trees, 2, t0, t1);
      sum = add1<T>(sum, trees, 3, t0, t1);
      sum = add1<T>(sum, trees, 4, t0, t1);
      sum = add1<T>(sum, trees, 5, t0, t1);
      sum = add1<T>(sum, trees, 6, t0, t1);
      sum = add1<T>(sum, trees, 7, t0, t1);
      sum = add1<T>(sum, trees, 8, t0, t1);
      sum = add1<T>(sum, trees, 9, t0, t1);
      sum = add1<T>(sum, trees, 10, t0, t1);
      sum = add1<T>(sum, trees, 11, t0, t1);
      sum = add1<T>(sum, trees, 12, t0, t1);
      sum = add1<T>(sum, trees, 13, t0, t1);
      sum = add1<T>(sum, trees, 14, t0, t1);
      sum = add1<T>(sum, trees, 15, t0, t1);
    }
  }
  // A part of a block, where only the first trees are asked for.
  if (count > 0) {
    v128.store(EXITS, upper == 3 ? tops3(block, t0, t1) : tops4(block, t0, t1));
    for (let k: usize = 0; k < <usize>count; k++) {
      const p = exitOf<T>(trees, upper, levels, k);
      if (levels == 3) {
        const a = v128.load(p);
        const rights = i8x16.bitmask(right(a, i64x2.shuffle(a, a, 1, 1), t0, t1));
        sum = <T>(sum + load<T>(p + <usize>load<u8>(THREE + (<usize>rights & 255)) * sizeof<T>(), 16));
      } else sum = add1<T>(sum, trees, k, t0, t1);
    }
  }
  return sum;
}

/**
 * Adds trees. `block` is u32 where their exits begin, and 16 bytes further the tests of upper levels by sixteen
 * trees. There are three levels in all below three upper ones, or three or four below four.
 *
 * @param levels Of the deepest tree, 6 to 8.
 */
export function even<T>(sum: T, block: usize, count: i32, levels: i32, t0: v128, t1: v128): T {
  if (levels == 6) return addBlocks<T>(sum, block, count, 3, 3, t0, t1);
  if (levels == 7) return addBlocks<T>(sum, block, count, 4, 3, t0, t1);
  return addBlocks<T>(sum, block, count, 4, 4, t0, t1);
}
