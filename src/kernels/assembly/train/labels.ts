// Labels of classes. Twin: ../../twin/labels.ts.

// @ts-ignore: decorator
@inline
function countOne(counts: usize, label: i32): void {
  const at = counts + (<usize>label << 2);
  store<u32>(at, load<u32>(at) + 1);
}

export function countLabels(labels: usize, n: i32, most: i32, counts: usize): i32 {
  memory.fill(counts, 0, <usize>most << 2);
  const end = labels + (<usize>n << 3);
  const limit = i32x4.splat(most);
  for (; labels + 32 <= end; labels += 32) {
    const some = v128.load(labels);
    const more = v128.load(labels, 16);
    const a = i32x4.trunc_sat_f64x2_s_zero(some);
    const b = i32x4.trunc_sat_f64x2_s_zero(more);
    const whole = v128.and(
      f64x2.eq(some, f64x2.convert_low_i32x4_s(a)),
      f64x2.eq(more, f64x2.convert_low_i32x4_s(b)),
    );
    const four = v128.shuffle<i32>(a, b, 0, 1, 4, 5);
    if (!i64x2.all_true(whole) || !i32x4.all_true(i32x4.lt_u(four, limit))) return 0;
    countOne(counts, i32x4.extract_lane(four, 0));
    countOne(counts, i32x4.extract_lane(four, 1));
    countOne(counts, i32x4.extract_lane(four, 2));
    countOne(counts, i32x4.extract_lane(four, 3));
  }
  for (; labels < end; labels += 8) {
    const value = load<f64>(labels);
    if (!(value >= 0 && value < <f64>most)) return 0;
    const label = <i32>value;
    if (<f64>label != value) return 0;
    countOne(counts, label);
  }
  return 1;
}

/** 1 − 2 × label, of two labels. */
// @ts-ignore: decorator
@inline
function signsOf(labels: usize): v128 {
  const two = v128.load(labels);
  return f32x4.demote_f64x2_zero(f64x2.sub(f64x2.splat(1), f64x2.add(two, two)));
}

export function labelSigns(labels: usize, n: i32, out: usize): void {
  const end = labels + (<usize>n << 3);
  for (; labels + 32 <= end; labels += 32, out += 16) {
    v128.store(out, v128.shuffle<i32>(signsOf(labels), signsOf(labels + 16), 0, 1, 4, 5));
  }
  for (; labels < end; labels += 8, out += 4) {
    store<f32>(out, <f32>(1 - 2 * load<f64>(labels)));
  }
}
