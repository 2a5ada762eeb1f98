// Partition, leaf numbers, leaf sums, routing. Twin: ../../twin/rows.ts.

import { whole } from "./gradient";

// @ts-ignore: decorator
@inline
function goesLeft8(column: usize, table: usize, row: usize): u32 {
  return <u32>load<u8>(table + <usize>load<u8>(column + row));
}

// @ts-ignore: decorator
@inline
function goesLeft16(column: usize, table: usize, row: usize): u32 {
  return <u32>load<u8>(table + <usize>load<u16>(column + (row << 1)));
}

// @ts-ignore: decorator
@inline
function goesLeft(wide: bool, column: usize, table: usize, row: usize): u32 {
  return wide ? goesLeft16(column, table, row) : goesLeft8(column, table, row);
}

/** Bits of which of four rows go left. */
// @ts-ignore: decorator
@inline
function leftOf4(wide: bool, column: usize, table: usize, rows: u64): u32 {
  const low = <u32>rows;
  const high = <u32>(rows >> 32);
  const a = goesLeft(wide, column, table, <usize>(low & 0xffff));
  const b = goesLeft(wide, column, table, <usize>(low >> 16));
  const c = goesLeft(wide, column, table, <usize>(high & 0xffff));
  const d = goesLeft(wide, column, table, <usize>(high >> 16));
  return a + (b << 1) + ((c + (d << 1)) << 2);
}

/** All ones for codes that go left: those up to the last, and another. */
// @ts-ignore: decorator
@inline
function goingLeft(codes: v128, lasts: v128, others: v128): v128 {
  return v128.or(i8x16.eq(i8x16.min_u(codes, lasts), codes), i8x16.eq(codes, others));
}

/** Bits of which of sixteen codes go left. */
// @ts-ignore: decorator
@inline
function leftOf(codes: v128, lasts: v128, others: v128): u32 {
  return <u32>i8x16.bitmask(goingLeft(codes, lasts, others));
}

/** Codes of eight rows. */
// @ts-ignore: decorator
@inline
function eightCodes(column: usize, first: u64, second: u64): v128 {
  let codes = v128.load8_splat(column + <usize>(first & 0xffff));
  codes = v128.load8_lane(column + <usize>((first >> 16) & 0xffff), codes, 1);
  codes = v128.load8_lane(column + <usize>((first >> 32) & 0xffff), codes, 2);
  codes = v128.load8_lane(column + <usize>(first >> 48), codes, 3);
  codes = v128.load8_lane(column + <usize>(second & 0xffff), codes, 4);
  codes = v128.load8_lane(column + <usize>((second >> 16) & 0xffff), codes, 5);
  codes = v128.load8_lane(column + <usize>((second >> 32) & 0xffff), codes, 6);
  return v128.load8_lane(column + <usize>(second >> 48), codes, 7);
}

/**
 * Writes eight rows to both ends of `room` bytes, those that go left to the front; returns where the
 * front ends then. What lies between the ends is always as long as the rows that are left.
 */
// @ts-ignore: decorator
@inline
function writeEight(rows: v128, goLeft: u32, patterns: usize, left: usize, room: usize): usize {
  const parted = i8x16.swizzle(rows, v128.load(patterns + (<usize>goLeft << 4)));
  v128.store(left, parted);
  v128.store(left + room - 16, parted);
  return left + (<usize>popcnt<u32>(goLeft) << 1);
}

/** The same of one row. */
// @ts-ignore: decorator
@inline
function writeOne(row: u16, goesLeft: u32, left: usize, room: usize): usize {
  store<u16>(left, row);
  store<u16>(left + room - 2, row);
  return left + (<usize>goesLeft << 1);
}

// @ts-ignore: decorator
@inline
function partition(
  wide: bool,
  list: usize,
  n: i32,
  out: usize,
  column: usize,
  table: usize,
  last: i32,
  other: i32,
  patterns: usize,
): i32 {
  let left = out;
  const end = list + (<usize>n << 1);
  let at = list;
  // Sixteen bytes are written at both ends; with sixteen rows left they do not meet.
  if (!wide && last >= 0) {
    const lasts = i8x16.splat(<i8>last);
    const others = i8x16.splat(<i8>other);
    for (; at + 32 <= end; at += 16) {
      const codes = eightCodes(column, load<u64>(at), load<u64>(at, 8));
      const goLeft = leftOf(codes, lasts, others) & 255;
      left = writeEight(v128.load(at), goLeft, patterns, left, end - at);
    }
  } else {
    for (; at + 32 <= end; at += 16) {
      const goLeft = leftOf4(wide, column, table, load<u64>(at)) +
        (leftOf4(wide, column, table, load<u64>(at, 8)) << 4);
      left = writeEight(v128.load(at), goLeft, patterns, left, end - at);
    }
  }
  for (; at < end; at += 2) {
    const row = load<u16>(at);
    left = writeOne(row, goesLeft(wide, column, table, <usize>row), left, end - at);
  }
  return <i32>((left - out) >> 1);
}

export function partition8(
  list: usize,
  n: i32,
  out: usize,
  column: usize,
  table: usize,
  last: i32,
  other: i32,
  patterns: usize,
): i32 {
  return partition(false, list, n, out, column, table, last, other, patterns);
}

export function partition16(
  list: usize,
  n: i32,
  out: usize,
  column: usize,
  table: usize,
  patterns: usize,
): i32 {
  return partition(true, list, n, out, column, table, -1, 0, patterns);
}

/** Parts rows that lie beside each other: sixteen codes are compared at once. */
export function partitionAll8(
  n: i32,
  out: usize,
  column: usize,
  table: usize,
  last: i32,
  other: i32,
  patterns: usize,
): i32 {
  let left = out;
  let room = <usize>n << 1;
  let i: i32 = 0;
  if (last >= 0) {
    const lasts = i8x16.splat(<i8>last);
    const others = i8x16.splat(<i8>other);
    const step = i16x8.splat(8);
    let rows = i16x8(0, 1, 2, 3, 4, 5, 6, 7);
    for (; i + 24 <= n; i += 16) {
      const goLeft = leftOf(v128.load(column + <usize>i), lasts, others);
      left = writeEight(rows, goLeft & 255, patterns, left, room);
      rows = i16x8.add(rows, step);
      left = writeEight(rows, goLeft >> 8, patterns, left, room - 16);
      rows = i16x8.add(rows, step);
      room -= 32;
    }
  }
  for (; i < n; i++) {
    left = writeOne(<u16>i, goesLeft8(column, table, <usize>i), left, room);
    room -= 2;
  }
  return <i32>((left - out) >> 1);
}

/** Leaf numbers take one byte (size 1) or four. */
// @ts-ignore: decorator
@inline
function storeLeaf(leafOf: usize, row: usize, leaf: i32, size: i32): void {
  if (size == 1) store<u8>(leafOf + row, <u8>leaf);
  else store<i32>(leafOf + (row << 2), leaf);
}

// @ts-ignore: decorator
@inline
export function loadLeaf(leafOf: usize, row: usize, size: i32): usize {
  return size == 1 ? <usize>load<u8>(leafOf + row) : <usize>load<i32>(leafOf + (row << 2));
}

export function fillLeaf(list: usize, n: i32, leafOf: usize, size: i32, leaf: i32): void {
  const end = list + (<usize>n << 1);
  for (let at = list; at < end; at += 2) storeLeaf(leafOf, <usize>load<u16>(at), leaf, size);
}

/** Writes the leaf numbers of one byte of eight rows. */
// @ts-ignore: decorator
@inline
function storeEight(leafOf: usize, first: u64, second: u64, leaves: v128): void {
  v128.store8_lane(leafOf + <usize>(first & 0xffff), leaves, 0);
  v128.store8_lane(leafOf + <usize>((first >> 16) & 0xffff), leaves, 1);
  v128.store8_lane(leafOf + <usize>((first >> 32) & 0xffff), leaves, 2);
  v128.store8_lane(leafOf + <usize>(first >> 48), leaves, 3);
  v128.store8_lane(leafOf + <usize>(second & 0xffff), leaves, 4);
  v128.store8_lane(leafOf + <usize>((second >> 16) & 0xffff), leaves, 5);
  v128.store8_lane(leafOf + <usize>((second >> 32) & 0xffff), leaves, 6);
  v128.store8_lane(leafOf + <usize>(second >> 48), leaves, 7);
}

// @ts-ignore: decorator
@inline
function splitLeaf(
  wide: bool,
  list: usize,
  n: i32,
  column: usize,
  table: usize,
  last: i32,
  other: i32,
  leafOf: usize,
  size: i32,
  left: i32,
  right: i32,
): void {
  const end = list + (<usize>n << 1);
  let at = list;
  if (!wide && last >= 0 && size == 1) {
    const lasts = i8x16.splat(<i8>last);
    const others = i8x16.splat(<i8>other);
    const lefts = i8x16.splat(<i8>left);
    const rights = i8x16.splat(<i8>right);
    for (; at + 16 <= end; at += 16) {
      const first = load<u64>(at);
      const second = load<u64>(at, 8);
      const goLeft = goingLeft(eightCodes(column, first, second), lasts, others);
      storeEight(leafOf, first, second, v128.bitselect(lefts, rights, goLeft));
    }
  }
  for (; at < end; at += 2) {
    const row = <usize>load<u16>(at);
    const leaf = select<i32>(left, right, goesLeft(wide, column, table, row) != 0);
    storeLeaf(leafOf, row, leaf, size);
  }
}

export function splitLeaf8(
  list: usize,
  n: i32,
  column: usize,
  table: usize,
  last: i32,
  other: i32,
  leafOf: usize,
  size: i32,
  left: i32,
  right: i32,
): void {
  splitLeaf(false, list, n, column, table, last, other, leafOf, size, left, right);
}

export function splitLeaf16(
  list: usize,
  n: i32,
  column: usize,
  table: usize,
  leafOf: usize,
  size: i32,
  left: i32,
  right: i32,
): void {
  splitLeaf(true, list, n, column, table, -1, 0, leafOf, size, left, right);
}

export function leafSums(
  leafOf: usize,
  size: i32,
  gradient: usize,
  hessian: usize,
  n: i32,
  fixG: f64,
  fixH: f64,
  even: usize,
  odd: usize,
): void {
  const fix = f64x2.replace_lane(f64x2.splat(fixG), 1, fixH);
  for (let i = 0; i < n; i++) {
    const at = (i & 1 ? odd : even) + (loadLeaf(leafOf, <usize>i, size) << 4);
    const g = v128.load64_zero(gradient + (<usize>i << 3));
    const pair = v128.load64_lane(hessian + (<usize>i << 3), g, 1);
    v128.store(at, f64x2.add(v128.load(at), whole(pair, fix)));
  }
}

export function addLeaves(raw: usize, leafOf: usize, size: i32, values: usize, n: i32): void {
  for (let i = 0; i < n; i++) {
    const at = raw + (<usize>i << 3);
    const leaf = loadLeaf(leafOf, <usize>i, size);
    store<f64>(at, load<f64>(at) + load<f64>(values + (leaf << 3)));
  }
}

/** Where a row goes from a node; a leaf stays what it is. */
// @ts-ignore: decorator
@inline
function step(node: i32, row8: usize, row16: usize, nodes: usize): i32 {
  const at = nodes + (<usize>max<i32>(node, 0) << 4);
  const column = load<u32>(at);
  const code = column >= 0x80000000
    ? <usize>load<u16>(row16 + <usize>(column - 0x80000000))
    : <usize>load<u8>(row8 + <usize>column);
  const goesLeft = <usize>load<u8>(<usize>load<u32>(at, 4) + code);
  return select<i32>(node, load<i32>(at + 12 - (goesLeft << 2)), node < 0);
}

// Four rows go down side by side: a step waits for what it loads, and most rows take about as many.
export function route(
  rows8: usize,
  stride8: usize,
  rows16: usize,
  stride16: usize,
  n: i32,
  nodes: usize,
  leafOf: usize,
  size: i32,
): void {
  for (let i = 0; i < n; i += 4) {
    const a = <usize>i;
    // The last ones may go down again.
    const b = <usize>min<i32>(i + 1, n - 1);
    const c = <usize>min<i32>(i + 2, n - 1);
    const d = <usize>min<i32>(i + 3, n - 1);
    let nodeA: i32 = 0;
    let nodeB: i32 = 0;
    let nodeC: i32 = 0;
    let nodeD: i32 = 0;
    do {
      nodeA = step(nodeA, rows8 + a * stride8, rows16 + a * stride16, nodes);
      nodeB = step(nodeB, rows8 + b * stride8, rows16 + b * stride16, nodes);
      nodeC = step(nodeC, rows8 + c * stride8, rows16 + c * stride16, nodes);
      nodeD = step(nodeD, rows8 + d * stride8, rows16 + d * stride16, nodes);
    } while ((nodeA & nodeB & nodeC & nodeD) >= 0);
    storeLeaf(leafOf, a, ~nodeA, size);
    storeLeaf(leafOf, b, ~nodeB, size);
    storeLeaf(leafOf, c, ~nodeC, size);
    storeLeaf(leafOf, d, ~nodeD, size);
  }
}
