/**
 * From values to codes, and codes to rows. See `kernels/types.ts` for what all kernels have in common.
 *
 * @module
 */

/** See each kernel's twin for what it computes. */
export interface BinningKernels {
  // ---- binning (twin/binning.ts) ----
  /** Float32 values as float64. */
  widen(values: number, n: number, out: number): void;
  /**
   * Neighbouring values of n float64 (two float64 each) between which bins are closed: all neighbours
   * where there are at most `maxBins` distinct values, else so that each bin holds about its share of
   * what is left, and a value heavier than a share stands alone. Writes how many values are NaN to the
   * first word of `tables`. `scratch` is 16 n bytes and no less than 64 KiB, `tables` is
   * {@linkcode TABLE_BYTES}; what else is in them afterwards is not defined.
   *
   * @returns Number of pairs, at most `maxBins − 1` (or distinct values − 1).
   */
  quantilePairs(
    values: number,
    n: number,
    maxBins: number,
    scratch: number,
    tables: number,
    out: number,
  ): number;
  /**
   * `quantilePairs` with at most 255 bins, and the code of each value, a byte: how many bins close below
   * it, for NaN the number of bins. Any cuts between the pairs give these codes.
   */
  quantileCodes(
    values: number,
    n: number,
    maxBins: number,
    scratch: number,
    tables: number,
    out: number,
    codes: number,
  ): number;
  /**
   * `quantileCodes` of float32 that are whole numbers or missing, below 2³⁰ in amount, and of which the
   * largest is less than 2¹⁷ and less than 2 n above the least (twin/whole.ts).
   *
   * @returns Number of pairs, or −1 where the column is another; what is at `out`, in `tables` and
   * at `codes` is then not defined.
   */
  wholeCodes32: BinningKernels["quantileCodes"];
  /** The same of float64. */
  wholeCodes64: BinningKernels["quantileCodes"];
  /**
   * Code of each value: how many cuts are below it, `missing` for NaN. `cuts` holds `size − 1`
   * float64, padded to `size` with Infinity; `size` is a power of two, at most 256. `tables` is
   * {@linkcode MAP_TABLE_BYTES}; what is in it afterwards is not defined.
   */
  mapValues8(
    values: number,
    n: number,
    cuts: number,
    size: number,
    missing: number,
    tables: number,
    out: number,
  ): void;
  /** The same in two bytes, for any size. */
  mapValues16(
    values: number,
    n: number,
    cuts: number,
    size: number,
    missing: number,
    out: number,
  ): void;
  /** Rows from … of columns (u32 addresses) to row-major codes; places after the last are zero. */
  rowsOf8(
    columns: number,
    features: number,
    from: number,
    n: number,
    stride: number,
    out: number,
  ): void;
  rowsOf16(
    columns: number,
    features: number,
    from: number,
    n: number,
    stride: number,
    out: number,
  ): void;

  // ---- codes (twin/codes.ts) ----
  /**
   * Codes of the levels (i32) of a category: missing (below 0) becomes `unknown` + 1, levels from
   * `unknown` on become `unknown`.
   *
   * @returns 1 where a level is missing, else 0.
   */
  levels8(levels: number, n: number, unknown: number, out: number): number;
  levels16(levels: number, n: number, unknown: number, out: number): number;
  /**
   * Numbers the pairs of codes (a byte each) of n rows in the order in which they are first met, and
   * writes the number of each row's pair. `numbers` is 128 KiB of zeros, and is left so. `pairs` (512
   * bytes) takes each pair as u16, first × 256 + second.
   *
   * @returns How many pairs there are, or −1 where they are more than 256; `out` is then not defined.
   */
  numberPairs(
    first: number,
    second: number,
    n: number,
    numbers: number,
    pairs: number,
    out: number,
  ): number;
  /** The codes (a byte each) of n rows, whose numbers are u32. */
  gather8(codes: number, rows: number, n: number, out: number): void;
  /** How many different codes (a byte each) there are. */
  codesSeen(codes: number, n: number): number;
  /** `count` rows (u32) spread over all, in no order that data could follow. */
  spreadRows(numRows: number, count: number, out: number): void;
  /**
   * The code (a byte each) that at least half of the rows have, the lower of two, or −1; by every
   * `stride`-th of n rows. `counts` is 1 KiB, and what is in it afterwards is not defined.
   */
  usualCode(codes: number, n: number, stride: number, counts: number): number;
  /** 1 where a row has another code than `usual` and a byte of `merged` that is not 0, else 0. */
  meetsOther(codes: number, n: number, usual: number, merged: number): number;
  /** merged |= table[code], a byte a row; `table` is at least 16 bytes. */
  mergeCodes(merged: number, codes: number, n: number, table: number): void;
  /**
   * Codes of n float32: 1 for `high`, 0 for `low`.
   *
   * @returns 1, or 0 where others are among them; what is at `out` is then not defined.
   */
  twoCodes32(values: number, n: number, low: number, high: number, out: number): number;
  /** The same of float64. */
  twoCodes64(values: number, n: number, low: number, high: number, out: number): number;
}
