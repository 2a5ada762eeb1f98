/**
 * Partial likelihood of survival times that are known only up to a day for some rows.
 *
 * @module
 */
import { exp, log } from "../util/math.ts";
import { createSum } from "../util/sum.ts";
import { blocksOf, jobMetric } from "./job.ts";
import { sumFrom, sumOf } from "./mean.ts";
import { rankByScore } from "./order.ts";
import type { Metric } from "./types.ts";

/**
 * Mean negative log partial likelihood of Cox's model (XGBoost `cox-nloglik`): over rows with an
 * event, ln Σ e^raw of all rows that are still at risk, less the row's raw score. A label is the time
 * of the event, or the negative of the time until which a row was seen without one. Events at the
 * same time share their rows at risk (Breslow, Biometrics 30, 1974). Weights weigh events and rows
 * at risk; XGBoost ignores them. NaN without events.
 */
export function coxNll(): Metric {
  return jobMetric("coxNll", false, ({ values, weight }, { raw, numRows }, place) => {
    const { count, start } = blocksOf(numRows);
    const times = place.floats(numRows);
    const tops = place.floats(count);
    /** e^raw of each row by weight, in units of the largest, so that nothing overflows. */
    const risk = place.floats(numRows);
    const ranked = rankByScore(times, numRows, place);
    // Of the groups of equal time that begin in a block of ranks.
    const risks = place.floats(count);
    const totals = place.floats(count);
    const events = place.floats(count);
    const weigh = (row: number) => weight === undefined ? 1 : weight[row];
    const most = () => tops.reduce((a, b) => Math.max(a, b), -Infinity);
    const walk = (block: number, visit: (from: number, to: number) => void) =>
      walkGroups(ranked.scores, start(block), start(block + 1), visit);
    return {
      steps: [
        {
          items: count,
          run(block) {
            let top = -Infinity;
            for (let row = start(block); row < start(block + 1); row++) {
              times[row] = Math.abs(values[row]);
              top = Math.max(top, raw[row]);
            }
            tops[block] = top;
          },
        },
        {
          items: count,
          run(block) {
            const top = most();
            for (let row = start(block); row < start(block + 1); row++) {
              risk[row] = weigh(row) * exp(raw[row] - top);
            }
          },
        },
        ...ranked.steps,
        {
          items: count,
          run(block) {
            const own = createSum();
            walk(block, (from, to) => {
              for (let at = from; at < to; at++) own.add(risk[ranked.rows[at]]);
            });
            risks[block] = own.value();
          },
        },
        {
          items: count,
          run(block) {
            const top = most();
            const atRisk = sumFrom(sumOf(risks.subarray(0, block)));
            const total = createSum();
            const weights = createSum();
            walk(block, (from, to) => {
              for (let at = from; at < to; at++) atRisk.add(risk[ranked.rows[at]]);
              const all = log(atRisk.value()) + top;
              for (let at = from; at < to; at++) {
                const row = ranked.rows[at];
                if (!(values[row] > 0) || weigh(row) === 0) continue;
                total.add(weigh(row) * (all - raw[row]));
                weights.add(weigh(row));
              }
            });
            totals[block] = total.value();
            events[block] = weights.value();
          },
        },
      ],
      value: () => sumOf(totals) / sumOf(events),
    };
  });
}

/** Groups of equal time, the latest first, that begin in some ranks; they may end behind these. */
function walkGroups(
  times: Float64Array,
  from: number,
  to: number,
  visit: (from: number, to: number) => void,
): void {
  let at = from;
  while (at > 0 && at < to && times[at] === times[at - 1]) at++;
  while (at < to) {
    const first = at;
    do at++; while (at < times.length && times[at] === times[first]);
    visit(first, at);
  }
}
