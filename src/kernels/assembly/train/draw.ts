// Rows drawn without replacement. Twin: ../../twin/draw.ts.

// @ts-ignore: decorator
@inline
function spread(row: i32, seed: i32): u32 {
  let x = <u32>((row ^ seed) * <i32>0x9e3779b1);
  x = (x ^ (x >> 16)) * 0x85ebca6b;
  x = (x ^ (x >> 13)) * 0xc2b2ae35;
  return x ^ (x >> 16);
}

// @ts-ignore: decorator
@inline
function put(taken: bool, row: usize, part: usize, member: i32, factor: usize, mask: usize): void {
  const isIn = i32(taken) & i32(part == 0 || <i32>load<u8>(part + row) != member);
  store<f64>(factor + (row << 3), <f64>isIn);
  store<u8>(mask + row, isIn);
}

// Up to so many rows the twin's products of float64 are exact: whole numbers give the same answers.
const EXACT: i32 = 1 << 21;

export function chooseRows(
  n: i32,
  count: i32,
  seed: f64,
  part: usize,
  member: i32,
  factor: usize,
  mask: usize,
): void {
  const key = <i32>(<i64>seed);
  if (n <= EXACT) {
    let wanted = <i64>count << 32;
    for (let row = 0; row < n; row++) {
      const taken = <i64>spread(row, key) * <i64>(n - row) < wanted;
      wanted -= <i64>taken << 32;
      put(taken, row, part, member, factor, mask);
    }
    return;
  }
  let wanted = count;
  for (let row = 0; row < n; row++) {
    const taken = (<f64>spread(row, key) / 4294967296) * <f64>(n - row) < <f64>wanted;
    wanted -= i32(taken);
    put(taken, row, part, member, factor, mask);
  }
}
