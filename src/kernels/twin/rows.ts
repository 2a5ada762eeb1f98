/**
 * Twins of the kernels that move rows: partition, leaf numbers, leaf sums, routing.
 *
 * @module
 */
import type { Memory } from "../memory.ts";
import { whole } from "./gradients.ts";
import type { Kernels } from "../types.ts";

/** Kernels that move rows. */
export type Rows = Pick<
  Kernels,
  | "partition8"
  | "partition16"
  | "partitionAll8"
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
    list: number,
    n: number,
    out: number,
    table: number,
  ): number {
    const { u8, u16 } = memory;
    let left = out >>> 1;
    let right = left + n - 1;
    const end = (list >>> 1) + n;
    for (let at = list >>> 1; at < end; at++) {
      const row = u16[at];
      if (u8[table + codes[column + row]] === 1) u16[left++] = row;
      else u16[right--] = row;
    }
    return left - (out >>> 1);
  }

  function splitLeaf(
    codes: Codes,
    column: number,
    list: number,
    n: number,
    table: number,
    leafOf: number,
    size: number,
    left: number,
    right: number,
  ): void {
    const { u8, u16 } = memory;
    const [leaves, first] = leavesAt(leafOf, size);
    const end = (list >>> 1) + n;
    for (let at = list >>> 1; at < end; at++) {
      const row = u16[at];
      leaves[first + row] = u8[table + codes[column + row]] === 1 ? left : right;
    }
  }

  /** Leaf numbers of so many bytes, and where the first is. */
  function leavesAt(leafOf: number, size: number): [Uint8Array | Int32Array, number] {
    return size === 1 ? [memory.u8, leafOf] : [memory.i32, leafOf >>> 2];
  }

  return {
    partitionAll8(n, out, column, table) {
      const { u8, u16 } = memory;
      let left = out >>> 1;
      let right = left + n - 1;
      for (let row = 0; row < n; row++) {
        if (u8[table + u8[column + row]] === 1) u16[left++] = row;
        else u16[right--] = row;
      }
      return left - (out >>> 1);
    },
    partition8: (list, n, out, column, table) => partition(memory.u8, column, list, n, out, table),
    partition16: (list, n, out, column, table) =>
      partition(memory.u16, column >>> 1, list, n, out, table),

    fillLeaf(list, n, leafOf, size, leaf) {
      const { u16 } = memory;
      const [leaves, first] = leavesAt(leafOf, size);
      const end = (list >>> 1) + n;
      for (let at = list >>> 1; at < end; at++) leaves[first + u16[at]] = leaf;
    },

    splitLeaf8: (list, n, column, table, _last, _other, leafOf, size, left, right) =>
      splitLeaf(memory.u8, column, list, n, table, leafOf, size, left, right),
    splitLeaf16: (list, n, column, table, leafOf, size, left, right) =>
      splitLeaf(memory.u16, column >>> 1, list, n, table, leafOf, size, left, right),

    leafSums(leafOf, size, gradient, hessian, n, fixG, fixH, even, odd) {
      const { f64 } = memory;
      const [leaves, first] = leavesAt(leafOf, size);
      for (let i = 0; i < n; i++) {
        const at = ((i % 2 === 0 ? even : odd) >>> 3) + 2 * leaves[first + i];
        f64[at] += whole(f64[(gradient >>> 3) + i], fixG);
        f64[at + 1] += whole(f64[(hessian >>> 3) + i], fixH);
      }
    },

    addLeaves(raw, leafOf, size, values, n) {
      const { f64 } = memory;
      const [leaves, first] = leavesAt(leafOf, size);
      for (let i = 0; i < n; i++) {
        f64[(raw >>> 3) + i] += f64[(values >>> 3) + leaves[first + i]];
      }
    },

    route(rows8, stride8, rows16, stride16, n, nodes, leafOf, size) {
      const { u8, u16, u32, i32 } = memory;
      const [leaves, first] = leavesAt(leafOf, size);
      for (let i = 0; i < n; i++) {
        let node = 0;
        do {
          const at = (nodes >>> 2) + 4 * node;
          const column = u32[at];
          const code = column >= 0x80000000
            ? u16[(rows16 + i * stride16 + (column - 0x80000000)) >>> 1]
            : u8[rows8 + i * stride8 + column];
          node = i32[at + 3 - u8[u32[at + 1] + code]];
        } while (node >= 0);
        leaves[first + i] = ~node;
      }
    },
  };
}
