/**
 * Metrics that are a weighted mean over rows, summed with compensation.
 *
 * @module
 */
import type { Labels } from "../data/types.ts";
import { createSum } from "../util/sum.ts";
import type { Metric, Predictions } from "./types.ts";

/** Weighted mean of `term(row)`; NaN where all weights are 0. */
export function weightedMean(
  numRows: number,
  weight: Float64Array | undefined,
  term: (row: number) => number,
): number {
  if (weight === undefined) return plainSum(numRows, term) / numRows;
  const total = createSum();
  const weights = createSum();
  for (let row = 0; row < numRows; row++) {
    const w = weight[row];
    if (w === 0) continue; // 0 · ∞ would spoil the mean
    total.add(w * term(row));
    weights.add(w);
  }
  return total.value() / weights.value();
}

/** Sum of `term(row)` as `createSum` adds, in variables of its own: each round asks for one. */
function plainSum(numRows: number, term: (row: number) => number): number {
  let total = 0;
  let lost = 0;
  for (let row = 0; row < numRows; row++) {
    const x = term(row);
    const next = total + x;
    lost += Math.abs(total) >= Math.abs(x) ? (total - next) + x : (x - next) + total;
    total = next;
  }
  return Number.isFinite(total) ? total + lost : total;
}

/** {@linkcode plainSum} of a term of label and response: each call compiled it for another closure. */
function termSum(
  numRows: number,
  values: Float64Array,
  response: Float64Array,
  term: (label: number, response: number) => number,
): number {
  let total = 0;
  let lost = 0;
  for (let row = 0; row < numRows; row++) {
    const x = term(values[row], response[row]);
    const next = total + x;
    lost += Math.abs(total) >= Math.abs(x) ? (total - next) + x : (x - next) + total;
    total = next;
  }
  return Number.isFinite(total) ? total + lost : total;
}

/** A metric that compares one label with one response and averages over rows. */
export function pointMetric(
  name: string,
  term: (label: number, response: number) => number,
  finish: (mean: number) => number = (mean) => mean,
): Metric {
  return {
    name,
    higherIsBetter: false,
    value: ({ values, weight }: Labels, { response, numRows }: Predictions) =>
      finish(
        weight === undefined
          ? termSum(numRows, values, response, term) / numRows
          : weightedMean(numRows, weight, (row) => term(values[row], response[row])),
      ),
  };
}
