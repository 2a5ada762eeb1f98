/**
 * Rows of weight 0, which training takes as if they were not there: rules that count rows, cuts of
 * bins, draws and folds are those of the other rows, as with XGBoost's histograms and scikit-learn's
 * trees. LightGBM counts them.
 *
 * @module
 */
import { selectRows } from "./dataset.ts";
import { queryStarts } from "./queries.ts";
import type { Dataset } from "../types.ts";

/**
 * Rows that weigh something, ascending; undefined where all do.
 *
 * @param byQuery Rankings weigh queries: one that weighs something counts with all its rows.
 */
export function rowsOfWeight(
  { numRows, sampleWeight, group }: Pick<Dataset, "numRows" | "sampleWeight" | "group">,
  byQuery = false,
): Int32Array | undefined {
  if (sampleWeight?.includes(0) !== true) return undefined;
  const starts = byQuery && group !== undefined ? queryStarts(group) : undefined;
  const rows = new Int32Array(numRows);
  let count = 0;
  let row = 0;
  for (let query = 0; row < numRows; query++) {
    const end = starts?.[query + 1] ?? row + 1;
    const from = count;
    let weighs = false;
    for (; row < end; row++) {
      rows[count++] = row;
      if (sampleWeight[row] > 0) weighs = true;
    }
    if (!weighs) count = from;
  }
  return count < numRows ? rows.subarray(0, count) : undefined;
}

/** The data without rows of weight 0; the very data where there are none. */
export function withoutWeightless(
  data: Dataset,
  byQuery = false,
  select: (data: Dataset, rows: Int32Array) => Dataset = selectRows,
): Dataset {
  const rows = rowsOfWeight(data, byQuery);
  return rows === undefined ? data : select(data, rows);
}
