/**
 * LambdaMART: pairs of items of a query pull each other apart, each pair by the change of the
 * query's metric if the two traded places.
 *
 * Burges, "From RankNet to LambdaRank to LambdaMART", MSR-TR-2010-82; Wang et al., "The LambdaLoss
 * Framework for Ranking Metric Optimization", CIKM 2018. Normalisations are LightGBM's.
 *
 * @module
 */
import { meanQueryWeight, queriesOf, queryWeight, rankRows } from "../data/dataset/queries.ts";
import {
  averagePrecisionOf,
  discountOf,
  type GainKind,
  gainOf,
  idealDcg,
  ndcgOf,
} from "../data/dataset/relevance.ts";
import type { Labels } from "../data/types.ts";
import { log, sigmoid, softplus } from "../util/math.ts";
import { createSum } from "../util/sum.ts";
import { checkDomain } from "./labels.ts";
import type { Loss } from "./types.ts";
import type { Curvature } from "./params.ts";

/** What a pair is weighed by. */
export type PairMetric = "ndcg" | "map" | "none";

/** Options of the pair losses. */
export interface LambdaOptions {
  /** Factor s in σ(s (sᵢ − sⱼ)). @default 1 */
  readonly sigmoidScale?: number;
  /** Pairs have at least one item among the best this many ranks. @default 32 */
  readonly rankTruncation?: number;
  /** @default "exponential" */
  readonly rankGain?: GainKind;
  /** Divide pairs by their score gap and queries by log2(1 + Σλ)/Σλ. @default true */
  readonly rankNormalise?: boolean;
  /**
   * XGBoost doubles the second derivative and divides weights of queries by their mean; LightGBM
   * rounds sigmoids and sums, and weighs rows. @default "treeline"
   */
  readonly curvature?: Curvature;
}

const NAMES = { ndcg: "lambdaNdcg", map: "lambdaMap", none: "pairwise" } as const;
const MAX_RELEVANCE = 31; // 2^31 − 1 is the largest gain that XGBoost and LightGBM allow

/** Sums of one query on the way. */
interface Query {
  readonly labels: Float64Array;
  /** Rows by falling score. */
  readonly order: Int32Array;
  readonly from: number;
  readonly to: number;
}

/** |Δ metric| of exchanging the items at two ranks (the first is the better rank). */
type Delta = (high: number, low: number) => number;

/** Makes a pair loss. */
export function lambdaLoss(metric: PairMetric, options: LambdaOptions = {}): Loss {
  const {
    sigmoidScale: scale = 1,
    rankTruncation = 32,
    rankGain = "exponential",
    rankNormalise = true,
    curvature = "treeline",
  } = options;
  const name = NAMES[metric];
  const factor = curvature === "xgboost" ? 2 : 1;
  const isLightgbm = curvature === "lightgbm";
  const wrongOrder = isLightgbm ? tableSigmoid(scale) : (gap: number) => sigmoid(-scale * gap);
  const round = isLightgbm ? Math.fround : (value: number) => value;
  const deltaOf = (query: Query): Delta | undefined => {
    if (metric === "none") return () => 1;
    return metric === "map" ? mapDelta(query) : ndcgDelta(query, rankTruncation, rankGain);
  };

  /** Adds one query's gradients. */
  function addQuery(
    query: Query,
    weight: number,
    raw: Float64Array,
    gradient: Float64Array,
    hessian: Float64Array,
  ): void {
    const { labels, order, from, to } = query;
    const delta = deltaOf(query);
    if (delta === undefined) return;
    const size = order.length;
    const spread = raw[order[0]] !== raw[order[size - 1]];
    let total = 0;
    for (let i = 0; i < Math.min(rankTruncation, size); i++) {
      for (let j = i + 1; j < size; j++) {
        const [a, b] = [order[i], order[j]];
        if (labels[a] === labels[b]) continue;
        const [better, worse] = labels[a] > labels[b] ? [a, b] : [b, a];
        const gap = raw[better] - raw[worse];
        let change = delta(i, j);
        if (rankNormalise && spread) change /= round(0.01) + Math.abs(gap);
        const p = wrongOrder(gap); // chance of the wrong order
        const lambda = scale * p * change;
        const curve = factor * scale * scale * p * (1 - p) * change;
        gradient[better] = round(gradient[better] - round(lambda));
        gradient[worse] = round(gradient[worse] + round(lambda));
        hessian[better] = round(hessian[better] + round(curve));
        hessian[worse] = round(hessian[worse] + round(curve));
        total += 2 * lambda;
      }
    }
    const norm = rankNormalise && total > 0 ? log(1 + total) / (LN2 * total) : 1;
    if (norm * weight === 1) return;
    for (let row = from; row < to; row++) {
      gradient[row] *= norm * weight;
      hessian[row] *= norm * weight;
    }
  }

  return {
    name,
    task: "ranking",
    numOutputs: 1,
    postprocess: { name: "identity" },
    weighted: true,
    checkLabels(labels) {
      queriesOf(`loss "${name}"`, labels);
      const limit = metric === "ndcg" && rankGain === "exponential" ? MAX_RELEVANCE : Infinity;
      checkDomain(name, labels, {
        test: (y) => y >= 0 && y <= limit && y < Infinity,
        text: limit === Infinity
          ? "a relevance that is not negative"
          : `a relevance from 0 to ${limit} (or rankGain "linear")`,
      });
    },
    baseScore: () => new Float64Array(1),
    gradients(labels, raw, gradient, hessian, from, to) {
      // Queries that begin among the rows, to their ends.
      const unit = curvature === "xgboost" ? meanQueryWeight(labels) : 1;
      const visit = (query: Query, weight: number) => {
        gradient.fill(0, query.from, query.to);
        hessian.fill(0, query.from, query.to);
        addQuery(query, isLightgbm ? 1 : weight / unit, raw, gradient, hessian);
        if (isLightgbm) weighRows(labels.weight, query.from, query.to, gradient, hessian);
      };
      eachQuery(name, labels, raw, visit, from, to);
    },
    value(labels, raw) {
      if (metric === "none") return pairwiseValue(name, labels, raw, scale);
      const total = createSum();
      const weights = createSum();
      eachQuery(name, labels, raw, ({ labels: y, order, from, to }, weight) => {
        const found = metric === "ndcg"
          ? ndcgOf(y, order, from, to, rankTruncation, rankGain)
          : averagePrecisionOf(y, order, rankTruncation);
        if (found === undefined) return;
        total.add(weight * (1 - found));
        weights.add(weight);
      });
      return weights.value() > 0 ? total.value() / weights.value() : 0;
    },
  };
}

const LN2 = log(2);

/** Multiplies derivatives of rows by the rows' own weights, in float32 as LightGBM does. */
export function weighRows(
  weight: Float64Array | undefined,
  from: number,
  to: number,
  gradient: Float64Array,
  hessian: Float64Array,
): void {
  for (let row = from; weight !== undefined && row < to; row++) {
    const w = Math.fround(weight[row]);
    gradient[row] = Math.fround(Math.fround(gradient[row]) * w);
    hessian[row] = Math.fround(Math.fround(hessian[row]) * w);
  }
}

/** σ(−s gap) as LightGBM reads it from a table of 2²⁰ steps over |s gap| ≤ 25. */
function tableSigmoid(scale: number): (gap: number) => number {
  const steps = 2 ** 20;
  const most = 25 / scale;
  const perStep = steps / (2 * most);
  return (gap) => {
    const place = Math.trunc((Math.min(most, Math.max(-most, gap)) + most) * perStep);
    return sigmoid(-scale * (Math.min(steps - 1, place) / perStep - most));
  };
}

function eachQuery(
  name: string,
  labels: Labels,
  raw: Float64Array,
  visit: (query: Query, weight: number) => void,
  first = 0,
  end = Infinity,
): void {
  const starts = queriesOf(`loss "${name}"`, labels);
  for (let q = 0; q + 1 < starts.length; q++) {
    const [from, to] = [starts[q], starts[q + 1]];
    if (from < first || from >= end) continue;
    const order = rankRows(raw, from, to);
    visit({ labels: labels.values, order, from, to }, queryWeight(labels, from, to));
  }
}

/** Mean over pairs of different relevance of ln(1 + e^(−s gap)). */
function pairwiseValue(name: string, labels: Labels, raw: Float64Array, scale: number): number {
  const total = createSum();
  const pairs = createSum();
  eachQuery(name, labels, raw, ({ labels: y, order }, weight) => {
    for (const a of order) {
      for (const b of order) {
        if (!(y[a] > y[b])) continue;
        total.add(weight * softplus(-scale * (raw[a] - raw[b])));
        pairs.add(weight);
      }
    }
  });
  return pairs.value() > 0 ? total.value() / pairs.value() : 0;
}

/** |Δ NDCG|; undefined where no order has any gain. */
function ndcgDelta(query: Query, truncation: number, kind: GainKind): Delta | undefined {
  const { labels, order, from, to } = query;
  const ideal = idealDcg(labels, from, to, truncation, kind);
  if (!(ideal > 0)) return undefined;
  const perIdeal = 1 / ideal;
  const gains = Float64Array.from(order, (row) => gainOf(labels[row], kind));
  return (high, low) =>
    Math.abs(gains[high] - gains[low]) * Math.abs(discountOf(high) - discountOf(low)) * perIdeal;
}

/** |Δ average precision| of binary relevance; undefined without a relevant item. */
function mapDelta({ labels, order }: Query): Delta | undefined {
  const size = order.length;
  const hits = new Float64Array(size + 1); // relevant items before rank r
  const shares = new Float64Array(size + 1); // Σ 1/(r+1) over relevant ranks before r
  for (let rank = 0; rank < size; rank++) {
    const relevant = labels[order[rank]] > 0 ? 1 : 0;
    hits[rank + 1] = hits[rank] + relevant;
    shares[rank + 1] = shares[rank] + relevant / (rank + 1);
  }
  if (hits[size] === 0) return undefined;
  return (high, low) => {
    const above = labels[order[high]] > 0;
    if (above === labels[order[low]] > 0) return 0;
    const between = shares[low] - shares[high + 1];
    const change = above
      ? hits[low + 1] / (low + 1) - between - hits[high + 1] / (high + 1)
      : (hits[high + 1] + 1) / (high + 1) + between - hits[low + 1] / (low + 1);
    return Math.abs(change) / hits[size];
  };
}
