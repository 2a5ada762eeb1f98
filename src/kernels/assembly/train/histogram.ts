// Histograms of gradients in float64, and of counts. Twin: ../../twin/histogram.ts.

import { CELLS_WIDE, COUNTS } from "./histogram_cells";

// @ts-ignore: decorator
@inline
function pairOf(gradient: usize, hessian: usize, row: usize): v128 {
  return v128.load64_lane(hessian + (row << 3), v128.load64_zero(gradient + (row << 3)), 1);
}

// Wide cells are twice as large.
const NEAR_WIDE: usize = 32;
const GROUP_WIDE: usize = 16;
const BLOCK_ROWS_WIDE: usize = 512;

/** Features of a group: about as many in each. */
// @ts-ignore: decorator
@inline
function groupSize(features: usize, most: usize): usize {
  const groups = (features + most - 1) / most;
  return ((features + groups - 1) / groups + 7) & ~7;
}

function addWide(
  at: usize,
  end: usize,
  rows: usize,
  stride: usize,
  features: usize,
  gradient: usize,
  hessian: usize,
  out: usize,
): void {
  for (; at < end; at += 2) {
    const row = <usize>load<u16>(at);
    const v = pairOf(gradient, hessian, row);
    let p = rows + row * stride;
    const last = p + features;
    let h = out;
    let a: usize;
    while (p < last) {
      a = h + (<usize>load<u8>(p) << 4);
      v128.store(a, f64x2.add(v128.load(a), v));
      a = h + (<usize>load<u8>(p, 1) << 4);
      v128.store(a, f64x2.add(v128.load(a, CELLS_WIDE), v), CELLS_WIDE);
      a = h + (<usize>load<u8>(p, 2) << 4);
      v128.store(a, f64x2.add(v128.load(a, 2 * CELLS_WIDE), v), 2 * CELLS_WIDE);
      a = h + (<usize>load<u8>(p, 3) << 4);
      v128.store(a, f64x2.add(v128.load(a, 3 * CELLS_WIDE), v), 3 * CELLS_WIDE);
      p += 4;
      h += 4 * CELLS_WIDE;
    }
  }
}

export function wide8(
  list: usize,
  n: i32,
  rows: usize,
  stride: usize,
  features: usize,
  gradient: usize,
  hessian: usize,
  out: usize,
): void {
  const end = list + (<usize>n << 1);
  const group = features > NEAR_WIDE ? groupSize(features, GROUP_WIDE) : features;
  const step = features > NEAR_WIDE ? BLOCK_ROWS_WIDE << 1 : end - list;
  for (let at = list; at < end;) {
    const next = min<usize>(end, at + step);
    for (let f: usize = 0; f < features; f += group) {
      addWide(at, next, rows + f, stride, min<usize>(group, features - f), gradient, hessian, out + f * CELLS_WIDE);
    }
    at = next;
  }
}

export function wide16(
  list: usize,
  n: i32,
  rows: usize,
  stride: usize,
  features: i32,
  starts: usize,
  gradient: usize,
  hessian: usize,
  out: usize,
): void {
  const end = list + (<usize>n << 1);
  for (let at = list; at < end; at += 2) {
    const row = <usize>load<u16>(at);
    const v = pairOf(gradient, hessian, row);
    const p = rows + row * stride;
    for (let f: usize = 0; f < <usize>features; f++) {
      const a = out + (<usize>(load<u32>(starts + (f << 2)) + <u32>load<u16>(p + (f << 1))) << 4);
      v128.store(a, f64x2.add(v128.load(a), v));
    }
  }
}

export function count8(list: usize, n: i32, rows: usize, stride: usize, features: usize, out: usize): void {
  const end = list + (<usize>n << 1);
  for (let at = list; at < end; at += 2) {
    let p = rows + <usize>load<u16>(at) * stride;
    const last = p + features;
    let h = out;
    let a: usize;
    while (p < last) {
      a = h + (<usize>load<u8>(p) << 2);
      store<u32>(a, load<u32>(a) + 1);
      a = h + (<usize>load<u8>(p, 1) << 2);
      store<u32>(a, load<u32>(a, COUNTS) + 1, COUNTS);
      a = h + (<usize>load<u8>(p, 2) << 2);
      store<u32>(a, load<u32>(a, 2 * COUNTS) + 1, 2 * COUNTS);
      a = h + (<usize>load<u8>(p, 3) << 2);
      store<u32>(a, load<u32>(a, 3 * COUNTS) + 1, 3 * COUNTS);
      p += 4;
      h += 4 * COUNTS;
    }
  }
}

export function count16(
  list: usize,
  n: i32,
  rows: usize,
  stride: usize,
  features: i32,
  starts: usize,
  out: usize,
): void {
  const end = list + (<usize>n << 1);
  for (let at = list; at < end; at += 2) {
    const p = rows + <usize>load<u16>(at) * stride;
    for (let f: usize = 0; f < <usize>features; f++) {
      const a = out + (<usize>(load<u32>(starts + (f << 2)) + <u32>load<u16>(p + (f << 1))) << 2);
      store<u32>(a, load<u32>(a) + 1);
    }
  }
}
