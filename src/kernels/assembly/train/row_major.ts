// Columns of one byte to rows. Twin: ../../twin/binning.ts.
//
// Sixteen rows of sixteen columns are turned by four rounds of interleaving: a round moves the highest bit of
// a byte's column into its place in the vector, and the highest bit of that into the number of the vector.

// @ts-ignore: decorator
@inline
function low(a: v128, b: v128): v128 {
  return v128.shuffle<u8>(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}

// @ts-ignore: decorator
@inline
function high(a: v128, b: v128): v128 {
  return v128.shuffle<u8>(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}

/** Sixteen codes of one of the columns that begin at some addresses; zeros after the last. */
// @ts-ignore: decorator
@inline
function codesOf(columns: usize, f: i32, features: i32, from: usize): v128 {
  if (f >= features) return i8x16.splat(0);
  return v128.load(<usize>load<u32>(columns + (<usize>f << 2)) + from);
}

/** Writes the first 4, 8, 12 or 16 bytes. */
// @ts-ignore: decorator
@inline
function storeRow(row: v128, at: usize, width: i32): void {
  if (width == 16) return v128.store(at, row);
  if (width & 8) v128.store64_lane(at, row, 0);
  if (width == 4) v128.store32_lane(at, row, 0);
  if (width == 12) v128.store32_lane(at, row, 2, 8);
}

/** Sixteen rows of up to sixteen columns. */
function turn(columns: usize, features: i32, from: usize, stride: usize, width: i32, out: usize): void {
  const x0 = codesOf(columns, 0, features, from);
  const x1 = codesOf(columns, 1, features, from);
  const x2 = codesOf(columns, 2, features, from);
  const x3 = codesOf(columns, 3, features, from);
  const x4 = codesOf(columns, 4, features, from);
  const x5 = codesOf(columns, 5, features, from);
  const x6 = codesOf(columns, 6, features, from);
  const x7 = codesOf(columns, 7, features, from);
  const x8 = codesOf(columns, 8, features, from);
  const x9 = codesOf(columns, 9, features, from);
  const x10 = codesOf(columns, 10, features, from);
  const x11 = codesOf(columns, 11, features, from);
  const x12 = codesOf(columns, 12, features, from);
  const x13 = codesOf(columns, 13, features, from);
  const x14 = codesOf(columns, 14, features, from);
  const x15 = codesOf(columns, 15, features, from);
  const a0 = low(x0, x8);
  const a1 = high(x0, x8);
  const a2 = low(x1, x9);
  const a3 = high(x1, x9);
  const a4 = low(x2, x10);
  const a5 = high(x2, x10);
  const a6 = low(x3, x11);
  const a7 = high(x3, x11);
  const a8 = low(x4, x12);
  const a9 = high(x4, x12);
  const a10 = low(x5, x13);
  const a11 = high(x5, x13);
  const a12 = low(x6, x14);
  const a13 = high(x6, x14);
  const a14 = low(x7, x15);
  const a15 = high(x7, x15);
  const b0 = low(a0, a8);
  const b1 = high(a0, a8);
  const b2 = low(a1, a9);
  const b3 = high(a1, a9);
  const b4 = low(a2, a10);
  const b5 = high(a2, a10);
  const b6 = low(a3, a11);
  const b7 = high(a3, a11);
  const b8 = low(a4, a12);
  const b9 = high(a4, a12);
  const b10 = low(a5, a13);
  const b11 = high(a5, a13);
  const b12 = low(a6, a14);
  const b13 = high(a6, a14);
  const b14 = low(a7, a15);
  const b15 = high(a7, a15);
  const c0 = low(b0, b8);
  const c1 = high(b0, b8);
  const c2 = low(b1, b9);
  const c3 = high(b1, b9);
  const c4 = low(b2, b10);
  const c5 = high(b2, b10);
  const c6 = low(b3, b11);
  const c7 = high(b3, b11);
  const c8 = low(b4, b12);
  const c9 = high(b4, b12);
  const c10 = low(b5, b13);
  const c11 = high(b5, b13);
  const c12 = low(b6, b14);
  const c13 = high(b6, b14);
  const c14 = low(b7, b15);
  const c15 = high(b7, b15);
  const y0 = low(c0, c8);
  const y1 = high(c0, c8);
  const y2 = low(c1, c9);
  const y3 = high(c1, c9);
  const y4 = low(c2, c10);
  const y5 = high(c2, c10);
  const y6 = low(c3, c11);
  const y7 = high(c3, c11);
  const y8 = low(c4, c12);
  const y9 = high(c4, c12);
  const y10 = low(c5, c13);
  const y11 = high(c5, c13);
  const y12 = low(c6, c14);
  const y13 = high(c6, c14);
  const y14 = low(c7, c15);
  const y15 = high(c7, c15);
  storeRow(y0, out, width);
  storeRow(y1, out + 1 * stride, width);
  storeRow(y2, out + 2 * stride, width);
  storeRow(y3, out + 3 * stride, width);
  storeRow(y4, out + 4 * stride, width);
  storeRow(y5, out + 5 * stride, width);
  storeRow(y6, out + 6 * stride, width);
  storeRow(y7, out + 7 * stride, width);
  storeRow(y8, out + 8 * stride, width);
  storeRow(y9, out + 9 * stride, width);
  storeRow(y10, out + 10 * stride, width);
  storeRow(y11, out + 11 * stride, width);
  storeRow(y12, out + 12 * stride, width);
  storeRow(y13, out + 13 * stride, width);
  storeRow(y14, out + 14 * stride, width);
  storeRow(y15, out + 15 * stride, width);
}

/** Rows one by one: the last ones, and those of a width that is no multiple of four. */
function copy(columns: usize, features: i32, from: usize, n: i32, stride: usize, out: usize): void {
  for (let f: usize = 0; f < stride; f++) {
    const isColumn = <i32>f < features;
    let column: usize = isColumn ? <usize>load<u32>(columns + (f << 2)) + from : 0;
    let at = out + f;
    for (let i = 0; i < n; i++, column++, at += stride) store<u8>(at, isColumn ? load<u8>(column) : 0);
  }
}

export function rowsOf8(
  columns: usize,
  features: i32,
  from: i32,
  n: i32,
  stride: usize,
  out: usize,
): void {
  const whole = stride & 3 ? 0 : n & ~15;
  for (let f: usize = 0; f < stride; f += 16) {
    const width = <i32>min<usize>(16, stride - f);
    const here = columns + (f << 2);
    let at = out + f;
    for (let i = 0; i < whole; i += 16, at += stride << 4) {
      turn(here, features - <i32>f, <usize>(from + i), stride, width, at);
    }
  }
  copy(columns, features, <usize>(from + whole), n - whole, stride, out + <usize>whole * stride);
}
