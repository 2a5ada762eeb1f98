/**
 * Predictions of rows by the trees that did not see them.
 *
 * Breiman, "Out-of-bag estimation", 1996; "Random Forests", Machine Learning 45 (2001), section 3.1.
 *
 * @module
 */
import type { Dataset, Matrix } from "../data/types.ts";
import type { BagNotes } from "../grow/bagged_tree.ts";
import type { Trees } from "../model/types.ts";
import { defaultMetrics, metricByName } from "../metric/metrics.ts";

/** Out-of-bag predictions and how good they are. */
export interface OutOfBag {
  /** Class shares, or values; NaN in rows that every tree saw. Row-major `rows × outputs`. */
  readonly predictions: Matrix;
  /** Trees that did not see each row. */
  readonly treesOfRow: Int32Array;
  /** Rows that every tree saw: they have no prediction and are left out of the metrics. */
  readonly rowsWithout: number;
  /** By name; weighted by sample weights where there are any. */
  readonly metrics: { readonly [name: string]: number };
}

/** Adds up votes (or shares) in the order of the trees. */
export function outOfBagOf(
  data: Dataset,
  trees: Pick<Trees, "leaf" | "treeStart">,
  notes: readonly BagNotes[],
  width: number,
  aggregate: "average" | "vote",
): OutOfBag {
  const { numRows } = data;
  const sums = new Float64Array(numRows * width);
  const treesOfRow = new Int32Array(numRows);
  for (let t = 0; t < notes.length; t++) {
    const { oobRows, oobNodes, oobValues } = notes[t];
    if (oobRows === undefined) continue;
    const leaf = oobValues ?? trees.leaf.subarray(trees.treeStart[t] * width);
    for (let i = 0; i < oobRows.length; i++) {
      const from = (oobNodes === undefined ? i : oobNodes[i]) * width;
      const to = oobRows[i] * width;
      treesOfRow[oobRows[i]]++;
      if (aggregate === "vote" && width > 1) {
        let best = 0;
        for (let k = 1; k < width; k++) if (leaf[from + k] > leaf[from + best]) best = k;
        sums[to + best]++;
      } else for (let k = 0; k < width; k++) sums[to + k] += leaf[from + k];
    }
  }
  let rowsWithout = 0;
  for (let row = 0; row < numRows; row++) {
    if (treesOfRow[row] === 0) rowsWithout++;
    for (let k = 0; k < width; k++) {
      sums[row * width + k] = treesOfRow[row] > 0 ? sums[row * width + k] / treesOfRow[row] : NaN;
    }
  }
  return {
    predictions: { data: sums, rows: numRows, cols: width },
    treesOfRow,
    rowsWithout,
    metrics: metricsOf(data, sums, treesOfRow, width),
  };
}

function metricsOf(
  data: Dataset,
  sums: Float64Array,
  treesOfRow: Int32Array,
  width: number,
): { [name: string]: number } {
  const { target, sampleWeight } = data;
  if (target === undefined) return {};
  const rows: number[] = [];
  for (let row = 0; row < data.numRows; row++) if (treesOfRow[row] > 0) rows.push(row);
  const metrics: { [name: string]: number } = {};
  if (rows.length === 0) return metrics;
  const isClass = target.kind === "classification";
  const values = Float64Array.from(rows, (row) => isClass ? target.codes[row] : target.values[row]);
  const labels = {
    values,
    ...(sampleWeight && { weight: Float64Array.from(rows, (row) => sampleWeight[row]) }),
  };
  // Two classes are judged by the share of the second, as everywhere else.
  const first = isClass && width === 2 ? 1 : 0;
  const numOutputs = width - first;
  const response = new Float64Array(rows.length * numOutputs);
  for (let k = 0; k < numOutputs; k++) {
    rows.forEach((row, i) => response[k * rows.length + i] = sums[row * width + first + k]);
  }
  const predictions = { raw: response, response, numRows: rows.length, numOutputs };
  for (const name of defaultMetrics(target.kind, isClass ? target.classes.length : 0)) {
    const metric = metricByName(name);
    const value = metric.value(labels, predictions);
    if (Number.isFinite(value)) metrics[metric.name] = value;
  }
  return metrics;
}
