/**
 * Figures of one ranked query: gains, discounts, DCG, average precision.
 *
 * Järvelin & Kekäläinen, "Cumulated Gain-Based Evaluation of IR Techniques", TOIS 20 (2002);
 * exponential gain from Burges et al., ICML 2005.
 *
 * @module
 */
import { log, pow } from "../../util/math.ts";

/** How relevance becomes gain. */
export type GainKind = "exponential" | "linear";

/** 2^r − 1, or r. */
export function gainOf(relevance: number, kind: GainKind): number {
  return kind === "linear" ? relevance : pow(2, relevance) - 1;
}

const LN2 = log(2);

/** 1 / log2(rank + 2) for ranks from 0. */
export function discountOf(rank: number): number {
  return LN2 / log(rank + 2);
}

/** DCG of labels in the given order of rows, over the first `count` ranks. */
function dcg(
  labels: Float64Array,
  order: ArrayLike<number>,
  count: number,
  kind: GainKind,
): number {
  let total = 0;
  const end = Math.min(count, order.length);
  for (let rank = 0; rank < end; rank++) {
    total += gainOf(labels[order[rank]], kind) * discountOf(rank);
  }
  return total;
}

/** Largest DCG of rows `from … to − 1` over the first `count` ranks. */
export function idealDcg(
  labels: Float64Array,
  from: number,
  to: number,
  count: number,
  kind: GainKind,
): number {
  const sorted = labels.slice(from, to).sort().reverse();
  return dcg(sorted, Int32Array.from(sorted, (_, i) => i), count, kind);
}

/** NDCG of rows `from … to − 1` in the given order; undefined without any gain. */
export function ndcgOf(
  labels: Float64Array,
  order: Int32Array,
  from: number,
  to: number,
  count: number,
  kind: GainKind,
): number | undefined {
  const ideal = idealDcg(labels, from, to, count, kind);
  return ideal > 0 ? dcg(labels, order, count, kind) / ideal : undefined;
}

/**
 * Average precision of the first `count` ranks, labels above 0 being relevant; undefined without a
 * relevant item.
 */
export function averagePrecisionOf(
  labels: Float64Array,
  order: Int32Array,
  count: number,
): number | undefined {
  let hits = 0;
  let total = 0;
  order.forEach((row, rank) => {
    if (!(labels[row] > 0)) return;
    hits++;
    if (rank < count) total += hits / (rank + 1);
  });
  return hits > 0 ? total / Math.min(hits, count) : undefined;
}
