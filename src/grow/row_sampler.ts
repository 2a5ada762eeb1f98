/**
 * Which rows a tree learns from, as a factor for each row: 0 leaves it out.
 *
 * @module
 */
import { spread } from "../kernels/twin_draw.ts";
import { orderStatistic } from "../util/order_statistic.ts";
import type { Rng } from "../util/rng.ts";

/** Writes the factor of every row. */
export type RowSampler = (factor: Float64Array, rng: Rng) => void;

/**
 * Exactly `count` of the rows that are not closed, all sets alike (Fan, Muller & Rezucha 1962,
 * selection sampling).
 */
function choose(
  factor: Float64Array,
  numOpen: number,
  count: number,
  value: number,
  closed: Uint8Array,
  rng: Rng,
): void {
  const seed = rng.nextUint32();
  let left = numOpen;
  let wanted = count;
  for (let row = 0; row < factor.length; row++) {
    if (closed[row] !== 0) continue;
    const taken = (spread(row, seed) / 4294967296) * left < wanted;
    factor[row] = taken ? value : 0;
    if (taken) wanted--;
    left--;
  }
}

/** As many draws with replacement as the share says; the factor is how often a row was drawn. */
export function bootstrapRows(share: number): RowSampler {
  return (factor, rng) => {
    factor.fill(0);
    const draws = Math.max(1, Math.round(share * factor.length));
    for (let i = 0; i < draws; i++) factor[rng.nextInt(factor.length)]++;
  };
}

/**
 * Gradient-based one-side sampling (Ke et al., "LightGBM", NeurIPS 2017): keeps the rows of largest
 * importance and draws from the others, whose gradients are multiplied so that sums stay unbiased.
 *
 * @param importance Σ |g·h| over the outputs of each row.
 */
export function gossRows(
  top: number,
  other: number,
  importance: () => Float64Array,
): RowSampler {
  return (factor, rng) => {
    const n = factor.length;
    const rank = importance();
    const numTop = Math.max(1, Math.floor(top * n));
    const least = orderStatistic(rank, n - numTop);
    let above = 0;
    for (let row = 0; row < n; row++) if (rank[row] > least) above++;
    // Ties at the threshold: the first rows among them fill the places.
    let ties = numTop - above;
    const isTop = new Uint8Array(n);
    for (let row = 0; row < n; row++) {
      if (rank[row] > least || (rank[row] === least && ties-- > 0)) isTop[row] = 1;
    }
    const numRest = n - numTop;
    const count = Math.min(numRest, Math.floor(other * n));
    for (let row = 0; row < n; row++) factor[row] = isTop[row];
    if (count > 0) choose(factor, numRest, count, numRest / count, isTop, rng);
  };
}
