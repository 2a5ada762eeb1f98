/**
 * Metrics that are a weighted mean over rows, summed with compensation.
 *
 * @module
 */
import type { Labels } from "../data/types.ts";
import { createSum, type Sum, sum } from "../util/sum.ts";
import { blocksOf, jobMetric } from "./job.ts";
import type { Metric, MetricJob, Place, Predictions } from "./types.ts";

/** Weighted mean of `term(row)` as a job; NaN where all weights are 0. */
export function meanJob(
  numRows: number,
  weight: Float64Array | undefined,
  term: (row: number) => number,
  place: Place,
  finish: (mean: number) => number = (mean) => mean,
): MetricJob {
  const { count, start } = blocksOf(numRows);
  const totals = place.floats(count);
  const weights = place.floats(count);
  return {
    steps: [{
      items: count,
      run(block) {
        const [from, to] = [start(block), start(block + 1)];
        if (weight === undefined) totals[block] = plainSum(from, to, term);
        else [totals[block], weights[block]] = weightedSums(from, to, weight, term);
      },
    }],
    value: () => finish(sum(totals) / (weight === undefined ? numRows : sum(weights))),
  };
}

/** A sum that begins at a number. */
export function sumFrom(first: number): Sum {
  const total = createSum();
  total.add(first);
  return total;
}

function weightedSums(
  from: number,
  to: number,
  weight: Float64Array,
  term: (row: number) => number,
): readonly [total: number, weights: number] {
  const total = createSum();
  const weights = createSum();
  for (let row = from; row < to; row++) {
    const w = weight[row];
    if (w === 0) continue; // 0 · ∞ would spoil the mean
    total.add(w * term(row));
    weights.add(w);
  }
  return [total.value(), weights.value()];
}

/** Sum of `term(row)` as `createSum` adds, in variables of its own: each round asks for one. */
function plainSum(from: number, to: number, term: (row: number) => number): number {
  let total = 0;
  let lost = 0;
  for (let row = from; row < to; row++) {
    const x = term(row);
    const next = total + x;
    lost += Math.abs(total) >= Math.abs(x) ? (total - next) + x : (x - next) + total;
    total = next;
  }
  return Number.isFinite(total) ? total + lost : total;
}

/** {@linkcode plainSum} of a term of label and response: each call compiled it for another closure. */
function termSum(
  from: number,
  to: number,
  values: Float64Array,
  response: Float64Array,
  term: (label: number, response: number) => number,
): number {
  let total = 0;
  let lost = 0;
  for (let row = from; row < to; row++) {
    const x = term(values[row], response[row]);
    const next = total + x;
    lost += Math.abs(total) >= Math.abs(x) ? (total - next) + x : (x - next) + total;
    total = next;
  }
  return Number.isFinite(total) ? total + lost : total;
}

/** A metric that is the mean of a term of each row. */
export function rowMetric(
  name: string,
  higherIsBetter: boolean,
  termOf: (labels: Labels, predictions: Predictions) => (row: number) => number,
): Metric {
  return jobMetric(
    name,
    higherIsBetter,
    (labels, predictions, place) =>
      meanJob(predictions.numRows, labels.weight, termOf(labels, predictions), place),
  );
}

/** A metric that compares one label with one response and averages over rows. */
export function pointMetric(
  name: string,
  term: (label: number, response: number) => number,
  finish: (mean: number) => number = (mean) => mean,
): Metric {
  return jobMetric(
    name,
    false,
    ({ values, weight }: Labels, { response, numRows }: Predictions, place) => {
      if (weight !== undefined) {
        return meanJob(
          numRows,
          weight,
          (row) => term(values[row], response[row]),
          place,
          finish,
        );
      }
      const { count, start } = blocksOf(numRows);
      const totals = place.floats(count);
      return {
        steps: [{
          items: count,
          run(block) {
            totals[block] = termSum(start(block), start(block + 1), values, response, term);
          },
        }],
        value: () => finish(sum(totals) / numRows),
      };
    },
  );
}
