// Bins of values, columns to rows. Twin: ../../twin/binning.ts.

import { bucketOf, clearTops, countTop, spreadTops, TOPS } from "./buckets";

/** Float32 values as float64. */
export function widen(values: usize, n: i32, out: usize): void {
  let i = 0;
  for (; i + 4 <= n; i += 4, values += 16, out += 32) {
    const four = v128.load(values);
    v128.store(out, f64x2.promote_low_f32x4(four));
    v128.store(out, f64x2.promote_low_f32x4(v128.shuffle<i32>(four, four, 2, 3, 2, 3)), 16);
  }
  for (; i < n; i++, values += 4, out += 8) store<f64>(out, <f64>load<f32>(values));
}

// @ts-ignore: decorator
@inline
function step(cuts: usize, at: usize, half: usize, value: f64): usize {
  return load<f64>(cuts + ((at + half - 1) << 3)) < value ? half : 0;
}

/** Fewer values are looked for in the cuts by halving. */
const LEAST_VALUES: i32 = 4096;
/** Most cuts in one bucket. */
const MOST_STEPS: i32 = 4;
/** Buckets for each cut. */
const BUCKETS_A_CUT: f64 = 16;

/** How many cuts the table holds before its padding. */
function countCuts(cuts: usize, size: i32): i32 {
  let n: i32 = 0;
  while (n < size - 1 && load<f64>(cuts + (<usize>n << 3)) < Infinity) n++;
  return n;
}

/**
 * Buckets of numbers, and at `first` how many cuts lie in buckets before each, a byte a bucket.
 *
 * @returns The most cuts in one bucket.
 */
function spreadCuts(cuts: usize, numCuts: i32, tops: usize, first: usize): i32 {
  clearTops(tops);
  for (let c = 0; c < numCuts; c++) countTop(tops, load<f64>(cuts + (<usize>c << 3)));
  const buckets = <usize>spreadTops(tops, BUCKETS_A_CUT);
  let next: usize = 0;
  let most: i32 = 0;
  let same: i32 = 0;
  for (let c = 0; c < numCuts; c++) {
    const bucket = bucketOf(tops, load<f64>(cuts + (<usize>c << 3)));
    same = bucket < next ? same + 1 : 1;
    most = max<i32>(most, same);
    if (bucket < next) continue;
    memory.fill(first + next, <u8>c, bucket + 1 - next);
    next = bucket + 1;
  }
  memory.fill(first + next, <u8>numCuts, buckets - next);
  return most;
}

/** Codes of values by their buckets. */
// @ts-ignore: decorator
@inline
function mapByBuckets(values: usize, n: i32, cuts: usize, tops: usize, first: usize, steps: i32, missing: i32, out: usize): void {
  for (let i = 0; i < n; i++, values += 8, out++) {
    const v = load<f64>(values);
    let b = <usize>load<u8>(first + bucketOf(tops, v));
    for (let s = 0; s < steps; s++) b += <usize>(load<f64>(cuts + (b << 3)) < v);
    store<u8>(out, <u8>select<i32>(<i32>b, missing, v == v));
  }
}

export function mapValues8(
  values: usize,
  n: i32,
  cuts: usize,
  size: i32,
  missing: i32,
  tables: usize,
  out: usize,
): void {
  if (n >= LEAST_VALUES) {
    const first = tables + (TOPS << 2);
    const steps = spreadCuts(cuts, countCuts(cuts, size), tables, first);
    if (steps <= 1) return mapByBuckets(values, n, cuts, tables, first, 1, missing, out);
    if (steps <= MOST_STEPS) return mapByBuckets(values, n, cuts, tables, first, steps, missing, out);
  }
  let i = 0;
  for (; i + 4 <= n; i += 4, values += 32, out += 4) {
    const v0 = load<f64>(values);
    const v1 = load<f64>(values, 8);
    const v2 = load<f64>(values, 16);
    const v3 = load<f64>(values, 24);
    let b0: usize = 0;
    let b1: usize = 0;
    let b2: usize = 0;
    let b3: usize = 0;
    for (let half: usize = <usize>size >> 1; half > 0; half >>= 1) {
      b0 += step(cuts, b0, half, v0);
      b1 += step(cuts, b1, half, v1);
      b2 += step(cuts, b2, half, v2);
      b3 += step(cuts, b3, half, v3);
    }
    store<u8>(out, <u8>(v0 == v0 ? <i32>b0 : missing));
    store<u8>(out, <u8>(v1 == v1 ? <i32>b1 : missing), 1);
    store<u8>(out, <u8>(v2 == v2 ? <i32>b2 : missing), 2);
    store<u8>(out, <u8>(v3 == v3 ? <i32>b3 : missing), 3);
  }
  for (; i < n; i++, values += 8, out++) {
    const v = load<f64>(values);
    let b: usize = 0;
    for (let half: usize = <usize>size >> 1; half > 0; half >>= 1) b += step(cuts, b, half, v);
    store<u8>(out, <u8>(v == v ? <i32>b : missing));
  }
}

export function mapValues16(values: usize, n: i32, cuts: usize, size: i32, missing: i32, out: usize): void {
  for (let i = 0; i < n; i++, values += 8, out += 2) {
    const v = load<f64>(values);
    let b: usize = 0;
    for (let half: usize = <usize>size >> 1; half > 0; half >>= 1) b += step(cuts, b, half, v);
    store<u16>(out, <u16>(v == v ? <i32>b : missing));
  }
}

export function rowsOf16(columns: usize, features: i32, from: i32, n: i32, stride: usize, out: usize): void {
  for (let f: usize = 0; f < <usize>features; f++) {
    let column = <usize>load<u32>(columns + (f << 2)) + (<usize>from << 1);
    let at = out + (f << 1);
    for (let i = 0; i < n; i++, column += 2, at += stride) store<u16>(at, load<u16>(column));
  }
}
