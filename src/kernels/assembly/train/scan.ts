// The best threshold of one numeric feature. Twin: ../twin_scan.ts.

const LEAST_SHARE: f64 = 1e-10;

// @ts-ignore: decorator
@inline
function soft(g: f64, alpha: f64): f64 {
  return g > alpha ? g - alpha : g < -alpha ? g + alpha : 0;
}

// @ts-ignore: decorator
@inline
function gainOf(
  g: f64,
  h: f64,
  totalG: f64,
  totalH: f64,
  unitG: f64,
  unitH: f64,
  lambda: f64,
  alpha: f64,
  minHessian: f64,
  parentScore: f64,
): f64 {
  const hl = h * unitH;
  const hr = (totalH - h) * unitH;
  if (hl < minHessian || hr < minHessian) return -Infinity;
  const tl = soft(g * unitG, alpha);
  const tr = soft((totalG - g) * unitG, alpha);
  const bottom = f64x2(hl + lambda, hr + lambda);
  const ratio = f64x2.div(f64x2(tl * tl, tr * tr), bottom);
  const score2 = v128.and(ratio, f64x2.gt(bottom, f64x2.splat(0)));
  const score = f64x2.extract_lane(score2, 0) + f64x2.extract_lane(score2, 1);
  const gain = score - parentScore;
  return gain > LEAST_SHARE * abs(score) ? gain : -Infinity;
}

export function scanThresholds(cells: usize, wide: i32, numBins: i32, params: usize, out: usize): void {
  const totalG = load<f64>(params);
  const totalH = load<f64>(params, 8);
  const unitG = load<f64>(params, 16);
  const unitH = load<f64>(params, 24);
  const lambda = load<f64>(params, 32);
  const alpha = load<f64>(params, 40);
  const minHessian = load<f64>(params, 48);
  const parent = load<f64>(params, 56);
  const size: usize = wide ? 16 : 8;
  const last = cells + <usize>numBins * size;
  const missingG = wide ? load<f64>(last) : <f64>load<i32>(last, 4);
  const missingH = wide ? load<f64>(last, 8) : <f64>load<u32>(last);
  const hasMissing = missingG != 0 || missingH != 0;
  let best: f64 = 0;
  let bestBin: i32 = -1;
  let bestLeft: f64 = 0;
  let bestG: f64 = 0;
  let bestH: f64 = 0;
  let g: f64 = 0;
  let h: f64 = 0;
  for (let bin = 0; bin < numBins; bin++, cells += size) {
    const cellG = wide ? load<f64>(cells) : <f64>load<i32>(cells, 4);
    const cellH = wide ? load<f64>(cells, 8) : <f64>load<u32>(cells);
    if (cellG == 0 && cellH == 0) continue;
    g += cellG;
    h += cellH;
    const gain = gainOf(g, h, totalG, totalH, unitG, unitH, lambda, alpha, minHessian, parent);
    if (gain > best) {
      best = gain;
      bestBin = bin;
      bestLeft = 0;
      bestG = g;
      bestH = h;
    }
    if (!hasMissing) continue;
    const og = g + missingG;
    const oh = h + missingH;
    const other = gainOf(og, oh, totalG, totalH, unitG, unitH, lambda, alpha, minHessian, parent);
    if (other > best) {
      best = other;
      bestBin = bin;
      bestLeft = 1;
      bestG = og;
      bestH = oh;
    }
  }
  store<f64>(out, best);
  store<f64>(out, <f64>bestBin, 8);
  store<f64>(out, bestLeft, 16);
  store<f64>(out, bestG, 24);
  store<f64>(out, bestH, 32);
}
