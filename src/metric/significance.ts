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
 */
export function ams(share: number): Metric {
  const isAll = share >= 1;
  return jobMetric("ams", true, ({ values, weight }, predictions, place) => {
    const { numRows } = predictions;
    const selected = isAll ? numRows : Math.min(numRows, Math.max(1, Math.floor(share * numRows)));
    const ranked = rankByScore(scoresOf(predictions), numRows, place);
    const { rows, scores } = ranked;
    const { count, start } = blocksOf(selected);
    const signals = place.floats(count);
    const others = place.floats(count);
    const best = place.floats(count);
    /** Adds the ranks of a block; `visit` is called after each. */
    const walk = (block: number, first: readonly [number, number], visit?: Visit) => {
      const [signal, other] = [sumFrom(first[0]), sumFrom(first[1])];
      for (let at = start(block); at < start(block + 1); at++) {
        const row = rows[at];
        (values[row] > 0.5 ? signal : other).add(weight === undefined ? 1 : weight[row]);
        visit?.(at, signal.value, other.value);
      }
      return [signal.value(), other.value()] as const;
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
        return isAll ? best.reduce((a, b) => Math.max(a, b), 0) : significance(...above(count));
      },
    };
  });
}

/** Told a rank, and the weights of signal and background up to it. */
type Visit = (at: number, signal: () => number, other: () => number) => void;

function significance(signal: number, background: number): number {
  const b = background + REGULAR;
  return Math.sqrt(Math.max(0, 2 * ((signal + b) * log(1 + signal / b) - signal)));
}
