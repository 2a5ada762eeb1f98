/**
 * Predictions of rows by the trees that did not see them.
 *
 * Breiman, "Out-of-bag estimation", 1996; "Random Forests", Machine Learning 45 (2001), section 3.1.
 *
 * @module
 */
import type { Dataset, Matrix } from "../../data/types.ts";
import type { BagNotes } from "../../grow/bagged_tree.ts";
import type { Trees } from "../../model/types.ts";
import { defaultMetrics, metricByName } from "../../metric/metrics.ts";

/** Out-of-bag predictions of a forest, and their metrics. */
export interface OutOfBag {
  /**
   * Class shares or values, row-major `rows × outputs`. NaN in rows that every tree was trained on,
   * and in rows of weight 0.
   */
  readonly predictions: Matrix;
  /** For each row, the number of trees that were not trained on it, and so predict it. */
  readonly treesOfRow: Int32Array;
  /** Number of rows with a weight that every tree was trained on; metrics leave them out. */
  readonly rowsWithout: number;
  /** Metrics by name, weighted by the sample weights if there are any. */
  readonly metrics: { readonly [name: string]: number };
}

/** Votes (or shares) of trees so far. */
export interface OutOfBagSums {
  /**
   * Adds those of the next tree.
   *
   * @param leaf Values of its nodes.
   */
  add(notes: Pick<BagNotes, "oobRows" | "oobNodes" | "oobValues">, leaf: Float64Array): void;
  /** What they come to; nothing may be added afterwards. */
  result(data: Dataset): OutOfBag;
}

/** Starts without any. */
export function outOfBagSums(
  numRows: number,
  width: number,
  aggregate: "average" | "vote",
): OutOfBagSums {
  const sums = new Float64Array(numRows * width);
  const treesOfRow = new Int32Array(numRows);
  return {
    add({ oobRows, oobNodes, oobValues }, nodeValues) {
      if (oobRows === undefined) return;
      const leaf = oobValues ?? nodeValues;
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
    },
    result(data) {
      const { sampleWeight } = data;
      let rowsWithout = 0;
      for (let row = 0; row < numRows; row++) {
        const count = treesOfRow[row];
        if (count === 0 && sampleWeight?.[row] !== 0) rowsWithout++;
        for (let at = row * width; at < (row + 1) * width; at++) {
          sums[at] = count > 0 ? sums[at] / count : NaN;
        }
      }
      return {
        predictions: { data: sums, rows: numRows, cols: width },
        treesOfRow,
        rowsWithout,
        metrics: metricsOf(data, sums, treesOfRow, width),
      };
    },
  };
}

/** Adds up votes (or shares) in the order of the trees. */
export function outOfBagOf(
  data: Dataset,
  trees: Pick<Trees, "leaf" | "treeStart">,
  notes: readonly BagNotes[],
  width: number,
  aggregate: "average" | "vote",
): OutOfBag {
  const sums = outOfBagSums(data.numRows, width, aggregate);
  notes.forEach((one, t) => sums.add(one, trees.leaf.subarray(trees.treeStart[t] * width)));
  return sums.result(data);
}

function metricsOf(
  data: Dataset,
  sums: Float64Array,
  treesOfRow: Int32Array,
  width: number,
): { [name: string]: number } {
  const { target, sampleWeight } = data;
  if (target === undefined) return {};
  const rows = treesOfRow.map((_, row) => row).filter((row) => treesOfRow[row] > 0);
  const metrics: { [name: string]: number } = {};
  if (rows.length === 0) return metrics;
  const isClass = target.kind === "classification";
  const pick = (values: ArrayLike<number>, by = 1, first = 0) => {
    const picked = new Float64Array(rows.length);
    for (let i = 0; i < rows.length; i++) picked[i] = values[rows[i] * by + first];
    return picked;
  };
  const labels = {
    values: pick(isClass ? target.codes : target.values),
    ...(sampleWeight && { weight: pick(sampleWeight) }),
  };
  // Two classes are judged by the share of the second, as everywhere else.
  const first = isClass && width === 2 ? 1 : 0;
  const numOutputs = width - first;
  const response = new Float64Array(rows.length * numOutputs);
  for (let k = 0; k < numOutputs; k++) {
    response.set(pick(sums, width, first + k), k * rows.length);
  }
  const predictions = { raw: response, response, numRows: rows.length, numOutputs };
  for (const name of defaultMetrics(target.kind, isClass ? target.classes.length : 0)) {
    const metric = metricByName(name);
    const value = metric.value(labels, predictions);
    if (Number.isFinite(value)) metrics[metric.name] = value;
  }
  return metrics;
}
