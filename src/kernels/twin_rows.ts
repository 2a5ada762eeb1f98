/**
 * Twins of the kernels that move rows: partition, leaf numbers, leaf sums, routing.
 *
 * @module
 */
import type { Memory } from "./memory.ts";
import { whole } from "./twin_gradient.ts";
import type { Kernels } from "./types.ts";

type Rows = Pick<
  Kernels,
  | "partition8"
  | "partition16"
  | "fillLeaf"
  | "splitLeaf8"
  | "splitLeaf16"
  | "leafSums"
  | "addLeaves"
  | "route"
>;

type Codes = Uint8Array | Uint16Array;

/** Row kernels over a memory. */
export function twinRows(memory: Memory): Rows {
  function partition(
    codes: Codes,
    column: number,
    records: number,
    n: number,
    out: number,
    table: number,
  ): number {
    const { u8, u32 } = memory;
    let left = out >>> 2;
    let right = left + 2 * (n - 1);
    let at = records >>> 2;
    for (const end = at + 2 * n; at < end; at += 2) {
      const row = u32[at];
      const payload = u32[at + 1];
      const goesLeft = u8[table + codes[column + row]];
      // Both ends are written; only one of them moves on.
      u32[left] = row;
      u32[left + 1] = payload;
      u32[right] = row;
      u32[right + 1] = payload;
      left += 2 * goesLeft;
      right += 2 * goesLeft - 2;
    }
    return (left - (out >>> 2)) >>> 1;
  }

  function splitLeaf(
    codes: Codes,
    column: number,
    records: number,
    n: number,
    table: number,
    leafOf: number,
    left: number,
    right: number,
  ): void {
    const { u8, u32, i32 } = memory;
    const end = (records >>> 2) + 2 * n;
    for (let at = records >>> 2; at < end; at += 2) {
      const row = u32[at];
      i32[(leafOf >>> 2) + row] = u8[table + codes[column + row]] === 1 ? left : right;
    }
  }

  return {
    partition8: (records, n, out, column, table) =>
      partition(memory.u8, column, records, n, out, table),
    partition16: (records, n, out, column, table) =>
      partition(memory.u16, column >>> 1, records, n, out, table),

    fillLeaf(records, n, leafOf, leaf) {
      const { u32, i32 } = memory;
      const end = (records >>> 2) + 2 * n;
      for (let at = records >>> 2; at < end; at += 2) {
        i32[(leafOf >>> 2) + u32[at]] = leaf;
      }
    },

    splitLeaf8: (records, n, column, table, leafOf, left, right) =>
      splitLeaf(memory.u8, column, records, n, table, leafOf, left, right),
    splitLeaf16: (records, n, column, table, leafOf, left, right) =>
      splitLeaf(memory.u16, column >>> 1, records, n, table, leafOf, left, right),

    leafSums(leafOf, gradient, hessian, n, fixG, fixH, out) {
      const { f64, i32 } = memory;
      for (let i = 0; i < n; i++) {
        const at = (out >>> 3) + 2 * i32[(leafOf >>> 2) + i];
        f64[at] += whole(f64[(gradient >>> 3) + i], fixG);
        f64[at + 1] += whole(f64[(hessian >>> 3) + i], fixH);
      }
    },

    addLeaves(raw, leafOf, values, n) {
      const { f64, i32 } = memory;
      for (let i = 0; i < n; i++) {
        f64[(raw >>> 3) + i] += f64[(values >>> 3) + i32[(leafOf >>> 2) + i]];
      }
    },

    route(rows8, stride8, rows16, stride16, n, mask, nodes, leafOf) {
      const { u8, u16, u32, i32 } = memory;
      for (let i = 0; i < n; i++) {
        if (mask !== 0 && u8[mask + i] !== 0) continue;
        let node = 0;
        do {
          const at = (nodes >>> 2) + 4 * node;
          const column = u32[at];
          const code = column >= 0x80000000
            ? u16[(rows16 + i * stride16 + (column - 0x80000000)) >>> 1]
            : u8[rows8 + i * stride8 + column];
          node = i32[at + 3 - u8[u32[at + 1] + code]];
        } while (node >= 0);
        i32[(leafOf >>> 2) + i] = ~node;
      }
    },
  };
}
