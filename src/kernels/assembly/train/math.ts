// e^x on two lanes: the operations of src/util/math.ts in the same order.

const LN2_HI: f64 = 6.93147180369123816490e-01;
const LN2_LO: f64 = 1.90821492927058770002e-10;
const INV_LN2: f64 = 1.44269504088896338700;
const SHIFTER: f64 = 6755399441055744;

// @ts-ignore: decorator
@inline
function splat(x: f64): v128 {
  return f64x2.splat(x);
}

// @ts-ignore: decorator
@inline
function pow2(k: v128): v128 {
  const whole = i64x2.extend_low_i32x4_s(i32x4.trunc_sat_f64x2_s_zero(k));
  return i64x2.shl(i64x2.add(whole, i64x2.splat(1023)), 52);
}

/** e^x for x ≤ 709 (more is not needed by any kernel); NaN stays NaN. */
// @ts-ignore: decorator
@inline
export function exp2lanes(x: v128): v128 {
  const k = f64x2.sub(f64x2.add(f64x2.mul(x, splat(INV_LN2)), splat(SHIFTER)), splat(SHIFTER));
  const hi = f64x2.sub(x, f64x2.mul(k, splat(LN2_HI)));
  const lo = f64x2.mul(k, splat(LN2_LO));
  const r = f64x2.sub(hi, lo);
  const t = f64x2.mul(r, r);
  let s = f64x2.mul(t, splat(4.13813679705723846039e-08));
  s = f64x2.mul(t, f64x2.add(splat(-1.65339022054652515390e-06), s));
  s = f64x2.mul(t, f64x2.add(splat(6.61375632143793436117e-05), s));
  s = f64x2.mul(t, f64x2.add(splat(-2.77777777770155933842e-03), s));
  s = f64x2.mul(t, f64x2.add(splat(1.66666666666666019037e-01), s));
  const c = f64x2.sub(r, s);
  const q = f64x2.div(f64x2.mul(r, c), f64x2.sub(splat(2), c));
  const y = f64x2.sub(splat(1), f64x2.sub(f64x2.sub(lo, q), hi));
  const half = f64x2.trunc(f64x2.mul(k, splat(0.5)));
  const e = f64x2.mul(f64x2.mul(y, pow2(half)), pow2(f64x2.sub(k, half)));
  return v128.andnot(e, f64x2.lt(x, splat(-745.1332191019412)));
}
