/**
 * The quanta in which a round's gradients are summed.
 *
 * *Fixed* gradients are whole multiples of a power of two with up to 31 bits; leaf values come from
 * their sums, which are exact in float64. *Packed* gradients have at most 16 bits, rounded up or
 * down by a dither of mean zero, and so few quanta that no histogram cell can overflow; they only
 * choose splits. Small data, and gradients with heavy tails that 16 bits cannot hold, use the fixed
 * ones for splits too (*wide* histograms).
 *
 * Quantised training without loss of accuracy: Shi et al., "Quantized Training of Gradient Boosting
 * Decision Trees", NeurIPS 2022.
 *
 * @module
 */

/** Largest magnitude and sum of magnitudes of a round's gradients. */
export interface GradientStats {
  readonly maxG: number;
  readonly sumG: number;
  readonly maxH: number;
  readonly sumH: number;
}

/** Factors from gradients to whole numbers. */
export interface Quanta {
  readonly fixG: number;
  readonly fixH: number;
  readonly packG: number;
  readonly packH: number;
  /** Histograms of fixed instead of packed gradients. */
  readonly wide: boolean;
}

/** Up to so many rows, wide histograms cost little and make trees as exact as float64's. */
export const SMALL_ROWS = 65536;
const LEAST_QUANTA = 24; // of a mean gradient; below, packed ones would be mostly dither

const view = new DataView(new ArrayBuffer(8));

/** Whether all gradients were finite. */
export function areFinite({ maxG, sumG, maxH, sumH }: GradientStats): boolean {
  return Number.isFinite(maxG + sumG + maxH + sumH);
}

/** Exponent e with 2^(e−1) ≤ x < 2^e, for positive normal numbers. */
function exponentOf(x: number): number {
  view.setFloat64(0, x);
  return ((view.getUint32(0) >>> 20) & 0x7ff) - 1022;
}

/** 2^e, kept within normal numbers. */
function powerOfTwo(e: number): number {
  view.setUint32(0, (Math.max(-1000, Math.min(1000, e)) + 1023) << 20);
  view.setUint32(4, 0);
  return view.getFloat64(0);
}

/** Above what float32 rounds a product and a sum of four times 32 numbers by. */
const FLOATS = 2 ** -18;

/** Quanta in which float32 products of as many more rounding errors do not overflow. */
export function quantaOfFloats({ packG, packH, ...others }: Quanta): Quanta {
  return {
    ...others,
    packG: Math.fround(packG * (1 - FLOATS)),
    packH: Math.fround(packH * (1 - FLOATS)),
  };
}

/** Chooses the quanta of a round. */
export function chooseQuanta(stats: GradientStats, numRows: number): Quanta {
  const { maxG, sumG, maxH, sumH } = stats;
  // numRows · 2^bits ≤ 2^52 keeps every sum exact.
  const bits = Math.min(31, 52 - exponentOf(numRows));
  const fix = (max: number) => max > 0 ? powerOfTwo(bits - exponentOf(max)) : 1;
  const packG = maxG > 0 ? Math.min(32766 / maxG, (2 ** 31 - 2 - numRows) / sumG) : 1;
  let packH = 1;
  if (maxH > 0) {
    // The largest second derivative (often that of every row) is a whole number of quanta.
    const quanta = Math.min(65534, ((2 ** 32 - 2 - numRows) / sumH) * maxH);
    packH = (quanta >= 1 ? Math.floor(quanta) : quanta) / maxH;
  }
  const poor = (sum: number, pack: number) => sum > 0 && sum * pack < LEAST_QUANTA * numRows;
  const wide = numRows <= SMALL_ROWS || poor(sumG, packG) || poor(sumH, packH);
  return { fixG: fix(maxG), fixH: fix(maxH), packG, packH, wide };
}
