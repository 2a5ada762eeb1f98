/**
 * A warning of linear leaves whose terms are so steep that rows between the training rows may be scored
 * far off.
 *
 * @module
 */
import { selectRows } from "../../data/dataset/dataset.ts";
import type { Dataset } from "../../data/types.ts";
import { weightedRows } from "../../grow/rows/source.ts";
import type { Model } from "../../model/model.ts";

/** Spreads of the training scores that a term may change by over the range of its column. */
const MOST = 30;

/** Training rows whose scores are looked at. */
const ROWS = 1000;

/**
 * Warns where a term of a leaf changes by more than thirty times the spread of the training scores
 * over the range of its column. Such terms cancel in the leaf's own rows and nowhere else: they come
 * from columns that hardly differ there or explain each other, and from leaves of few rows.
 */
export function warnOfSteepLeaves(
  model: Model,
  data: Dataset,
  onWarning: ((message: string) => void) | undefined,
): void {
  const { linear, trees: { treeStart }, treeWeight } = model.ensemble;
  if (linear === undefined || onWarning === undefined || data.numRows === 0) return;
  const counted = weightedRows(data.numRows, data.sampleWeight);
  const rows = Int32Array.from(
    { length: Math.min(ROWS, counted.length) },
    (_, i) => counted[Math.floor(i * Math.max(1, counted.length / ROWS))],
  );
  const spread = rangeOf(model.predictRaw(selectRows(data, rows)).data);
  const ranges = data.features.map((column) =>
    column.kind === "numeric" ? rangeOf(column.values, data.sampleWeight) : 0
  );
  let steepest = MOST * spread;
  let feature = -1;
  for (let t = 0; t < treeWeight.length; t++) {
    const to = linear.termStart[treeStart[t + 1]];
    for (let term = linear.termStart[treeStart[t]]; term < to; term++) {
      const slope = Math.abs(linear.termCoefficient[term] * treeWeight[t]);
      const change = slope * ranges[linear.termFeature[term]];
      if (change > steepest) [steepest, feature] = [change, linear.termFeature[term]];
    }
  }
  if (feature < 0) return;
  onWarning(
    `A linear leaf changes by ${steepest.toPrecision(2)} over the range of column ` +
      `${
        JSON.stringify(data.features[feature].name)
      }, where all scores of training rows differ by ` +
      `${spread.toPrecision(2)}: rows between the training rows may be scored far off; expected ` +
      "linearLambda above 0, or more minRowsPerLeaf",
  );
}

/** Largest less smallest finite value, of rows that weigh something. */
function rangeOf(values: ArrayLike<number>, weight?: ArrayLike<number>): number {
  let low = Infinity;
  let high = -Infinity;
  for (let i = 0; i < values.length; i++) {
    if (!Number.isFinite(values[i]) || weight?.[i] === 0) continue;
    if (values[i] < low) low = values[i];
    if (values[i] > high) high = values[i];
  }
  return Math.max(0, high - low);
}
