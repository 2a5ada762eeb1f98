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
  for (let i = 0; i < n; i++, rows8 += stride8, rows16 += stride16) {
    if (mask != 0 && load<u8>(mask + <usize>i) != 0) continue;
    let node: i32 = 0;
    do {
      const at = nodes + (<usize>node << 4);
      const column = load<u32>(at);
      const code = column >= 0x80000000
        ? <usize>load<u16>(rows16 + <usize>(column - 0x80000000))
        : <usize>load<u8>(rows8 + <usize>column);
      const goesLeft = <usize>load<u8>(<usize>load<u32>(at, 4) + code);
      node = load<i32>(at + 12 - (goesLeft << 2));
    } while (node >= 0);
    store<i32>(leafOf + (<usize>i << 2), ~node);
  }
}
