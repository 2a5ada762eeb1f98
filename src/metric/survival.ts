/**
 * Partial likelihood of survival times that are known only up to a day for some rows.
 *
 * @module
 */
import { exp, log } from "../util/math.ts";
import { createSum, sum } from "../util/sum.ts";
import { blocksOf, jobMetric } from "./job.ts";
import { sumFrom } from "./mean.ts";
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
    const ranked = rankByScore(times, numRows, place);
    // Of the groups of equal time that begin in a block of ranks.
    const units = place.floats(count);
    const risks = place.floats(count);
    const totals = place.floats(count);
    const events = place.floats(count);
    const weigh = (row: number) => weight === undefined ? 1 : weight[row];
    const walk = (block: number, visit: (from: number, to: number) => void) =>
      walkGroups(ranked.scores, start(block), start(block + 1), visit);
    const addRows = (atRisk: Risk, from: number, to: number) => {
      for (let at = from; at < to; at++) atRisk.add(weigh(ranked.rows[at]), raw[ranked.rows[at]]);
    };
    return {
      steps: [
        {
          items: count,
          run(block) {
            for (let row = start(block); row < start(block + 1); row++) {
              times[row] = Math.abs(values[row]);
            }
          },
        },
        ...ranked.steps,
        {
          items: count,
          run(block) {
            const own = createRisk();
            walk(block, (from, to) => addRows(own, from, to));
            [units[block], risks[block]] = [own.unit(), own.amount()];
          },
        },
        {
          items: count,
          run(block) {
            const atRisk = createRisk();
            for (let b = 0; b < block; b++) atRisk.add(risks[b], units[b]);
            const total = createSum();
            const weights = createSum();
            walk(block, (from, to) => {
              addRows(atRisk, from, to);
              const all = log(atRisk.amount()) + atRisk.unit();
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
      value: () => sum(totals) / sum(events),
    };
  });
}

/** Σ weight · e^raw, in units of e^unit: neither overflows nor is lost, however far scores lie apart. */
interface Risk {
  /** Terms of weight 0 are left out. */
  readonly add: (weight: number, raw: number) => void;
  readonly unit: () => number;
  readonly amount: () => number;
}

/** From here above the unit terms could overflow: e^600 is 4e260. */
const FAR = 600;

function createRisk(): Risk {
  let unit = -Infinity;
  let amount = createSum();
  return {
    add(weight, raw) {
      if (weight === 0) return;
      if (raw - unit > FAR) {
        amount = sumFrom(amount.value() * exp(unit - raw));
        unit = raw;
      }
      amount.add(raw === unit ? weight : weight * exp(raw - unit));
    },
    unit: () => unit,
    amount: () => amount.value(),
  };
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
