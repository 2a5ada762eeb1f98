/**
 * Approximate median significance of a selection of signal events (Higgs challenge, 2014).
 *
 * @module
 */
import { log } from "../util/math.ts";
import { scoresOf } from "./auc.ts";
import { blocksOf, jobMetric } from "./job.ts";
import { sum } from "../util/sum.ts";
import { sumFrom } from "./mean.ts";
import { rankByScore } from "./order.ts";
import type { Metric } from "./types.ts";

const REGULAR = 10; // background added to every selection, as the challenge and XGBoost do

/**
 * AMS of the best `share` of rows by score, √(2 ((s + b + 10) ln(1 + s/(b + 10)) − s)); with share 1
 * the best over all selections. NaN where a score is no number.
 *
 * Rows that tie at the cut are selected in part, each by the same share of its weight, so that the
 * order of rows does not matter; XGBoost takes the first of them.
 */
export function ams(share: number): Metric {
  const isAll = share >= 1;
  return jobMetric("ams", true, ({ values, weight }, predictions, place) => {
    const { numRows } = predictions;
    const selected = isAll ? numRows : Math.min(numRows, Math.max(1, Math.floor(share * numRows)));
    const ranked = rankByScore(scoresOf(predictions), numRows, place);
    const { rows, scores } = ranked;
    const { count, start } = blocksOf(selected);
    const ties = () => isAll ? [numRows, numRows] : tiesOf(scores, selected - 1);
    const signals = place.floats(count);
    const others = place.floats(count);
    const best = place.floats(count);
    /** Adds the ranks of a block; `visit` is called after each. */
    const walk = (block: number, first: readonly [number, number], visit?: Visit) => {
      const [signal, other] = [sumFrom(first[0]), sumFrom(first[1])];
      const end = Math.min(start(block + 1), ties()[0]);
      for (let at = start(block); at < end; at++) {
        (isSignal(at) ? signal : other).add(weightOf(at));
        visit?.(at, signal.value, other.value);
      }
      return [signal.value(), other.value()] as const;
    };
    const isSignal = (at: number) => values[rows[at]] > 0.5;
    const weightOf = (at: number) => weight === undefined ? 1 : weight[rows[at]];
    const atCut = () => {
      const [first, end] = ties();
      const share = (selected - first) / (end - first);
      const [signal, other] = above(count).map((weight) => sumFrom(weight));
      for (let at = first; at < end; at++) {
        (isSignal(at) ? signal : other).add(share * weightOf(at));
      }
      return significance(signal.value(), other.value());
    };
    const above = (block: number) =>
      [sum(signals.subarray(0, block)), sum(others.subarray(0, block))] as const;
    return {
      steps: [...ranked.steps, {
        items: count,
        run(block) {
          [signals[block], others[block]] = walk(block, [0, 0]);
        },
      }, {
        items: isAll ? count : 0,
        run(block) {
          best[block] = 0;
          walk(block, above(block), (at, signal, other) => {
            if (at + 1 < numRows && scores[at + 1] === scores[at]) return; // not parted from the next
            best[block] = Math.max(best[block], significance(signal(), other()));
          });
        },
      }],
      value() {
        if (ranked.hasNaN()) return NaN;
        return isAll ? best.reduce((a, b) => Math.max(a, b), 0) : atCut();
      },
    };
  });
}

/** Told a rank, and the weights of signal and background up to it. */
type Visit = (at: number, signal: () => number, other: () => number) => void;

/** Ranks `first … end − 1` whose score is that of a rank; scores fall. */
function tiesOf(scores: Float64Array, rank: number): [first: number, end: number] {
  const before = (isBefore: (score: number) => boolean) => {
    let [low, high] = [0, scores.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isBefore(scores[middle])) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const score = scores[rank];
  return [before((other) => other > score), before((other) => other >= score)];
}

function significance(signal: number, background: number): number {
  const b = background + REGULAR;
  return Math.sqrt(Math.max(0, 2 * ((signal + b) * log(1 + signal / b) - signal)));
}
