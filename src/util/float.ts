/**
 * Neighbours of floating-point numbers: the exact bridge between `x < t` and `x <= t`.
 *
 * @module
 */

const f32 = new Float32Array(1);
const i32 = new Int32Array(f32.buffer);
const f64 = new Float64Array(1);
const i64 = new BigInt64Array(f64.buffer);

/** The largest float32 below `x` (a float32); NaN stays NaN and −Infinity stays −Infinity. */
export function nextDown32(x: number): number {
  if (Number.isNaN(x) || x === -Infinity) return x;
  f32[0] = x;
  if (f32[0] === 0) i32[0] = -0x7fffffff; // the negative subnormal nearest to zero
  else i32[0] += i32[0] > 0 ? -1 : 1;
  return f32[0];
}

/** The largest float32 not above `x`: `f <= x` and `f <= floor32(x)` are one test of a float32 `f`. */
export function floor32(x: number): number {
  const near = Math.fround(x);
  return near > x ? nextDown32(near) : near;
}

/** The smallest float32 above `x` (a float32); NaN stays NaN and Infinity stays Infinity. */
export function nextUp32(x: number): number {
  return -nextDown32(-x);
}

/** The largest float64 below `x`; NaN stays NaN and −Infinity stays −Infinity. */
export function nextDown64(x: number): number {
  if (Number.isNaN(x) || x === -Infinity) return x;
  if (x === 0) return -Number.MIN_VALUE;
  f64[0] = x;
  i64[0] += x > 0 ? -1n : 1n;
  return f64[0];
}

/** The smallest float64 above `x`; NaN stays NaN and Infinity stays Infinity. */
export function nextUp64(x: number): number {
  return -nextDown64(-x);
}
