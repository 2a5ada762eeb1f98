/**
 * Walks of a row from root to leaf, eight trees in step. A row is codes by then, the ranks of its values.
 *
 * All pointers are byte offsets into the imported memory, laid out by src/model/score/walks.ts.
 */

import { NUMBER, rankAt } from "./rank";

/**
 * Codes of a row: the rank of each number among its feature's cuts, for either side of missing values,
 * which are below or above every rank. A code is u32 and stands `shift` bits to the left, as in nodes.
 *
 * @param most Code above all keys.
 */
export function encode(
  x: usize, descriptors: usize, count: i32, codes: usize, shift: i32, most: u32,
): void {
  for (const end = descriptors + <usize>count * NUMBER; descriptors < end; descriptors += NUMBER) {
    const value = load<f64>(x + (<usize>load<u32>(descriptors) << 3));
    let left: u32 = 0;
    let right: u32 = most;
    if (value == value) {
      left = right = <u32>(rankAt(descriptors, value) >> 4);
    }
    store<u32>(codes, left << shift);
    store<u32>(codes, right << shift, 4);
    codes += 8;
  }
}

/** Codes of the category sets of a row: `width` bytes from `line` on, to places as in `encode`. */
export function encodeSets(line: usize, width: i32, codes: usize, shift: i32): void {
  for (const end = line + <usize>width; line < end; line++, codes += 4) {
    store<u32>(codes, <u32>load<u8>(line) << shift);
  }
}

/**
 * One step down: how many nodes to go on, 0 at a leaf. A node is, from its low bits on: a slot, the
 * largest code less its key, and the distance to its left child, next to which is the right one. Adding
 * the row's code carries into the distance where it is above the key: then it is the right child's.
 * Leaves ask a slot whose code is 0 and have distance 0.
 *
 * Nodes of 4 bytes: 10 bits (4 · slot), 8 bits, 14 bits. Of 8 bytes: 16, 16 and 32 bits. Codes go to one
 * above the largest key, 256 where keys have 8 bits: even then the sum carries only once.
 */
// @ts-ignore: decorator
@inline
function step<N>(node: usize, codes: usize): usize {
  const n = load<N>(node);
  if (sizeof<N>() == 4) {
    return <usize>((<u32>n + load<u32>(codes + (<usize>n & 1023))) >> 18);
  }
  return <usize>((<u64>n + <u64>load<u32>(codes + ((<usize>n & 65535) << 2))) >> 32);
}

/** Walks from 8 nodes in step: `sure` levels down, then up to `more` until none moves. */
// @ts-ignore: decorator
@inline
function walk8<N>(from: usize, codes: usize, sure: i32, more: i32, ends: usize): void {
  let a = <usize>load<u32>(from);
  let b = <usize>load<u32>(from, 4);
  let c = <usize>load<u32>(from, 8);
  let d = <usize>load<u32>(from, 12);
  let e = <usize>load<u32>(from, 16);
  let f = <usize>load<u32>(from, 20);
  let g = <usize>load<u32>(from, 24);
  let h = <usize>load<u32>(from, 28);
  for (; sure > 0; sure--) {
    a += step<N>(a, codes) * sizeof<N>();
    b += step<N>(b, codes) * sizeof<N>();
    c += step<N>(c, codes) * sizeof<N>();
    d += step<N>(d, codes) * sizeof<N>();
    e += step<N>(e, codes) * sizeof<N>();
    f += step<N>(f, codes) * sizeof<N>();
    g += step<N>(g, codes) * sizeof<N>();
    h += step<N>(h, codes) * sizeof<N>();
  }
  // Nodes only move up: their sum stays where none has moved.
  let sum = a + b + c + d + e + f + g + h;
  for (let before: usize = 0; more > 0 && sum != before; more--) {
    before = sum;
    a += step<N>(a, codes) * sizeof<N>();
    b += step<N>(b, codes) * sizeof<N>();
    c += step<N>(c, codes) * sizeof<N>();
    d += step<N>(d, codes) * sizeof<N>();
    e += step<N>(e, codes) * sizeof<N>();
    f += step<N>(f, codes) * sizeof<N>();
    g += step<N>(g, codes) * sizeof<N>();
    h += step<N>(h, codes) * sizeof<N>();
    sum = a + b + c + d + e + f + g + h;
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
    let sum = load<f32>(out);
    for (; ends < last; ends += 4) sum += load<f32>(values + (<usize>load<u32>(ends) << up));
    store<f32>(out, sum);
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
 * Adds trees to one row. Groups, one an output: u32 address of the roots, u32 number of trees.
 *
 * @param ends Room for 8 nodes.
 * @param sure Levels that are walked without asking whether all are at leaves; `more` those after.
 */
export function walkRow(
  large: i32, groups: usize, numGroups: i32, codes: usize, sure: i32, more: i32, ends: usize,
  values: usize, up: usize, width: i32, out: usize,
): void {
  const bytes: usize = width == 0 ? 4 : 8;
  for (const last = groups + (<usize>numGroups << 3); groups < last; groups += 8, out += bytes) {
    let roots = <usize>load<u32>(groups);
    // The last walk may take roots that are not the group's, and leaves their values alone.
    for (let left = load<i32>(groups, 4); left > 0; left -= 8, roots += 32) {
      if (large) walk8<u64>(roots, codes, sure, more, ends);
      else walk8<u32>(roots, codes, sure, more, ends);
      addValues(ends, ends + (<usize>min(left, 8) << 2), values, up, width, out);
    }
  }
}
