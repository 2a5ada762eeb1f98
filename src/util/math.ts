/**
 * Elementary functions made of IEEE additions, multiplications and divisions only, so that their
 * bits are the same in every engine, in wasm and on every machine. `Math.exp` and friends are left
 * to the engine by ECMA-262, and a last bit may decide a split.
 *
 * Method: argument reduction by powers of two and the series of fdlibm (Sun Microsystems, 1993);
 * errors stay near one unit in the last place (a few for `pow`).
 *
 * @module
 */

const LN2_HI = 6.93147180369123816490e-01; // 33 leading bits of ln 2: k · LN2_HI is exact
const LN2_LO = 1.90821492927058770002e-10;
const INV_LN2 = 1.44269504088896338700;
const SHIFTER = 6755399441055744; // 1.5 · 2^52: adding and subtracting it rounds to an integer

const f64 = new Float64Array(1);
const u32 = new Uint32Array(f64.buffer);

/** 2^k for −1022 ≤ k ≤ 1023, exactly. */
function pow2(k: number): number {
  u32[0] = 0;
  u32[1] = (k + 1023) << 20;
  return f64[0];
}

/** r − (r²-series of fdlibm's exp): eʳ = 1 + r + r·c/(2 − c) for |r| ≤ ½ ln 2. */
function expSeries(r: number): number {
  const t = r * r;
  return r - t * (1.66666666666666019037e-01 + t * (-2.77777777770155933842e-03 +
            t * (6.61375632143793436117e-05 + t * (-1.65339022054652515390e-06 +
                    t * 4.13813679705723846039e-08))));
}

/**
 * eˣ. The kernels' SIMD version performs these operations in this order.
 *
 * @param x Any number; NaN gives NaN, above 709.78 Infinity, below −745.13 zero.
 */
export function exp(x: number): number {
  if (!(x <= 709.782712893384)) return x > 0 ? Infinity : NaN;
  if (x < -745.1332191019412) return 0;
  const k = (x * INV_LN2 + SHIFTER) - SHIFTER;
  const hi = x - k * LN2_HI;
  const lo = k * LN2_LO;
  const r = hi - lo;
  const c = expSeries(r);
  const y = 1 - ((lo - (r * c) / (2 - c)) - hi);
  // Two steps, since 2^k alone leaves the range of normal numbers at both ends.
  const half = Math.trunc(k / 2);
  return y * pow2(half) * pow2(k - half);
}

/** Splits x > 0 into m · 2^k with √½ ≤ m < √2; returns k and leaves m in `f64[0]`. */
function reduce(x: number): number {
  let k = 0;
  if (x < 2.2250738585072014e-308) {
    x *= 18014398509481984; // 2^54: subnormals have no hidden bit
    k = -54;
  }
  f64[0] = x;
  const high = u32[1];
  k += (high >>> 20) - 1023;
  const mantissa = high & 0xfffff;
  const i = (mantissa + 0x95f64) & 0x100000; // above √2: halve it
  u32[1] = mantissa | (i ^ 0x3ff00000);
  return k + (i >>> 20);
}

/** The series R of fdlibm's log in s = f/(2 + f). */
function logSeries(s: number): number {
  const z = s * s;
  const w = z * z;
  const even = w * (3.999999999940941908e-01 + w * (2.222219843214978396e-01 +
        w * 1.531383769920937332e-01));
  const odd = z * (6.666666666666735130e-01 + w * (2.857142874366239149e-01 +
        w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)));
  return even + odd;
}

/** k·ln 2 + ln(1 + f) + lost, for 1 + f between √½ and √2. */
function logParts(k: number, f: number, lost: number): number {
  const s = f / (2 + f);
  const half = 0.5 * f * f;
  return k * LN2_HI - ((half - (s * (half + logSeries(s)) + (k * LN2_LO + lost))) - f);
}

/** Natural logarithm; negative numbers and NaN give NaN, zero gives −Infinity. */
export function log(x: number): number {
  if (!(x > 0)) return x === 0 ? -Infinity : NaN;
  if (x === Infinity) return Infinity;
  const k = reduce(x);
  return logParts(k, f64[0] - 1, 0);
}

/** ln(1 + x), exact near zero. */
export function log1p(x: number): number {
  if (!(x > -1)) return x === -1 ? -Infinity : NaN;
  if (x === Infinity) return Infinity;
  if (Math.abs(x) < 0.25) return x === 0 ? x : logParts(0, x, 0);
  const u = 1 + x;
  // What 1 + x lost to rounding, relative to u.
  const lost = (x < 1 ? x - (u - 1) : 1 - (u - x)) / u;
  const k = reduce(u);
  return logParts(k, f64[0] - 1, lost);
}

/** eˣ − 1, exact near zero. */
export function expm1(x: number): number {
  if (x !== x || x === 0) return x;
  if (Math.abs(x) >= 0.34) return exp(x) - 1;
  const c = expSeries(x);
  return x + (x * c) / (2 - c);
}

/**
 * x to the power y for x ≥ 0, by e^(y·ln x); whole powers up to 64 by multiplication, for any x.
 * Negative x with a fractional y gives NaN.
 */
export function pow(x: number, y: number): number {
  if (y === 0) return 1;
  if (Number.isInteger(y) && Math.abs(y) <= 64) {
    let result = 1;
    let base = x;
    for (let n = Math.abs(y); n > 0; n = n >>> 1) {
      if (n & 1) result *= base;
      base *= base;
    }
    return y < 0 ? 1 / result : result;
  }
  if (x === 0) return y > 0 ? 0 : Infinity;
  return exp(y * log(x));
}

/** Logistic function 1 / (1 + e^−x), without overflow at either end. */
export function sigmoid(x: number): number {
  if (x >= 0) return 1 / (1 + exp(-x));
  const e = exp(x);
  return e / (1 + e);
}

/** ln(1 + eˣ), without overflow. */
export function softplus(x: number): number {
  return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x));
}

/** ln Σ eˣ over `count` numbers of `raw` that start at `at`, `stride` apart. */
export function logSumExp(raw: Float64Array, at: number, count: number, stride = 1): number {
  let top = -Infinity;
  for (let i = 0; i < count; i++) top = Math.max(top, raw[at + i * stride]);
  if (!Number.isFinite(top)) return top;
  let total = 0;
  for (let i = 0; i < count; i++) total += exp(raw[at + i * stride] - top);
  return top + log(total);
}

/**
 * Replaces `count` raw scores (starting at `at`, `stride` apart) by their softmax. Those that are no
 * further from zero than `tiny` become 0 and have no share.
 */
export function softmaxInto(
  raw: Float64Array,
  at: number,
  count: number,
  stride = 1,
  tiny = -1,
): void {
  let top = -Infinity;
  for (let i = 0; i < count; i++) top = Math.max(top, raw[at + i * stride]);
  let total = 0;
  for (let i = 0; i < count; i++) {
    const value = raw[at + i * stride];
    total += raw[at + i * stride] = Math.abs(value) <= tiny ? 0 : exp(value - top);
  }
  for (let i = 0; i < count && total !== 0; i++) raw[at + i * stride] /= total;
}
