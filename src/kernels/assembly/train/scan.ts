// The best threshold of one numeric feature, two bins at a time. Twin: ../../twin/scan.ts.

export const LEAST_SHARE: f64 = 1e-10;

// @ts-ignore: decorator
@inline
function soft2(g: v128, alpha: f64): v128 {
  if (alpha == 0) return g;
  const a = f64x2.splat(alpha);
  const over = v128.and(f64x2.sub(g, a), f64x2.gt(g, a));
  return v128.or(over, v128.and(f64x2.add(g, a), f64x2.lt(g, f64x2.neg(a))));
}

/** t² / bottom; `guard` where the bottom may be 0. */
// @ts-ignore: decorator
@inline
function side2(t: v128, bottom: v128, guard: bool): v128 {
  const ratio = f64x2.div(f64x2.mul(t, t), bottom);
  return guard ? v128.and(ratio, f64x2.gt(bottom, f64x2.splat(0))) : ratio;
}

/** Scores of two candidates; −Infinity where a side has too little weight. */
// @ts-ignore: decorator
@inline
export function scores2(
  g: v128,
  h: v128,
  totalG: v128,
  totalH: v128,
  unitG: v128,
  unitH: v128,
  lambda: v128,
  alpha: f64,
  least: v128,
  guard: bool,
): v128 {
  const hl = f64x2.mul(h, unitH);
  const hr = f64x2.mul(f64x2.sub(totalH, h), unitH);
  const tl = soft2(f64x2.mul(g, unitG), alpha);
  const tr = soft2(f64x2.mul(f64x2.sub(totalG, g), unitG), alpha);
  const score = f64x2.add(
    side2(tl, f64x2.add(hl, lambda), guard),
    side2(tr, f64x2.add(hr, lambda), guard),
  );
  const allowed = v128.and(f64x2.ge(hl, least), f64x2.ge(hr, least));
  return v128.bitselect(score, f64x2.splat(-Infinity), allowed);
}

/** −Infinity for candidates whose bin is not in from … to. */
// @ts-ignore: decorator
@inline
function within2(gain: v128, bins: v128, from: i32, to: i32): v128 {
  const inside = v128.and(
    i64x2.ge_s(bins, i64x2.splat(<i64>from)),
    i64x2.le_s(bins, i64x2.splat(<i64>to)),
  );
  return v128.bitselect(gain, f64x2.splat(-Infinity), inside);
}

export function scanThresholds(
  cells: usize,
  counts: usize,
  wide: i32,
  numBins: i32,
  params: usize,
  out: usize,
): void {
  const start = cells;
  const totalG = v128.load64_splat(params);
  const totalH = v128.load64_splat(params, 8);
  const unitG = v128.load64_splat(params, 16);
  const unitH = v128.load64_splat(params, 24);
  const lambda = v128.load64_splat(params, 32);
  const alpha = load<f64>(params, 40);
  const least = v128.load64_splat(params, 48);
  const guard = load<f64>(params, 32) <= 0 || load<f64>(params, 48) < 0;
  const parent = v128.load64_splat(params, 56);
  const size: usize = wide ? 16 : 8;
  const last = cells + <usize>numBins * size;
  const missingG = wide ? load<f64>(last) : <f64>load<i32>(last, 4);
  const missingH = wide ? load<f64>(last, 8) : <f64>load<u32>(last);
  const missingC: i32 = counts != 0 ? load<i32>(counts + (<usize>numBins << 2)) : 0;
  const hasMissing = missingG != 0 || missingH != 0 || missingC != 0;
  // Bins that leave both sides enough rows, with missing on the right and on the left: row counts
  // only grow, so that each are a range.
  let from0: i32 = 0;
  let from1: i32 = 0;
  let to0: i32 = numBins - 1;
  let to1: i32 = numBins - 1;
  if (counts != 0) {
    const fewest = <i32>load<f64>(params, 64);
    const most = <i32>load<f64>(params, 72) - fewest;
    to0 = to1 = -1;
    let seen: i32 = 0;
    for (let i: usize = 0; i < <usize>numBins; i++) {
      seen += load<i32>(counts + (i << 2));
      from0 += i32(seen < fewest);
      to0 += i32(seen <= most);
      from1 += i32(seen + missingC < fewest);
      to1 += i32(seen + missingC <= most);
    }
  }
  const first = hasMissing ? min<i32>(from0, from1) : from0;
  const end = hasMissing ? max<i32>(to0, to1) + 1 : to0 + 1;
  // The best of even and of odd bins: gain and bin, with missing on the right and on the left.
  let best0 = f64x2.splat(0);
  let best1 = f64x2.splat(0);
  let bin0 = i64x2.splat(-1);
  let bin1 = i64x2.splat(-1);
  let packed = i64x2.splat(0);
  let sums = f64x2.splat(0);
  let bin: i32 = 0;
  // Empty bins before the first are no candidates; later ones repeat the split before them.
  for (; bin < end; bin++, cells += size) {
    if (wide ? load<f64>(cells) != 0 || load<f64>(cells, 8) != 0 : load<u64>(cells) != 0) break;
    if (counts != 0 && load<i32>(counts + (<usize>bin << 2)) != 0) break;
  }
  for (; bin < end; bin += 2, cells += 2 * size) {
    const two = bin + 1 < numBins;
    let g: v128;
    let h: v128;
    if (wide) {
      const one = f64x2.add(sums, v128.load(cells));
      sums = two ? f64x2.add(one, v128.load(cells, 16)) : one;
      g = v128.shuffle<f64>(one, sums, 0, 2);
      h = v128.shuffle<f64>(one, sums, 1, 3);
    } else {
      // One addition sums both: the low half never overflows into the high one.
      const pair = two ? v128.load(cells) : v128.load64_zero(cells);
      const both = i64x2.add(pair, v128.shuffle<i64>(i64x2.splat(0), pair, 0, 2));
      const here = i64x2.add(both, packed);
      packed = v128.shuffle<i64>(here, here, 1, 1);
      g = f64x2.convert_low_i32x4_s(v128.shuffle<i32>(here, here, 1, 3, 1, 3));
      h = f64x2.convert_low_i32x4_u(v128.shuffle<i32>(here, here, 0, 2, 0, 2));
    }
    if (bin + 1 < first) continue;
    const number = i64x2.splat(<i64>bin);
    const bins = i64x2.add(number, i64x2(0, 1));
    let gain = f64x2.sub(scores2(g, h, totalG, totalH, unitG, unitH, lambda, alpha, least, guard), parent);
    if (counts != 0) gain = within2(gain, bins, from0, to0);
    const better = f64x2.gt(gain, best0);
    best0 = v128.bitselect(gain, best0, better);
    bin0 = v128.bitselect(number, bin0, better);
    if (!hasMissing) continue;
    const withG = f64x2.add(g, f64x2.splat(missingG));
    const withH = f64x2.add(h, f64x2.splat(missingH));
    let other = f64x2.sub(scores2(withG, withH, totalG, totalH, unitG, unitH, lambda, alpha, least, guard), parent);
    if (counts != 0) other = within2(other, bins, from1, to1);
    const better1 = f64x2.gt(other, best1);
    best1 = v128.bitselect(other, best1, better1);
    bin1 = v128.bitselect(number, bin1, better1);
  }
  // The largest gain; of equal ones the lowest bin, then missing on the right.
  let best: f64 = 0;
  let bestBin: i32 = -1;
  let bestLeft: i32 = 0;
  for (let i = 0; i < 4; i++) {
    const gains = i < 2 ? best0 : best1;
    const bins = i < 2 ? bin0 : bin1;
    const gain = i & 1 ? f64x2.extract_lane(gains, 1) : f64x2.extract_lane(gains, 0);
    const at = i & 1
      ? <i32>i64x2.extract_lane(bins, 1) + 1
      : <i32>i64x2.extract_lane(bins, 0);
    if (gain > best || (gain == best && gain > 0 && at < bestBin)) {
      best = gain;
      bestBin = at;
      bestLeft = i >> 1;
    }
  }
  let g: f64 = 0;
  let h: f64 = 0;
  let c: i32 = 0;
  if (bestBin >= 0) {
    for (let i: i32 = 0; counts != 0 && i <= bestBin; i++) c += load<i32>(counts + (<usize>i << 2));
    if (wide) {
      let total = f64x2.splat(0);
      for (bin = 0, cells = start; bin <= bestBin; bin++, cells += 16) {
        total = f64x2.add(total, v128.load(cells));
      }
      g = f64x2.extract_lane(total, 0);
      h = f64x2.extract_lane(total, 1);
    } else {
      let total = i64x2.splat(0);
      for (bin = 0, cells = start; bin < bestBin; bin += 2, cells += 16) {
        total = i64x2.add(total, v128.load(cells));
      }
      let sum = i64x2.extract_lane(total, 0) + i64x2.extract_lane(total, 1);
      if (bin == bestBin) sum += load<i64>(cells);
      g = <f64>(sum >> 32);
      h = <f64>(<u32>sum);
    }
    if (bestLeft == 1) {
      g += missingG;
      h += missingH;
      c += missingC;
    }
    // Only the best need exceed what rounding can make of two equal scores.
    const score = f64x2.extract_lane(scores2(f64x2.splat(g), f64x2.splat(h), totalG, totalH, unitG, unitH, lambda, alpha, least, guard), 0);
    if (best <= LEAST_SHARE * abs(score)) {
      best = g = h = 0;
      bestBin = -1;
      bestLeft = 0;
      c = 0;
    } else if (!hasMissing) {
      bestLeft = i32(2 * h >= load<f64>(params, 8));
    }
  }
  store<f64>(out, best);
  store<f64>(out, <f64>bestBin, 8);
  store<f64>(out, <f64>bestLeft, 16);
  store<f64>(out, g, 24);
  store<f64>(out, h, 32);
  store<f64>(out, <f64>c, 40);
}
