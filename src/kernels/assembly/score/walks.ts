/**
 * Walks from root to leaf, eight in step: eight trees of one row, or eight rows of one tree. A row is
 * codes by then, the ranks of its values.
 *
 * All pointers are byte offsets into the imported memory, laid out by src/model/walks.ts.
 */

import { NUMBER, rank } from "./rank";

/**
 * Codes of a row: the rank of each number among its feature's cuts, for either side of missing values,
 * which are below or above every rank. Codes are u16 of 8 lanes: the row's own, or with `lane` < 0 all.
 */
export function encode(x: usize, descriptors: usize, count: i32, codes: usize, lane: i32): void {
  for (const end = descriptors + <usize>count * NUMBER; descriptors < end; descriptors += NUMBER) {
    const value = load<f64>(x + (<usize>load<u32>(descriptors) << 3));
    let left: u32 = 0;
    let right: u32 = 0xffff;
    if (value == value) {
      const place = (<f32>value - load<f32>(descriptors, 32)) * load<f32>(descriptors, 36);
      const inside = select<f32>(min<f32>(place, 511), 0, place > 0);
      const cell = reinterpret<u32>(inside + 8388608) & 511;
      const at = rank(
        <usize>load<u32>(descriptors, 4),
        <usize>load<u32>(descriptors, 24),
        <usize>load<u32>(descriptors, 8),
        cell,
        value,
      );
      left = right = <u32>(at >> 4);
    }
    if (lane < 0) {
      v128.store(codes, i16x8.splat(<i16>left));
      v128.store(codes, i16x8.splat(<i16>right), 16);
    } else {
      const to = codes + (<usize>lane << 1);
      store<u16>(to, <u16>left);
      store<u16>(to, <u16>right, 16);
    }
    codes += 32;
  }
}

/** Codes of the category sets of a row: `width` bytes from `line` on, to lanes as in `encode`. */
export function encodeSets(line: usize, width: i32, codes: usize, lane: i32): void {
  for (const end = line + <usize>width; line < end; line++) {
    const right = <u16>load<u8>(line);
    if (lane < 0) v128.store(codes, i16x8.splat(<i16>right));
    else store<u16>(codes + (<usize>lane << 1), right);
    codes += 16;
  }
}

/**
 * One step down. A node is a slot, a key, and the distance to its left child in nodes, next to which
 * is the right one: taken when the lane's code is above the key. Leaves ask a slot that is 0 and have
 * distance 0.
 */
// @ts-ignore: decorator
@inline
function step<S, D>(node: usize, codes: usize): usize {
  const right = <usize>(load<u16>(codes + (<usize>load<S>(node) << 4)) > <u16>load<S>(node, sizeof<S>()));
  return node + (<usize>load<D>(node, 2 * sizeof<S>()) + right) * (2 * sizeof<S>() + sizeof<D>());
}

// @ts-ignore: decorator
@inline
function distance<S, D>(node: usize): u32 {
  return <u32>load<D>(node, 2 * sizeof<S>());
}

/** Walks from 8 nodes in step, one a lane. */
// @ts-ignore: decorator
@inline
function walk8<S, D>(from: usize, codes: usize, ends: usize): void {
  let a = <usize>load<u32>(from);
  let b = <usize>load<u32>(from, 4);
  let c = <usize>load<u32>(from, 8);
  let d = <usize>load<u32>(from, 12);
  let e = <usize>load<u32>(from, 16);
  let f = <usize>load<u32>(from, 20);
  let g = <usize>load<u32>(from, 24);
  let h = <usize>load<u32>(from, 28);
  do {
    a = step<S, D>(a, codes);
    b = step<S, D>(b, codes + 2);
    c = step<S, D>(c, codes + 4);
    d = step<S, D>(d, codes + 6);
    e = step<S, D>(e, codes + 8);
    f = step<S, D>(f, codes + 10);
    g = step<S, D>(g, codes + 12);
    h = step<S, D>(h, codes + 14);
  } while (
    distance<S, D>(a) | distance<S, D>(b) | distance<S, D>(c) | distance<S, D>(d) |
    distance<S, D>(e) | distance<S, D>(f) | distance<S, D>(g) | distance<S, D>(h)
  );
  store<u32>(ends, <u32>a);
  store<u32>(ends, <u32>b, 4);
  store<u32>(ends, <u32>c, 8);
  store<u32>(ends, <u32>d, 12);
  store<u32>(ends, <u32>e, 16);
  store<u32>(ends, <u32>f, 20);
  store<u32>(ends, <u32>g, 24);
  store<u32>(ends, <u32>h, 28);
}

function walk(large: i32, from: usize, codes: usize, ends: usize): void {
  if (large) walk8<u16, u32>(from, codes, ends);
  else walk8<u8, u16>(from, codes, ends);
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
 * Adds `count` trees to one row, whose codes are in all lanes.
 *
 * @param roots Addresses of nodes; 8 may be read where there is one.
 * @param ends Room for as many.
 */
export function walkRow(
  large: i32, roots: usize, count: i32, codes: usize, ends: usize,
  values: usize, up: usize, width: i32, out: usize,
): void {
  const last = ends + (<usize>count << 2);
  for (let to = ends; to < last; to += 32) {
    walk(large, roots, codes, to);
    roots += 32;
  }
  addValues(ends, last, values, up, width, out);
}

/** Adds `count` trees to groups of 8 rows, whose codes are `room` bytes apart. */
export function walkRows(
  large: i32, roots: usize, count: i32, codes: usize, ends: usize,
  values: usize, up: usize, width: i32, out: usize, groups: i32, room: usize,
): void {
  const bytes: usize = width == 0 ? 4 : <usize>abs(width) << 3;
  for (const last = roots + (<usize>count << 2); roots < last; roots += 4) {
    const root = v128.load32_splat(roots);
    let at = codes;
    let to = out;
    for (let group = 0; group < groups; group++, at += room) {
      v128.store(ends, root);
      v128.store(ends, root, 16);
      walk(large, ends, at, ends);
      for (let end = ends; end < ends + 32; end += 4, to += bytes) {
        addValues(end, end + 4, values, up, width, to);
      }
    }
  }
}
