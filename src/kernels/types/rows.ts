/**
 * Rows: their lists, leaf numbers and scores. See `kernels/types.ts` for what all kernels have in common.
 *
 * @module
 */

/** See each kernel's twin for what it computes. */
export interface RowKernels {
  // ---- rows (twin/rows.ts): `table[bin]` is 1 where the bin goes left ----
  /**
   * Rows that go left to the front of `out`, the others to its back in reverse order. Where `last` is not
   * negative, the table is 1 for codes up to it and for `other` (which may be one of those), and 0
   * elsewhere. `patterns` are those of `patterns.ts`.
   */
  partition8(
    list: number,
    n: number,
    out: number,
    column: number,
    table: number,
    last: number,
    other: number,
    patterns: number,
  ): number;
  partition16(
    list: number,
    n: number,
    out: number,
    column: number,
    table: number,
    patterns: number,
  ): number;
  /** The same of rows 0 to n − 1. */
  partitionAll8(
    n: number,
    out: number,
    column: number,
    table: number,
    last: number,
    other: number,
    patterns: number,
  ): number;
  /** leafOf[row] = leaf for all listed rows; leaf numbers take `size` bytes, here and below: 1 or 4. */
  fillLeaf(list: number, n: number, leafOf: number, size: number, leaf: number): void;
  /** leafOf[row] = left or right; `last` and `other` as above. */
  splitLeaf8(
    list: number,
    n: number,
    column: number,
    table: number,
    last: number,
    other: number,
    leafOf: number,
    size: number,
    left: number,
    right: number,
  ): void;
  splitLeaf16(
    list: number,
    n: number,
    column: number,
    table: number,
    leafOf: number,
    size: number,
    left: number,
    right: number,
  ): void;
  /**
   * Performs splits on the rows that their nodes have in a block, one after the other. `items` are
   * as `items/split.ts` says; `segments` say of each entry and block where its rows begin in a list
   * and how many they are (u32 each). Lists are `first` and `second`; `from` is the first row of
   * the block, `leafOf` its leaf numbers.
   */
  splitBlock(
    items: number,
    numSplits: number,
    segments: number,
    numBlocks: number,
    block: number,
    from: number,
    first: number,
    second: number,
    leafOf: number,
    size: number,
    patterns: number,
  ): void;
  /**
   * Adds (g, h) of each row, as whole multiples of `1/fixG` and `1/fixH`, two float64, to its leaf's
   * place: rows take turns between two tables, since an addition waits for the last one to its place.
   */
  leafSums(
    leafOf: number,
    size: number,
    gradient: number,
    hessian: number,
    n: number,
    fixG: number,
    fixH: number,
    even: number,
    odd: number,
  ): void;
  /** raw[row] += values[leafOf[row]]. */
  addLeaves(raw: number, leafOf: number, size: number, values: number, n: number): void;
  /**
   * Sends rows down a tree: nodes are 16 bytes, `u32 column` (byte offset in the row, bit 31 set
   * for two-byte rows), `u32 table`, `i32 left`, `i32 right`; a negative child is leaf `~child`.
   */
  route(
    rows8: number,
    stride8: number,
    rows16: number,
    stride16: number,
    n: number,
    nodes: number,
    leafOf: number,
    size: number,
  ): void;
}
