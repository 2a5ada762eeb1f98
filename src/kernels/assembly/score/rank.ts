// Where a number stands among the cuts of its feature; see ../score.ts.

/** Bytes of the descriptor of a numeric feature: see `numbers`. */
export const NUMBER: usize = 40;

/** Number of cuts below `value`: a grid cell's first cut, then a search among the cell's. */
// @ts-ignore: decorator
@inline
export function rank(cuts: usize, grid: usize, half: usize, cell: u32, value: f64): usize {
  let at = cuts + (<usize>load<u16>(grid + (<usize>cell << 1)) << 3);
  for (let step = half; step > 0; step = (step >> 1) & ~7) {
    at += (-usize(load<f64>(at + step - 8) < value)) & step;
  }
  return (at - cuts) << 1; // cuts are 8 bytes, masks 16
}

/** 16 times the number of cuts below `value`, of the feature at a descriptor. */
// @ts-ignore: decorator
@inline
export function rankAt(descriptor: usize, value: f64): usize {
  const place = (<f32>value - load<f32>(descriptor, 32)) * load<f32>(descriptor, 36);
  const last = load<u32>(descriptor, 28);
  const inside = select<f32>(min<f32>(place, <f32>last), 0, place > 0);
  const cell = reinterpret<u32>(inside + 8388608) & last;
  return rank(
    <usize>load<u32>(descriptor, 4),
    <usize>load<u32>(descriptor, 24),
    <usize>load<u32>(descriptor, 8),
    cell,
    value,
  );
}
