/**
 * Bit-sliced scoring of 128 rows at once: a row is one bit of a 128-bit mask.
 *
 * First every test that occurs in the ensemble gets its mask of rows that go right (`numbers`,
 * `categories`); then each tree carries masks from its root to its leaves, two instructions a node
 * for all rows, and the masks of the levels are turned into leaf numbers by byte shuffles.
 *
 * All pointers are byte offsets into the imported memory, laid out by src/model/score/sliced.ts. Compiled by
 * tools/build_kernels.ts.
 */

import { addLeaves, CHUNK, numberLeaves, ROWS } from "./leaves";
import { NUMBER, rank, WHOLE } from "./rank";

/**
 * Masks of all tests of numeric features.
 *
 * Descriptor: u32 feature, u32 cuts (f64, padded with infinity), u32 half (bytes of the first search
 * step), u32 count, u32 left, u32 right (masks for either side of missing values, 0 for none; entry 0
 * is unused), u32 grid (u16 first cut of each cell), f32 last cell, f32 low, f32 scale.
 *
 * @param ranks Room for a mask a rank of the feature with most; all zero but the first, before and after.
 */
export function numbers(
  x: usize, stride: usize, descriptors: usize, count: i32, missing: usize, ranks: usize,
): void {
  const zero = f32x4.splat(0);
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
    const last = v128.load32_splat(descriptors, 28);
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
        const r0 = rank(cuts, grid, half, i32x4.extract_lane(cell, 0) & WHOLE, load<f64>(at));
        const r1 = rank(cuts, grid, half, i32x4.extract_lane(cell, 1) & WHOLE, load<f64>(at1));
        const r2 = rank(cuts, grid, half, i32x4.extract_lane(cell, 2) & WHOLE, load<f64>(at2));
        const r3 = rank(cuts, grid, half, i32x4.extract_lane(cell, 3) & WHOLE, load<f64>(at3));
        const bit: u32 = 1 << nibble;
        const to = ranks + byte;
        store<u8>(to + r0, load<u8>(to + r0) | bit);
        store<u8>(to + r1, load<u8>(to + r1) | (bit << 1));
        store<u8>(to + r2, load<u8>(to + r2) | (bit << 2));
        store<u8>(to + r3, load<u8>(to + r3) | (bit << 3));
        at = at3 + stride;
      }
      store<u8>(missing + byte, nan);
    }
    const to = left != 0 ? left : right;
    const toRight = right != 0 ? right : left;
    const nan = v128.and(v128.load(missing), i32x4.splat(-i32(right != 0)));
    let acc = i64x2.splat(0);
    for (let at = size; at > 0; at -= 16) {
      acc = v128.or(acc, v128.load(ranks + at));
      v128.store(ranks + at, zero);
      v128.store(to + at, acc);
      v128.store(toRight + at, v128.or(acc, nan));
    }
  }
}

/** Which of four categories a set at `at` has, times 16. */
// @ts-ignore: decorator
@inline
function members(at: usize, shift: u32): usize {
  return (<usize>load<u8>(at) << shift) & 0xf0;
}

/**
 * Masks of all tests of one categorical feature: an OR over the categories that occur in the block.
 * Categories are taken by four, whose sixteen sets have a table of masks: a test looks once for each four
 * of which one occurs.
 *
 * @param at First row's code (f64; NaN is missing).
 * @param sets Bit sets of `words` words.
 * @param slots One byte for four codes, all zero before and after: where their table is.
 * @param found Room for 128 tables of 16 masks and for 128 numbers of four, all zero before and after.
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
  const fours = found + (ROWS << 8);
  words <<= 2;
  let distinct: usize = 0;
  let present = i64x2.splat(0);
  for (let row: usize = 0; row < ROWS; row++, at += stride) {
    const value = load<f64>(at);
    if (value != value) continue;
    const code = <usize>value;
    const four = code >> 2;
    let slot = <usize>load<u8>(slots + four);
    if (slot == 0) {
      store<u32>(fours + (distinct << 2), <u32>four);
      slot = ++distinct;
      store<u8>(slots + four, <u8>slot);
    }
    const mask = found + ((slot - 1) << 8) + (<usize>16 << (code & 3)) + (row >> 3);
    store<u8>(mask, load<u8>(mask) | (<u8>1 << <u8>(row & 7)));
  }
  for (let i: usize = 0; i < distinct; i++) {
    store<u8>(slots + <usize>load<u32>(fours + (i << 2)), 0);
    const table = found + (i << 8);
    // Entries are masks of sets: each is that of its lowest member and that of the others.
    for (let e: usize = 16; e < 256; e += 16) {
      v128.store(
        table + e,
        v128.or(v128.load(table + (e & (e - 16))), v128.load(table + (e & (0 - e)))),
      );
    }
    present = v128.or(present, v128.load(table, 240));
  }
  // Four tables at a time, whose places are then in registers.
  const raw = right != 0 ? right : left;
  let i: usize = 0;
  do {
    const table = found + (i << 8);
    const f0 = load<u32>(fours + (i << 2));
    const f1 = load<u32>(fours + (i << 2), 4);
    const f2 = load<u32>(fours + (i << 2), 8);
    const f3 = load<u32>(fours + (i << 2), 12);
    const b0 = f0 >> 1, s0 = (~f0 & 1) << 2;
    const b1 = f1 >> 1, s1 = (~f1 & 1) << 2;
    const b2 = f2 >> 1, s2 = (~f2 & 1) << 2;
    const b3 = f3 >> 1, s3 = (~f3 & 1) << 2;
    v128.store(fours + (i << 2), i64x2.splat(0));
    i += 4;
    let entry: usize = 0;
    for (let at = sets, end = sets + <usize>count * words; at < end; at += words) {
      entry += 16;
      let acc = v128.or(
        v128.or(v128.load(table + members(at + b0, s0)), v128.load(table + members(at + b1, s1), 256)),
        v128.or(v128.load(table + members(at + b2, s2), 512), v128.load(table + members(at + b3, s3), 768)),
      );
      if (i > 4) acc = v128.or(v128.load(raw + entry), acc);
      if (i < distinct) v128.store(raw + entry, acc);
      else {
        if (left != 0) v128.store(left + entry, v128.xor(acc, present));
        if (right != 0) v128.store(right + entry, v128.not(acc));
      }
    }
    for (let e: usize = 0; e < 1024; e += 16) v128.store(table + e, i64x2.splat(0));
  } while (i < distinct);
}

/**
 * Adds trees to the sums of all rows.
 *
 * Of trees padded to heaps of `depth` levels, at least 3, `at` is where u32 masks of each slot from 1 on
 * are, `2 ** depth` a tree, and `leaves` is where as many leaves of each are. Trees of any shape with at most 256
 * leaves have headers at `at`, and `depth` is 0: u32 first node, u32 inner nodes, u32 leaves, u32 bits of a leaf
 * number. Their nodes: u32 mask, u16 place of its left and of its right child's mask.
 *
 * @param masks Room for `2 ** depth` masks; or for 256 masks of leaves, then those of inner nodes in preorder.
 * @param chunk Room for 32 addresses and 32 numbers of leaves of all rows.
 */
export function trees(
  at: usize,
  leaves: usize,
  depth: i32,
  count: u32,
  width: i32,
  masks: usize,
  chunk: usize,
  out: usize,
): void {
  const span: usize = 1 << depth;
  const leafBytes = span * (width == 0 ? 4 : <usize>width << 3);
  const inner = masks + 4096;
  while (count > 0) {
    const some = min<u32>(<u32>CHUNK, count);
    count -= some;
    let planes = chunk + 4 * CHUNK;
    for (let tree: usize = 0; tree < some; tree++) {
      let bits = depth;
      if (depth) {
        v128.store(masks + 16, i64x2.splat(-1));
        let test = at + 4;
        let from = masks + 16;
        let to = masks + 32;
        for (let level = 0; level < depth - 3; level++) {
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
        // The three lowest levels at once, in registers: which rows turn right on each of them.
        let acc2 = i64x2.splat(0);
        let acc1 = i64x2.splat(0);
        let acc0 = i64x2.splat(0);
        let pair = at + span;
        let four = at + (span << 1);
        for (; from < to; from += 16) {
          const all = v128.load(from);
          const right = v128.and(all, v128.load(<usize>load<u32>(test)));
          const left = v128.xor(all, right);
          const leftRight = v128.and(left, v128.load(<usize>load<u32>(pair)));
          const rightRight = v128.and(right, v128.load(<usize>load<u32>(pair, 4)));
          acc2 = v128.or(acc2, right);
          acc1 = v128.or(acc1, v128.or(leftRight, rightRight));
          acc0 = v128.or(
            acc0,
            v128.or(
              v128.or(
                v128.and(v128.xor(left, leftRight), v128.load(<usize>load<u32>(four))),
                v128.and(leftRight, v128.load(<usize>load<u32>(four, 4))),
              ),
              v128.or(
                v128.and(v128.xor(right, rightRight), v128.load(<usize>load<u32>(four, 8))),
                v128.and(rightRight, v128.load(<usize>load<u32>(four, 12))),
              ),
            ),
          );
          test += 4;
          pair += 8;
          four += 16;
        }
        v128.store(planes, acc0);
        v128.store(planes, acc1, 16);
        v128.store(planes, acc2, 32);
        at += span << 2;
      } else {
        let node = <usize>load<u32>(at);
        const numNodes = <usize>load<u32>(at, 4);
        leaves = <usize>load<u32>(at, 8);
        bits = load<i32>(at, 12);
        v128.store(inner, i64x2.splat(-1));
        for (let i = numNodes + 1, all: usize = 1 << bits; i < all; i++) {
          v128.store(masks + (i << 4), i64x2.splat(0));
        }
        for (let from = inner, last = inner + (numNodes << 4); from < last; from += 16) {
          const all = v128.load(from);
          const right = v128.and(all, v128.load(<usize>load<u32>(node)));
          v128.store(masks + (<usize>load<u16>(node, 4) << 4), v128.xor(all, right));
          v128.store(masks + (<usize>load<u16>(node, 6) << 4), right);
          node += 8;
        }
        // Halve the leaves bit by bit: odd ones make the bit's plane.
        for (let b = 0; b < bits; b++) {
          let acc = i64x2.splat(0);
          let to = masks;
          for (let from = masks, last = masks + (<usize>16 << (bits - b)); from < last; from += 32) {
            const odd = v128.load(from, 16);
            acc = v128.or(acc, odd);
            v128.store(to, v128.or(v128.load(from), odd));
            to += 16;
          }
          v128.store(planes + (<usize>b << 4), acc);
        }
        at += 16;
      }
      numberLeaves(planes, bits);
      store<u32>(chunk + (tree << 2), <u32>leaves);
      planes += ROWS;
      leaves += leafBytes;
    }
    addLeaves(chunk, some, width, out);
  }
}
