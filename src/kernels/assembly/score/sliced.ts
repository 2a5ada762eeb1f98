/**
 * Bit-sliced scoring of 128 rows at once: a row is one bit of a 128-bit mask.
 *
 * First every test that occurs in the ensemble gets its mask of rows that go right (`numbers`,
 * `categories`); then each tree carries masks from its root to its leaves, two instructions a node
 * for all rows, and the masks of the levels are turned into leaf numbers by byte shuffles.
 *
 * All pointers are byte offsets into the imported memory, laid out by src/model/sliced.ts. Compiled by
 * tools/build_kernels.ts.
 */

import { NUMBER, rank } from "./rank";

const ROWS: usize = 128;

/**
 * Masks of all tests of numeric features.
 *
 * Descriptor: u32 feature, u32 cuts (f64, padded with infinity), u32 half (bytes of the first search
 * step), u32 count, u32 left, u32 right (masks for either side of missing values, 0 for none; entry 0
 * is unused), u32 grid (u16 first cut of each of 512 cells), u32 zero, f32 low, f32 scale.
 */
export function numbers(x: usize, stride: usize, descriptors: usize, count: i32, missing: usize): void {
  const zero = f32x4.splat(0);
  const last = f32x4.splat(511);
  const magic = f32x4.splat(8388608); // adding 2^23 leaves the integer in the low bits
  for (let end = descriptors + <usize>count * NUMBER; descriptors < end; descriptors += NUMBER) {
    let at = x + (<usize>load<u32>(descriptors) << 3);
    const cuts = <usize>load<u32>(descriptors, 4);
    const half = <usize>load<u32>(descriptors, 8);
    const size = (<usize>load<u32>(descriptors, 12)) << 4;
    const left = <usize>load<u32>(descriptors, 16);
    const right = <usize>load<u32>(descriptors, 20);
    const grid = <usize>load<u32>(descriptors, 24);
    const low = v128.load32_splat(descriptors, 32);
    const scale = v128.load32_splat(descriptors, 36);
    const masks = left != 0 ? left : right;
    memory.fill(masks, 0, size + 16);
    // Each row sets the bit of its rank; the pass below makes "rank is at least i" of it.
    for (let byte: usize = 0; byte < 16; byte++) {
      let nan: u32 = 0;
      for (let nibble: u32 = 0; nibble < 8; nibble += 4) {
        const at1 = at + stride;
        const at2 = at1 + stride;
        const at3 = at2 + stride;
        const v01 = v128.load64_lane(at1, v128.load64_zero(at), 1);
        const v23 = v128.load64_lane(at3, v128.load64_zero(at2), 1);
        const v = i32x4.shuffle(f32x4.demote_f64x2_zero(v01), f32x4.demote_f64x2_zero(v23), 0, 1, 4, 5);
        nan |= <u32>i32x4.bitmask(f32x4.ne(v, v)) << nibble;
        const cell = f32x4.add(
          f32x4.pmin(last, f32x4.pmax(zero, f32x4.mul(f32x4.sub(v, low), scale))),
          magic,
        );
        const r0 = rank(cuts, grid, half, i32x4.extract_lane(cell, 0) & 511, load<f64>(at));
        const r1 = rank(cuts, grid, half, i32x4.extract_lane(cell, 1) & 511, load<f64>(at1));
        const r2 = rank(cuts, grid, half, i32x4.extract_lane(cell, 2) & 511, load<f64>(at2));
        const r3 = rank(cuts, grid, half, i32x4.extract_lane(cell, 3) & 511, load<f64>(at3));
        const bit: u32 = 1 << nibble;
        const to = masks + byte;
        store<u8>(to + r0, load<u8>(to + r0) | bit);
        store<u8>(to + r1, load<u8>(to + r1) | (bit << 1));
        store<u8>(to + r2, load<u8>(to + r2) | (bit << 2));
        store<u8>(to + r3, load<u8>(to + r3) | (bit << 3));
        at = at3 + stride;
      }
      store<u8>(missing + byte, nan);
    }
    const nan = v128.load(missing);
    let acc = i64x2.splat(0);
    for (let at = size; at > 0; at -= 16) {
      acc = v128.or(acc, v128.load(masks + at));
      if (left != 0) v128.store(left + at, acc);
      if (right != 0) v128.store(right + at, v128.or(acc, nan));
    }
  }
}

/**
 * Masks of all tests of one categorical feature: an OR over the categories that occur in the block.
 *
 * @param at First row's code (f64; NaN is missing).
 * @param sets Bit sets of `words` words.
 * @param slots One byte a code, all zero before and after: where the code's mask is.
 * @param found Room for 128 masks and 128 codes.
 */
export function categories(
  at: usize,
  stride: usize,
  sets: usize,
  words: usize,
  count: i32,
  left: usize,
  right: usize,
  slots: usize,
  found: usize,
): void {
  const codes = found + (ROWS << 4);
  let distinct: usize = 0;
  let present = i64x2.splat(0);
  for (let row: usize = 0; row < ROWS; row++, at += stride) {
    const value = load<f64>(at);
    if (value != value) continue;
    const code = <usize>value;
    let slot = <usize>load<u8>(slots + code);
    if (slot == 0) {
      v128.store(found + (distinct << 4), i64x2.splat(0));
      store<u32>(codes + (distinct << 2), <u32>code);
      slot = ++distinct;
      store<u8>(slots + code, <u8>slot);
    }
    const mask = found + ((slot - 1) << 4) + (row >> 3);
    store<u8>(mask, load<u8>(mask) | (<u8>1 << <u8>(row & 7)));
  }
  for (let i: usize = 0; i < distinct; i++) {
    store<u8>(slots + <usize>load<u32>(codes + (i << 2)), 0);
    present = v128.or(present, v128.load(found + (i << 4)));
  }
  for (let set = 0; set < count; set++, sets += words << 2) {
    let acc = i64x2.splat(0);
    for (let i: usize = 0; i < distinct; i++) {
      const code = load<u32>(codes + (i << 2));
      const member = (load<u32>(sets + (<usize>(code >> 5) << 2)) >> (code & 31)) & 1;
      acc = v128.or(acc, v128.and(v128.load(found + (i << 4)), i32x4.splat(-<i32>member)));
    }
    const entry = <usize>(set + 1) << 4;
    if (left != 0) v128.store(left + entry, v128.andnot(present, acc));
    if (right != 0) v128.store(right + entry, v128.not(acc));
  }
}

/** Bit `select` in each byte whose row's bit is set in a mask; `rows` picks the mask's bytes. */
// @ts-ignore: decorator
@inline
function spread(mask: v128, rows: v128, select: v128): v128 {
  const bits = i8x16(1, 2, 4, 8, 16, 32, 64, -128, 1, 2, 4, 8, 16, 32, 64, -128);
  return v128.and(i8x16.eq(v128.and(i8x16.swizzle(mask, rows), bits), bits), select);
}

/** Adds four float32 leaves, named by the bytes of `q`. */
// @ts-ignore: decorator
@inline
function add4(out: usize, leaves: usize, q: u32): void {
  let v = v128.load32_zero(leaves + (<usize>(q & 255) << 2));
  v = v128.load32_lane(leaves + (<usize>((q >> 8) & 255) << 2), v, 1);
  v = v128.load32_lane(leaves + (<usize>((q >> 16) & 255) << 2), v, 2);
  v = v128.load32_lane(leaves + (<usize>(q >> 24) << 2), v, 3);
  v128.store(out, f32x4.add(v128.load(out), v));
}

/** Adds two float64 leaves, named by the low bytes of `q`. */
// @ts-ignore: decorator
@inline
function add2(out: usize, leaves: usize, q: u32): void {
  const v = v128.load64_zero(leaves + (<usize>(q & 255) << 3));
  const w = v128.load64_lane(leaves + (<usize>((q >> 8) & 255) << 3), v, 1);
  v128.store(out, f64x2.add(v128.load(out), w));
}

/**
 * Adds a tree's leaves to all rows.
 *
 * @param planes Mask of each bit of the leaf number, lowest first.
 * @param width 0: float32 sums; 1: float64 sums; more: vectors of so many float64.
 */
// @ts-ignore: decorator
@inline
function addLeaves(planes: usize, bits: i32, leaves: usize, width: i32, out: usize): void {
  let rows = i8x16(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1);
  const index = planes + 256;
  for (let group = 0; group < 8; group++) {
    let leaf = i64x2.splat(0);
    let select: i32 = 1;
    for (let b = 0; b < bits; b++) {
      leaf = v128.or(leaf, spread(v128.load(planes + (<usize>b << 4)), rows, i8x16.splat(<i8>select)));
      select <<= 1;
    }
    rows = i8x16.add(rows, i8x16.splat(2));
    v128.store(index, leaf);
    if (width == 1) {
      for (let half: usize = 0; half < 16; half += 8) {
        const q = load<u64>(index + half);
        add2(out, leaves, <u32>q);
        add2(out + 16, leaves, <u32>(q >> 16));
        add2(out + 32, leaves, <u32>(q >> 32));
        add2(out + 48, leaves, <u32>(q >> 48));
        out += 64;
      }
    } else if (width == 0) {
      for (let half: usize = 0; half < 16; half += 8) {
        const q = load<u64>(index + half);
        add4(out, leaves, <u32>q);
        add4(out + 16, leaves, <u32>(q >> 32));
        out += 32;
      }
    } else {
      const bytes = <usize>width << 3;
      for (let row: usize = 0; row < 16; row++) {
        const from = leaves + <usize>load<u8>(index + row) * bytes;
        for (let k: usize = 0; k < bytes; k += 8) {
          store<f64>(out + k, load<f64>(out + k) + load<f64>(from + k));
        }
        out += bytes;
      }
    }
  }
}

/**
 * Trees padded to heaps of `depth` levels: u32 mask of each slot from 1 on, `2 ** depth` leaves.
 *
 * @param masks Room for `2 ** depth` masks.
 * @param planes Room for 8 masks, and one more 256 bytes on.
 */
export function heaps(
  tests: usize,
  leaves: usize,
  depth: i32,
  count: i32,
  width: i32,
  masks: usize,
  planes: usize,
  out: usize,
): void {
  const span: usize = 1 << depth;
  const leafBytes = span * (width == 0 ? 4 : <usize>width << 3);
  v128.store(masks + 16, i64x2.splat(-1));
  for (let tree = 0; tree < count; tree++) {
    let test = tests + 4;
    let from = masks + 16;
    let to = masks + 32;
    for (let level = 0; level < depth - 1; level++) {
      let acc = i64x2.splat(0);
      for (const end = from + (<usize>16 << level); from < end; from += 16) {
        const all = v128.load(from);
        const right = v128.and(all, v128.load(<usize>load<u32>(test)));
        v128.store(to, v128.xor(all, right));
        v128.store(to + 16, right);
        acc = v128.or(acc, right);
        to += 32;
        test += 4;
      }
      v128.store(planes + (<usize>(depth - 1 - level) << 4), acc);
    }
    if (depth > 0) {
      // The masks of leaves are not needed: only which rows turn right above them.
      let acc = i64x2.splat(0);
      for (const end = from + (<usize>16 << (depth - 1)); from < end; from += 16) {
        acc = v128.or(acc, v128.and(v128.load(from), v128.load(<usize>load<u32>(test))));
        test += 4;
      }
      v128.store(planes, acc);
    }
    addLeaves(planes, depth, leaves, width, out);
    tests += span << 2;
    leaves += leafBytes;
  }
}

/**
 * Trees of any shape with at most 256 leaves. Header: u32 first node, u32 inner nodes, u32 leaves,
 * u32 bits of a leaf number. Node: u32 mask, u16 place of its left and of its right child's mask.
 *
 * @param masks Room for `room` masks of leaves, then those of inner nodes in preorder.
 */
export function trees(
  header: usize,
  count: i32,
  width: i32,
  masks: usize,
  room: usize,
  planes: usize,
  out: usize,
): void {
  const inner = masks + (room << 4);
  for (const end = header + (<usize>count << 4); header < end; header += 16) {
    let node = <usize>load<u32>(header);
    const numNodes = <usize>load<u32>(header, 4);
    const bits = load<i32>(header, 12);
    v128.store(inner, i64x2.splat(-1));
    for (let i = numNodes + 1, all: usize = 1 << bits; i < all; i++) {
      v128.store(masks + (i << 4), i64x2.splat(0));
    }
    for (let at = inner, last = inner + (numNodes << 4); at < last; at += 16) {
      const all = v128.load(at);
      const right = v128.and(all, v128.load(<usize>load<u32>(node)));
      v128.store(masks + (<usize>load<u16>(node, 4) << 4), v128.xor(all, right));
      v128.store(masks + (<usize>load<u16>(node, 6) << 4), right);
      node += 8;
    }
    // Halve the leaves bit by bit: odd ones make the bit's plane.
    for (let b = 0; b < bits; b++) {
      let acc = i64x2.splat(0);
      let to = masks;
      for (let at = masks, last = masks + (<usize>16 << (bits - b)); at < last; at += 32) {
        const odd = v128.load(at, 16);
        acc = v128.or(acc, odd);
        v128.store(to, v128.or(v128.load(at), odd));
        to += 16;
      }
      v128.store(planes + (<usize>b << 4), acc);
    }
    addLeaves(planes, bits, <usize>load<u32>(header, 8), width, out);
  }
}
