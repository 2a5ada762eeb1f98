/**
 * Partial likelihood of survival times that are known only up to a day for some rows.
 *
 * @module
 */
import { exp, log } from "../util/math.ts";
import { createSum } from "../util/sum.ts";
import type { Metric } from "./types.ts";

/**
 * Mean negative log partial likelihood of Cox's model (XGBoost `cox-nloglik`): over rows with an
 * event, ln Σ e^raw of all rows that are still at risk, less the row's raw score. A label is the time
 * of the event, or the negative of the time until which a row was seen without one. Events at the
 * same time share their rows at risk (Breslow, Biometrics 30, 1974). Weights weigh events and rows
 * at risk; XGBoost ignores them. NaN without events.
 */
export function coxNll(): Metric {
  return {
    name: "coxNll",
    higherIsBetter: false,
    value({ values, weight }, { raw, numRows }) {
      const weigh = (row: number) => weight?.[row] ?? 1;
      const order = Int32Array.from({ length: numRows }, (_, row) => row)
        .sort((a, b) => Math.abs(values[b]) - Math.abs(values[a]) || a - b);
      const most = raw.reduce((a, b) => Math.max(a, b), -Infinity);
      const total = createSum();
      const events = createSum();
      const atRisk = createSum(); // in units of e^most, so that nothing overflows
      for (let at = 0; at < numRows;) {
        const time = Math.abs(values[order[at]]);
        const first = at;
        for (; at < numRows && Math.abs(values[order[at]]) === time; at++) {
          atRisk.add(weigh(order[at]) * exp(raw[order[at]] - most));
        }
        for (let i = first; i < at; i++) {
          const row = order[i];
          if (!(values[row] > 0) || weigh(row) === 0) continue;
          total.add(weigh(row) * (log(atRisk.value()) + most - raw[row]));
          events.add(weigh(row));
        }
      }
      return total.value() / events.value();
    },
  };
}
