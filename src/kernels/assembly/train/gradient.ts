// Gradients, their statistics and quantisation. Twin: ../../twin/gradients.ts.

import { exp2lanes, exp2normal, leastNormal2, minHessian2, one2, shift16, shifter2 } from "./math";

// @ts-ignore: decorator
@inline
function store2(at: usize, value: v128, count: i32): void {
  if (count > 1) v128.store(at, value);
  else v128.store64_lane(at, value, 0);
}

// @ts-ignore: decorator
@inline
function load2(at: usize, count: i32): v128 {
  return count > 1 ? v128.load(at) : v128.load64_zero(at);
}

export function squared(raw: usize, label: usize, gradient: usize, hessian: usize, n: i32): void {
  for (let i = 0; i < n; i += 2) {
    const at = <usize>i << 3;
    store2(gradient + at, f64x2.sub(load2(raw + at, n - i), load2(label + at, n - i)), n - i);
    store2(hessian + at, f64x2.splat(1), n - i);
  }
}

export function logistic(raw: usize, label: usize, gradient: usize, hessian: usize, n: i32): void {
  const pairs = <usize>(n & ~1) << 3;
  let at: usize = 0;
  for (; at < pairs; at += 16) {
    const x = v128.load(raw + at);
    const down = f64x2.neg(f64x2.abs(x));
    if (!i64x2.all_true(f64x2.ge(down, leastNormal2()))) {
      logisticOf(raw + at, label + at, gradient + at, hessian + at, 2);
      continue;
    }
    const e = exp2normal(down);
    const top = v128.bitselect(one2(), e, f64x2.ge(x, f64x2.splat(0)));
    const p = f64x2.div(top, f64x2.add(one2(), e));
    v128.store(gradient + at, f64x2.sub(p, v128.load(label + at)));
    v128.store(hessian + at, f64x2.pmax(f64x2.mul(p, f64x2.sub(one2(), p)), minHessian2()));
  }
  if (n & 1) logisticOf(raw + at, label + at, gradient + at, hessian + at, 1);
}

/** One row or two, whatever their scores. */
function logisticOf(raw: usize, label: usize, gradient: usize, hessian: usize, rows: i32): void {
  const x = load2(raw, rows);
  const e = exp2lanes(f64x2.neg(f64x2.abs(x)));
  const top = v128.bitselect(one2(), e, f64x2.ge(x, f64x2.splat(0)));
  const p = f64x2.div(top, f64x2.add(one2(), e));
  store2(gradient, f64x2.sub(p, load2(label, rows)), rows);
  store2(hessian, f64x2.pmax(f64x2.mul(p, f64x2.sub(one2(), p)), minHessian2()), rows);
}

export function softmax(
  raw: usize,
  label: usize,
  gradient: usize,
  hessian: usize,
  n: i32,
  numOutputs: i32,
  stride: usize,
  factor: f64,
): void {
  const factors = f64x2.splat(factor);
  const end = <usize>numOutputs * stride;
  const pairs = <usize>(n & ~1) << 3;
  let at: usize = 0;
  for (; at < pairs; at += 16) {
    let largest = v128.load(raw + at);
    let least = largest;
    for (let k = stride; k < end; k += stride) {
      const x = v128.load(raw + at + k);
      largest = f64x2.pmax(largest, x);
      least = f64x2.pmin(least, x);
    }
    // Scores that are far apart or no numbers take the long way.
    const near = f64x2.ge(f64x2.sub(least, largest), leastNormal2());
    if (!i64x2.all_true(near)) {
      softmaxOf(raw + at, label + at, gradient + at, hessian + at, 2, numOutputs, stride, factor);
      continue;
    }
    let total = f64x2.splat(0);
    for (let k: usize = 0; k < end; k += stride) {
      const e = exp2normal(f64x2.sub(v128.load(raw + at + k), largest));
      v128.store(gradient + at + k, e);
      total = f64x2.add(total, e);
    }
    const y = v128.load(label + at);
    let code = f64x2.splat(0);
    for (let k: usize = 0; k < end; k += stride) {
      const p = f64x2.div(v128.load(gradient + at + k), total);
      const other = f64x2.sub(one2(), p);
      v128.store(gradient + at + k, f64x2.sub(p, v128.and(one2(), f64x2.eq(y, code))));
      const h = f64x2.mul(p, other);
      v128.store(hessian + at + k, f64x2.pmax(f64x2.mul(factors, h), minHessian2()));
      code = f64x2.add(code, one2());
    }
  }
  if (n & 1) {
    softmaxOf(raw + at, label + at, gradient + at, hessian + at, 1, numOutputs, stride, factor);
  }
}

/** Words, four times each, as in math.ts. */
const WORDS: usize = memory.data<i32>([
  -1640531535, -1640531535, -1640531535, -1640531535, // 0x9e3779b1
  -2048144789, -2048144789, -2048144789, -2048144789, // 0x85ebca6b
  0x7fff, 0x7fff, 0x7fff, 0x7fff,
  -65536, -65536, -65536, -65536,
  4, 4, 4, 4,
]);

// @ts-ignore: decorator
@inline
export function word4(i: usize): v128 {
  return v128.load(WORDS + (i << 4));
}

/** One row or two, whatever their scores. */
function softmaxOf(
  raw: usize,
  label: usize,
  gradient: usize,
  hessian: usize,
  rows: i32,
  numOutputs: i32,
  stride: usize,
  factor: f64,
): void {
  let largest = f64x2.splat(-Infinity);
  for (let k = 0; k < numOutputs; k++) {
    largest = f64x2.pmax(largest, load2(raw + <usize>k * stride, rows));
  }
  let total = f64x2.splat(0);
  for (let k = 0; k < numOutputs; k++) {
    const e = exp2lanes(f64x2.sub(load2(raw + <usize>k * stride, rows), largest));
    store2(gradient + <usize>k * stride, e, rows);
    total = f64x2.add(total, e);
  }
  const y = load2(label, rows);
  for (let k = 0; k < numOutputs; k++) {
    const g = gradient + <usize>k * stride;
    const p = f64x2.div(load2(g, rows), total);
    store2(g, f64x2.sub(p, v128.and(one2(), f64x2.eq(y, f64x2.splat(<f64>k)))), rows);
    const h = f64x2.mul(f64x2.splat(factor), f64x2.mul(p, f64x2.sub(one2(), p)));
    store2(hessian + <usize>k * stride, f64x2.pmax(h, minHessian2()), rows);
  }
}

export function weigh(gradient: usize, hessian: usize, factor: usize, n: i32): void {
  for (let i = 0; i < n; i += 2) {
    const at = <usize>i << 3;
    const f = load2(factor + at, n - i);
    store2(gradient + at, f64x2.mul(load2(gradient + at, n - i), f), n - i);
    store2(hessian + at, f64x2.mul(load2(hessian + at, n - i), f), n - i);
  }
}

export function gradientStats(gradient: usize, hessian: usize, n: i32, out: usize): void {
  let maxG = f64x2.splat(0);
  let maxH = f64x2.splat(0);
  let sumG = f64x2.splat(0);
  let sumH = f64x2.splat(0);
  for (let i = 0; i < n; i += 2) {
    const at = <usize>i << 3;
    const g = f64x2.abs(load2(gradient + at, n - i));
    const h = load2(hessian + at, n - i);
    maxG = f64x2.pmax(maxG, g);
    maxH = f64x2.pmax(maxH, h);
    sumG = f64x2.add(sumG, g);
    sumH = f64x2.add(sumH, h);
  }
  store<f64>(out, max(f64x2.extract_lane(maxG, 0), f64x2.extract_lane(maxG, 1)));
  store<f64>(out, f64x2.extract_lane(sumG, 0) + f64x2.extract_lane(sumG, 1), 8);
  store<f64>(out, max(f64x2.extract_lane(maxH, 0), f64x2.extract_lane(maxH, 1)), 16);
  store<f64>(out, f64x2.extract_lane(sumH, 0) + f64x2.extract_lane(sumH, 1), 24);
}

// @ts-ignore: decorator
@inline
export function dither4(rows: v128, seeds: v128): v128 {
  let x = i32x4.mul(v128.xor(rows, seeds), word4(0));
  x = i32x4.mul(v128.xor(x, i32x4.shr_u(x, 15)), word4(1));
  return v128.xor(x, i32x4.shr_u(x, 13));
}

/** Rounded to whole multiples of 1/fix, as whole numbers. */
// @ts-ignore: decorator
@inline
export function whole(x: v128, fix: v128): v128 {
  return f64x2.sub(f64x2.add(f64x2.mul(x, fix), shifter2()), shifter2());
}

/** All ones in the lanes of two rows that are taken: those whose mask byte is set. */
// @ts-ignore: decorator
@inline
function kept2(mask: usize, i: i32, left: i32): v128 {
  const in0 = left > 0 && load<u8>(mask + <usize>i) != 0;
  const in1 = left > 1 && load<u8>(mask + <usize>i, 1) != 0;
  return i64x2.neg(i64x2.replace_lane(i64x2.splat(i64(in0)), 1, i64(in1)));
}

/** Writes the numbers of the rows that are taken, those of the others from the end on. */
export function listRows(n: i32, mask: usize, list: usize): i32 {
  let out = list;
  if (mask == 0) {
    let rows = i16x8(0, 1, 2, 3, 4, 5, 6, 7);
    let i = 0;
    for (; i + 8 <= n; i += 8, out += 16) {
      v128.store(out, rows);
      rows = i16x8.add(rows, i16x8.splat(8));
    }
    for (; i < n; i++, out += 2) store<u16>(out, <u16>i);
    return n;
  }
  let back = list + (<usize>n << 1) - 2;
  for (let i = 0; i < n; i++) {
    // Both ends are written; only one of them moves on.
    store<u16>(out, <u16>i);
    store<u16>(back, <u16>i);
    const step = <usize>i32(load<u8>(mask + <usize>i) != 0) << 1;
    out += step;
    back = back - 2 + step;
  }
  return <i32>((out - list) >> 1);
}

// @ts-ignore: decorator
@inline
export function storeSums(sums: usize, g: v128, h: v128): void {
  store<f64>(sums, f64x2.extract_lane(g, 0) + f64x2.extract_lane(g, 1));
  store<f64>(sums, f64x2.extract_lane(h, 0) + f64x2.extract_lane(h, 1), 8);
}

/** Whole multiples in place. */
function quantiseWide(gradient: usize, hessian: usize, n: i32, mask: usize, fixG: f64, fixH: f64, sums: usize): void {
  const fixG2 = f64x2.splat(fixG);
  const fixH2 = f64x2.splat(fixH);
  let sumG = f64x2.splat(0);
  let sumH = f64x2.splat(0);
  for (let i = 0; i < n; i += 2) {
    const at = <usize>i << 3;
    const left = n - i;
    let g = whole(load2(gradient + at, left), fixG2);
    let h = whole(load2(hessian + at, left), fixH2);
    store2(gradient + at, g, left);
    store2(hessian + at, h, left);
    if (mask != 0) {
      const kept = kept2(mask, i, left);
      g = v128.and(g, kept);
      h = v128.and(h, kept);
    }
    sumG = f64x2.add(sumG, g);
    sumH = f64x2.add(sumH, h);
  }
  storeSums(sums, sumG, sumH);
}

/** Two values as whole quanta, rounded by the dither of 16 bits in the low lanes. */
// @ts-ignore: decorator
@inline
export function quanta2(x: v128, pack: v128, dither: v128): v128 {
  const d = f64x2.mul(f64x2.convert_low_i32x4_s(dither), shift16());
  return f64x2.floor(f64x2.add(f64x2.mul(x, pack), d));
}

/** The low words of four whole numbers. */
// @ts-ignore: decorator
@inline
export function words4(a: v128, b: v128): v128 {
  return v128.shuffle<i32>(f64x2.add(a, shifter2()), f64x2.add(b, shifter2()), 0, 2, 4, 6);
}

function quantisePacked(
  gradient: usize,
  hessian: usize,
  n: i32,
  firstRow: i32,
  mask: usize,
  packed: usize,
  packG: f64,
  packH: f64,
  seed: f64,
  sums: usize,
): void {
  const seeds = i32x4.splat(<i32>(<i64>seed));
  const packG2 = f64x2.splat(packG);
  const packH2 = f64x2.splat(packH);
  let sumG = f64x2.splat(0);
  let sumH = f64x2.splat(0);
  let rows = i32x4.add(i32x4.splat(firstRow), i32x4(0, 1, 2, 3));
  for (let i = 0; i < n; i += 4, packed += 16, rows = i32x4.add(rows, word4(4))) {
    const at = <usize>i << 3;
    const left = n - i;
    const d = dither4(rows, seeds);
    const high = i32x4.shr_u(d, 16);
    const low = v128.and(d, i32x4.splat(0xffff));
    // Rows past the end count as 0, which no dither rounds up.
    const rest = left > 2;
    const end = rest ? at + 16 : at;
    const zero = f64x2.splat(0);
    let g0 = quanta2(load2(gradient + at, left), packG2, high);
    let h0 = quanta2(load2(hessian + at, left), packH2, low);
    let g1 = rest ? load2(gradient + end, left - 2) : zero;
    let h1 = rest ? load2(hessian + end, left - 2) : zero;
    g1 = quanta2(g1, packG2, v128.shuffle<i32>(high, high, 2, 3, 2, 3));
    h1 = quanta2(h1, packH2, v128.shuffle<i32>(low, low, 2, 3, 2, 3));
    const words = v128.or(i32x4.shl(words4(g0, g1), 16), v128.and(words4(h0, h1), i32x4.splat(0xffff)));
    if (left >= 4) v128.store(packed, words);
    else {
      if (left > 1) v128.store64_lane(packed, words, 0);
      if (left == 1) v128.store32_lane(packed, words, 0);
      if (left == 3) v128.store32_lane(packed, words, 2, 8);
    }
    if (mask != 0) {
      const kept0 = kept2(mask, i, left);
      const kept1 = kept2(mask, i + 2, left - 2);
      g0 = v128.and(g0, kept0);
      h0 = v128.and(h0, kept0);
      g1 = v128.and(g1, kept1);
      h1 = v128.and(h1, kept1);
    }
    sumG = f64x2.add(sumG, f64x2.add(g0, g1));
    sumH = f64x2.add(sumH, f64x2.add(h0, h1));
  }
  storeSums(sums, sumG, sumH);
}

export function quantise(
  gradient: usize,
  hessian: usize,
  n: i32,
  firstRow: i32,
  mask: usize,
  list: usize,
  packed: usize,
  fixG: f64,
  fixH: f64,
  packG: f64,
  packH: f64,
  seed: f64,
  sums: usize,
): i32 {
  if (packG == 0) quantiseWide(gradient, hessian, n, mask, fixG, fixH, sums);
  else quantisePacked(gradient, hessian, n, firstRow, mask, packed, packG, packH, seed, sums);
  return listRows(n, mask, list);
}
