/**
 * How much memory a boosting run may take, by what is known before its data are binned.
 *
 * @module
 */
import type { Column, Dataset } from "../data/types.ts";
import { tableBytes } from "../grow/histogram/alone.ts";
import { maxItems } from "../grow/histogram/evaluator.ts";
import { PIECE_ROWS } from "../grow/histogram/layout.ts";
import { CELLS8, STRIDE8 } from "../kernels/types.ts";
import { growingBytes } from "./growing_space.ts";
import { leafLimit } from "./lay_out.ts";
import type { BoostPlan } from "./plan.ts";

const KILOBYTE = 1024;
const MEGABYTE = 2 ** 20;

/** What a column's codes may be, the one of missing values too. */
function codesOf(column: Column, maxBins: number): number {
  return column.kind === "categorical"
    ? column.categories.length + 2
    : Math.max(maxBins, (column.binned?.cuts.length ?? 0) + 1) + 2;
}

/**
 * Bytes that the memory of a run takes, and rather more: all that may be laid out (`lay_out.ts` and what
 * follows it in `engine.ts`) and all working space of binning at once (`bin_data.ts`). Infinite where
 * threads grow whole trees or keep values of features: that takes what room there is.
 */
export function mostBytes(
  data: Dataset,
  valid: readonly Dataset[],
  plan: BoostPlan,
  threads: number,
): number {
  const { loss, committee, linear, maxBins = 256, trainMetrics = false, metrics = [] } = plan;
  if (loss.numOutputs > 1 || committee !== undefined || linear !== undefined) return Infinity;
  const { numRows, features, sampleWeight } = data;
  const codes = features.map((column) => codesOf(column, maxBins));
  const sum = (of: (count: number) => number) => codes.reduce((all, one) => all + of(one), 0);
  const rowBytes = sum((count) => count > CELLS8 ? 2 : 1);
  const measured = trainMetrics || valid.length > 0 ? 40 + 64 * metrics.length : 0;
  // Codes by column, of shared bytes and by row, which are padded; 14 numbers; 3 to sort columns by.
  const perRow = 4 * rowBytes + 16 + 14 * 8 + measured + 40 * threads;
  const setRows = valid.reduce((rows, set) => rows + set.numRows, numRows);
  const batchRows = Math.min(features.length * numRows, threads * Math.max(numRows, MEGABYTE));
  const mostCuts = sampleWeight === undefined ? 0 : Math.min(2 * numRows, 2 * 65536);
  const cells = sum((count) => count > CELLS8 ? count : STRIDE8) + 4 * STRIDE8;
  const mostCodes = codes.reduce((most, one) => Math.max(most, one), 0);
  const leaves = leafLimit(plan, numRows);
  const perLeaf = 160 + 32 * threads + 16 * (numRows / PIECE_ROWS + 1);
  return 48 * MEGABYTE + perRow * setRows + 12 * batchRows +
    8 * features.length * mostCuts + 16 * (1 + valid.length) * sum((count) => count) +
    64 * 16 * cells + perLeaf * leaves + tableSpaceBytes(leaves, mostCodes) +
    growingBytes(plan, leaves, mostCodes) + (400 + 2 * features.length) * maxItems(threads) +
    32 * KILOBYTE * features.length + 3 * MEGABYTE * threads;
}

/** Bytes that `createTableSpace` takes at most: chunks of 64 kB, two of which hold more than one. */
export function tableSpaceBytes(maxLeaves: number, mostBins: number): number {
  return 2 * tableBytes(maxLeaves, mostBins) + 64 * KILOBYTE;
}
