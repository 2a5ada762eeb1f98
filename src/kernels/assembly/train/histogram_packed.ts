// Histograms of packed gradients: a row's two are one word. Twin: ../../twin/histogram.ts.

import { CELLS } from "./histogram_cells";

// Rows far apart miss the cache: a first pass over this many touches their lines, so that the
// misses overlap. Rows of one line need a shorter one than those whose cells are added in groups.
const AHEAD: usize = 64;
const AHEAD_LONG: usize = 192;
/** Bytes of a line. */
const LINE: usize = 64;
/** Bytes from row to row up to which a core fetches the next lines by itself. */
const FOLLOWED: i32 = 96;

/** Whether the rows of a segment follow each other without a gap. */
// @ts-ignore: decorator
@inline
function isRun(list: usize, n: i32): bool {
  if (n < 8) return false;
  const first = <i32>load<u16>(list);
  const end = list + (<usize>n << 1);
  if (<i32>load<u16>(end - 2) - first != n - 1) return false;
  const eight = i16x8.splat(8);
  let rows = i16x8.add(i16x8.splat(<i16>first), i16x8(0, 1, 2, 3, 4, 5, 6, 7));
  for (; list + 16 <= end; list += 16) {
    if (v128.any_true(v128.xor(v128.load(list), rows))) return false;
    rows = i16x8.add(rows, eight);
  }
  for (let row = first + (n & ~7); list < end; list += 2, row++) {
    if (<i32>load<u16>(list) != row) return false;
  }
  return true;
}

/** Whether the rows of a segment, of so many bytes, lie so far apart that touching them first pays. */
// @ts-ignore: decorator
@inline
function isSparse(list: usize, n: i32, bytes: usize): bool {
  if (n < 32) return false;
  const first = <i32>load<u16>(list);
  const last = <i32>load<u16>(list + (<usize>(n - 1) << 1));
  return abs<i32>(last - first) > n * max<i32>(2, FOLLOWED / <i32>bytes);
}

// @ts-ignore: decorator
@inline
function codeOf(row: u32, rows: usize, stride: usize): u32 {
  return <u32>load<u8>(rows + <usize>row * stride);
}

/** A row's first code and, where `packed` is not 0, its packed gradients. */
// @ts-ignore: decorator
@inline
function bothOf(row: u32, rows: usize, stride: usize, packed: usize): u32 {
  const code = codeOf(row, rows, stride);
  return packed == 0 ? code : code + load<u32>(packed + (<usize>row << 2));
}

/** Touches rows of one line. */
// @ts-ignore: decorator
@inline
function touchLines(at: usize, end: usize, rows: usize, stride: usize, packed: usize): u32 {
  let seen: u32 = 0;
  for (; at + 8 <= end; at += 8) {
    const two = load<u32>(at);
    const next = load<u32>(at, 4);
    seen += bothOf(two & 0xffff, rows, stride, packed) + bothOf(two >> 16, rows, stride, packed);
    seen += bothOf(next & 0xffff, rows, stride, packed) + bothOf(next >> 16, rows, stride, packed);
  }
  for (; at < end; at += 2) seen += bothOf(<u32>load<u16>(at), rows, stride, packed);
  return seen;
}

// @ts-ignore: decorator
@inline
function touch(at: usize, end: usize, rows: usize, stride: usize, width: usize, packed: usize): u32 {
  if (width <= stride && stride <= 64 && (stride & (stride - 1)) == 0) {
    return packed == 0 ? touchLines(at, end, rows, stride, 0) : touchLines(at, end, rows, stride, packed);
  }
  let seen: u32 = 0;
  for (; at < end; at += 2) {
    const row = <u32>load<u16>(at);
    seen += bothOf(row, rows, stride, packed) + codeOf(row, rows + width - 1, stride);
    for (let line = LINE; line < width - 1; line += LINE) seen += codeOf(row, rows + line, stride);
  }
  return seen;
}

// Reading into a global keeps the compiler from dropping the touches.
let sink: u32 = 0;

/** Packed gradients of a row as what is added to a cell. */
// @ts-ignore: decorator
@inline
function valueOf(packed: usize, row: usize): u64 {
  const both = load<i32>(packed + (row << 2));
  return (<u64>(<i64>(both >> 16)) << 32) + <u64>(<u32>both & 0xffff);
}

// @ts-ignore: decorator
@inline
function addTo(cell: usize, v: u64): void {
  store<u64>(cell, load<u64>(cell) + v);
}

/**
 * Adds two rows to the cells of their codes. Loading each code by itself takes less than to take a word of
 * four apart, and two rows beside each other less than one after the other: each access is asked whether it
 * is within the memory, and both have the place of a feature in common.
 */
// @ts-ignore: decorator
@inline
function addTwo(p: usize, v: u64, q: usize, w: u64, out: usize): void {
  addTo(out + (<usize>load<u8>(p) << 3), v);
  addTo(out + (<usize>load<u8>(q) << 3), w);
  addTo(out + CELLS + (<usize>load<u8>(p, 1) << 3), v);
  addTo(out + CELLS + (<usize>load<u8>(q, 1) << 3), w);
}

// @ts-ignore: decorator
@inline
function addFour(p: usize, v: u64, q: usize, w: u64, out: usize): void {
  addTo(out + (<usize>load<u8>(p) << 3), v);
  addTo(out + (<usize>load<u8>(q) << 3), w);
  addTo(out + CELLS + (<usize>load<u8>(p, 1) << 3), v);
  addTo(out + CELLS + (<usize>load<u8>(q, 1) << 3), w);
  addTo(out + 2 * CELLS + (<usize>load<u8>(p, 2) << 3), v);
  addTo(out + 2 * CELLS + (<usize>load<u8>(q, 2) << 3), w);
  addTo(out + 3 * CELLS + (<usize>load<u8>(p, 3) << 3), v);
  addTo(out + 3 * CELLS + (<usize>load<u8>(q, 3) << 3), w);
}

// @ts-ignore: decorator
@inline
function addEight(p: usize, v: u64, q: usize, w: u64, out: usize): void {
  addFour(p, v, q, w, out);
  addTo(out + 4 * CELLS + (<usize>load<u8>(p, 4) << 3), v);
  addTo(out + 4 * CELLS + (<usize>load<u8>(q, 4) << 3), w);
  addTo(out + 5 * CELLS + (<usize>load<u8>(p, 5) << 3), v);
  addTo(out + 5 * CELLS + (<usize>load<u8>(q, 5) << 3), w);
  addTo(out + 6 * CELLS + (<usize>load<u8>(p, 6) << 3), v);
  addTo(out + 6 * CELLS + (<usize>load<u8>(q, 6) << 3), w);
  addTo(out + 7 * CELLS + (<usize>load<u8>(p, 7) << 3), v);
  addTo(out + 7 * CELLS + (<usize>load<u8>(q, 7) << 3), w);
}

// @ts-ignore: decorator
@inline
function addSixteen(p: usize, v: u64, q: usize, w: u64, out: usize): void {
  addEight(p, v, q, w, out);
  addTo(out + 8 * CELLS + (<usize>load<u8>(p, 8) << 3), v);
  addTo(out + 8 * CELLS + (<usize>load<u8>(q, 8) << 3), w);
  addTo(out + 9 * CELLS + (<usize>load<u8>(p, 9) << 3), v);
  addTo(out + 9 * CELLS + (<usize>load<u8>(q, 9) << 3), w);
  addTo(out + 10 * CELLS + (<usize>load<u8>(p, 10) << 3), v);
  addTo(out + 10 * CELLS + (<usize>load<u8>(q, 10) << 3), w);
  addTo(out + 11 * CELLS + (<usize>load<u8>(p, 11) << 3), v);
  addTo(out + 11 * CELLS + (<usize>load<u8>(q, 11) << 3), w);
  addTo(out + 12 * CELLS + (<usize>load<u8>(p, 12) << 3), v);
  addTo(out + 12 * CELLS + (<usize>load<u8>(q, 12) << 3), w);
  addTo(out + 13 * CELLS + (<usize>load<u8>(p, 13) << 3), v);
  addTo(out + 13 * CELLS + (<usize>load<u8>(q, 13) << 3), w);
  addTo(out + 14 * CELLS + (<usize>load<u8>(p, 14) << 3), v);
  addTo(out + 14 * CELLS + (<usize>load<u8>(q, 14) << 3), w);
  addTo(out + 15 * CELLS + (<usize>load<u8>(p, 15) << 3), v);
  addTo(out + 15 * CELLS + (<usize>load<u8>(q, 15) << 3), w);
}

function addPacked(
  at: usize,
  end: usize,
  rows: usize,
  stride: usize,
  features: usize,
  packed: usize,
  out: usize,
): void {
  // Of as many features as are frequent, nothing is asked between two pairs of rows.
  if (features == 16) {
    for (; at + 4 <= end; at += 4) {
      const two = load<u32>(at);
      const row = <usize>(two & 0xffff);
      const other = <usize>(two >> 16);
      addSixteen(rows + row * stride, valueOf(packed, row), rows + other * stride, valueOf(packed, other), out);
    }
  } else if (features == 8) {
    for (; at + 4 <= end; at += 4) {
      const two = load<u32>(at);
      const row = <usize>(two & 0xffff);
      const other = <usize>(two >> 16);
      addEight(rows + row * stride, valueOf(packed, row), rows + other * stride, valueOf(packed, other), out);
    }
  }
  const sixteens = features & ~15;
  for (; at < end; at += 4) {
    const row = <usize>load<u16>(at);
    const v = valueOf(packed, row);
    // The last row of an odd number is added once more, as nothing.
    let other = row;
    let w: u64 = 0;
    if (at + 2 < end) {
      other = <usize>load<u16>(at, 2);
      w = valueOf(packed, other);
    }
    let p = rows + row * stride;
    let q = rows + other * stride;
    const last = p + sixteens;
    let h = out;
    while (p < last) {
      addSixteen(p, v, q, w, h);
      p += 16;
      q += 16;
      h += 16 * CELLS;
    }
    if (features & 8) {
      addEight(p, v, q, w, h);
      p += 8;
      q += 8;
      h += 8 * CELLS;
    }
    if (features & 4) {
      addFour(p, v, q, w, h);
      p += 4;
      q += 4;
      h += 4 * CELLS;
    }
    if (features & 2) addTwo(p, v, q, w, h);
  }
}

/**
 * What is added of two rows that follow each other; nothing of the second where there is none.
 *
 * @param packed Where the first one's gradients are.
 */
// @ts-ignore: decorator
@inline
function valuesOf(packed: usize, two: bool): v128 {
  const both = two ? v128.load64_zero(packed) : v128.load32_zero(packed);
  const low = v128.and(both, i32x4.splat(0xffff));
  return v128.shuffle<i32>(low, i32x4.shr_s(both, 16), 0, 4, 1, 5);
}

/**
 * Adds rows that follow each other, as a root's do: their numbers need not be looked up, and where there are
 * sixteen features nothing is asked between two pairs of rows.
 *
 * @param features Less than 32.
 * @param p Where the codes of the first row are.
 * @param packed Where its gradients are.
 */
function addRun(n: i32, p: usize, stride: usize, features: usize, packed: usize, out: usize): void {
  if (features == 16) {
    for (; n > 1; n -= 2) {
      const values = valuesOf(packed, true);
      const q = p + stride;
      addSixteen(p, i64x2.extract_lane(values, 0), q, i64x2.extract_lane(values, 1), out);
      packed += 8;
      p = q + stride;
    }
  }
  for (; n > 0; n -= 2) {
    const values = valuesOf(packed, n > 1);
    const v = i64x2.extract_lane(values, 0);
    const w = i64x2.extract_lane(values, 1);
    let a = p;
    let b = n > 1 ? p + stride : p;
    let h = out;
    if (features & 16) {
      addSixteen(a, v, b, w, h);
      a += 16;
      b += 16;
      h += 16 * CELLS;
    }
    if (features & 8) {
      addEight(a, v, b, w, h);
      a += 8;
      b += 8;
      h += 8 * CELLS;
    }
    if (features & 4) {
      addFour(a, v, b, w, h);
      a += 4;
      b += 4;
      h += 4 * CELLS;
    }
    if (features & 2) addTwo(a, v, b, w, h);
    packed += 8;
    p += stride << 1;
  }
}

// More features than these push each other's cells out of the nearest cache: they are added in groups
// of features, a block of rows at a time, whose codes stay in the second one meanwhile.
const NEAR: usize = 44;
/** Features of a group, whose cells fit the nearest cache. */
const GROUP: usize = 16;
const BLOCK_ROWS: usize = 2048;
/**
 * The same where the lines of rows count for more than those of cells: rows that lie apart, few rows, rows
 * of more than MOST_NEAR codes.
 */
const GROUP_APART: usize = 32;
const BLOCK_ROWS_APART: usize = 512;
const MOST_NEAR: usize = 128;

export function packed8(
  list: usize,
  n: i32,
  rows: usize,
  stride: usize,
  features: usize,
  packed: usize,
  out: usize,
): void {
  const end = list + (<usize>n << 1);
  const run = isRun(list, n);
  const sparse = isSparse(list, n, stride);
  // Gradients lie nearer to each other.
  const touched = isSparse(list, n, 4) ? packed : 0;
  const apart = !run && (sparse || n < 32 || stride > MOST_NEAR);
  const group = run ? GROUP : features <= NEAR ? features : apart ? GROUP_APART : GROUP;
  const ahead = features > 32 ? AHEAD_LONG : AHEAD;
  const block = apart ? BLOCK_ROWS_APART : BLOCK_ROWS;
  const step = sparse ? ahead << 1 : features > NEAR ? block << 1 : end - list;
  for (let at = list; at < end;) {
    const next = min<usize>(end, at + step);
    if (sparse) sink += touch(at, next, rows, stride, features, touched);
    for (let f: usize = 0, some = group; f < features; f += some) {
      // A few that are left are not worth a group of their own.
      if (features - f < group + 8) some = features - f;
      if (run) {
        const row = <usize>load<u16>(at);
        const first = rows + row * stride + f;
        addRun(<i32>(next - at) >> 1, first, stride, some, packed + (row << 2), out + f * CELLS);
      } else addPacked(at, next, rows + f, stride, some, packed, out + f * CELLS);
    }
    at = next;
  }
}

export function packed16(
  list: usize,
  n: i32,
  rows: usize,
  stride: usize,
  features: i32,
  starts: usize,
  packed: usize,
  out: usize,
): void {
  const end = list + (<usize>n << 1);
  for (let at = list; at < end; at += 2) {
    const row = <usize>load<u16>(at);
    const v = valueOf(packed, row);
    const p = rows + row * stride;
    for (let f: usize = 0; f < <usize>features; f++) {
      addTo(out + <usize>((load<u32>(starts + (f << 2)) + <u32>load<u16>(p + (f << 1))) << 3), v);
    }
  }
}
