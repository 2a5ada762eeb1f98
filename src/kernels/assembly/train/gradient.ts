// Gradients, their statistics and quantisation. Twin: ../twin_gradient.ts.

import { exp2lanes, minHessian2, one2, shift16, shifter2 } from "./math";

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
  for (let i = 0; i < n; i += 2) {
    const at = <usize>i << 3;
    const x = load2(raw + at, n - i);
    const e = exp2lanes(f64x2.neg(f64x2.abs(x)));
    const top = v128.bitselect(one2(), e, f64x2.ge(x, f64x2.splat(0)));
    const p = f64x2.div(top, f64x2.add(one2(), e));
    store2(gradient + at, f64x2.sub(p, load2(label + at, n - i)), n - i);
    store2(hessian + at, f64x2.pmax(f64x2.mul(p, f64x2.sub(one2(), p)), minHessian2()), n - i);
  }
}

export function softmax(
  raw: usize,
  label: usize,
  gradient: usize,
  hessian: usize,
  n: i32,
  numOutputs: i32,
  stride: usize,
): void {
  for (let i = 0; i < n; i += 2) {
    const at = <usize>i << 3;
    const left = n - i;
    let largest = f64x2.splat(-Infinity);
    for (let k = 0; k < numOutputs; k++) {
      largest = f64x2.pmax(largest, load2(raw + at + <usize>k * stride, left));
    }
    let total = f64x2.splat(0);
    for (let k = 0; k < numOutputs; k++) {
      const e = exp2lanes(f64x2.sub(load2(raw + at + <usize>k * stride, left), largest));
      store2(gradient + at + <usize>k * stride, e, left);
      total = f64x2.add(total, e);
    }
    const y = load2(label + at, left);
    for (let k = 0; k < numOutputs; k++) {
      const g = gradient + at + <usize>k * stride;
      const p = f64x2.div(load2(g, left), total);
      store2(g, f64x2.sub(p, v128.and(one2(), f64x2.eq(y, f64x2.splat(<f64>k)))), left);
      const h = f64x2.mul(f64x2.splat(2), f64x2.mul(p, f64x2.sub(one2(), p)));
      store2(hessian + at + <usize>k * stride, f64x2.pmax(h, minHessian2()), left);
    }
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
function dither4(rows: v128, seed: i32): v128 {
  let x = i32x4.mul(v128.xor(rows, i32x4.splat(seed)), i32x4.splat(<i32>0x9e3779b1));
  x = i32x4.mul(v128.xor(x, i32x4.shr_u(x, 15)), i32x4.splat(<i32>0x85ebca6b));
  return v128.xor(x, i32x4.shr_u(x, 13));
}

/** Rounded to whole multiples of 1/fix, as whole numbers. */
// @ts-ignore: decorator
@inline
export function whole(x: v128, fix: v128): v128 {
  return f64x2.sub(f64x2.add(f64x2.mul(x, fix), shifter2()), shifter2());
}

/**
 * What is left of {@link quantise} where nothing is packed: whole multiples in place, and records that
 * are the numbers of rows.
 */
function quantiseWide(
  gradient: usize,
  hessian: usize,
  n: i32,
  firstRow: i32,
  mask: usize,
  records: usize,
  fixG: f64,
  fixH: f64,
  sums: usize,
): i32 {
  let out = records;
  const fixG2 = f64x2.splat(fixG);
  const fixH2 = f64x2.splat(fixH);
  let fixedG = f64x2.splat(0);
  let fixedH = f64x2.splat(0);
  for (let i = 0; i < n; i += 2) {
    const at = <usize>i << 3;
    const left = n - i;
    const wholeG = whole(load2(gradient + at, left), fixG2);
    const wholeH = whole(load2(hessian + at, left), fixH2);
    store2(gradient + at, wholeG, left);
    store2(hessian + at, wholeH, left);
    // Every row's record is written; that of a row left out is written over by the next.
    const in0 = i64(mask == 0 || load<u8>(mask + <usize>i) != 0);
    const in1 = left < 2 ? 0 : i64(mask == 0 || load<u8>(mask + <usize>i, 1) != 0);
    store<u64>(out, <u64>(firstRow + i));
    out += <usize>in0 << 3;
    if (left > 1) store<u64>(out, <u64>(firstRow + i + 1));
    out += <usize>in1 << 3;
    const kept = i64x2.neg(i64x2.replace_lane(i64x2.splat(in0), 1, in1));
    fixedG = f64x2.add(fixedG, v128.and(wholeG, kept));
    fixedH = f64x2.add(fixedH, v128.and(wholeH, kept));
  }
  v128.store(sums, f64x2.splat(0));
  store<f64>(sums, f64x2.extract_lane(fixedG, 0) + f64x2.extract_lane(fixedG, 1), 16);
  store<f64>(sums, f64x2.extract_lane(fixedH, 0) + f64x2.extract_lane(fixedH, 1), 24);
  return <i32>((out - records) >> 3);
}

export function quantise(
  gradient: usize,
  hessian: usize,
  n: i32,
  firstRow: i32,
  mask: usize,
  records: usize,
  fixG: f64,
  fixH: f64,
  packG: f64,
  packH: f64,
  seed: f64,
  sums: usize,
): i32 {
  if (packG == 0 && packH == 0) {
    return quantiseWide(gradient, hessian, n, firstRow, mask, records, fixG, fixH, sums);
  }
  let out = records;
  const key = <i32>(<i64>seed);
  const zero = f64x2.splat(0);
  const keep = packG == 0;
  const fixG2 = f64x2.splat(fixG);
  const fixH2 = f64x2.splat(fixH);
  const packG2 = f64x2.splat(packG);
  const packH2 = f64x2.splat(packH);
  let packedG = zero;
  let packedH = zero;
  let fixedG = zero;
  let fixedH = zero;
  let rows = i32x4.add(i32x4.splat(firstRow), i32x4(0, 1, 2, 3));
  for (let i = 0; i < n; i += 4, rows = i32x4.add(rows, i32x4.splat(4))) {
    const d = dither4(rows, key);
    const high = i32x4.shr_u(d, 16);
    const low = v128.and(d, i32x4.splat(0xffff));
    for (let j = 0; j < 4 && i + j < n; j += 2) {
      const at = <usize>(i + j) << 3;
      const left = n - i - j;
      const g = load2(gradient + at, left);
      const h = load2(hessian + at, left);
      const wholeG = whole(g, fixG2);
      const wholeH = whole(h, fixH2);
      if (keep) {
        store2(gradient + at, wholeG, left);
        store2(hessian + at, wholeH, left);
      }
      const dg = f64x2.convert_low_i32x4_u(j == 0 ? high : v128.shuffle<i32>(high, high, 2, 3, 2, 3));
      const dh = f64x2.convert_low_i32x4_u(j == 0 ? low : v128.shuffle<i32>(low, low, 2, 3, 2, 3));
      const qg = f64x2.floor(f64x2.add(f64x2.mul(g, packG2), f64x2.mul(dg, shift16())));
      const qh = f64x2.floor(f64x2.add(f64x2.mul(h, packH2), f64x2.mul(dh, shift16())));
      // Two records: the row below, above it the low 16 bits of h, above them those of g.
      const upper = v128.or(
        i64x2.shl(f64x2.add(qg, shifter2()), 48),
        i64x2.shr_u(i64x2.shl(f64x2.add(qh, shifter2()), 48), 16),
      );
      const row = i64x2.extend_low_i32x4_u(j == 0 ? rows : v128.shuffle<i32>(rows, rows, 2, 3, 2, 3));
      const both = v128.or(upper, row);
      if (mask == 0 && left > 1) {
        v128.store(out, both);
        out += 16;
        packedG = f64x2.add(packedG, qg);
        packedH = f64x2.add(packedH, qh);
        fixedG = f64x2.add(fixedG, wholeG);
        fixedH = f64x2.add(fixedH, wholeH);
        continue;
      }
      const in0 = mask == 0 || load<u8>(mask + <usize>(i + j)) != 0;
      const in1 = left > 1 && (mask == 0 || load<u8>(mask + <usize>(i + j + 1)) != 0);
      if (in0) {
        v128.store64_lane(out, both, 0);
        out += 8;
      }
      if (in1) {
        v128.store64_lane(out, both, 1);
        out += 8;
      }
      const kept = i64x2(in0 ? -1 : 0, in1 ? -1 : 0);
      packedG = f64x2.add(packedG, v128.and(qg, kept));
      packedH = f64x2.add(packedH, v128.and(qh, kept));
      fixedG = f64x2.add(fixedG, v128.and(wholeG, kept));
      fixedH = f64x2.add(fixedH, v128.and(wholeH, kept));
    }
  }
  store<f64>(sums, f64x2.extract_lane(packedG, 0) + f64x2.extract_lane(packedG, 1));
  store<f64>(sums, f64x2.extract_lane(packedH, 0) + f64x2.extract_lane(packedH, 1), 8);
  store<f64>(sums, f64x2.extract_lane(fixedG, 0) + f64x2.extract_lane(fixedG, 1), 16);
  store<f64>(sums, f64x2.extract_lane(fixedH, 0) + f64x2.extract_lane(fixedH, 1), 24);
  return <i32>((out - records) >> 3);
}
