// Several classes with one number a row and class. Twin: ../../twin_signed.ts.
//
// Both derivatives of softmax follow from a probability and from whether the row is of the class. The
// probabilities are kept, with the sign turned where it is: half the memory that goes through the caches
// in every pass over gradients.

import { dither4, quanta2, storeSums, whole, words4 } from "./gradient";
import { exp2lanes, exp2normal, leastNormal2, minHessian2, one2 } from "./math";
import { loadLeaf } from "./rows";

/** Rows that are dealt with class by class: what they take stays in the nearest cache. */
const TILE: i32 = 128;

/** All ones where the row is of the class. */
// @ts-ignore: decorator
@inline
function own2(signed: v128): v128 {
  return i64x2.lt_s(signed, i64x2.splat(0));
}

// @ts-ignore: decorator
@inline
export function gradientOf(signed: v128): v128 {
  return f64x2.sub(f64x2.abs(signed), v128.and(one2(), own2(signed)));
}

// @ts-ignore: decorator
@inline
export function hessianOf(signed: v128, factor: v128): v128 {
  const p = f64x2.abs(signed);
  return f64x2.pmax(f64x2.mul(factor, f64x2.mul(p, f64x2.sub(one2(), p))), minHessian2());
}

/** Exponentials of one row or two to `signed`; returns their sums. */
// @ts-ignore: decorator
@inline
function powers(raw: usize, signed: usize, end: usize, stride: usize, two: bool): v128 {
  let largest = two ? v128.load(raw) : v128.load64_splat(raw);
  let least = largest;
  for (let k = stride; k < end; k += stride) {
    const x = two ? v128.load(raw + k) : v128.load64_splat(raw + k);
    largest = f64x2.pmax(largest, x);
    least = f64x2.pmin(least, x);
  }
  let total = f64x2.splat(0);
  // Scores that are far apart or no numbers take the long way.
  const near = i64x2.all_true(f64x2.ge(f64x2.sub(least, largest), leastNormal2()));
  for (let k: usize = 0; k < end; k += stride) {
    const x = f64x2.sub(two ? v128.load(raw + k) : v128.load64_splat(raw + k), largest);
    const e = near ? exp2normal(x) : exp2lanes(x);
    if (two) v128.store(signed + k, e);
    else v128.store64_lane(signed + k, e, 0);
    total = f64x2.add(total, e);
  }
  return total;
}

export function softmaxSigned(
  raw: usize,
  label: usize,
  signed: usize,
  n: i32,
  numOutputs: i32,
  stride: usize,
  factor: f64,
  work: usize,
  stats: usize,
  statsStride: usize,
): void {
  const factors = f64x2.splat(factor);
  const end = <usize>numOutputs * stride;
  const totals = work + (<usize>numOutputs << 6);
  memory.fill(work, 0, <usize>numOutputs << 6);
  for (let from: i32 = 0; from < n; from += TILE) {
    const rows = min<i32>(TILE, n - from);
    const pairs = <usize>(rows & ~1) << 3;
    const x = raw + (<usize>from << 3);
    const to = signed + (<usize>from << 3);
    const labels = label + (<usize>from << 3);
    for (let at: usize = 0; at < pairs; at += 16) {
      v128.store(totals + at, powers(x + at, to + at, end, stride, true));
    }
    if (rows & 1) v128.store(totals + pairs, powers(x + pairs, to + pairs, end, stride, false));
    let code = f64x2.splat(0);
    let sums = work;
    for (let k: usize = 0; k < end; k += stride, sums += 64) {
      let maxG = v128.load(sums);
      let sumG = v128.load(sums, 16);
      let maxH = v128.load(sums, 32);
      let sumH = v128.load(sums, 48);
      const p = to + k;
      for (let at: usize = 0; at < pairs; at += 16) {
        const proba = f64x2.div(v128.load(p + at), v128.load(totals + at));
        const own = f64x2.eq(v128.load(labels + at), code);
        const g = f64x2.abs(f64x2.sub(proba, v128.and(one2(), own)));
        const h = hessianOf(proba, factors);
        v128.store(p + at, v128.or(proba, i64x2.shl(own, 63)));
        maxG = f64x2.pmax(maxG, g);
        maxH = f64x2.pmax(maxH, h);
        sumG = f64x2.add(sumG, g);
        sumH = f64x2.add(sumH, h);
      }
      if (rows & 1) {
        const proba = f64x2.div(v128.load64_zero(p + pairs), v128.load(totals + pairs));
        const own = f64x2.eq(v128.load64_splat(labels + pairs), code);
        const only = i64x2(-1, 0);
        const g = v128.and(f64x2.abs(f64x2.sub(proba, v128.and(one2(), own))), only);
        const h = v128.and(hessianOf(proba, factors), only);
        v128.store64_lane(p + pairs, v128.or(proba, i64x2.shl(own, 63)), 0);
        maxG = f64x2.pmax(maxG, g);
        maxH = f64x2.pmax(maxH, h);
        sumG = f64x2.add(sumG, g);
        sumH = f64x2.add(sumH, h);
      }
      v128.store(sums, maxG);
      v128.store(sums, sumG, 16);
      v128.store(sums, maxH, 32);
      v128.store(sums, sumH, 48);
      code = f64x2.add(code, one2());
    }
  }
  for (const last = work + (<usize>numOutputs << 6); work < last; work += 64, stats += statsStride) {
    store<f64>(stats, max(load<f64>(work), load<f64>(work, 8)));
    store<f64>(stats, load<f64>(work, 16) + load<f64>(work, 24), 8);
    store<f64>(stats, max(load<f64>(work, 32), load<f64>(work, 40)), 16);
    store<f64>(stats, load<f64>(work, 48) + load<f64>(work, 56), 24);
  }
}

export function spreadSigned(gradient: usize, hessian: usize, n: i32, factor: f64): void {
  const factors = f64x2.splat(factor);
  for (let i = 0; i < n; i++) {
    const at = <usize>i << 3;
    const signed = v128.load64_zero(gradient + at);
    v128.store64_lane(hessian + at, hessianOf(signed, factors), 0);
    v128.store64_lane(gradient + at, gradientOf(signed), 0);
  }
}

/** Packed gradients of four rows, from two probabilities each, and their whole numbers. */
// @ts-ignore: decorator
@inline
function packFour(g0: v128, g1: v128, h0: v128, h1: v128): v128 {
  return v128.or(i32x4.shl(words4(g0, g1), 16), v128.and(words4(h0, h1), i32x4.splat(0xffff)));
}

export function quantiseSigned(
  signed: usize,
  n: i32,
  firstRow: i32,
  factor: f64,
  packed: usize,
  packG: f64,
  packH: f64,
  seed: f64,
  sums: usize,
): void {
  const key = <i32>(<i64>seed);
  const factors = f64x2.splat(factor);
  const packG2 = f64x2.splat(packG);
  const packH2 = f64x2.splat(packH);
  const only = i64x2(-1, 0);
  let sumG = f64x2.splat(0);
  let sumH = f64x2.splat(0);
  let rows = i32x4.add(i32x4.splat(firstRow), i32x4(0, 1, 2, 3));
  const end = signed + (<usize>n << 3);
  for (; signed + 32 <= end; signed += 32, packed += 16, rows = i32x4.add(rows, i32x4.splat(4))) {
    const d = dither4(rows, key);
    const high = i32x4.shr_u(d, 16);
    const low = v128.and(d, i32x4.splat(0xffff));
    const a = v128.load(signed);
    const b = v128.load(signed, 16);
    const g0 = quanta2(gradientOf(a), packG2, high);
    const h0 = quanta2(hessianOf(a, factors), packH2, low);
    const g1 = quanta2(gradientOf(b), packG2, v128.shuffle<i32>(high, high, 2, 3, 2, 3));
    const h1 = quanta2(hessianOf(b, factors), packH2, v128.shuffle<i32>(low, low, 2, 3, 2, 3));
    v128.store(packed, packFour(g0, g1, h0, h1));
    sumG = f64x2.add(sumG, f64x2.add(g0, g1));
    sumH = f64x2.add(sumH, f64x2.add(h0, h1));
  }
  for (; signed < end; signed += 8, packed += 4, rows = i32x4.add(rows, i32x4.splat(1))) {
    const d = dither4(rows, key);
    const a = v128.load64_zero(signed);
    const g = v128.and(quanta2(gradientOf(a), packG2, i32x4.shr_u(d, 16)), only);
    const low = v128.and(d, i32x4.splat(0xffff));
    const h = v128.and(quanta2(hessianOf(a, factors), packH2, low), only);
    v128.store32_lane(packed, packFour(g, g, h, h), 0);
    sumG = f64x2.add(sumG, g);
    sumH = f64x2.add(sumH, h);
  }
  storeSums(sums, sumG, sumH);
}

export function leafSumsSigned(
  leafOf: usize,
  size: i32,
  signed: usize,
  n: i32,
  factor: f64,
  fixG: f64,
  fixH: f64,
  out: usize,
): void {
  const factors = f64x2.splat(factor);
  const fixG2 = f64x2.splat(fixG);
  const fixH2 = f64x2.splat(fixH);
  for (let i = 0; i < n; i += 2) {
    const two = i + 1 < n;
    const at = signed + (<usize>i << 3);
    const both = two ? v128.load(at) : v128.load64_zero(at);
    const g = whole(gradientOf(both), fixG2);
    const h = whole(hessianOf(both, factors), fixH2);
    const first = out + (loadLeaf(leafOf, <usize>i, size) << 4);
    v128.store(first, f64x2.add(v128.load(first), v128.shuffle<f64>(g, h, 0, 2)));
    if (!two) break;
    const second = out + (loadLeaf(leafOf, <usize>(i + 1), size) << 4);
    v128.store(second, f64x2.add(v128.load(second), v128.shuffle<f64>(g, h, 1, 3)));
  }
}
