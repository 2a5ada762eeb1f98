// Partition, leaf numbers, leaf sums, routing. Twin: ../../twin_rows.ts.

import { whole } from "./gradient";

export function partition8(records: usize, n: i32, out: usize, column: usize, table: usize): i32 {
  let left = out;
  let right = out + (<usize>n << 3) - 8;
  const end = records + (<usize>n << 3);
  for (let at = records; at < end; at += 8) {
    const record = load<u64>(at);
    const step = <usize>load<u8>(table + <usize>load<u8>(column + <usize>(<u32>record))) << 3;
    store<u64>(left, record);
    store<u64>(right, record);
    left += step;
    right = right - 8 + step;
  }
  return <i32>((left - out) >> 3);
}

export function partition16(records: usize, n: i32, out: usize, column: usize, table: usize): i32 {
  let left = out;
  let right = out + (<usize>n << 3) - 8;
  const end = records + (<usize>n << 3);
  for (let at = records; at < end; at += 8) {
    const record = load<u64>(at);
    const code = <usize>load<u16>(column + (<usize>(<u32>record) << 1));
    const step = <usize>load<u8>(table + code) << 3;
    store<u64>(left, record);
    store<u64>(right, record);
    left += step;
    right = right - 8 + step;
  }
  return <i32>((left - out) >> 3);
}

export function fillLeaf(records: usize, n: i32, leafOf: usize, leaf: i32): void {
  const end = records + (<usize>n << 3);
  for (let at = records; at < end; at += 8) {
    store<i32>(leafOf + (<usize>load<u32>(at) << 2), leaf);
  }
}

export function splitLeaf8(
  records: usize,
  n: i32,
  column: usize,
  table: usize,
  leafOf: usize,
  left: i32,
  right: i32,
): void {
  const end = records + (<usize>n << 3);
  for (let at = records; at < end; at += 8) {
    const row = <usize>load<u32>(at);
    const goesLeft = load<u8>(table + <usize>load<u8>(column + row));
    store<i32>(leafOf + (row << 2), select<i32>(left, right, goesLeft != 0));
  }
}

export function splitLeaf16(
  records: usize,
  n: i32,
  column: usize,
  table: usize,
  leafOf: usize,
  left: i32,
  right: i32,
): void {
  const end = records + (<usize>n << 3);
  for (let at = records; at < end; at += 8) {
    const row = <usize>load<u32>(at);
    const goesLeft = load<u8>(table + <usize>load<u16>(column + (row << 1)));
    store<i32>(leafOf + (row << 2), select<i32>(left, right, goesLeft != 0));
  }
}

export function leafSums(
  leafOf: usize,
  gradient: usize,
  hessian: usize,
  n: i32,
  fixG: f64,
  fixH: f64,
  out: usize,
): void {
  const fix = f64x2.replace_lane(f64x2.splat(fixG), 1, fixH);
  for (let i = 0; i < n; i++) {
    const at = out + (<usize>load<i32>(leafOf + (<usize>i << 2)) << 4);
    const g = v128.load64_zero(gradient + (<usize>i << 3));
    const pair = v128.load64_lane(hessian + (<usize>i << 3), g, 1);
    v128.store(at, f64x2.add(v128.load(at), whole(pair, fix)));
  }
}

export function addLeaves(raw: usize, leafOf: usize, values: usize, n: i32): void {
  for (let i = 0; i < n; i++) {
    const at = raw + (<usize>i << 3);
    const leaf = <usize>load<i32>(leafOf + (<usize>i << 2));
    store<f64>(at, load<f64>(at) + load<f64>(values + (leaf << 3)));
  }
}

/** Where a row goes from a node; a leaf stays what it is. */
// @ts-ignore: decorator
@inline
function step(node: i32, row8: usize, row16: usize, nodes: usize): i32 {
  const at = nodes + (<usize>max<i32>(node, 0) << 4);
  const column = load<u32>(at);
  const code = column >= 0x80000000
    ? <usize>load<u16>(row16 + <usize>(column - 0x80000000))
    : <usize>load<u8>(row8 + <usize>column);
  const goesLeft = <usize>load<u8>(<usize>load<u32>(at, 4) + code);
  return select<i32>(node, load<i32>(at + 12 - (goesLeft << 2)), node < 0);
}

/** Bits of 16 rows from `i` on that are to be sent down. */
// @ts-ignore: decorator
@inline
function due16(mask: usize, i: i32, n: i32): u32 {
  const left = n - i;
  if (left >= 16) {
    if (mask == 0) return 0xffff;
    return <u32>i8x16.bitmask(i8x16.eq(v128.load(mask + <usize>i), i8x16.splat(0)));
  }
  let bits: u32 = 0;
  for (let k = 0; k < left; k++) {
    if (mask == 0 || load<u8>(mask + <usize>(i + k)) == 0) bits |= 1 << k;
  }
  return bits;
}

/** The lowest bit taken out, or all where it is the last: then a row is sent down again. */
// @ts-ignore: decorator
@inline
function rest(bits: u64): u64 {
  const others = bits & (bits - 1);
  return others != 0 ? others : bits;
}

// Four rows go down side by side: a step waits for what it loads, and most rows take about as many.
export function route(
  rows8: usize,
  stride8: usize,
  rows16: usize,
  stride16: usize,
  n: i32,
  mask: usize,
  nodes: usize,
  leafOf: usize,
): void {
  for (let i = 0; i < n; i += 64) {
    let bits: u64 = 0;
    for (let k = 0; k < 64 && i + k < n; k += 16) bits |= <u64>due16(mask, i + k, n) << k;
    const first = <usize>i;
    while (bits != 0) {
      const a = first + <usize>ctz<u64>(bits);
      let others = rest(bits);
      const b = first + <usize>ctz<u64>(others);
      others = rest(others);
      const c = first + <usize>ctz<u64>(others);
      others = rest(others);
      const d = first + <usize>ctz<u64>(others);
      bits = others & (others - 1);
      let nodeA: i32 = 0;
      let nodeB: i32 = 0;
      let nodeC: i32 = 0;
      let nodeD: i32 = 0;
      do {
        nodeA = step(nodeA, rows8 + a * stride8, rows16 + a * stride16, nodes);
        nodeB = step(nodeB, rows8 + b * stride8, rows16 + b * stride16, nodes);
        nodeC = step(nodeC, rows8 + c * stride8, rows16 + c * stride16, nodes);
        nodeD = step(nodeD, rows8 + d * stride8, rows16 + d * stride16, nodes);
      } while ((nodeA & nodeB & nodeC & nodeD) >= 0);
      store<i32>(leafOf + (a << 2), ~nodeA);
      store<i32>(leafOf + (b << 2), ~nodeB);
      store<i32>(leafOf + (c << 2), ~nodeC);
      store<i32>(leafOf + (d << 2), ~nodeD);
    }
  }
}
