/**
 * How much memory a boosting run may take, by what is known before its data are binned.
 *
 * @module
 */
import type { Column, Dataset } from "../../data/types.ts";
import { tableBytes, treeBytes } from "../../grow/histogram/alone.ts";
import { maxItems } from "../../grow/histogram/evaluate/evaluator.ts";
import { PIECE_ROWS } from "../../grow/histogram/workspace/layout.ts";
import { CELLS8, STRIDE8 } from "../../kernels/types.ts";
import type { BoostPlan } from "../plan.ts";
import { growingBytes } from "./growing_space.ts";
import { leafLimit } from "./lay_out.ts";

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
 * there are members of a committee, many outputs or values of features: that takes what room there is.
 */
export function mostBytes(
  data: Dataset,
  valid: readonly Dataset[],
  plan: BoostPlan,
  threads: number,
): number {
  const { loss, committee, linear, maxBins = 256, trainMetrics = false, metrics = [] } = plan;
  if (committee !== undefined || linear !== undefined) return Infinity;
  const { numRows, features, sampleWeight } = data;
  const codes = features.map((column) => codesOf(column, maxBins));
  const sum = (of: (count: number) => number) => codes.reduce((all, one) => all + of(one), 0);
  const rowBytes = sum((count) => count > CELLS8 ? 2 : 1);
  const measured = trainMetrics || valid.length > 0
    ? (40 + 64 * metrics.length) * loss.numOutputs
    : 0;
  // Codes by column, of shared bytes and by row, which are padded; 14 numbers; 3 to sort columns by.
  const perRow = 4 * rowBytes + 16 + 14 * 8 + measured + 40 * threads;
  const setRows = valid.reduce((rows, set) => rows + set.numRows, numRows);
  const batchRows = Math.min(features.length * numRows, threads * Math.max(numRows, MEGABYTE));
  const mostCuts = sampleWeight === undefined ? 0 : Math.min(2 * numRows, 2 * 65536);
  const cells = sum((count) => count > CELLS8 ? count : STRIDE8) + 4 * STRIDE8;
  const mostCodes = codes.reduce((most, one) => Math.max(most, one), 0);
  const leaves = leafLimit(plan, numRows);
  const perLeaf = 160 + 32 * threads + 16 * (numRows / PIECE_ROWS + 1);
  const others = loss.numOutputs === 1 ? 0 : ofOutputs(plan, {
    numRows,
    setRows,
    threads,
    leaves,
    perLeaf,
    cells,
    mostCodes,
    numFeatures: features.length,
  });
  return others + 48 * MEGABYTE + perRow * setRows + 12 * batchRows +
    8 * features.length * mostCuts + 16 * (1 + valid.length) * sum((count) => count) +
    64 * 16 * cells + perLeaf * leaves + tableSpaceBytes(leaves, mostCodes) +
    growingBytes(plan, leaves, mostCodes) + (400 + 2 * features.length) * maxItems(threads) +
    32 * KILOBYTE * features.length + 3 * MEGABYTE * threads;
}

/** More are not reckoned with: what their trees are made with may not fit a chunk of tables. */
const MOST_OUTPUTS = 16;

/** What {@linkcode ofOutputs} depends on besides the plan. */
interface Sizes {
  readonly numRows: number;
  readonly setRows: number;
  readonly threads: number;
  readonly leaves: number;
  readonly perLeaf: number;
  readonly cells: number;
  readonly mostCodes: number;
  readonly numFeatures: number;
}

/**
 * What several outputs take besides: numbers of rows, roots built at once (`roots_space.ts`), and places in
 * which threads grow whole trees by themselves (`alone_space.ts`).
 */
function ofOutputs(plan: BoostPlan, sizes: Sizes): number {
  const { numRows, setRows, threads, leaves, perLeaf, cells, mostCodes, numFeatures } = sizes;
  const { numOutputs } = plan.loss;
  const hasLists = plan.featureWeights !== undefined || plan.interactions !== undefined;
  if (numOutputs > MOST_OUTPUTS || hasLists) return Infinity;
  // Scores of all sets; derivatives as float64, signed and packed, those before the round, late leaves.
  const rowBytes = numOutputs * (8 * setRows + 40 * numRows);
  const place = 24 * MEGABYTE + (64 * 16 + 64) * cells + 16 * numRows + perLeaf * leaves +
    2 * tableBytes(leaves, mostCodes) + growingBytes(plan, leaves, mostCodes) +
    (400 + 2 * numFeatures) * maxItems(1);
  const trees = numOutputs * (treeBytes(leaves, mostCodes) + 8 * leaves);
  return rowBytes + threads * place + trees;
}

/** Bytes that `createTableSpace` takes at most: chunks of 64 kB, two of which hold more than one. */
export function tableSpaceBytes(maxLeaves: number, mostBins: number): number {
  return 2 * tableBytes(maxLeaves, mostBins) + 64 * KILOBYTE;
}
