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
