// Best splits of categories, and of numbers that share a byte with others. Twin: ../../twin/levels.ts.

import { scanThresholds } from "./scan";

const LEAST_SHARE: f64 = 1e-10;

/** Places in the working space: a feature's cells and counts, levels in order, what they are ordered by. */
const COUNTS: usize = 4096;
const ORDER: usize = 5120;
const RATIOS: usize = 6144;
const FOUND: usize = 8192;

/** Sums of the cells of joint codes, bin by bin. */
function takeApart(joint: usize, numCodes: i32, numBins: i32, cells: usize, counts: usize, wide: i32, work: usize): void {
  memory.fill(work, 0, <usize>(numBins + 1) << (wide ? 4 : 3));
  if (counts != 0) memory.fill(work + COUNTS, 0, <usize>(numBins + 1) << 2);
  for (let code: usize = 0; code < <usize>numCodes; code++) {
    const bin = <usize>load<u8>(joint + code);
    if (wide) {
      const at = work + (bin << 4);
      v128.store(at, f64x2.add(v128.load(at), v128.load(cells + (code << 4))));
    } else {
      const at = work + (bin << 3);
      // Two sums at once: the low one never overflows.
      v128.store64_lane(at, i32x4.add(v128.load64_zero(at), v128.load64_zero(cells + (code << 3))), 0);
    }
    if (counts == 0) continue;
    const rows = work + COUNTS + (bin << 2);
    store<u32>(rows, load<u32>(rows) + load<u32>(counts + (code << 2)));
  }
}

/** Cells of a feature of a bundle, bin by bin: its usual bin has what the others leave of the node. */
function takeOut(codes: usize, numCodes: i32, usual: i32, numBins: i32, cells: usize, counts: usize, wide: i32, work: usize): void {
  memory.fill(work, 0, <usize>(numBins + 1) << (wide ? 4 : 3));
  if (counts != 0) memory.fill(work + COUNTS, 0, <usize>(numBins + 1) << 2);
  let g = totalG;
  let h = totalH;
  let c = numRows;
  for (let bin: i32 = 0; bin < numCodes; bin++) {
    if (bin == usual) continue;
    const code = <usize>load<u8>(codes + <usize>bin);
    const from = cells + (code << (wide ? 4 : 3));
    const gradient = wide ? load<f64>(from) : <f64>load<i32>(from, 4);
    const hessian = wide ? load<f64>(from, 8) : <f64>load<u32>(from);
    storeCell(work, bin, gradient, hessian, wide);
    g -= gradient;
    h -= hessian;
    if (counts == 0) continue;
    const rows = load<u32>(counts + (code << 2));
    store<u32>(work + COUNTS + (<usize>bin << 2), rows);
    c -= <f64>rows;
  }
  storeCell(work, usual, g, h, wide);
  if (counts != 0) store<u32>(work + COUNTS + (<usize>usual << 2), <u32>c);
}

// @ts-ignore: decorator
@inline
function storeCell(work: usize, bin: i32, g: f64, h: f64, wide: i32): void {
  if (wide) {
    store<f64>(work + (<usize>bin << 4), g);
    store<f64>(work + (<usize>bin << 4), h, 8);
  } else {
    store<u32>(work + (<usize>bin << 3), <u32>h);
    store<i32>(work + (<usize>bin << 3), <i32>g, 4);
  }
}

/** The split of a flag of a bundle, by the only code that it has: what a scan of its two bins finds. */
function scanFlag(code: i32, usual: i32, params: usize, out: usize): void {
  lambda = load<f64>(params, 32);
  let g = gradientOf(code);
  let h = hessianOf(code);
  let c = countsAt == 0 ? 0 : <f64>load<u32>(countsAt + (<usize>code << 2));
  if (usual == 0) {
    g = totalG - g;
    h = totalH - h;
    if (countsAt != 0) c = numRows - c;
  }
  best = 0;
  missingC = 0;
  consider(0, 0, g, h, c, out);
  store<f64>(out, <f64>i32(2 * h >= totalH), 16);
}

// ---- one node and feature; set before its candidates are judged ----
let cellsAt: usize = 0;
let countsAt: usize = 0;
let isWide: bool = false;
let totalG: f64 = 0;
let totalH: f64 = 0;
let unitG: f64 = 0;
let unitH: f64 = 0;
let lambda: f64 = 0;
let alpha: f64 = 0;
let leastHessian: f64 = 0;
let parentScore: f64 = 0;
let leastRows: f64 = 0;
let numRows: f64 = 0;
let missingG: f64 = 0;
let missingH: f64 = 0;
let missingC: f64 = 0;
let best: f64 = 0;

// @ts-ignore: decorator
@inline
function gradientOf(bin: i32): f64 {
  return isWide
    ? load<f64>(cellsAt + (<usize>bin << 4))
    : <f64>load<i32>(cellsAt + (<usize>bin << 3), 4);
}

// @ts-ignore: decorator
@inline
function hessianOf(bin: i32): f64 {
  return isWide
    ? load<f64>(cellsAt + (<usize>bin << 4), 8)
    : <f64>load<u32>(cellsAt + (<usize>bin << 3));
}

/** Rows of a bin; where none are counted, 1 where there are any. */
// @ts-ignore: decorator
@inline
function rowsOf(bin: i32): f64 {
  return countsAt != 0
    ? <f64>load<u32>(countsAt + (<usize>bin << 2))
    : f64(gradientOf(bin) != 0 || hessianOf(bin) != 0);
}

// @ts-ignore: decorator
@inline
function side(g: f64, h: f64): f64 {
  const t = g > alpha ? g - alpha : g < -alpha ? g + alpha : 0;
  return h + lambda > 0 ? (t * t) / (h + lambda) : 0;
}

function gainOf(g: f64, h: f64, c: f64): f64 {
  if (countsAt != 0 && (c < leastRows || numRows - c < leastRows)) return -Infinity;
  const hl = h * unitH;
  const hr = (totalH - h) * unitH;
  if (hl < leastHessian || hr < leastHessian) return -Infinity;
  const score = side(g * unitG, hl) + side((totalG - g) * unitG, hr);
  const gain = score - parentScore;
  return gain > LEAST_SHARE * abs(score) ? gain : -Infinity;
}

/** Takes a set of levels over where it is better than all before, with missing on either side. */
function consider(kind: f64, bin: i32, g: f64, h: f64, c: f64, out: usize): void {
  for (let left = 0; left < (missingC > 0 ? 2 : 1); left++) {
    const gl = left ? g + missingG : g;
    const hl = left ? h + missingH : h;
    const cl = left ? c + missingC : c;
    const gain = gainOf(gl, hl, cl);
    if (!(gain > best)) continue;
    best = gain;
    store<f64>(out, <f64>bin);
    store<f64>(out, kind, 8);
    store<f64>(out, <f64>left, 16);
    store<f64>(out, gl, 24);
    store<f64>(out, hl, 32);
    store<f64>(out, cl, 40);
  }
}

/** Orders levels by their smoothed mean gradient; returns how many have rows enough. */
function orderLevels(numBins: i32, smooth: f64, least: f64, order: usize, ratios: usize): i32 {
  const mean = totalH > 0 ? (totalG * unitG) / (totalH * unitH) : 0;
  let n: i32 = 0;
  for (let level = 0; level < numBins; level++) {
    if (rowsOf(level) < least) continue;
    const h = hessianOf(level) * unitH + smooth;
    const ratio = h > 0 ? (gradientOf(level) * unitG + smooth * mean) / h : 0;
    let at = n++;
    for (; at > 0 && load<f64>(ratios + (<usize>(at - 1) << 3)) > ratio; at--) {
      store<f64>(ratios + (<usize>at << 3), load<f64>(ratios + (<usize>(at - 1) << 3)));
      store<i32>(order + (<usize>at << 2), load<i32>(order + (<usize>(at - 1) << 2)));
    }
    store<f64>(ratios + (<usize>at << 3), ratio);
    store<i32>(order + (<usize>at << 2), level);
  }
  return n;
}

/** Best set of levels of a category: its gain stays in `best`. */
function scanSets(numBins: i32, params: usize, work: usize, out: usize): void {
  const oneHot = <f64>(numBins - 1) <= load<f64>(params, 80);
  const least = load<f64>(params, 104);
  lambda = load<f64>(params, 32) + (oneHot ? 0 : load<f64>(params, 112));
  missingG = gradientOf(numBins);
  missingH = hessianOf(numBins);
  missingC = rowsOf(numBins);
  best = 0;
  if (oneHot) {
    for (let level = 0; level < numBins; level++) {
      const c = rowsOf(level);
      if (c >= least) consider(1, level, gradientOf(level), hessianOf(level), c, out);
    }
    return;
  }
  const order = work + ORDER;
  const n = orderLevels(numBins, load<f64>(params, 96), least, order, work + RATIOS);
  const most = <i32>min<f64>(load<f64>(params, 88), <f64>n);
  for (let kind = 2; kind <= 3; kind++) {
    let g: f64 = 0;
    let h: f64 = 0;
    let c: f64 = 0;
    for (let i = 0; i < most; i++) {
      const level = load<i32>(order + (<usize>(kind == 2 ? i : n - 1 - i) << 2));
      g += gradientOf(level);
      h += hessianOf(level);
      c += rowsOf(level);
      consider(<f64>kind, i + 1, g, h, c, out);
    }
  }
}

export function leftLevels(
  feature: usize,
  cells: usize,
  counts: usize,
  wide: i32,
  params: usize,
  work: usize,
  split: usize,
  out: usize,
): void {
  isWide = wide != 0;
  totalG = load<f64>(params);
  totalH = load<f64>(params, 8);
  unitG = load<f64>(params, 16);
  unitH = load<f64>(params, 24);
  const cell = <usize>load<u32>(feature);
  const numBins = load<i32>(feature, 4);
  const joint = <usize>load<u32>(feature, 12);
  cellsAt = cells + (cell << (wide ? 4 : 3));
  countsAt = counts == 0 ? 0 : counts + (cell << 2);
  if (joint != 0) {
    takeApart(joint, load<i32>(feature, 16), numBins, cellsAt, countsAt, wide, work);
    cellsAt = work;
    if (counts != 0) countsAt = work + COUNTS;
  }
  const bin = <i32>load<f64>(split, 16);
  const kind = load<f64>(split, 24);
  memory.fill(out, 0, <usize>numBins);
  if (kind == 1) store<u8>(out + <usize>bin, 1);
  else {
    const order = work + ORDER;
    const n = orderLevels(numBins, load<f64>(params, 96), load<f64>(params, 104), order, work + RATIOS);
    const first = kind == 2 ? 0 : n - bin;
    for (let i = first; i < first + bin; i++) store<u8>(out + <usize>load<i32>(order + (<usize>i << 2)), 1);
  }
  // Unknown is not missing: levels that the node has not seen follow the known ones.
  let left: f64 = 0;
  let right: f64 = 0;
  for (let level = 0; level < numBins; level++) {
    if (load<u8>(out + <usize>level)) left += hessianOf(level);
    else right += hessianOf(level);
  }
  for (let level = 0; level < numBins; level++) {
    if (rowsOf(level) == 0) store<u8>(out + <usize>level, u8(left >= right));
  }
  const missing = rowsOf(numBins) == 0 ? u8(2 * load<f64>(split, 48) >= totalH) : u8(load<f64>(split, 32) != 0);
  store<u8>(out + <usize>numBins, missing);
}

export function scanLevels(
  features: usize,
  n: i32,
  allowed: usize,
  cells: usize,
  counts: usize,
  countsNumbers: i32,
  wide: i32,
  params: usize,
  work: usize,
  out: usize,
): void {
  const shift: usize = wide ? 4 : 3;
  const found = work + FOUND;
  isWide = wide != 0;
  totalG = load<f64>(params);
  totalH = load<f64>(params, 8);
  unitG = load<f64>(params, 16);
  unitH = load<f64>(params, 24);
  alpha = load<f64>(params, 40);
  leastHessian = load<f64>(params, 48);
  parentScore = load<f64>(params, 56);
  leastRows = load<f64>(params, 64);
  numRows = load<f64>(params, 72);
  for (const end = features + <usize>n * 24; features < end; features += 24) {
    const feature = load<i32>(features, 8);
    if (allowed != 0 && load<u8>(allowed + <usize>feature) == 0) continue;
    const cell = <usize>load<u32>(features);
    const numBins = load<i32>(features, 4);
    const joint = <usize>load<u32>(features, 12);
    const numCodes = load<i32>(features, 16);
    const kindOf = load<i32>(features, 20);
    const isCategory = kindOf == 1;
    const usual = kindOf - 2; // of a bundle
    const isFlag = usual >= 0 && numBins == 2 && numCodes == 2;
    const isCounted = counts != 0 && (isCategory || countsNumbers != 0);
    cellsAt = cells + (cell << shift);
    countsAt = isCounted ? counts + (cell << 2) : 0;
    if (joint != 0 && !isFlag) {
      if (usual >= 0) takeOut(joint, numCodes, usual, numBins, cellsAt, countsAt, wide, work);
      else takeApart(joint, numCodes, numBins, cellsAt, countsAt, wide, work);
      cellsAt = work;
      if (isCounted) countsAt = work + COUNTS;
    }
    let kind: usize = found + 8;
    if (isCategory) {
      scanSets(numBins, params, work, found);
    } else if (isFlag) {
      scanFlag(<i32>load<u8>(joint + <usize>(1 - usual)), usual, params, found);
    } else {
      // Gain, bin, missing on the left, sums: as above but for the kind.
      scanThresholds(cellsAt, countsAt, wide, numBins, params, found + 64);
      best = load<f64>(found, 64);
      store<f64>(found, load<f64>(found, 72));
      store<f64>(kind, 0);
      v128.store(found, v128.load(found, 80), 16);
      v128.store(found, v128.load(found, 96), 32);
    }
    const before = load<f64>(out);
    if (best > before || (best == before && best > 0 && <f64>feature < load<f64>(out, 8))) {
      store<f64>(out, best);
      store<f64>(out, <f64>feature, 8);
      v128.store(out, v128.load(found), 16);
      v128.store(out, v128.load(found, 16), 32);
      v128.store(out, v128.load(found, 32), 48);
    }
  }
}
