/**
 * Walks of a row from root to leaf, eight trees in step. A row is codes by then, the ranks of its values.
 *
 * All pointers are byte offsets into the imported memory, laid out by src/model/score/walks.ts.
 */

import { NUMBER, rankAt } from "./rank";

/** Where the codes of the row that is walked are: an address in the instruction saves another one. */
const CODES: usize = 64;

/**
 * Codes of a row: the rank of each number among its feature's cuts, for either side of missing values,
 * which are below or above every rank. A code is u32 and stands as far to the left as keys in nodes.
 *
 * @param large Whether nodes take 8 bytes.
 */
export function encode(
  x: usize, descriptors: usize, count: i32, codes: usize, large: i32,
): void {
  const shift = shiftOf(large);
  const above: u64 = large ? 65535 : 256; // above all keys
  for (const end = descriptors + <usize>count * NUMBER; descriptors < end; descriptors += NUMBER) {
    const at = x + (<usize>load<u32>(descriptors) << 3);
    const value = v128.load64_zero(at);
    const code = <u64>(rankAt(descriptors, at) >> 4);
    // No branch: which values are missing is not to be foreseen.
    const missing = <u64>i64x2.extract_lane(f64x2.ne(value, value), 0);
    store<u64>(codes, (code | (code | (missing & above)) << 32) << shift);
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
 * Leaves ask a slot whose code is 0: they stay where they are.
 *
 * Nodes of 4 bytes: 2 and 8 bits, 8 bits, 14 bits. Of 8 bytes: 1 and 15, 16 and 32 bits. Codes go to one
 * above the largest key, 256 where keys have 8 bits: even then the sum carries only once.
 */
// @ts-ignore: decorator
@inline
function step<N>(n: N): usize {
  if (sizeof<N>() == 4) {
    return <usize>((<u32>n + load<u32>(<usize>n & 1020, CODES)) >> 18) << 2;
  }
  return <usize>((<u64>n + <u64>load<u32>((<usize>n & 65534) << 1, CODES)) >> 32) << 3;
}

/** Goes `depth` levels down from 8 nodes in step. */
// @ts-ignore: decorator
@inline
function walk8<N>(roots: usize, nodes: usize, depth: i32): void {
  let a = <usize>load<u32>(roots);
  let b = <usize>load<u32>(roots, 4);
  let c = <usize>load<u32>(roots, 8);
  let d = <usize>load<u32>(roots, 12);
  let e = <usize>load<u32>(roots, 16);
  let f = <usize>load<u32>(roots, 20);
  let g = <usize>load<u32>(roots, 24);
  let h = <usize>load<u32>(roots, 28);
  for (; depth > 0; depth--) {
    a += step<N>(load<N>(a));
    b += step<N>(load<N>(b));
    c += step<N>(load<N>(c));
    d += step<N>(load<N>(d));
    e += step<N>(load<N>(e));
    f += step<N>(load<N>(f));
    g += step<N>(load<N>(g));
    h += step<N>(load<N>(h));
  }
  store<u32>(nodes, <u32>a);
  store<u32>(nodes, <u32>b, 4);
  store<u32>(nodes, <u32>c, 8);
  store<u32>(nodes, <u32>d, 12);
  store<u32>(nodes, <u32>e, 16);
  store<u32>(nodes, <u32>f, 20);
  store<u32>(nodes, <u32>g, 24);
  store<u32>(nodes, <u32>h, 28);
}

/**
 * Goes down to the leaves, however far they are: two levels from each node that is no leaf yet, then again.
 * The places of such nodes are kept in a list.
 */
// @ts-ignore: decorator
@inline
function walkOn<N>(nodes: usize, end: usize, list: usize): void {
  let last = list;
  for (; nodes < end; nodes += 4, last += 4) store<u32>(last, <u32>nodes);
  for (;;) {
    // Apart from the steps: where to write is known only after them, and reading would wait for it.
    let to = list;
    for (let at = list; at < last; at += 4) {
      const place = <usize>load<u32>(at);
      store<u32>(to, <u32>place);
      to += (~load<u32>(<usize>load<u32>(place)) & 1) << 2;
    }
    if (to == list) return;
    last = to;
    for (let at = list; at < last; at += 4) {
      const place = <usize>load<u32>(at);
      let node = <usize>load<u32>(place);
      node += step<N>(load<N>(node));
      node += step<N>(load<N>(node));
      store<u32>(place, <u32>node);
    }
  }
}

/**
 * Adds leaves to one row.
 *
 * @param ends Nodes where the trees end; the value of a node is at `values + (node << up)`, a number or
 * the address of a vector.
 * @param width 0: float32; 1: float64; more: vectors of so many float64; less than 0: vectors of so
 * many, summed in float32.
 */
export function addValues(ends: usize, last: usize, values: usize, up: usize, width: i32, out: usize): void {
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
 * @param pieces Trees of one output: u32 address of their roots, u32 number of trees, u32 place of the
 * output from `out` on. The last walk may take roots that are not the piece's.
 * @param codes Codes of the row, `room` bytes, a multiple of 16; at `CODES`, or they are copied there.
 * @param depth Levels that are walked in step.
 * @param list Room for a list of the nodes of the largest piece where leaves may be further, or 0.
 * @param ends Room for as many nodes, and for 7 more.
 */
export function walkRow(
  large: i32, pieces: usize, numPieces: i32, codes: usize, room: usize, depth: i32, ends: usize,
  list: usize, values: usize, up: usize, width: i32, out: usize,
): void {
  if (codes != CODES) {
    for (let at: usize = 0; at < room; at += 16) v128.store(CODES + at, v128.load(codes + at));
  }
  for (const end = pieces + <usize>numPieces * 12; pieces < end; pieces += 12) {
    let roots = <usize>load<u32>(pieces);
    const to = ends + (<usize>max(load<i32>(pieces, 4), 0) << 2);
    for (let at = ends; at < to; at += 32, roots += 32) {
      if (large) walk8<u64>(roots, at, depth);
      else walk8<u32>(roots, at, depth);
    }
    if (list) {
      if (large) walkOn<u64>(ends, to, list);
      else walkOn<u32>(ends, to, list);
    }
    // Not 8 by 8: the sum would go to memory and back each time.
    addValues(ends, to, values, up, width, out + <usize>load<u32>(pieces, 8));
  }
}
