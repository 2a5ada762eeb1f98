/**
 * Mean absolute deviation around the median. Medians are not sums, so the criterion sweeps the rows
 * of a node in the order of the feature with a Fenwick tree over label ranks (P. Fenwick, "A New
 * Data Structure for Cumulative Frequency Tables", 1994): O(n log n) a feature.
 *
 * Breiman, Friedman, Olshen and Stone, "Classification and Regression Trees", 1984, section 8.11.
 *
 * @module
 */
import type { NodeView } from "../rows/stats.ts";
import type { Criterion } from "./criterion.ts";

/** Weights and weighted labels by label rank, with the cost around the median of what is in. */
interface MedianSet {
  clear(): void;
  add(rank: number, weight: number): void;
  /** Σ w |y − median| of the labels in the set. */
  cost(): number;
  median(): number;
}

function createMedianSet(distinct: Float64Array): MedianSet {
  const size = distinct.length;
  const top = 1 << (31 - Math.clz32(Math.max(1, size)));
  const weights = new Float64Array(size + 1);
  const sums = new Float64Array(size + 1);
  let totalWeight = 0;
  let totalSum = 0;
  /** Rank of the lower median, and the weight and sum of all below it. */
  function find(): [number, number, number] {
    const half = totalWeight / 2;
    let at = 0;
    let weight = 0;
    let sum = 0;
    for (let step = top; step > 0; step >>= 1) {
      if (at + step <= size && weight + weights[at + step] < half) {
        at += step;
        weight += weights[at];
        sum += sums[at];
      }
    }
    return [Math.min(at, size - 1), weight, sum];
  }
  return {
    clear() {
      weights.fill(0);
      sums.fill(0);
      totalWeight = totalSum = 0;
    },
    add(rank, weight) {
      const y = distinct[rank] * weight;
      totalWeight += weight;
      totalSum += y;
      for (let at = rank + 1; at <= size; at += at & -at) {
        weights[at] += weight;
        sums[at] += y;
      }
    },
    cost() {
      const [rank, below, sumBelow] = find();
      const m = distinct[rank];
      return m * below - sumBelow + (totalSum - sumBelow) - m * (totalWeight - below);
    },
    median() {
      const [rank] = find();
      let upTo = 0;
      for (let at = rank + 1; at > 0; at -= at & -at) upTo += weights[at];
      if (upTo !== totalWeight / 2) return distinct[rank];
      // Exactly half is at or below: the median is midway to the next label that is present.
      let next = rank + 1;
      for (; next < size; next++) {
        let weight = 0;
        for (let at = next + 1; at > 0; at -= at & -at) weight += weights[at];
        if (weight > upTo) break;
      }
      return next < size ? (distinct[rank] + distinct[next]) / 2 : distinct[rank];
    },
  };
}

function ranksOf(view: NodeView): { distinct: Float64Array; ranks: Int32Array } {
  const n = view.to - view.from;
  const labels = view.labels.subarray(0, n);
  const distinct = Float64Array.from(new Set(labels)).sort();
  const ranks = new Int32Array(n);
  const rankOf = new Map<number, number>();
  for (let i = 0; i < distinct.length; i++) rankOf.set(distinct[i], i);
  for (let i = 0; i < n; i++) ranks[i] = rankOf.get(labels[i])!;
  return { distinct, ranks };
}

/**
 * Mean absolute deviation. Channel 1 of a node holds weight × median and channel 2 Σ w |y − median|,
 * set by `finish`; they are not additive.
 */
export function absoluteCriterion(): Criterion {
  let cached: NodeView["total"] | undefined;
  let distinct: Float64Array = new Float64Array(0);
  let ranks: Int32Array = new Int32Array(0);
  function prepare(view: NodeView): void {
    if (cached === view.total) return; // one node, many features
    ({ distinct, ranks } = ranksOf(view));
    cached = view.total;
  }
  return {
    name: "absolute",
    leafWidth: 1,
    impurity: (stats, at) => stats[at] > 0 ? stats[at + 2] / stats[at] : 0,
    gains() {
      throw new Error("absoluteCriterion() needs ordered rows");
    },
    orderedGains(view, { order, groupEnd }, count, out) {
      prepare(view);
      const set = createMedianSet(distinct);
      const n = view.to - view.from;
      const known = groupEnd[count];
      let place = 0;
      for (let group = 0; group < count; group++) {
        for (; place < groupEnd[group]; place++) {
          set.add(ranks[order[place]], view.weights[order[place]]);
        }
        out[group] = -set.cost();
      }
      set.clear();
      place = known;
      for (let group = count - 1; group >= 0; group--) {
        for (; place > groupEnd[group]; place--) {
          set.add(ranks[order[place - 1]], view.weights[order[place - 1]]);
        }
        out[group] -= set.cost();
      }
      if (known === n) {
        for (let group = 0; group < count; group++) out[group] += view.total[2];
        return;
      }
      // Rows whose value is missing take no part in the comparison.
      for (place = 0; place < groupEnd[0]; place++) {
        set.add(ranks[order[place]], view.weights[order[place]]);
      }
      const whole = set.cost();
      for (let group = 0; group < count; group++) out[group] += whole;
    },
    finish(view, stats) {
      prepare(view);
      const set = createMedianSet(distinct);
      for (let i = 0; i < view.to - view.from; i++) set.add(ranks[i], view.weights[i]);
      stats[1] = stats[0] * set.median();
      stats[2] = set.cost();
    },
    leafValue(stats, at, out) {
      out[0] = stats[at] > 0 ? stats[at + 1] / stats[at] : 0;
    },
  };
}
