// Several classes with one number a row and class. Twin: ../../twin/signed.ts.
//
// Both derivatives of softmax follow from the first: the second is that of its size. So only the first is
// kept, in float32: a quarter of the memory that goes through the caches in every pass over gradients. The
// leaves of the round before are added to the scores on the way.

import { dither4, storeSums, whole, word4 } from "./gradient";
import { loadLeaf } from "./rows";

/** Rows that are dealt with class by class: what they take stays in the nearest cache. */
export const TILE: i32 = 128;

/** Float32 constants, four times each, as in math.ts. */
const CONSTANTS: usize = memory.data<f32>([
  1.9875691500e-4, 1.9875691500e-4, 1.9875691500e-4, 1.9875691500e-4, // e^x of Cephes, single precision
  1.3981999507e-3, 1.3981999507e-3, 1.3981999507e-3, 1.3981999507e-3,
  8.3334519073e-3, 8.3334519073e-3, 8.3334519073e-3, 8.3334519073e-3,
  4.1665795894e-2, 4.1665795894e-2, 4.1665795894e-2, 4.1665795894e-2,
  1.6666665459e-1, 1.6666665459e-1, 1.6666665459e-1, 1.6666665459e-1,
  5.0000001201e-1, 5.0000001201e-1, 5.0000001201e-1, 5.0000001201e-1,
  1, 1, 1, 1,
  1e-16, 1e-16, 1e-16, 1e-16, // least second derivative
]);

/** Float64 constants, twice each. */
const DOUBLES: usize = memory.data<f64>([
  1.44269504088896338700, 1.44269504088896338700, // 1 / ln 2
  6755399441055744, 6755399441055744, // 1.5 · 2^52
  0.693147180559945286, 0.693147180559945286, // ln 2
  -80, -80, // less than this below the largest score is no less: all numbers stay normal
]);

// @ts-ignore: decorator
@inline
export function float4(i: usize): v128 {
  return v128.load(CONSTANTS + (i << 4));
}

// @ts-ignore: decorator
@inline
function double2(i: usize): v128 {
  return v128.load(DOUBLES + (i << 4));
}

/** Second derivatives of four rows. */
// @ts-ignore: decorator
@inline
export function hessianOf(g: v128, factor: v128): v128 {
  const p = f32x4.abs(g);
  return f32x4.pmax(f32x4.mul(factor, f32x4.mul(p, f32x4.sub(float4(6), p))), float4(7));
}

/** e^x of four float64 that are at most 0, as float32. */
// @ts-ignore: decorator
@inline
export function powers(x0: v128, x1: v128): v128 {
  x0 = f64x2.pmax(x0, double2(3));
  x1 = f64x2.pmax(x1, double2(3));
  const t0 = f64x2.add(f64x2.mul(x0, double2(0)), double2(1));
  const t1 = f64x2.add(f64x2.mul(x1, double2(0)), double2(1));
  const r0 = f64x2.sub(x0, f64x2.mul(f64x2.sub(t0, double2(1)), double2(2)));
  const r1 = f64x2.sub(x1, f64x2.mul(f64x2.sub(t1, double2(1)), double2(2)));
  const r = v128.shuffle<i64>(f32x4.demote_f64x2_zero(r0), f32x4.demote_f64x2_zero(r1), 0, 2);
  const k = v128.shuffle<i32>(t0, t1, 0, 2, 4, 6);
  let y = f32x4.mul(r, float4(0));
  y = f32x4.mul(r, f32x4.add(y, float4(1)));
  y = f32x4.mul(r, f32x4.add(y, float4(2)));
  y = f32x4.mul(r, f32x4.add(y, float4(3)));
  y = f32x4.mul(r, f32x4.add(y, float4(4)));
  y = f32x4.mul(f32x4.mul(r, r), f32x4.add(y, float4(5)));
  y = f32x4.add(f32x4.add(y, r), float4(6));
  // 2^k: k into the exponent of 1.
  return f32x4.mul(y, i32x4.add(i32x4.shl(k, 23), float4(6)));
}

/** Values of two leaves. */
// @ts-ignore: decorator
@inline
function valuesOf(values: usize, a: usize, b: usize): v128 {
  return v128.load64_lane(values + (b << 3), v128.load64_zero(values + (a << 3)), 1);
}

/** Values of the leaves of two rows. */
// @ts-ignore: decorator
@inline
export function twoLeaves(leafOf: usize, row: usize, size: i32, values: usize): v128 {
  return valuesOf(values, loadLeaf(leafOf, row, size), loadLeaf(leafOf, row + 1, size));
}

/** Adds leaves to the scores of one class in a tile, and takes the largest scores so far. */
// @ts-ignore: decorator
@inline
function addScores(
  raw: usize,
  rows: i32,
  first: bool,
  leafOf: usize,
  size: i32,
  values: usize,
  largest: usize,
): void {
  let row: usize = 0;
  for (const fours = <usize>(rows & ~3); row < fours; row += 4) {
    const at = raw + (row << 3);
    const most = largest + (row << 3);
    let x0 = v128.load(at);
    let x1 = v128.load(at, 16);
    if (leafOf != 0) {
      if (size == 1) {
        const leaves = load<u32>(leafOf + row);
        x0 = f64x2.add(x0, valuesOf(values, leaves & 0xff, (leaves >> 8) & 0xff));
        x1 = f64x2.add(x1, valuesOf(values, (leaves >> 16) & 0xff, leaves >> 24));
      } else {
        x0 = f64x2.add(x0, twoLeaves(leafOf, row, size, values));
        x1 = f64x2.add(x1, twoLeaves(leafOf, row + 2, size, values));
      }
      v128.store(at, x0);
      v128.store(at, x1, 16);
    }
    v128.store(most, first ? x0 : f64x2.pmax(v128.load(most), x0));
    v128.store(most, first ? x1 : f64x2.pmax(v128.load(most, 16), x1), 16);
  }
  for (; row < <usize>rows; row++) {
    const at = row << 3;
    let x = load<f64>(raw + at);
    if (leafOf != 0) {
      x += load<f64>(values + (loadLeaf(leafOf, row, size) << 3));
      store<f64>(raw + at, x);
    }
    const most = load<f64>(largest + at);
    store<f64>(largest + at, first || most < x ? x : most);
  }
}

/** Writes the first one to three numbers of four. */
// @ts-ignore: decorator
@inline
export function storeSome(at: usize, x: v128, count: i32): void {
  v128.store32_lane(at, x, 0);
  if (count > 1) v128.store32_lane(at, x, 1, 4);
  if (count > 2) v128.store32_lane(at, x, 2, 8);
}

/** All ones in the first lanes. */
// @ts-ignore: decorator
@inline
export function firstLanes(count: i32): v128 {
  return i32x4.gt_s(i32x4.splat(count), i32x4(0, 1, 2, 3));
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
  leafOf: usize,
  leafSize: i32,
  leafStride: usize,
  values: usize,
  valuesStride: usize,
): void {
  const factors = f32x4.splat(<f32>factor);
  const half = stride >> 1;
  const largest = work + (<usize>numOutputs << 6);
  const labels = largest + (<usize>TILE << 3);
  const inverse = labels + (<usize>TILE << 2);
  const others = inverse + (<usize>TILE << 2);
  memory.fill(work, 0, <usize>numOutputs << 6);
  for (let from: i32 = 0; from < n; from += TILE) {
    const rows = min<i32>(TILE, n - from);
    const x = raw + (<usize>from << 3);
    const to = signed + (<usize>from << 2);
    for (let k: i32 = 0; k < numOutputs; k++) {
      const leaves = leafOf == 0 ? 0 : leafOf + <usize>k * leafStride + <usize>from * <usize>leafSize;
      addScores(x + <usize>k * stride, rows, k == 0, leaves, leafSize, values + <usize>k * valuesStride, largest);
    }
    for (let i: i32 = 0; i < rows; i += 4) {
      const at = <usize>i << 3;
      const y = label + (<usize>from << 3) + at;
      const own = v128.shuffle<i64>(
        i32x4.trunc_sat_f64x2_s_zero(v128.load(y)),
        i32x4.trunc_sat_f64x2_s_zero(v128.load(y, 16)),
        0,
        2,
      );
      const most0 = v128.load(largest + at);
      const most1 = v128.load(largest + at, 16);
      let rest = f32x4.splat(0);
      let total = f32x4.splat(0);
      let p = x + at;
      let out = to + (at >> 1);
      const four = rows - i >= 4;
      for (let k: i32 = 0; k < numOutputs; k++) {
        const e = powers(f64x2.sub(v128.load(p), most0), f64x2.sub(v128.load(p, 16), most1));
        if (four) v128.store(out, e);
        else storeSome(out, e, rows - i);
        total = f32x4.add(total, e);
        rest = f32x4.add(rest, v128.andnot(e, i32x4.eq(own, i32x4.splat(k))));
        p += stride;
        out += half;
      }
      v128.store(labels + (at >> 1), own);
      v128.store(inverse + (at >> 1), f32x4.div(float4(6), total));
      v128.store(others + (at >> 1), f32x4.neg(rest));
    }
    let sums = work;
    let g = to;
    for (let k: i32 = 0; k < numOutputs; k++, sums += 64, g += half) {
      const code = i32x4.splat(k);
      let maxG = v128.load(sums);
      let maxH = v128.load(sums, 16);
      let sumG = f32x4.splat(0);
      let sumH = f32x4.splat(0);
      for (let i: i32 = 0; i < rows; i += 4) {
        const at = <usize>i << 2;
        const own = i32x4.eq(v128.load(labels + at), code);
        let slope = v128.bitselect(v128.load(others + at), v128.load(g + at), own);
        slope = f32x4.mul(slope, v128.load(inverse + at));
        let h = hessianOf(slope, factors);
        const left = rows - i;
        if (left >= 4) {
          v128.store(g + at, slope);
          slope = f32x4.abs(slope);
        } else {
          storeSome(g + at, slope, left);
          slope = v128.and(f32x4.abs(slope), firstLanes(left));
          h = v128.and(h, firstLanes(left));
        }
        maxG = f32x4.pmax(maxG, slope);
        maxH = f32x4.pmax(maxH, h);
        sumG = f32x4.add(sumG, slope);
        sumH = f32x4.add(sumH, h);
      }
      v128.store(sums, maxG);
      v128.store(sums, maxH, 16);
      v128.store(sums, addFour(v128.load(sums, 32), sumG), 32);
      v128.store(sums, addFour(v128.load(sums, 48), sumH), 48);
    }
  }
  for (const last = work + (<usize>numOutputs << 6); work < last; work += 64, stats += statsStride) {
    store<f64>(stats, <f64>max(max(load<f32>(work), load<f32>(work, 4)), max(load<f32>(work, 8), load<f32>(work, 12))));
    store<f64>(stats, load<f64>(work, 32) + load<f64>(work, 40), 8);
    store<f64>(stats, <f64>max(max(load<f32>(work, 16), load<f32>(work, 20)), max(load<f32>(work, 24), load<f32>(work, 28))), 16);
    store<f64>(stats, load<f64>(work, 48) + load<f64>(work, 56), 24);
  }
}

/** Adds four float32 to two float64. */
// @ts-ignore: decorator
@inline
export function addFour(sums: v128, four: v128): v128 {
  const low = f64x2.add(sums, f64x2.promote_low_f32x4(four));
  return f64x2.add(low, f64x2.promote_low_f32x4(v128.shuffle<i64>(four, four, 1, 1)));
}

export function spreadSigned(signed: usize, gradient: usize, hessian: usize, n: i32, factor: f64): void {
  const factors = f32x4.splat(<f32>factor);
  for (let i = 0; i < n; i++) {
    const at = <usize>i << 3;
    const g = v128.load32_splat(signed + (at >> 1));
    v128.store64_lane(gradient + at, f64x2.promote_low_f32x4(g), 0);
    v128.store64_lane(hessian + at, f64x2.promote_low_f32x4(hessianOf(g, factors)), 0);
  }
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
  const seeds = i32x4.splat(<i32>(<i64>seed));
  const factors = f32x4.splat(<f32>factor);
  const packG4 = f32x4.splat(<f32>(packG * 65536));
  const packH4 = f32x4.splat(<f32>(packH * 32768));
  let sumG = i32x4.splat(0);
  let sumH = i32x4.splat(0);
  let rows = i32x4.add(i32x4.splat(firstRow), i32x4(0, 1, 2, 3));
  for (let i: i32 = 0; i < n; i += 4, signed += 16, packed += 16) {
    const d = dither4(rows, seeds);
    rows = i32x4.add(rows, word4(4));
    const slope = v128.load(signed);
    let g = i32x4.trunc_sat_f32x4_s(f32x4.mul(slope, packG4));
    let h = i32x4.trunc_sat_f32x4_s(f32x4.mul(hessianOf(slope, factors), packH4));
    g = i32x4.add(g, i32x4.shr_u(d, 16));
    h = i32x4.shr_u(i32x4.add(h, v128.and(d, word4(2))), 15);
    const words = v128.or(v128.and(g, word4(3)), h);
    g = i32x4.shr_s(g, 16);
    const left = n - i;
    if (left >= 4) {
      v128.store(packed, words);
    } else {
      storeSome(packed, words, left);
      g = v128.and(g, firstLanes(left));
      h = v128.and(h, firstLanes(left));
    }
    sumG = i32x4.add(sumG, g);
    sumH = i32x4.add(sumH, h);
  }
  storeSums(sums, twoOf(sumG), twoOf(sumH));
}

/** Sums of two numbers each. */
// @ts-ignore: decorator
@inline
function twoOf(four: v128): v128 {
  const high = v128.shuffle<i64>(four, four, 1, 1);
  return f64x2.add(f64x2.convert_low_i32x4_s(four), f64x2.convert_low_i32x4_s(high));
}

/** Adds both derivatives of a row, in the low lanes, to its leaf. */
// @ts-ignore: decorator
@inline
function addRow(leaf: usize, both: v128, fix: v128, out: usize): void {
  const at = out + (leaf << 4);
  v128.store(at, f64x2.add(v128.load(at), whole(f64x2.promote_low_f32x4(both), fix)));
}

export function leafSumsSigned(
  leafOf: usize,
  size: i32,
  signed: usize,
  n: i32,
  factor: f64,
  fixG: f64,
  fixH: f64,
  even: usize,
  odd: usize,
): void {
  const factors = f32x4.splat(<f32>factor);
  const fix = f64x2.replace_lane(f64x2.splat(fixG), 1, fixH);
  let row: usize = 0;
  for (const fours = <usize>(n & ~3); row < fours; row += 4) {
    const g = v128.load(signed + (row << 2));
    const h = hessianOf(g, factors);
    const low = v128.shuffle<i32>(g, h, 0, 4, 1, 5);
    const high = v128.shuffle<i32>(g, h, 2, 6, 3, 7);
    addRow(loadLeaf(leafOf, row, size), low, fix, even);
    addRow(loadLeaf(leafOf, row + 1, size), v128.shuffle<i64>(low, low, 1, 1), fix, odd);
    addRow(loadLeaf(leafOf, row + 2, size), high, fix, even);
    addRow(loadLeaf(leafOf, row + 3, size), v128.shuffle<i64>(high, high, 1, 1), fix, odd);
  }
  for (; row < <usize>n; row++) {
    const g = v128.load32_splat(signed + (row << 2));
    const both = v128.shuffle<i32>(g, hessianOf(g, factors), 0, 4, 0, 4);
    addRow(loadLeaf(leafOf, row, size), both, fix, row & 1 ? odd : even);
  }
}
