// Large trees of even depth, by lines of the cache below their upper levels; see ../rows.ts.

import { FOUR, HALF, PLACE, ZERO } from "./even";
import { BITS, right, TESTS4, tops4 } from "./tops";

/**
 * Of sixteen ways their last exits, u16, the lines that those are of, and where their first lines are named: addresses
 * in instructions save others.
 */
const EXITS: usize = 37376;
const LINES: usize = EXITS + 32;
const STARTS: usize = LINES + 64;

/** Where in a line of 16 bytes an exit the sixteen trees are, four vectors. */
const PLACES4: usize = BITS + 96;

/** Bytes of the exits of upper levels of sixteen trees. */
const EXITS4: usize = 1024;

/** Where the exits of sixteen trees are. */
// @ts-ignore: decorator
@inline
function places16(to: usize, at: usize, sets: v128): void {
  const from = i32x4.splat(<i32>at);
  const low = i16x8.extend_low_i8x16_u(sets);
  const high = i16x8.extend_high_i8x16_u(sets);
  v128.store(to, i32x4.add(i32x4.add(from, v128.load(PLACES4)), i32x4.extend_low_i16x8_u(low)));
  v128.store(to, i32x4.add(i32x4.add(from, v128.load(PLACES4 + 16)), i32x4.extend_high_i16x8_u(low)), 16);
  v128.store(to, i32x4.add(i32x4.add(from, v128.load(PLACES4 + 32)), i32x4.extend_low_i16x8_u(high)), 32);
  v128.store(to, i32x4.add(i32x4.add(from, v128.load(PLACES4 + 48)), i32x4.extend_high_i16x8_u(high)), 48);
}

/**
 * Where the exit is that a line leads to, 32 bytes before. A line is the slots of fifteen tests in heap order, as many
 * keys, and sixteen exits.
 */
// @ts-ignore: decorator
@inline
function exitAt(line: usize, t0: v128, t1: v128, place: v128, half: v128, zero: v128): usize {
  const rights = <usize>i8x16.bitmask(right(v128.load(line), v128.load(line, 16), t0, t1, place, half, zero));
  return line + (<usize>load<u8>(FOUR + rights) << 1);
}

/** How many lines a line leads on, or less than 0. */
// @ts-ignore: decorator
@inline
function exitOf(line: usize, t0: v128, t1: v128, place: v128, half: v128, zero: v128): i32 {
  return load<i16>(exitAt(line, t0, t1, place, half, zero), 32);
}

/** The line behind an exit. Ways that have ended, and those to other codes, stay where they are. */
// @ts-ignore: decorator
@inline
function after(line: usize, exit: i32): usize {
  return line + (<usize>max(exit, 0) << 6);
}

/** The first line of the `k`-th of sixteen ways. */
// @ts-ignore: decorator
@inline
function start(k: usize): usize {
  return <usize>load<u32>(<usize>load<u32>(STARTS + (k << 2)));
}

/** Takes those of a set of ways on, one by one. Exits from `late` on are lines of the other codes. */
function finish(set: i32, codes: usize, late: i32, others: usize): void {
  const place = v128.load(PLACE);
  const half = v128.load(HALF);
  const zero = v128.load(ZERO);
  for (; set; set &= set - 1) {
    const k = <usize>ctz(set);
    let exit = <i32>load<i16>(EXITS + (k << 1));
    let line = <usize>load<u32>(LINES + (k << 2));
    while (exit >= late) {
      let own = codes;
      if (exit < 0) {
        line = <usize>load<u32>(others + (<usize>(exit - late) << 2));
        own += 32;
      } else line = after(line, exit);
      exit = exitOf(line, v128.load(own), v128.load(own, 16), place, half, zero);
    }
    store<i16>(EXITS + (k << 1), <i16>exit);
  }
}

// @ts-ignore: decorator
@inline
function add<T>(sum: T, values: usize, k: usize): T {
  return <T>(sum + load<T>(values + <usize>load<u16>(EXITS + (k << 1)) * sizeof<T>()));
}

/** Adds what sixteen ways led to, where all trees share values. */
// @ts-ignore: decorator
@inline
function add16<T>(sum: T, values: usize): T {
  sum = add<T>(sum, values, 0);
  sum = add<T>(sum, values, 1);
  sum = add<T>(sum, values, 2);
  sum = add<T>(sum, values, 3);
  sum = add<T>(sum, values, 4);
  sum = add<T>(sum, values, 5);
  sum = add<T>(sum, values, 6);
  sum = add<T>(sum, values, 7);
  sum = add<T>(sum, values, 8);
  sum = add<T>(sum, values, 9);
  sum = add<T>(sum, values, 10);
  sum = add<T>(sum, values, 11);
  sum = add<T>(sum, values, 12);
  sum = add<T>(sum, values, 13);
  sum = add<T>(sum, values, 14);
  return add<T>(sum, values, 15);
}

/**
 * Adds some trees.
 *
 * `block` is words: tests of upper levels by sixteen trees, places of lines by exits of those, room for a byte a tree,
 * lines that all ways go through but for the last one, values, whether trees share those (otherwise where those of each
 * are), how many values a tree has, lines of other codes, trees at a time for many rows.
 *
 * @param from A multiple of 16.
 * @param codes Four vectors: of the row, and of the same row for other lines.
 */
// @ts-ignore: decorator
@inline
function addTrees<T>(sum: T, block: usize, from: usize, count: i32, codes: usize): T {
  let tests = <usize>load<u32>(block) + (from >> 4) * TESTS4;
  let starts = <usize>load<u32>(block, 4) + (from >> 4) * EXITS4;
  let taken = <usize>load<u32>(block, 8);
  const rounds = load<i32>(block, 12);
  let values = <usize>load<u32>(block, 16);
  const shared = load<u32>(block, 20);
  const late = load<i32>(block, 24) - 32768;
  const others = <usize>load<u32>(block, 28);
  if (!shared) values += from << 2;
  const place = v128.load(PLACE);
  const half = v128.load(HALF);
  const zero = v128.load(ZERO);
  const t0 = v128.load(codes);
  const t1 = v128.load(codes, 16);
  // Apart from what is below: one block's levels wait for each other, and others' have time to be made.
  for (let k = 0; k < count; k += 16, tests += TESTS4) {
    v128.store(taken + k, tops4(tests, t0, t1, place, half, zero));
  }
  // Sixteen ways in step: what they wait for is memory.
  for (; count > 0; count -= 16, starts += EXITS4, taken += 16) {
    places16(STARTS, starts, v128.load(taken));
    let a = start(0);
    let b = start(1);
    let c = start(2);
    let d = start(3);
    let e = start(4);
    let f = start(5);
    let g = start(6);
    let h = start(7);
    let i = start(8);
    let j = start(9);
    let k = start(10);
    let l = start(11);
    let m = start(12);
    let n = start(13);
    let o = start(14);
    let p = start(15);
    for (let round = rounds; round > 0; round--) {
      a = after(a, exitOf(a, t0, t1, place, half, zero));
      b = after(b, exitOf(b, t0, t1, place, half, zero));
      c = after(c, exitOf(c, t0, t1, place, half, zero));
      d = after(d, exitOf(d, t0, t1, place, half, zero));
      e = after(e, exitOf(e, t0, t1, place, half, zero));
      f = after(f, exitOf(f, t0, t1, place, half, zero));
      g = after(g, exitOf(g, t0, t1, place, half, zero));
      h = after(h, exitOf(h, t0, t1, place, half, zero));
      i = after(i, exitOf(i, t0, t1, place, half, zero));
      j = after(j, exitOf(j, t0, t1, place, half, zero));
      k = after(k, exitOf(k, t0, t1, place, half, zero));
      l = after(l, exitOf(l, t0, t1, place, half, zero));
      m = after(m, exitOf(m, t0, t1, place, half, zero));
      n = after(n, exitOf(n, t0, t1, place, half, zero));
      o = after(o, exitOf(o, t0, t1, place, half, zero));
      p = after(p, exitOf(p, t0, t1, place, half, zero));
    }
    let low = zero;
    let high = zero;
    low = v128.load16_lane(exitAt(a, t0, t1, place, half, zero), low, 0, 32);
    store<u32>(LINES, <u32>a, 0);
    low = v128.load16_lane(exitAt(b, t0, t1, place, half, zero), low, 1, 32);
    store<u32>(LINES, <u32>b, 4);
    low = v128.load16_lane(exitAt(c, t0, t1, place, half, zero), low, 2, 32);
    store<u32>(LINES, <u32>c, 8);
    low = v128.load16_lane(exitAt(d, t0, t1, place, half, zero), low, 3, 32);
    store<u32>(LINES, <u32>d, 12);
    low = v128.load16_lane(exitAt(e, t0, t1, place, half, zero), low, 4, 32);
    store<u32>(LINES, <u32>e, 16);
    low = v128.load16_lane(exitAt(f, t0, t1, place, half, zero), low, 5, 32);
    store<u32>(LINES, <u32>f, 20);
    low = v128.load16_lane(exitAt(g, t0, t1, place, half, zero), low, 6, 32);
    store<u32>(LINES, <u32>g, 24);
    low = v128.load16_lane(exitAt(h, t0, t1, place, half, zero), low, 7, 32);
    store<u32>(LINES, <u32>h, 28);
    high = v128.load16_lane(exitAt(i, t0, t1, place, half, zero), high, 0, 32);
    store<u32>(LINES, <u32>i, 32);
    high = v128.load16_lane(exitAt(j, t0, t1, place, half, zero), high, 1, 32);
    store<u32>(LINES, <u32>j, 36);
    high = v128.load16_lane(exitAt(k, t0, t1, place, half, zero), high, 2, 32);
    store<u32>(LINES, <u32>k, 40);
    high = v128.load16_lane(exitAt(l, t0, t1, place, half, zero), high, 3, 32);
    store<u32>(LINES, <u32>l, 44);
    high = v128.load16_lane(exitAt(m, t0, t1, place, half, zero), high, 4, 32);
    store<u32>(LINES, <u32>m, 48);
    high = v128.load16_lane(exitAt(n, t0, t1, place, half, zero), high, 5, 32);
    store<u32>(LINES, <u32>n, 52);
    high = v128.load16_lane(exitAt(o, t0, t1, place, half, zero), high, 6, 32);
    store<u32>(LINES, <u32>o, 56);
    high = v128.load16_lane(exitAt(p, t0, t1, place, half, zero), high, 7, 32);
    store<u32>(LINES, <u32>p, 60);
    const least = i16x8.splat(<i16>late);
    v128.store(EXITS, low);
    v128.store(EXITS + 16, high);
    const set = i8x16.bitmask(i8x16.narrow_i16x8_s(i16x8.ge_s(low, least), i16x8.ge_s(high, least)));
    if (set) finish(set, codes, late, others);
    if (shared && count >= 16) {
      sum = add16<T>(sum, values);
      continue;
    }
    const end = EXITS + (<usize>min(count, 16) << 1);
    for (let at = EXITS; at < end; at += 2) {
      const own = shared ? values : <usize>load<u32>(values);
      sum = <T>(sum + load<T>(own + <usize>load<u16>(at) * sizeof<T>()));
      if (!shared) values += 4;
    }
  }
  return sum;
}

/** Bytes of the descriptor of a piece: u32 block, trees (less than 1 for none), output (bytes). */
const PIECE: usize = 16;

/** `addTrees` for rows whose codes are 64 bytes apart. */
export function forest<T>(config: usize, rows: i32, codesAt: usize): void {
  let piece = <usize>load<u32>(config, 20);
  for (const end = piece + <usize>load<u32>(config, 24) * PIECE; piece < end; piece += PIECE) {
    const block = <usize>load<u32>(piece);
    const count = load<i32>(piece, 4);
    // A single row takes all trees in turn; many take some before the next ones.
    const turn = rows > 1 ? load<i32>(block, 32) : max(count, 0);
    for (let from = 0; from < count; from += turn) {
      let sum = <usize>load<u32>(config, 12) + <usize>load<u32>(piece, 8);
      let codes = codesAt;
      for (let r = rows; r > 0; r--, sum += <usize>load<u32>(config, 16), codes += 64) {
        store<f64>(sum, <f64>addTrees<T>(<T>load<f64>(sum), block, from, min(turn, count - from), codes));
      }
    }
  }
}
