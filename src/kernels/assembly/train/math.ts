// e^x on two lanes: the operations of src/util/math.ts in the same order.

/**
 * Constants, twice each. The compiler would make them anew at each use; at a fixed address they are
 * operands.
 */
const CONSTANTS: usize = memory.data<f64>([
  1.44269504088896338700, 1.44269504088896338700, // 1 / ln 2
  6755399441055744, 6755399441055744, // 1.5 · 2^52: adding and subtracting it rounds half to even
  6.93147180369123816490e-01, 6.93147180369123816490e-01, // ln 2, high part
  1.90821492927058770002e-10, 1.90821492927058770002e-10, // and low part
  4.13813679705723846039e-08, 4.13813679705723846039e-08,
  -1.65339022054652515390e-06, -1.65339022054652515390e-06,
  6.61375632143793436117e-05, 6.61375632143793436117e-05,
  -2.77777777770155933842e-03, -2.77777777770155933842e-03,
  1.66666666666666019037e-01, 1.66666666666666019037e-01,
  2, 2,
  1, 1,
  0.5, 0.5,
  -745.1332191019412, -745.1332191019412, // e^x is 0 below
  1e-16, 1e-16, // least second derivative
  0.0000152587890625, 0.0000152587890625, // 2^-16
  -700, -700, // from here on e^x is a normal number
]);

// @ts-ignore: decorator
@inline
function constant(i: usize): v128 {
  return v128.load(CONSTANTS + (i << 4));
}

// @ts-ignore: decorator
@inline
export function one2(): v128 {
  return constant(10);
}

// @ts-ignore: decorator
@inline
export function minHessian2(): v128 {
  return constant(13);
}

// @ts-ignore: decorator
@inline
export function shift16(): v128 {
  return constant(14);
}

/** Adding it to a whole number of less than 2^51 leaves that in the low bits. */
// @ts-ignore: decorator
@inline
export function shifter2(): v128 {
  return constant(1);
}

/** 2^k of whole numbers from −1022 to 1023. */
// @ts-ignore: decorator
@inline
function pow2(k: v128): v128 {
  return i64x2.shl(i64x2.add(f64x2.add(k, shifter2()), i64x2.splat(1023)), 52);
}

/** e^r with e^x = e^r 2^k, |r| ≤ ln 2 / 2. */
// @ts-ignore: decorator
@inline
function reduced(x: v128, k: v128): v128 {
  const hi = f64x2.sub(x, f64x2.mul(k, constant(2)));
  const lo = f64x2.mul(k, constant(3));
  const r = f64x2.sub(hi, lo);
  const t = f64x2.mul(r, r);
  let s = f64x2.mul(t, constant(4));
  s = f64x2.mul(t, f64x2.add(constant(5), s));
  s = f64x2.mul(t, f64x2.add(constant(6), s));
  s = f64x2.mul(t, f64x2.add(constant(7), s));
  s = f64x2.mul(t, f64x2.add(constant(8), s));
  const c = f64x2.sub(r, s);
  const q = f64x2.div(f64x2.mul(r, c), f64x2.sub(constant(9), c));
  return f64x2.sub(one2(), f64x2.sub(f64x2.sub(lo, q), hi));
}

// @ts-ignore: decorator
@inline
function powerOf(x: v128): v128 {
  return f64x2.sub(f64x2.add(f64x2.mul(x, constant(0)), shifter2()), shifter2());
}

/** e^x for x ≤ 709 (more is not needed by any kernel); NaN stays NaN. */
// @ts-ignore: decorator
@inline
export function exp2lanes(x: v128): v128 {
  const k = powerOf(x);
  const half = f64x2.trunc(f64x2.mul(k, constant(11)));
  const y = reduced(x, k);
  const e = f64x2.mul(f64x2.mul(y, pow2(half)), pow2(f64x2.sub(k, half)));
  return v128.andnot(e, f64x2.lt(x, constant(12)));
}

/** The same for −700 ≤ x ≤ 709, where nothing is below the normal numbers: one power of two does. */
// @ts-ignore: decorator
@inline
export function exp2normal(x: v128): v128 {
  const k = powerOf(x);
  return f64x2.mul(reduced(x, k), pow2(k));
}

/** Least x for {@linkcode exp2normal}. */
// @ts-ignore: decorator
@inline
export function leastNormal2(): v128 {
  return constant(15);
}
