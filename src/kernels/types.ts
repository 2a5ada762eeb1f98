/**
 * The hot loops of training over one block of memory. All arguments are byte addresses and counts,
 * so that the wasm kernels and their TypeScript twins take the same calls; the twins are the
 * specification, and the two agree in every byte.
 *
 * A *list* holds rows of one block, 2 bytes each, counted from the block's first row; rows,
 * columns, gradients and leaf numbers beside a list begin with that row too. *Packed* gradients are
 * 4 bytes of a row: `u16 hessian`, `i16 gradient`. A *packed* histogram cell is 8 bytes: `u32 Σ
 * hessian`, `i32 Σ gradient`; whoever chooses the quanta keeps both sums in range. A *wide* cell is
 * two float64 whole numbers: Σ gradient, Σ hessian. Sums of whole numbers are exact in any order;
 * hence the same bytes on any threads.
 *
 * @module
 */

import type { BinningKernels } from "./types/binning.ts";
import type { EvaluateKernels } from "./types/evaluate.ts";
import type { GradientKernels } from "./types/gradients.ts";
import type { GrowKernels } from "./types/grow.ts";
import type { HistogramKernels } from "./types/histogram.ts";
import type { RowKernels } from "./types/rows.ts";

/** Cells of a one-byte feature in a histogram, used or not. */
export const CELLS8 = 256;

/**
 * Cells from the first of a one-byte feature to the first of the next. A line of the cache more than are
 * used: nearest caches choose the set of a line by the low bits of its address, so that where features lie
 * whole pages apart, the cells of their most frequent codes push each other out.
 */
export const STRIDE8 = CELLS8 + 8;

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

/** Working space of `evaluateGroup`, after its plan. */
export const EVALUATE_WORK_BYTES = SCAN_WORK_BYTES + 64;

/** Bytes of a feature of `scanLevels`, and its working space with that of a split of `leftLevels`. */
export const LEVEL_ENTRY_BYTES = 24;
export const LEVEL_WORK_BYTES = 8320 + CELLS8;

/**
 * Kinds of splits: a threshold, one level on the left, the levels of low or high gradient on the left.
 */
export const SplitKind = { threshold: 0, one: 1, low: 2, high: 3 } as const;

/** See each kernel's twin for what it computes. */
export interface Kernels
  extends
    GradientKernels,
    RowKernels,
    HistogramKernels,
    EvaluateKernels,
    BinningKernels,
    Partial<GrowKernels> {
  readonly name: "wasm" | "twin";

  // ---- threads (twin/wait.ts) ----
  /** Looks at an i32 until it is not `value`, at most so many times; returns what it has seen. */
  lookWhile(at: number, value: number, looks: number): number;
}
