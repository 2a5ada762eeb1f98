// From masks of the bits of leaf numbers to sums of leaves, for 128 rows at once; see sliced.ts.

/** Rows of a block. */
export const ROWS: usize = 128;

/** Trees whose leaves are added together, so that sums stay in registers meanwhile. */
export const CHUNK: usize = 32;

/**
 * Makes numbers of leaves of the masks of their bits: byte j of vector i is then the leaf of the row that
 * is bit i of byte j. Bits and vectors change places in three rounds of swaps.
 *
 * @param planes Masks of the bits, lowest first; 8 vectors.
 */
export function numberLeaves(planes: usize, bits: i32): void {
  for (let b = bits; b < 8; b++) v128.store(planes + (<usize>b << 4), i64x2.splat(0));
  let mask = i8x16.splat(0x55);
  let t: v128;
  let p0 = v128.load(planes, 0);
  let p1 = v128.load(planes, 16);
  let p2 = v128.load(planes, 32);
  let p3 = v128.load(planes, 48);
  let p4 = v128.load(planes, 64);
  let p5 = v128.load(planes, 80);
  let p6 = v128.load(planes, 96);
  let p7 = v128.load(planes, 112);
  t = v128.and(v128.xor(i64x2.shr_u(p0, 1), p1), mask);
  p0 = v128.xor(p0, i64x2.shl(t, 1));
  p1 = v128.xor(p1, t);
  t = v128.and(v128.xor(i64x2.shr_u(p2, 1), p3), mask);
  p2 = v128.xor(p2, i64x2.shl(t, 1));
  p3 = v128.xor(p3, t);
  t = v128.and(v128.xor(i64x2.shr_u(p4, 1), p5), mask);
  p4 = v128.xor(p4, i64x2.shl(t, 1));
  p5 = v128.xor(p5, t);
  t = v128.and(v128.xor(i64x2.shr_u(p6, 1), p7), mask);
  p6 = v128.xor(p6, i64x2.shl(t, 1));
  p7 = v128.xor(p7, t);
  mask = i8x16.splat(0x33);
  t = v128.and(v128.xor(i64x2.shr_u(p0, 2), p2), mask);
  p0 = v128.xor(p0, i64x2.shl(t, 2));
  p2 = v128.xor(p2, t);
  t = v128.and(v128.xor(i64x2.shr_u(p1, 2), p3), mask);
  p1 = v128.xor(p1, i64x2.shl(t, 2));
  p3 = v128.xor(p3, t);
  t = v128.and(v128.xor(i64x2.shr_u(p4, 2), p6), mask);
  p4 = v128.xor(p4, i64x2.shl(t, 2));
  p6 = v128.xor(p6, t);
  t = v128.and(v128.xor(i64x2.shr_u(p5, 2), p7), mask);
  p5 = v128.xor(p5, i64x2.shl(t, 2));
  p7 = v128.xor(p7, t);
  mask = i8x16.splat(0x0f);
  t = v128.and(v128.xor(i64x2.shr_u(p0, 4), p4), mask);
  p0 = v128.xor(p0, i64x2.shl(t, 4));
  p4 = v128.xor(p4, t);
  t = v128.and(v128.xor(i64x2.shr_u(p1, 4), p5), mask);
  p1 = v128.xor(p1, i64x2.shl(t, 4));
  p5 = v128.xor(p5, t);
  t = v128.and(v128.xor(i64x2.shr_u(p2, 4), p6), mask);
  p2 = v128.xor(p2, i64x2.shl(t, 4));
  p6 = v128.xor(p6, t);
  t = v128.and(v128.xor(i64x2.shr_u(p3, 4), p7), mask);
  p3 = v128.xor(p3, i64x2.shl(t, 4));
  p7 = v128.xor(p7, t);
  v128.store(planes, p0, 0);
  v128.store(planes, p1, 16);
  v128.store(planes, p2, 32);
  v128.store(planes, p3, 48);
  v128.store(planes, p4, 64);
  v128.store(planes, p5, 80);
  v128.store(planes, p6, 96);
  v128.store(planes, p7, 112);
}

/** Adds four float32 leaves, named by the bytes of `q`. */
// @ts-ignore: decorator
@inline
function add4(sum: v128, leaves: usize, q: u32): v128 {
  let v = v128.load32_zero(leaves + (<usize>(q & 255) << 2));
  v = v128.load32_lane(leaves + (<usize>((q >> 8) & 255) << 2), v, 1);
  v = v128.load32_lane(leaves + (<usize>((q >> 16) & 255) << 2), v, 2);
  v = v128.load32_lane(leaves + (<usize>(q >> 24) << 2), v, 3);
  return f32x4.add(sum, v);
}

/** Adds two float64 leaves, named by the low bytes of `q`. */
// @ts-ignore: decorator
@inline
function add2(sum: v128, leaves: usize, q: u32): v128 {
  const v = v128.load64_zero(leaves + (<usize>(q & 255) << 3));
  return f64x2.add(sum, v128.load64_lane(leaves + (<usize>((q >> 8) & 255) << 3), v, 1));
}

/**
 * Adds the leaves of a chunk of trees to all rows, tree by tree.
 *
 * @param chunk Addresses of the trees' leaves, then their numbers, 128 bytes a tree.
 * @param width 0: float32 sums; 1: float64 sums; more: vectors of so many float64.
 */
export function addLeaves(chunk: usize, count: u32, width: i32, out: usize): void {
  const last = chunk + (<usize>count << 2);
  const step: usize = width == 0 ? 16 : 8;
  for (let rows: usize = 0; rows < ROWS; rows += step) {
    let index = chunk + 4 * CHUNK + rows;
    if (width > 1) {
      const bytes = <usize>width << 3;
      for (let at = chunk; at < last; at += 4, index += ROWS) {
        let to = out;
        for (let row: usize = 0; row < 8; row++) {
          const from = <usize>load<u32>(at) + <usize>load<u8>(index + row) * bytes;
          for (let k: usize = 0; k < bytes; k += 8, to += 8) {
            store<f64>(to, load<f64>(to) + load<f64>(from + k));
          }
        }
      }
      out += bytes << 3;
      continue;
    }
    let a = v128.load(out);
    let b = v128.load(out, 16);
    let c = v128.load(out, 32);
    let d = v128.load(out, 48);
    for (let at = chunk; at < last; at += 4, index += ROWS) {
      const values = <usize>load<u32>(at);
      const p = load<u64>(index);
      if (width == 0) {
        const q = load<u64>(index, 8);
        a = add4(a, values, <u32>p);
        b = add4(b, values, <u32>(p >> 32));
        c = add4(c, values, <u32>q);
        d = add4(d, values, <u32>(q >> 32));
      } else {
        a = add2(a, values, <u32>p);
        b = add2(b, values, <u32>(p >> 16));
        c = add2(c, values, <u32>(p >> 32));
        d = add2(d, values, <u32>(p >> 48));
      }
    }
    v128.store(out, a);
    v128.store(out, b, 16);
    v128.store(out, c, 32);
    v128.store(out, d, 48);
    out += 64;
  }
}
