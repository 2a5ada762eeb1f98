// The best threshold of many features. Twin: ../../twin/scan.ts.
//
// Quotients of float64 are most of what a threshold costs. Where only sums decide, a first pass finds the
// scores of all thresholds of a feature in float32, four bins at a time, and the second one judges in
// float64 those that may be the best within the errors of the first.

import { LEAST_SHARE, scanThresholds, scores2 } from "./scan";

// A score of the first pass has rounded six times on either side and once for the sum: less than 2^-20
// of it apart from another such one, and those that float64 cannot tell apart are nearer still.
const NEAR: f32 = 0.999996185302734375; // 1 − 2^-18
const BELOW: f64 = 0.99999618530273437;
const ABOVE: f64 = 1.0000038146972657;
// Below any score that is not 0: at least 1 over sums of less than 2^32 and MOST.
const POSITIVE: f32 = 1e-30;
// Quotients of these are normal float32.
const LEAST: f64 = 1e-30;
const MOST: f64 = 1e18;
/** Bins of a feature whose sums and scores have room. */
const MOST_BINS: i32 = 256;

// @ts-ignore: decorator
@inline
function floats4(h: v128, low: bool): v128 {
  return low ? f32x4.convert_i32x4_s(h) : f32x4.convert_i32x4_u(h);
}

/**
 * Writes the sums of the bins up to each, as one cell each, and scores in float32, 0 where a side has too
 * little weight.
 *
 * @param low Whether sums of second derivatives are less than 2^31.
 * @returns The largest score of thresholds that certainly leave enough weight on both sides.
 */
// @ts-ignore: decorator
@inline
function estimate(
  low: bool,
  cells: usize,
  numBins: i32,
  params: usize,
  lambda: v128,
  least: v128,
  enough: v128,
  sums: usize,
  scores: usize,
): f32 {
  const zero = i64x2.splat(0);
  const totalG = i32x4.splat(<i32>load<f64>(params));
  const totalH = i32x4.splat(<i32>(<u32>load<f64>(params, 8)));
  let before = zero;
  let most = f32x4.splat(0);
  for (let left = numBins; left > 0; left -= 4) {
    let a: v128;
    let b: v128;
    if (left >= 4) {
      a = v128.load(cells);
      b = v128.load(cells, 16);
    } else {
      a = left > 1 ? v128.load(cells) : v128.load64_zero(cells);
      b = left > 2 ? v128.load64_zero(cells, 16) : zero;
    }
    // One addition sums both: the low half never overflows into the high one.
    a = i64x2.add(a, v128.shuffle<i64>(zero, a, 0, 2));
    b = i64x2.add(b, v128.shuffle<i64>(zero, b, 0, 2));
    const two = v128.shuffle<i64>(a, a, 1, 1);
    a = i64x2.add(a, before);
    b = i64x2.add(i64x2.add(b, two), before);
    before = v128.shuffle<i64>(b, b, 1, 1);
    v128.store(sums, a);
    v128.store(sums, b, 16);
    const h = v128.shuffle<i32>(a, b, 0, 2, 4, 6);
    const g = v128.shuffle<i32>(a, b, 1, 3, 5, 7);
    const gl = f32x4.convert_i32x4_s(g);
    const gr = f32x4.convert_i32x4_s(i32x4.sub(totalG, g));
    const hl = floats4(h, low);
    const hr = floats4(i32x4.sub(totalH, h), low);
    const score = f32x4.add(
      f32x4.div(f32x4.mul(gl, gl), f32x4.add(hl, lambda)),
      f32x4.div(f32x4.mul(gr, gr), f32x4.add(hr, lambda)),
    );
    const smaller = f32x4.pmin(hl, hr);
    v128.store(scores, v128.and(score, f32x4.ge(smaller, least)));
    most = f32x4.pmax(most, v128.and(score, f32x4.ge(smaller, enough)));
    cells += 32;
    sums += 32;
    scores += 16;
  }
  const pairs = f32x4.pmax(most, v128.shuffle<i64>(most, most, 1, 0));
  return max<f32>(f32x4.extract_lane(pairs, 0), f32x4.extract_lane(pairs, 1));
}

/** Judges the thresholds whose scores are at least `near`; writes what `scanThresholds` does. */
function judge(sums: usize, scores: usize, numBins: i32, near: f32, params: usize, out: usize): void {
  const totalG = v128.load64_splat(params);
  const totalH = v128.load64_splat(params, 8);
  const unitG = v128.load64_splat(params, 16);
  const unitH = v128.load64_splat(params, 24);
  const lambda = v128.load64_splat(params, 32);
  const least = v128.load64_splat(params, 48);
  const parent = v128.load64_splat(params, 56);
  const nears = f32x4.splat(near);
  let best = f64x2.splat(0);
  let bins = i64x2.splat(-1);
  for (let bin: i32 = 0; bin < numBins; bin += 4) {
    if (!v128.any_true(f32x4.ge(v128.load(scores + (<usize>bin << 2)), nears))) continue;
    for (let i = bin; i < bin + 4; i += 2) {
      const here = v128.load(sums + (<usize>i << 3));
      const g = f64x2.convert_low_i32x4_s(v128.shuffle<i32>(here, here, 1, 3, 1, 3));
      const h = f64x2.convert_low_i32x4_u(v128.shuffle<i32>(here, here, 0, 2, 0, 2));
      const score = scores2(g, h, totalG, totalH, unitG, unitH, lambda, 0, least, false);
      const gain = f64x2.sub(score, parent);
      const better = f64x2.gt(gain, best);
      best = v128.bitselect(gain, best, better);
      bins = v128.bitselect(i64x2.splat(<i64>i), bins, better);
    }
  }
  // The largest gain; of equal ones the lowest bin.
  let gain = f64x2.extract_lane(best, 0);
  let bin = <i32>i64x2.extract_lane(bins, 0);
  const odd = f64x2.extract_lane(best, 1);
  const oddBin = <i32>i64x2.extract_lane(bins, 1) + 1;
  if (odd > gain || (odd == gain && odd > 0 && oddBin < bin)) {
    gain = odd;
    bin = oddBin;
  }
  let g: f64 = 0;
  let h: f64 = 0;
  let left = 0;
  if (bin >= 0) {
    const sum = load<i64>(sums + (<usize>bin << 3));
    g = <f64>(sum >> 32);
    h = <f64>(<u32>sum);
    const score = scores2(f64x2.splat(g), f64x2.splat(h), totalG, totalH, unitG, unitH, lambda, 0, least, false);
    // Only the best need exceed what rounding can make of two equal scores.
    if (gain <= LEAST_SHARE * abs(f64x2.extract_lane(score, 0))) {
      gain = g = h = 0;
      bin = -1;
    } else {
      // Only features without missing rows come here.
      left = i32(2 * h >= load<f64>(params, 8));
    }
  }
  store<f64>(out, gain);
  store<f64>(out, <f64>bin, 8);
  store<f64>(out, <f64>left, 16);
  store<f64>(out, g, 24);
  store<f64>(out, h, 32);
  store<f64>(out, 0, 40);
}

export function scanFeatures(
  features: usize,
  n: i32,
  allowed: usize,
  cells: usize,
  counts: usize,
  wide: i32,
  params: usize,
  work: usize,
  out: usize,
): void {
  const shift: usize = wide ? 4 : 3;
  const sums = work + 48;
  const scores = sums + (<usize>MOST_BINS << 3);
  const lambda = load<f64>(params, 32) / load<f64>(params, 24);
  const least = load<f64>(params, 48) / load<f64>(params, 24);
  const estimates = wide == 0 && counts == 0 && load<f64>(params, 40) == 0 &&
    lambda > LEAST && lambda < MOST && least > LEAST && least < MOST;
  const lambda4 = f32x4.splat(<f32>lambda);
  const least4 = f32x4.splat(<f32>(least * BELOW));
  const enough4 = f32x4.splat(<f32>(least * ABOVE));
  const low = load<f64>(params, 8) < 2147483648;
  /** Largest score of any feature so far. */
  let most: f32 = 0;
  let best: f64 = 0;
  let bestFeature: i32 = -1;
  store<f64>(out, -1, 16);
  store<f64>(out, 0, 24);
  store<f64>(out, 0, 32);
  v128.store(out, f64x2.splat(0), 40);
  store<f64>(out, 0, 56);
  for (const end = features + (<usize>n << 4); features < end; features += 16) {
    const feature = load<i32>(features, 8);
    if (feature == -1 || (allowed != 0 && load<u8>(allowed + <usize>feature) == 0)) continue;
    const cell = <usize>load<u32>(features);
    const at = cells + (cell << shift);
    const numBins = load<i32>(features, 4);
    if (estimates && numBins <= MOST_BINS && load<u64>(at + (<usize>numBins << 3)) == 0) {
      const here = low
        ? estimate(true, at, numBins, params, lambda4, least4, enough4, sums, scores)
        : estimate(false, at, numBins, params, lambda4, least4, enough4, sums, scores);
      most = max<f32>(most, here);
      judge(sums, scores, numBins, max<f32>(most * NEAR, POSITIVE), params, work);
    } else {
      const rows = counts == 0 ? 0 : counts + (cell << 2);
      scanThresholds(at, rows, wide, numBins, params, work);
    }
    const gain = load<f64>(work);
    if (gain > best || (gain == best && gain > 0 && feature < bestFeature)) {
      best = gain;
      bestFeature = feature;
      store<f64>(out, load<f64>(work, 8), 16);
      store<f64>(out, load<f64>(work, 16), 32);
      v128.store(out, v128.load(work, 24), 40);
      store<f64>(out, load<f64>(work, 40), 56);
    }
  }
  store<f64>(out, best);
  store<f64>(out, <f64>bestFeature, 8);
}
