/**
 * Metrics of ranked queries, averaged over queries by their weight. Ties keep row order; NaN where a
 * score is no number, which has no rank.
 *
 * @module
 */
import { queriesOf, queryWeight, rankRows } from "../data/dataset/queries.ts";
import { averagePrecisionOf, type GainKind, ndcgOf } from "../data/dataset/relevance.ts";
import { createSum, sum } from "../util/sum.ts";
import { type Blocks, jobMetric } from "./job.ts";
import type { Labels } from "../data/types.ts";
import type { EmptyGroup, Metric } from "./types.ts";

/** Number of queries, and of those whose metrics depend on a convention. */
export interface QueryCounts {
  /** Queries whose weight is not 0. */
  readonly count: number;
  /** Queries without a relevant row; the parameter `emptyGroup` decides what they count. */
  readonly withoutRelevant: number;
  /** Queries in which rows of different relevance have the same score; ties keep the row order. */
  readonly tied: number;
}

/** Counts queries by what their metrics hang on. */
export function countQueries(labels: Labels, raw: Float64Array): QueryCounts {
  const starts = queriesOf("metrics of queries", labels);
  const { values } = labels;
  let count = 0;
  let withoutRelevant = 0;
  let tied = 0;
  for (let q = 0; q + 1 < starts.length; q++) {
    const [from, to] = [starts[q], starts[q + 1]];
    if (queryWeight(labels, from, to) === 0) continue;
    count++;
    const order = rankRows(raw, from, to);
    if (!order.some((row) => values[row] > 0)) withoutRelevant++;
    // Equal scores stand in row order, so different labels among them are neighbours somewhere.
    if (
      order.some((row, i) =>
        i > 0 && raw[row] === raw[order[i - 1]] && values[row] !== values[order[i - 1]]
      )
    ) tied++;
  }
  return { count, withoutRelevant, tied };
}

/** Rows of one query in the order of their scores. */
interface Ranked {
  readonly labels: Float64Array;
  readonly order: Int32Array;
  readonly from: number;
  readonly to: number;
}

/** Queries of a block, at least. */
const LEAST_QUERIES = 16;

function queryMetric(
  name: string,
  emptyGroup: EmptyGroup,
  value: (query: Ranked) => number | undefined,
): Metric {
  return jobMetric(name, true, (labels, { raw }, place) => {
    const starts = queriesOf(`metric "${name}"`, labels);
    const blocks = queryBlocks(starts.length - 1);
    const totals = place.floats(blocks.count);
    const weights = place.floats(blocks.count);
    return {
      steps: [{
        items: blocks.count,
        run(block) {
          const total = createSum();
          const weighed = createSum();
          for (let q = blocks.start(block); q < blocks.start(block + 1); q++) {
            const [from, to] = [starts[q], starts[q + 1]];
            const found = value({
              labels: labels.values,
              order: rankRows(raw, from, to),
              from,
              to,
            });
            if (found === undefined && emptyGroup === "skip") continue;
            const weight = queryWeight(labels, from, to);
            if (weight === 0) continue;
            const counted = found ?? (emptyGroup === "one" ? 1 : 0);
            total.add(weight * (hasNaN(raw, from, to) ? NaN : counted));
            weighed.add(weight);
          }
          totals[block] = total.value();
          weights[block] = weighed.value();
        },
      }],
      value: () => sum(totals) / sum(weights),
    };
  });
}

function hasNaN(scores: Float64Array, from: number, to: number): boolean {
  for (let row = from; row < to; row++) if (scores[row] !== scores[row]) return true;
  return false;
}

/** At most 128 blocks of queries. */
function queryBlocks(numQueries: number): Blocks {
  const size = Math.max(LEAST_QUERIES, Math.ceil(numQueries / 128));
  return {
    count: Math.max(1, Math.ceil(numQueries / size)),
    start: (block) => Math.min(numQueries, block * size),
  };
}

/** Normalised discounted cumulative gain of the first `count` ranks. */
export function ndcg(
  count = Infinity,
  kind: GainKind = "exponential",
  emptyGroup: EmptyGroup = "skip",
): Metric {
  return queryMetric(
    "ndcg",
    emptyGroup,
    ({ labels, order, from, to }) => ndcgOf(labels, order, from, to, count, kind),
  );
}

/** Mean average precision of the first `count` ranks; labels above 0 are relevant. */
export function meanAveragePrecision(count = Infinity, emptyGroup: EmptyGroup = "skip"): Metric {
  return queryMetric(
    "map",
    emptyGroup,
    ({ labels, order }) => averagePrecisionOf(labels, order, count),
  );
}

/** Share of relevant items among the first `count` ranks (or all, where there are fewer). */
export function precisionAt(count = Infinity, emptyGroup: EmptyGroup = "skip"): Metric {
  return queryMetric("precisionAt", emptyGroup, ({ labels, order }) => {
    if (!order.some((row) => labels[row] > 0)) return undefined;
    const first = order.subarray(0, Math.min(count, order.length));
    return first.reduce((hits, row) => hits + (labels[row] > 0 ? 1 : 0), 0) / first.length;
  });
}

/** Mean of 1 / rank of the first relevant item; 0 where it is not among the first `count`. */
export function reciprocalRank(count = Infinity, emptyGroup: EmptyGroup = "skip"): Metric {
  return queryMetric("mrr", emptyGroup, ({ labels, order }) => {
    const rank = order.findIndex((row) => labels[row] > 0);
    return rank < 0 ? undefined : rank < count ? 1 / (rank + 1) : 0;
  });
}
