/**
 * The standard normal distribution, from the same exact operations as util/math.ts.
 *
 * @module
 */
import { exp, log } from "./math.ts";

/**
 * Φ(x): the power series of erf inside |x| < 3, the continued fraction of erfc outside
 * (Abramowitz and Stegun, 26.2.11 and 26.2.14).
 */
export function normalCdf(x: number): number {
  if (x !== x) return NaN;
  const z = Math.abs(x);
  if (z > 38.6) return x < 0 ? 0 : 1;
  const density = exp(-z * z / 2) * 0.3989422804014327;
  if (z < 3) {
    let term = z;
    let total = z;
    for (let k = 1; k < 80; k++) {
      term *= z * z / (2 * k + 1);
      total += term;
    }
    const half = density * total;
    return x < 0 ? 0.5 - half : 0.5 + half;
  }
  let fraction = 0;
  for (let k = 60; k > 0; k--) fraction = k / (z + fraction);
  const tail = density / (z + fraction);
  return x < 0 ? tail : 1 - tail;
}

/** Φ⁻¹(p): P. J. Acklam's rational approximation and one step of Halley's method. */
export function normalQuantile(p: number): number {
  if (!(p > 0 && p < 1)) return p === 0 ? -Infinity : p === 1 ? Infinity : NaN;
  if (p > 0.5) return -normalQuantile(1 - p);
  let x: number;
  if (p < 0.02425) {
    const q = Math.sqrt(-2 * log(p));
    x = (((((-7.784894002430293e-3 * q - 3.223964580411365e-1) * q - 2.400758277161838) * q -
              2.549732539343734) * q + 4.374664141464968) * q + 2.938163982698783) /
      ((((7.784695709041462e-3 * q + 3.224671290700398e-1) * q + 2.445134137142996) * q +
            3.754408661907416) * q + 1);
  } else {
    const q = p - 0.5;
    const r = q * q;
    x = (((((-3.969683028665376e1 * r + 2.209460984245205e2) * r - 2.759285104469687e2) * r +
              1.383577518672690e2) * r - 3.066479806614716e1) * r + 2.506628277459239) *
      q /
      (((((-5.447609879822406e1 * r + 1.615858368580409e2) * r - 1.556989798598866e2) * r +
                6.680131188771972e1) * r - 1.328068155288572e1) * r + 1);
  }
  const e = normalCdf(x) - p;
  const u = e * 2.5066282746310002 * exp(x * x / 2);
  return x - u / (1 + x * u / 2);
}
