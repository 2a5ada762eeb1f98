// Where a number stands among the cuts of its feature; see ../score.ts.

/** Bytes of the descriptor of a numeric feature: see `numbers`. */
export const NUMBER: usize = 40;

/** Number of cuts below `value`: a grid cell's first cut, then a search among the cell's. */
// @ts-ignore: decorator
@inline
export function rank(cuts: usize, grid: usize, half: usize, cell: u32, value: f64): usize {
  let at = cuts + (<usize>load<u16>(grid + (<usize>cell << 1)) << 3);
  // Most searches are the last step alone: out of the loop, it takes a third of the time.
  for (; half > 8; half >>= 1) at += (-usize(load<f64>(at + half - 8) < value)) & half;
  at += usize(load<f64>(at) < value) << 3;
  return (at - cuts) << 1; // cuts are 8 bytes, masks 16
}

/** What a float32 keeps of a whole number once 2^23 is added to it. */
export const WHOLE: u32 = 0x7fffff;

/** 16 times the number of cuts below the number at `x`, of the feature at a descriptor; 0 where it is missing. */
// @ts-ignore: decorator
@inline
export function rankAt(descriptor: usize, x: usize): usize {
  const place = f32x4.mul(
    f32x4.sub(f32x4.demote_f64x2_zero(v128.load64_zero(x)), v128.load32_zero(descriptor, 32)),
    v128.load32_zero(descriptor, 36),
  );
  // A missing number is in the first cell, and above no cut.
  const inside = f32x4.pmin(v128.load32_zero(descriptor, 28), f32x4.pmax(f32x4.splat(0), place));
  return rank(
    <usize>load<u32>(descriptor, 4),
    <usize>load<u32>(descriptor, 24),
    <usize>load<u32>(descriptor, 8),
    i32x4.extract_lane(f32x4.add(inside, f32x4.splat(8388608)), 0) & WHOLE,
    load<f64>(x),
  );
}
