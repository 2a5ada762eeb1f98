/**
 * Rows by falling score, as work for several threads: blocks of rows deal their rows into buckets of
 * equal width, of which each is then sorted by itself. Subtracting, multiplying and flooring keep the
 * order of numbers, so the buckets are in order whatever the rounding.
 *
 * @module
 */
import { blocksOf } from "./job.ts";
import type { MetricStep, Place } from "./types.ts";

/** Rows in order. */
export interface Ranked {
  /** Steps after which the arrays are filled. */
  readonly steps: readonly MetricStep[];
  /** Row of each rank; equal scores are in row order. */
  readonly rows: Int32Array;
  /** Score of each rank. */
  readonly scores: Float64Array;
  /** Whether a score is NaN, which no order knows. */
  hasNaN(): boolean;
}

const BUCKETS = 512;

/** Sorts rows by score, the highest first. */
export function rankByScore(scores: Float64Array, numRows: number, place: Place): Ranked {
  const { count, start } = blocksOf(numRows);
  const lowest = place.floats(count);
  const highest = place.floats(count);
  // Rows of each bucket in each block; then the place of the next of them.
  const places = place.ints(count * BUCKETS);
  const starts = place.ints(BUCKETS + 1);
  const rows = place.ints(numRows);
  const sorted = place.floats(numRows);
  const hasNaN = () => lowest.some((low) => low !== low);
  const bucketing = () => {
    const top = highest.reduce((a, b) => Math.max(a, b), -Infinity);
    const bottom = lowest.reduce((a, b) => Math.min(a, b), Infinity);
    return bucketsOf(bottom, top, BUCKETS);
  };

  return {
    rows,
    scores: sorted,
    hasNaN,
    steps: [
      {
        items: count,
        run: (block) => {
          [lowest[block], highest[block]] = spanOf(scores, start(block), start(block + 1));
        },
      },
      {
        items: count,
        run(block) {
          const bucketOf = bucketing();
          const counts = places.subarray(block * BUCKETS, (block + 1) * BUCKETS).fill(0);
          for (let row = start(block); row < start(block + 1); row++) {
            counts[bucketOf(scores[row])]++;
          }
        },
      },
      {
        items: 1,
        run() {
          let at = 0;
          for (let bucket = 0; bucket < BUCKETS; bucket++) {
            starts[bucket] = at;
            for (let i = bucket; i < places.length; i += BUCKETS) {
              const here = places[i];
              places[i] = at;
              at += here;
            }
          }
          starts[BUCKETS] = at;
        },
      },
      {
        items: count,
        run(block) {
          const bucketOf = bucketing();
          const next = places.subarray(block * BUCKETS, (block + 1) * BUCKETS);
          for (let row = start(block); row < start(block + 1); row++) {
            const to = next[bucketOf(scores[row])]++;
            rows[to] = row;
            sorted[to] = scores[row];
          }
        },
      },
      {
        items: BUCKETS,
        run: (bucket) => sortStretch(sorted, rows, starts[bucket], starts[bucket + 1]),
      },
    ],
  };
}

/** Lowest and highest score of some rows; NaN where one is not a number. */
function spanOf(scores: Float64Array, from: number, to: number): [low: number, high: number] {
  let low = Infinity;
  let high = -Infinity;
  for (let i = from; i < to; i++) {
    const score = scores[i];
    if (score !== score) return [NaN, NaN];
    if (score < low) low = score;
    if (score > high) high = score;
  }
  return [low, high];
}

/** The bucket of a score, bucket 0 having the highest; one bucket where widths are not finite. */
function bucketsOf(low: number, high: number, count: number): (score: number) => number {
  const scale = count / (high - low);
  if (!(scale > 0 && scale < Infinity)) return () => 0;
  return (score) => Math.min(count - 1, Math.floor((high - score) * scale));
}

/** Up to so many scores are sorted by insertion. */
const FEW = 24;
/** Scores that spread so unevenly that dealing them out again and again does not part them. */
const MOST_DEPTH = 4;

/** Sorts a stretch of scores with their rows, which are in row order before. */
function sortStretch(
  scores: Float64Array,
  rows: Int32Array,
  from: number,
  to: number,
  depth = 0,
): void {
  if (to - from <= FEW) return insertionSort(scores, rows, from, to);
  const [low, high] = spanOf(scores, from, to);
  if (low === high) return;
  const heldScores = scores.slice(from, to);
  const heldRows = rows.slice(from, to);
  if (depth === MOST_DEPTH) {
    const order = Int32Array.from(heldRows, (_, i) => i)
      .sort((a, b) => heldScores[b] - heldScores[a]);
    order.forEach((i, at) => {
      scores[from + at] = heldScores[i];
      rows[from + at] = heldRows[i];
    });
    return;
  }
  const count = Math.ceil((to - from) / 4);
  const bucketOf = bucketsOf(low, high, count);
  const next = new Int32Array(count + 1);
  for (const score of heldScores) next[bucketOf(score) + 1]++;
  for (let i = 0; i < count; i++) next[i + 1] += next[i];
  const starts = next.slice();
  for (let i = 0; i < heldRows.length; i++) {
    const at = from + next[bucketOf(heldScores[i])]++;
    scores[at] = heldScores[i];
    rows[at] = heldRows[i];
  }
  for (let i = 0; i < count; i++) {
    if (starts[i + 1] - starts[i] > 1) {
      sortStretch(scores, rows, from + starts[i], from + starts[i + 1], depth + 1);
    }
  }
}

function insertionSort(scores: Float64Array, rows: Int32Array, from: number, to: number): void {
  for (let i = from + 1; i < to; i++) {
    const score = scores[i];
    const row = rows[i];
    let at = i;
    for (; at > from && scores[at - 1] < score; at--) {
      scores[at] = scores[at - 1];
      rows[at] = rows[at - 1];
    }
    scores[at] = score;
    rows[at] = row;
  }
}
