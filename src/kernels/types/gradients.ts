/**
 * Gradients of losses, and their whole numbers. See `kernels/types.ts` for what all kernels have in common.
 *
 * @module
 */

/** See each kernel's twin for what it computes. */
export interface GradientKernels {
  // ---- gradients (twin/gradients.ts): float64 arrays of n rows ----
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

  // ---- gradients of classes as one number (twin/signed.ts) ----
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
  /**
   * Counts labels (float64) that are all whole and from 0 to `most` − 1, a u32 each.
   *
   * @returns 1, or 0 where others are among them; what is at `counts` is then not defined.
   */
  countLabels(labels: number, n: number, most: number, counts: number): number;
  /** Labels 0 and 1 (float64) as signs that `logisticSigned` knows them by: 1 and −1 (float32). */
  labelSigns(labels: number, n: number, out: number): void;
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
    even: number,
    odd: number,
  ): void;

  // ---- draws (twin/draw.ts) ----
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
}
