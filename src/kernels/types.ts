/**
 * The hot loops of training over one block of memory. All arguments are byte addresses and counts,
 * so that the wasm kernels and their TypeScript twins take the same calls; the twins are the
 * specification, and the two agree in every byte.
 *
 * A *list* holds rows of one block, 2 bytes each, counted from the block's first row; rows, columns,
 * gradients and leaf numbers beside a list begin with that row too. *Packed* gradients are 4 bytes of
 * a row: `u16 hessian`, `i16 gradient`. A *packed* histogram cell is 8 bytes: `u32 Σ hessian`, `i32 Σ gradient`; whoever chooses the
 * quanta keeps both sums in range. A *wide* cell is two float64 whole numbers: Σ gradient, Σ
 * hessian. Sums of whole numbers are exact in any order; hence the same bytes on any threads.
 *
 * @module
 */

/** Cells of a one-byte feature in a histogram, used or not. */
export const CELLS8 = 256;

/** Working space of `quantilePairs`. */
export const TABLE_BYTES = 320 * 1024;

/** Working space of `mapValues8`. */
export const MAP_TABLE_BYTES = 32 * 1024;

/** Most outputs of `addRoots`, and its working space. */
export const ROOT_OUTPUTS = 8;
export const ROOT_VALUE_BYTES = 4096;

/** Working space of `softmaxSigned`, beside 64 bytes for each output. */
export const SIGNED_WORK_BYTES = 2560;

/** Working space of `scanFeatures`: what a feature's scan finds, sums and scores of its bins. */
export const SCAN_WORK_BYTES = 48 + 12 * CELLS8;

/** Bytes of a feature of `scanLevels`, and its working space. */
export const LEVEL_ENTRY_BYTES = 24;
export const LEVEL_WORK_BYTES = 8320;

/**
 * Kinds of splits: a threshold, one level on the left, the levels of low or high gradient on the left.
 */
export const SplitKind = { threshold: 0, one: 1, low: 2, high: 3 } as const;

/** See each kernel's twin for what it computes. */
export interface Kernels {
  readonly name: "wasm" | "twin";

  // ---- gradients (twin_gradient.ts): float64 arrays of n rows ----
  squared(raw: number, label: number, gradient: number, hessian: number, n: number): void;
  logistic(raw: number, label: number, gradient: number, hessian: number, n: number): void;
  /**
   * `stride` bytes lie between the outputs of raw, gradient and hessian; `factor` is that on p (1 − p).
   */
  softmax(
    raw: number,
    label: number,
    gradient: number,
    hessian: number,
    n: number,
    numOutputs: number,
    stride: number,
    factor: number,
  ): void;
  /** Multiplies both by a factor per row. */
  weigh(gradient: number, hessian: number, factor: number, n: number): void;
  /** Writes max|g|, Σ|g|, max h, Σh; the sums in two lanes, even and odd rows. */
  gradientStats(gradient: number, hessian: number, n: number, out: number): void;
  /**
   * Lists each row whose mask byte is set (all n ≤ 65,536 rows when `mask` is 0); those left out follow
   * in reverse order. Packs g · packG and h · packH of all rows, rounded by a dither that depends on
   * `seed` and the row; where `packG` is 0, g and h are instead replaced by whole multiples of `1/fixG`
   * and `1/fixH` (as whole numbers). Writes the sums of the listed rows' whole numbers to `sums`.
   *
   * @returns Number of listed rows.
   */
  quantise(
    gradient: number,
    hessian: number,
    n: number,
    firstRow: number,
    mask: number,
    list: number,
    packed: number,
    fixG: number,
    fixH: number,
    packG: number,
    packH: number,
    seed: number,
    sums: number,
  ): number;

  /** The lists of `quantise` alone. @returns Number of listed rows. */
  listRows(n: number, mask: number, list: number): number;

  // ---- gradients of classes as one number (twin_signed.ts) ----
  /**
   * First derivatives of softmax, float32; the second ones follow from them. Where `leafOf` is not 0,
   * values of leaves are added to the scores before: those of an output's rows are `leafStride` bytes after
   * those of the one before it, its values (float64) `valuesStride` bytes. `stride` bytes lie between the
   * outputs of raw, half as many between those of signed. Writes what `gradientStats` tells of each output,
   * `statsStride` bytes apart; sums are within 2⁻¹⁹. `label` are whole numbers; `work` is
   * {@linkcode SIGNED_WORK_BYTES} and 64 an output, and what is in it afterwards is not defined.
   */
  softmaxSigned(
    raw: number,
    label: number,
    signed: number,
    n: number,
    numOutputs: number,
    stride: number,
    factor: number,
    work: number,
    stats: number,
    statsStride: number,
    leafOf: number,
    leafSize: number,
    leafStride: number,
    values: number,
    valuesStride: number,
  ): void;
  /**
   * The same of logistic loss with labels 0 and 1: a row whose number is negative, as it is after every
   * call, has label 1. Values of leaves by numbers of `leafSize` bytes are added to the scores before
   * where `leafOf` is not 0.
   */
  logisticSigned(
    raw: number,
    signed: number,
    n: number,
    stats: number,
    leafOf: number,
    leafSize: number,
    values: number,
  ): void;
  /** Both derivatives as float64. */
  spreadSigned(
    signed: number,
    gradient: number,
    hessian: number,
    n: number,
    factor: number,
  ): void;
  /**
   * What `quantise` packs and sums, without a list; n is at most 65,536. Quanta are fine to 2⁻¹⁶ and, for
   * second derivatives, 2⁻¹⁵.
   */
  quantiseSigned(
    signed: number,
    n: number,
    firstRow: number,
    factor: number,
    packed: number,
    packG: number,
    packH: number,
    seed: number,
    sums: number,
  ): void;
  /** What `leafSums` adds. */
  leafSumsSigned(
    leafOf: number,
    size: number,
    signed: number,
    n: number,
    factor: number,
    fixG: number,
    fixH: number,
    out: number,
  ): void;

  // ---- draws (twin_draw.ts) ----
  /**
   * Chooses exactly `count` of n rows, all sets alike, by `seed`: a factor of 1 and a mask byte of 1 for
   * each, but 0 for those whose byte in `part` is `member` (`part` 0: none), and for all others.
   */
  chooseRows(
    n: number,
    count: number,
    seed: number,
    part: number,
    member: number,
    factor: number,
    mask: number,
  ): void;

  // ---- rows (twin_rows.ts): `table[bin]` is 1 where the bin goes left ----
  /** Rows that go left to the front of `out`, the others to its back in reverse order. */
  partition8(list: number, n: number, out: number, column: number, table: number): number;
  partition16(list: number, n: number, out: number, column: number, table: number): number;
  /**
   * The same of rows 0 to n − 1. Where `last` is not negative, the table is 1 for codes up to it and for
   * `other` (which may be one of those), and 0 elsewhere.
   */
  partitionAll8(
    n: number,
    out: number,
    column: number,
    table: number,
    last: number,
    other: number,
  ): number;
  /** leafOf[row] = leaf for all listed rows; leaf numbers take `size` bytes, here and below: 1 or 4. */
  fillLeaf(list: number, n: number, leafOf: number, size: number, leaf: number): void;
  /** leafOf[row] = left or right. */
  splitLeaf8(
    list: number,
    n: number,
    column: number,
    table: number,
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
   * Adds (g, h) of each row, as whole multiples of `1/fixG` and `1/fixH`, two float64, to its leaf's
   * place in `out`.
   */
  leafSums(
    leafOf: number,
    size: number,
    gradient: number,
    hessian: number,
    n: number,
    fixG: number,
    fixH: number,
    out: number,
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

  // ---- histograms (twin_histogram.ts) ----
  /** `numFeatures` is even, below and for counts a multiple of 4; feature f has cells 256 f …. */
  packed8(
    list: number,
    n: number,
    rows: number,
    stride: number,
    numFeatures: number,
    packed: number,
    out: number,
  ): void;
  /** Feature f of two-byte rows has cells starts[f] …. */
  packed16(
    list: number,
    n: number,
    rows: number,
    stride: number,
    numFeatures: number,
    starts: number,
    packed: number,
    out: number,
  ): void;
  wide8(
    list: number,
    n: number,
    rows: number,
    stride: number,
    numFeatures: number,
    gradient: number,
    hessian: number,
    out: number,
  ): void;
  wide16(
    list: number,
    n: number,
    rows: number,
    stride: number,
    numFeatures: number,
    starts: number,
    gradient: number,
    hessian: number,
    out: number,
  ): void;
  /** Counts rows, u32 a cell. */
  count8(
    list: number,
    n: number,
    rows: number,
    stride: number,
    numFeatures: number,
    out: number,
  ): void;
  count16(
    list: number,
    n: number,
    rows: number,
    stride: number,
    numFeatures: number,
    starts: number,
    out: number,
  ): void;
  /**
   * Zeroes cells of `size` bytes (4, 8 or 16) of a histogram: `ranges` are n pairs of u32, the first cell
   * and the one after the last.
   */
  clearCells(ranges: number, n: number, cells: number, size: number): void;
  /** target += source for such cells; those of 16 bytes are float64, others 32-bit words. */
  addCells(ranges: number, n: number, target: number, source: number, size: number): void;
  /** parent −= child; no word ever borrows. */
  subtractCells(ranges: number, n: number, parent: number, child: number, size: number): void;

  // ---- histograms of several outputs (twin_roots.ts) ----
  /**
   * Adds n rows, one after the other, to packed cells of up to {@linkcode ROOT_OUTPUTS} outputs that lie
   * beside each other: the cell of output k of code c of feature f is number 8 (256 f + c) + k.
   * `packedStride` bytes lie between the packed gradients of two outputs; up to three rows more than n
   * are read there. `numFeatures` is even. `values` is {@linkcode ROOT_VALUE_BYTES}; what is in it
   * afterwards is not defined.
   */
  addRoots(
    n: number,
    rows: number,
    stride: number,
    numFeatures: number,
    packed: number,
    packedStride: number,
    numOutputs: number,
    values: number,
    out: number,
  ): void;
  /**
   * Writes the cells of output `place` in the given ranges (see `clearCells`), the sums of all copies of
   * such cells, which are `copyBytes` apart.
   */
  takeRoots(
    ranges: number,
    n: number,
    roots: number,
    copies: number,
    copyBytes: number,
    place: number,
    cells: number,
  ): void;

  // ---- binning (twin_binning.ts) ----
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
  /**
   * Rows from … of columns (u32 addresses) to row-major codes; places after the last are zero. One-byte
   * codes are raised by their feature's shift (a byte each).
   */
  rowsOf8(
    columns: number,
    shifts: number,
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

  // ---- codes (twin_codes.ts) ----
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

  // ---- splits (twin_scan.ts) ----
  /**
   * Best threshold of a feature whose missing rows are in bin `numBins`. `counts`: address of the rows
   * of each bin (u32), 0 where they do not matter. `params`: float64 ΣG, ΣH of the node and the units of
   * both, lambda, alpha, least hessian of a child, score of the node, least rows of a child, rows of
   * the node. `out`: float64 gain (0: none), bin, 1 for missing on the left, ΣG, ΣH and, where counted,
   * rows of the left child.
   */
  scanThresholds(
    cells: number,
    counts: number,
    wide: number,
    numBins: number,
    params: number,
    out: number,
  ): void;
  /**
   * Best threshold of n features: of equal gains that of the lowest. `features` are four u32 each: its
   * first cell, its bins without missing, its number or 0xffffffff (none, passed over), 0. `allowed`: a
   * byte for each number, 0 where it is passed over (`allowed` 0: none is). `cells` and `counts` are those
   * of the histogram; `work` is {@linkcode SCAN_WORK_BYTES}, and what is in it afterwards is not defined.
   * `out`: float64 gain (0: none), feature (−1), bin (−1), 0, 1 for missing on the left, ΣG, ΣH, rows of
   * the left child.
   */
  scanFeatures(
    features: number,
    n: number,
    allowed: number,
    cells: number,
    counts: number,
    wide: number,
    params: number,
    work: number,
    out: number,
  ): void;
  /**
   * Best split of n features of one byte that are categories, or share their cells, where it is better than
   * that at `out`: of equal gains that of the lower feature. `features` are six u32 each: first cell, bins
   * without missing, number, an address (0: the cells are its own), how many bytes are there, 1 for a
   * category, 0 for a number, 2 and its usual bin for a number of a bundle. At the address is the bin of
   * each joint code; of a number of a bundle the code of each bin, that of the usual one not looked at. `counts`: those of the histogram, 0 where no
   * rows are counted; `countsNumbers`: 1 where they matter for numbers too. `params` as for thresholds,
   * then most levels that are tried one against the rest (less one), most levels on one side, smoothing of
   * levels, least rows of a level, what is added to lambda where sets are tried. `work` is
   * {@linkcode LEVEL_WORK_BYTES}. `out` as of `scanFeatures`, with the {@linkcode SplitKind} as fourth.
   */
  scanLevels(
    features: number,
    n: number,
    allowed: number,
    cells: number,
    counts: number,
    countsNumbers: number,
    wide: number,
    params: number,
    work: number,
    out: number,
  ): void;
}
