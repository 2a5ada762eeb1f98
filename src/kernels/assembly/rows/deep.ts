// Trees of any depth; see ../rows.ts.

import { HALF, PLACE, THREE, ZERO } from "./even";
import { BITS, FOURTHS, right, TESTS4, tops4 } from "./tops";

/** For each set of eight trees, which they are: eight u16. */
const WHICH: usize = 33280;
/** A vector of one less than `GOES_ON`. */
const ON: usize = BITS + 128;
/** Where sixteen trees leave their upper levels. */
const SETS: usize = 48;

/**
 * What an exit that goes on is at least, as a signed number: its upper bits are of a number that is none, the lowest 22
 * the place of a chunk.
 */
const GOES_ON: i32 = 0x7fc00000;
const GOES_ON64: i32 = 0x7ff80000;
const CHUNK: u32 = 0x3fffff;

/** Whether what is at `at` goes on. */
// @ts-ignore: decorator
@inline
function goesOn<T>(at: usize): bool {
  return load<i32>(at, sizeof<T>() - 4) >= (sizeof<T>() == 8 ? GOES_ON64 : GOES_ON);
}

/** Exits of four of sixteen trees; each comes sixteen times. */
// @ts-ignore: decorator
@inline
function exitsOf4(at: usize, first: usize): v128 {
  let a = v128.load32_zero(at + <usize>load<u8>(SETS + first));
  a = v128.load32_lane(at + <usize>load<u8>(SETS + first + 1) + 64, a, 1);
  a = v128.load32_lane(at + <usize>load<u8>(SETS + first + 2) + 128, a, 2);
  return v128.load32_lane(at + <usize>load<u8>(SETS + first + 3) + 192, a, 3);
}

/** Adds the trees of a set of eight, which are from `tree` on, to the list at `end`. Gives its new end. */
// @ts-ignore: decorator
@inline
function list8(end: usize, set: usize, tree: usize): usize {
  v128.store(end, i16x8.add(v128.load(WHICH + (set << 4)), i16x8.splat(<i16>tree)));
  return end + (popcnt<usize>(set) << 1);
}

/** Exits of sixteen trees at `SETS` to `to`; those that are no leaves to the list at `end`. Gives its new end. */
// @ts-ignore: decorator
@inline
function leave16<T>(at: usize, to: usize, tree: usize, end: usize): usize {
  if (sizeof<T>() == 4) {
    const on = v128.load(ON);
    const a = exitsOf4(at, 0);
    const b = exitsOf4(at + 256, 4);
    const c = exitsOf4(at + 512, 8);
    const d = exitsOf4(at + 768, 12);
    v128.store(to, a);
    v128.store(to, b, 16);
    v128.store(to, c, 32);
    v128.store(to, d, 48);
    const set = <usize>i8x16.bitmask(
      i8x16.narrow_i16x8_s(
        i16x8.narrow_i32x4_s(i32x4.gt_s(a, on), i32x4.gt_s(b, on)),
        i16x8.narrow_i32x4_s(i32x4.gt_s(c, on), i32x4.gt_s(d, on)),
      ),
    );
    return list8(list8(end, set & 255, tree), set >> 8, tree + 8);
  }
  for (let k: usize = 0; k < 16; k++, at += 128) {
    const exit = at + (<usize>load<u8>(SETS + k) << 1);
    store<T>(to + (k << 3), load<T>(exit));
    store<u16>(end, <u16>(tree + k));
    end += usize(goesOn<T>(exit)) << 1;
  }
  return end;
}

/** Adds four numbers in turn. */
// @ts-ignore: decorator
@inline
function add4(sum: f32, v: v128): f32 {
  sum += f32x4.extract_lane(v, 0);
  sum += f32x4.extract_lane(v, 1);
  sum += f32x4.extract_lane(v, 2);
  return sum + f32x4.extract_lane(v, 3);
}

/** Adds what came of sixteen trees. */
// @ts-ignore: decorator
@inline
function add16<T>(sum: T, at: usize): T {
  if (sizeof<T>() == 4) {
    let s = add4(<f32>sum, v128.load(at));
    s = add4(s, v128.load(at, 16));
    s = add4(s, v128.load(at, 32));
    return <T>add4(s, v128.load(at, 48));
  }
  for (let k: usize = 0; k < 16; k++) sum = <T>(sum + load<T>(at + (k << 3)));
  return sum;
}

/** The chunk that a tree goes on to. */
// @ts-ignore: decorator
@inline
function chunkOf(chunks: usize, end: usize): usize {
  return chunks + <usize>(load<u32>(end) & CHUNK);
}

/** The exit of a chunk that the bits of its tests lead to. */
// @ts-ignore: decorator
@inline
function exitOf<T>(chunk: usize, bits: usize): T {
  return load<T>(chunk + <usize>load<u8>(THREE + bits) * sizeof<T>() + 16);
}

/**
 * Adds trees, of which an exit is a leaf or the place of a chunk of three levels, whose eight exits are such again.
 *
 * `block` is words: exits of upper levels, nothing, chunks, room for what comes of each tree, room for a list of u16 of
 * trees; and 32 bytes further the tests of upper levels by sixteen trees.
 */
export function deep<T>(sum: T, block: usize, count: i32, t0: v128, t1: v128): T {
  const place = v128.load(PLACE);
  const half = v128.load(HALF);
  const zero = v128.load(ZERO);
  const all = <usize>max(count, 0);
  const chunks = <usize>load<u32>(block, 8);
  const list = <usize>load<u32>(block, 16);
  let ends = <usize>load<u32>(block, 12);
  let at = <usize>load<u32>(block);
  let tests = block + 32;
  let end = list;
  for (let k: usize = 0; k < all; k += 16, at += 256 * sizeof<T>(), tests += TESTS4) {
    v128.store(SETS, tops4(tests, t0, t1, place, half, zero, FOURTHS));
    end = leave16<T>(at, ends + k * sizeof<T>(), k, end);
  }
  while (end != list) {
    // By two; the last one of an odd number comes twice.
    store<u16>(end, load<u16>(end - 2));
    for (let item = list; item < end; item += 4) {
      const a = ends + <usize>load<u16>(item) * sizeof<T>();
      const b = ends + <usize>load<u16>(item, 2) * sizeof<T>();
      const p = chunkOf(chunks, a);
      const q = chunkOf(chunks, b);
      const u = v128.load(p);
      const v = v128.load(q);
      const rights = <usize>i8x16.bitmask(
        right(i64x2.shuffle(u, v, 0, 2), i64x2.shuffle(u, v, 1, 3), t0, t1, place, half, zero),
      );
      store<T>(a, exitOf<T>(p, rights & 255));
      store<T>(b, exitOf<T>(q, rights >> 8));
    }
    // Apart from the steps: where to write is known only after them, and reading would wait for it.
    let left = list;
    for (let item = list; item < end; item += 2) {
      const k = load<u16>(item);
      store<u16>(left, k);
      left += usize(goesOn<T>(ends + <usize>k * sizeof<T>())) << 1;
    }
    end = left;
  }
  const last = ends + all * sizeof<T>();
  for (; ends + 15 * sizeof<T>() < last; ends += 16 * sizeof<T>()) sum = add16<T>(sum, ends);
  for (; ends < last; ends += sizeof<T>()) sum = <T>(sum + load<T>(ends));
  return sum;
}
