/**
 * Walks of a row from root to leaf, eight trees in step. A row is codes by then, the ranks of its values.
 *
 * All pointers are byte offsets into the imported memory, laid out by src/model/score/walks.ts.
 */

import { NUMBER, rankAt } from "./rank";

/**
 * Codes of a row: the rank of each number among its feature's cuts, for either side of missing values,
 * which are below or above every rank. A code is u32 and stands as far to the left as keys in nodes.
 *
 * @param large Whether nodes take 8 bytes.
 */
export function encode(
  x: usize, descriptors: usize, count: i32, codes: usize, large: i32,
): void {
  for (const end = descriptors + <usize>count * NUMBER; descriptors < end; descriptors += NUMBER) {
    const value = load<f64>(x + (<usize>load<u32>(descriptors) << 3));
    let left: u32 = 0;
    let right: u32 = large ? 65535 : 256; // above all keys
    if (value == value) {
      left = right = <u32>(rankAt(descriptors, value) >> 4);
    }
    store<u32>(codes, left << shiftOf(large));
    store<u32>(codes, right << shiftOf(large), 4);
    codes += 8;
  }
}

/** How far to the left codes stand. */
// @ts-ignore: decorator
@inline
function shiftOf(large: i32): i32 {
  return large ? 16 : 10;
}

/** Codes of the category sets of a row: `width` bytes from `line` on, to places as in `encode`. */
export function encodeSets(line: usize, width: i32, codes: usize, large: i32): void {
  for (const end = line + <usize>width; line < end; line++, codes += 4) {
    store<u32>(codes, <u32>load<u8>(line) << shiftOf(large));
  }
}

/**
 * One step down: how many nodes to go on. A node is, from its low bits on: 1 at a leaf, a slot, the
 * largest code less its key, and the distance to its left child, next to which is the right one. Adding
 * the row's code carries into the distance where it is above the key: then it is the right child's.
 * Leaves ask a slot whose code is 0: they stay where they are, or go on to another tree.
 *
 * Nodes of 4 bytes: 2 and 8 bits, 8 bits, 14 bits. Of 8 bytes: 1 and 15, 16 and 32 bits. Codes go to one
 * above the largest key, 256 where keys have 8 bits: even then the sum carries only once.
 */
// @ts-ignore: decorator
@inline
function step<N>(n: N, codes: usize): usize {
  if (sizeof<N>() == 4) {
    return <usize>((<u32>n + load<u32>(codes + (<usize>n & 1020))) >> 18) << 2;
  }
  return <usize>((<u64>n + <u64>load<u32>(codes + ((<usize>n & 65534) << 1))) >> 32) << 3;
}

/** A step of a way through many trees: notes where it is, and keeps that at a leaf. */
// @ts-ignore: decorator
@inline
function record(n: u32, node: usize, to: usize): usize {
  store<u32>(to, <u32>node);
  return to + (<usize>(n & 1) << 5);
}

/**
 * Walks from 8 roots in step.
 *
 * Of trees `depth` levels, the places where they end to `ends` and on. Or, where that is 0, 8 ways through
 * many trees, each through every eighth one: a leaf leads to the root of the next, the last to a node that
 * leads nowhere, so that no tree waits for another's longer way. They end at `ends + 32` and on.
 */
// @ts-ignore: decorator
@inline
function walk8(large: i32, roots: usize, codes: usize, depth: i32, ends: usize): void {
  let a = <usize>load<u32>(roots);
  let b = <usize>load<u32>(roots, 4);
  let c = <usize>load<u32>(roots, 8);
  let d = <usize>load<u32>(roots, 12);
  let e = <usize>load<u32>(roots, 16);
  let f = <usize>load<u32>(roots, 20);
  let g = <usize>load<u32>(roots, 24);
  let h = <usize>load<u32>(roots, 28);
  if (depth == 0) {
    let aTo = ends + 32;
    let bTo = ends + 36;
    let cTo = ends + 40;
    let dTo = ends + 44;
    let eTo = ends + 48;
    let fTo = ends + 52;
    let gTo = ends + 56;
    let hTo = ends + 60;
    let n: u64;
    for (let sum: usize = 0, before: usize = 1; sum != before;) {
      before = sum;
      n = load<u64>(a);
      aTo = record(<u32>n, a, aTo);
      a += step<u64>(n, codes);
      n = load<u64>(b);
      bTo = record(<u32>n, b, bTo);
      b += step<u64>(n, codes);
      n = load<u64>(c);
      cTo = record(<u32>n, c, cTo);
      c += step<u64>(n, codes);
      n = load<u64>(d);
      dTo = record(<u32>n, d, dTo);
      d += step<u64>(n, codes);
      n = load<u64>(e);
      eTo = record(<u32>n, e, eTo);
      e += step<u64>(n, codes);
      n = load<u64>(f);
      fTo = record(<u32>n, f, fTo);
      f += step<u64>(n, codes);
      n = load<u64>(g);
      gTo = record(<u32>n, g, gTo);
      g += step<u64>(n, codes);
      n = load<u64>(h);
      hTo = record(<u32>n, h, hTo);
      h += step<u64>(n, codes);
      // Nodes only move up: their sum stays where none has moved.
      sum = a + b + c + d + e + f + g + h;
    }
  } else if (large) {
    for (; depth > 0; depth--) {
      a += step<u64>(load<u64>(a), codes);
      b += step<u64>(load<u64>(b), codes);
      c += step<u64>(load<u64>(c), codes);
      d += step<u64>(load<u64>(d), codes);
      e += step<u64>(load<u64>(e), codes);
      f += step<u64>(load<u64>(f), codes);
      g += step<u64>(load<u64>(g), codes);
      h += step<u64>(load<u64>(h), codes);
    }
  } else {
    for (; depth > 0; depth--) {
      a += step<u32>(load<u32>(a), codes);
      b += step<u32>(load<u32>(b), codes);
      c += step<u32>(load<u32>(c), codes);
      d += step<u32>(load<u32>(d), codes);
      e += step<u32>(load<u32>(e), codes);
      f += step<u32>(load<u32>(f), codes);
      g += step<u32>(load<u32>(g), codes);
      h += step<u32>(load<u32>(h), codes);
    }
  }
  store<u32>(ends, <u32>a);
  store<u32>(ends, <u32>b, 4);
  store<u32>(ends, <u32>c, 8);
  store<u32>(ends, <u32>d, 12);
  store<u32>(ends, <u32>e, 16);
  store<u32>(ends, <u32>f, 20);
  store<u32>(ends, <u32>g, 24);
  store<u32>(ends, <u32>h, 28);
}

/**
 * Adds leaves to one row.
 *
 * @param ends Nodes where the trees end; the value of a node is at `values + (node << up)`, a number or
 * the address of a vector.
 * @param width 0: float32; 1: float64; more: vectors of so many float64; less than 0: vectors of so
 * many, summed in float32.
 */
function addValues(ends: usize, last: usize, values: usize, up: usize, width: i32, out: usize): void {
  if (width == 0) {
    let sum = <f32>load<f64>(out);
    for (; ends < last; ends += 4) sum += load<f32>(values + (<usize>load<u32>(ends) << up));
    store<f64>(out, <f64>sum);
  } else if (width == 1) {
    let sum = load<f64>(out);
    for (; ends < last; ends += 4) sum += load<f64>(values + (<usize>load<u32>(ends) << up));
    store<f64>(out, sum);
  } else {
    const bytes = <usize>abs(width) << 3;
    for (; ends < last; ends += 4) {
      const from = <usize>load<u32>(values + (<usize>load<u32>(ends) << up));
      for (let k: usize = 0; k < bytes; k += 8) {
        const sum = load<f64>(out + k) + load<f64>(from + k);
        store<f64>(out + k, width < 0 ? <f64><f32>sum : sum);
      }
    }
  }
}

/**
 * Adds trees to one row.
 *
 * @param pieces Trees of one output: u32 address of their roots (of ways: the first 8), u32 number of
 * trees, u32 place of the output from `out` on.
 * @param depth Levels of the trees; 0: they are ways through many trees.
 * @param ends Room for 8 nodes, and of ways for 24 more than the largest piece has trees.
 */
export function walkRow(
  large: i32, pieces: usize, numPieces: i32, codes: usize, depth: i32, ends: usize,
  values: usize, up: usize, width: i32, out: usize,
): void {
  for (const last = pieces + <usize>numPieces * 12; pieces < last; pieces += 12) {
    let roots = <usize>load<u32>(pieces);
    const count = load<i32>(pieces, 4);
    const to = out + <usize>load<u32>(pieces, 8);
    const part = depth == 0 ? count : 8;
    // The last walk may take roots that are not the piece's, and leaves their values alone.
    for (let left = count; left > 0; left -= part, roots += 32) {
      walk8(large, roots, codes, depth, ends);
      const from = depth == 0 ? ends + 32 : ends;
      addValues(from, from + (<usize>min(left, part) << 2), values, up, width, to);
    }
  }
}
