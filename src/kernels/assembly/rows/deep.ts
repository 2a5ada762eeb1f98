// Trees of any depth; see ../rows.ts.

import { codesOf } from "./encode";
import { FOUR, HALF, PLACE, ZERO } from "./even";
import { BITS, right } from "./tops";

/** For each set of eight u16, the bytes of those; for each set of four u32. */
const KEEP: usize = 33280;
const KEEP4: usize = 37376;
/** Vectors: 0 to 7, u16; 1, 2, 4 to 128, twice. */
const EIGHT: usize = BITS + 64;
const POWERS: usize = BITS + 80;

/** Bytes of the five tests of sixteen trees, and of those with a bit for each set of them that goes on. */
const ONS: usize = 160;
const TESTS: usize = ONS + 64;
/** Numbers of exits from here on are lines of the other group of codes; from `LINE` on they are those of this one. */
const OTHERS: u32 = 0x7000;
const LINE: u32 = 0x8000;

/** Adds a set of eight u16 to the list at `end`. Gives its new end. */
// @ts-ignore: decorator
@inline
function list8(end: usize, set: usize, items: v128): usize {
  v128.store(end, i8x16.relaxed_swizzle(items, v128.load(KEEP + (set << 4))));
  return end + (popcnt<usize>(set) << 1);
}

/** Which of sixteen trees go right at a test. */
// @ts-ignore: decorator
@inline
function test(at: usize, t0: v128, t1: v128, place: v128, half: v128, zero: v128): v128 {
  return right(v128.load(at), v128.load(at, 16), t0, t1, place, half, zero);
}

/** Where the exit of a line is. */
// @ts-ignore: decorator
@inline
function exitOf(line: usize, t0: v128, t1: v128, place: v128, half: v128, zero: v128): usize {
  const rights = <usize>i8x16.bitmask(right(v128.load(line), v128.load(line, 16), t0, t1, place, half, zero));
  return line + (<usize>load<u8>(FOUR + rights) << 1);
}

/** Takes four ways, u32 of a tree (upper half) and an exit, through the lines that their exits name. */
// @ts-ignore: decorator
@inline
function step4(
  ways: v128, states: usize, lines: v128, t0: v128, t1: v128, place: v128, half: v128, zero: v128,
): v128 {
  const at = i32x4.add(lines, i32x4.shr_u(i32x4.shl(ways, 17), 11));
  const a = exitOf(<usize>i32x4.extract_lane(at, 0), t0, t1, place, half, zero);
  const b = exitOf(<usize>i32x4.extract_lane(at, 1), t0, t1, place, half, zero);
  const c = exitOf(<usize>i32x4.extract_lane(at, 2), t0, t1, place, half, zero);
  const d = exitOf(<usize>i32x4.extract_lane(at, 3), t0, t1, place, half, zero);
  // Where trees are, from what is known before exits are read: what comes next does not wait for these stores.
  const i = states + (<usize>i16x8.extract_lane_u(ways, 1) << 1);
  const j = states + (<usize>i16x8.extract_lane_u(ways, 3) << 1);
  const k = states + (<usize>i16x8.extract_lane_u(ways, 5) << 1);
  const l = states + (<usize>i16x8.extract_lane_u(ways, 7) << 1);
  ways = v128.load16_lane(a, ways, 0, 32);
  ways = v128.load16_lane(b, ways, 2, 32);
  ways = v128.load16_lane(c, ways, 4, 32);
  ways = v128.load16_lane(d, ways, 6, 32);
  v128.store16_lane(i, ways, 0);
  v128.store16_lane(j, ways, 2);
  v128.store16_lane(k, ways, 4);
  v128.store16_lane(l, ways, 6);
  return ways;
}

/** Adds those of four ways that go on to the list at `end`; `exits` are the ways without trees. Gives its new end. */
// @ts-ignore: decorator
@inline
function list4(end: usize, ways: v128, exits: v128): usize {
  const set = <usize>i32x4.bitmask(exits);
  v128.store(end, i8x16.relaxed_swizzle(ways, v128.load(KEEP4 + (set << 4))));
  return end + (popcnt<usize>(set) << 2);
}

/**
 * Makes the upper tests of trees, writes where they lead to, and lists those that go on: u16 of their sixteen (7 bits),
 * set of tests that go right (5) and place among them. Gives the end of the list.
 */
function leave(block: usize, all: usize, t0: v128, t1: v128): usize {
  const place = v128.load(PLACE);
  const half = v128.load(HALF);
  const zero = v128.load(ZERO);
  let state = <usize>load<u32>(block, 4);
  let tests = block + 32;
  let end = <usize>load<u32>(block, 12);
  let base = v128.load(EIGHT);
  const eight = i16x8.splat(8);
  const next = i16x8.splat(512);
  for (const last = state + (all << 1); state < last; state += 32, tests += TESTS) {
    const a = test(tests, t0, t1, place, half, zero);
    const b = test(tests + 32, t0, t1, place, half, zero);
    const c = test(tests + 64, t0, t1, place, half, zero);
    const d = test(tests + 96, t0, t1, place, half, zero);
    const e = test(tests + 128, t0, t1, place, half, zero);
    // A test that goes right is -1.
    const ab = i8x16.add(i8x16.add(a, a), b);
    const abc = i8x16.add(i8x16.add(ab, ab), c);
    const abcd = i8x16.add(i8x16.add(abc, abc), d);
    const sets = i8x16.neg(i8x16.add(i8x16.add(abcd, abcd), e));
    const ons = i8x16.relaxed_laneselect(
      i8x16.relaxed_laneselect(v128.load(tests + 48, ONS), v128.load(tests + 32, ONS), b),
      i8x16.relaxed_laneselect(v128.load(tests + 16, ONS), v128.load(tests, ONS), b),
      a,
    );
    const bit = i8x16.relaxed_swizzle(v128.load(POWERS), v128.and(sets, i8x16.splat(7)));
    const set = <usize>i8x16.bitmask(i8x16.eq(v128.and(ons, bit), bit));
    const low = i16x8.extend_low_i8x16_u(sets);
    const high = i16x8.extend_high_i8x16_u(sets);
    v128.store(state, low);
    v128.store(state, high, 16);
    end = list8(end, set & 255, i16x8.add(base, i16x8.shl(low, 4)));
    end = list8(end, set >> 8, i16x8.add(i16x8.add(base, eight), i16x8.shl(high, 4)));
    base = i16x8.add(base, next);
  }
  return end;
}

/**
 * Takes trees that left their upper levels to their leaves.
 *
 * @param end Of the list of those that go on.
 */
function goOn(block: usize, end: usize, t0: v128, t1: v128): void {
  const place = v128.load(PLACE);
  const half = v128.load(HALF);
  const zero = v128.load(ZERO);
  const exits = <usize>load<u32>(block);
  const states = <usize>load<u32>(block, 4);
  const lines = i32x4.splat(load<i32>(block, 8));
  const first = <usize>load<u32>(block, 12);
  const list = first + <usize>load<u32>(block, 28);
  const filler = load<u32>(block, 24);
  const strange = i32x4.splat((OTHERS << 16) - 1);
  v128.store(end, i16x8.splat(<i16>filler));
  let left = list;
  const sixteens = i16x8.splat(0xff0);
  const ones = i16x8.splat(15);
  for (let item = first; item < end; item += 16, left += 32) {
    const items = v128.load(item);
    let x = zero;
    x = v128.load16_lane(exits + (<usize>i16x8.extract_lane_u(items, 0) << 1), x, 0);
    x = v128.load16_lane(exits + (<usize>i16x8.extract_lane_u(items, 1) << 1), x, 1);
    x = v128.load16_lane(exits + (<usize>i16x8.extract_lane_u(items, 2) << 1), x, 2);
    x = v128.load16_lane(exits + (<usize>i16x8.extract_lane_u(items, 3) << 1), x, 3);
    x = v128.load16_lane(exits + (<usize>i16x8.extract_lane_u(items, 4) << 1), x, 4);
    x = v128.load16_lane(exits + (<usize>i16x8.extract_lane_u(items, 5) << 1), x, 5);
    x = v128.load16_lane(exits + (<usize>i16x8.extract_lane_u(items, 6) << 1), x, 6);
    x = v128.load16_lane(exits + (<usize>i16x8.extract_lane_u(items, 7) << 1), x, 7);
    const trees = v128.or(v128.and(i16x8.shr_u(items, 5), sixteens), v128.and(items, ones));
    v128.store(left, i16x8.shuffle(x, trees, 0, 8, 1, 9, 2, 10, 3, 11));
    v128.store(left, i16x8.shuffle(x, trees, 4, 12, 5, 13, 6, 14, 7, 15), 16);
  }
  left = list + (end - first << 1);
  const fill = i32x4.splat(<i32>(filler >> 5 << 16 | LINE));
  let from = list;
  let to = list + (<usize>load<u32>(block, 28) << 1);
  const odds = to + (<usize>load<u32>(block, 28) << 1);
  let odd = odds;
  while (left != from) {
    v128.store(left, fill);
    const last = left;
    left = to;
    to = from;
    from = left;
    for (let item = to; item < last; item += 16) {
      const a = step4(v128.load(item), states, lines, t0, t1, place, half, zero);
      const p = i32x4.shl(a, 16);
      if (v128.any_true(i32x4.gt_s(p, strange))) {
        v128.store(odd, a);
        odd += 16;
      }
      left = list4(left, a, p);
    }
  }
  if (odd != odds) finish(block, odds, odd, t0, t1);
}

/** Takes those ways of a list to their leaves whose exits are lines of the other group of codes. */
function finish(block: usize, way: usize, end: usize, t0: v128, t1: v128): void {
  const place = v128.load(PLACE);
  const half = v128.load(HALF);
  const zero = v128.load(ZERO);
  const states = <usize>load<u32>(block, 4);
  const lines = <usize>load<u32>(block, 8);
  const others = <usize>load<u32>(block, 20);
  const codes = <usize>load<u32>(others);
  const g0 = codesOf(codes, 0);
  const g1 = codesOf(codes, 64);
  for (; way < end; way += 4) {
    let exit = <u32>load<u16>(way);
    if (exit >= LINE) continue;
    while (exit >= OTHERS) {
      const line = exit >= LINE
        ? lines + <usize>((exit & 0x7fff) << 6)
        : <usize>load<u32>(others + (<usize>(exit - OTHERS) << 2), 4);
      exit = load<u16>(exit >= LINE ? exitOf(line, t0, t1, place, half, zero) : exitOf(line, g0, g1, place, half, zero), 32);
    }
    store<u16>(states + (<usize>load<u16>(way, 2) << 1), <u16>exit);
  }
}

/**
 * Adds trees, of which an exit is a leaf or the place of a line of four levels, whose sixteen exits are such again.
 *
 * `block` is words: exits of upper levels, u16 by sixteen trees, exit and tree; room for a u16 of each tree; lines;
 * room for lists; where values of each tree are, u32; lines of the other group; what fills up lists; bytes of the first list. 32 bytes further
 * are the tests of upper levels by sixteen trees.
 */
export function deep<T>(sum: T, block: usize, count: i32, t0: v128, t1: v128): T {
  const all = <usize>max(count, 0);
  goOn(block, leave(block, all, t0, t1), t0, t1);
  const shift: i32 = sizeof<T>() == 8 ? 3 : 2;
  let state = <usize>load<u32>(block, 4);
  let values = <usize>load<u32>(block, 16);
  let last = state + (all >> 3 << 4);
  for (; state < last; state += 16, values += 32) {
    const s = v128.load(state);
    const a = i32x4.add(i32x4.shl(i32x4.extend_low_i16x8_u(s), shift), v128.load(values));
    const b = i32x4.add(i32x4.shl(i32x4.extend_high_i16x8_u(s), shift), v128.load(values, 16));
    sum = <T>(sum + load<T>(<usize>i32x4.extract_lane(a, 0)));
    sum = <T>(sum + load<T>(<usize>i32x4.extract_lane(a, 1)));
    sum = <T>(sum + load<T>(<usize>i32x4.extract_lane(a, 2)));
    sum = <T>(sum + load<T>(<usize>i32x4.extract_lane(a, 3)));
    sum = <T>(sum + load<T>(<usize>i32x4.extract_lane(b, 0)));
    sum = <T>(sum + load<T>(<usize>i32x4.extract_lane(b, 1)));
    sum = <T>(sum + load<T>(<usize>i32x4.extract_lane(b, 2)));
    sum = <T>(sum + load<T>(<usize>i32x4.extract_lane(b, 3)));
  }
  for (last = state + ((all & 7) << 1); state < last; state += 2, values += 4) {
    sum = <T>(sum + load<T>(<usize>load<u32>(values) + <usize>load<u16>(state) * sizeof<T>()));
  }
  return sum;
}
