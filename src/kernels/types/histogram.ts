/**
 * Histograms and the splits found in them. See `kernels/types.ts` for what all kernels have in common.
 *
 * @module
 */

/** See each kernel's twin for what it computes. */
export interface HistogramKernels {
  // ---- histograms (twin/histogram.ts) ----
  /**
   * `numFeatures` is even, below and for counts a multiple of 4; feature f has cells
   * {@linkcode STRIDE8} f ….
   */
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

  // ---- histograms of several outputs (twin/roots.ts) ----
  /**
   * Adds n rows, one after the other, to packed cells of up to {@linkcode ROOT_OUTPUTS} outputs that lie
   * beside each other: the cell of output k of code c of feature f is number
   * 8 ({@linkcode STRIDE8} f + c) + k.
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

  // ---- splits (twin/scan.ts) ----
  /**
   * Best threshold of a feature whose missing rows are in bin `numBins`. `counts`: address of the rows
   * of each bin (u32), 0 where they do not matter. `params`: float64 ΣG, ΣH of the node and the units of
   * both, lambda, alpha, least hessian of a child, score of the node, least rows of a child, rows of
   * the node. `out`: float64 gain (0: none), bin, 1 for missing on the left, ΣG, ΣH and, where counted,
   * rows of the left child. Where the node has no missing rows they go with the heavier child.
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
   * Best split of n features of one byte that are categories, or share their cells, where it is
   * better than that at `out`: of equal gains that of the lower feature. `features` are six u32
   * each: first cell, bins without missing, number, an address (0: the cells are its own), how many
   * bytes are there, 1 for a category, 0 for a number, 2 and its usual bin for a number of a
   * bundle. At the address is the bin of each joint code; of a number of a bundle the code of each
   * bin, that of the usual one not looked at. `counts`: those of the histogram, 0 where no rows are
   * counted; `countsNumbers`: 1 where they matter for numbers too. `params` as for thresholds, then
   * most levels that are tried one against the rest (less one), most levels on one side, smoothing
   * of levels, least rows of a level, what is added to lambda where sets are tried. `work` is
   * {@linkcode LEVEL_WORK_BYTES}. `out` as of `scanFeatures`, with the {@linkcode SplitKind} as
   * fourth.
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
  /**
   * Which levels of a category go left, by a split that `scanLevels` has found: writes a byte for each
   * bin, 1 where it goes left. Levels without rows follow the heavier side of the others; missing values,
   * the last, the heavier child where the node has none. `feature` is an entry of `scanLevels`, `counts`
   * 0 where rows of categories are not counted, `split` as `out` there.
   */
  leftLevels(
    feature: number,
    cells: number,
    counts: number,
    wide: number,
    params: number,
    work: number,
    split: number,
    out: number,
  ): void;
}
