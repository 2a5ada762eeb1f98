/**
 * Approximate median significance of a selection of signal events (Higgs challenge, 2014).
 *
 * @module
 */
import { log } from "../util/math.ts";
import { createSum } from "../util/sum.ts";
import { scoresOf } from "./auc.ts";
import type { Metric } from "./types.ts";

const REGULAR = 10; // background added to every selection, as the challenge and XGBoost do

/**
 * AMS of the best `share` of rows by score, √(2 ((s + b + 10) ln(1 + s/(b + 10)) − s)); with share 1
 * the best over all selections.
 */
export function ams(share: number): Metric {
  return {
    name: "ams",
    higherIsBetter: true,
    value(labels, predictions) {
      const { numRows } = predictions;
      const raw = scoresOf(predictions);
      const order = Int32Array.from({ length: numRows }, (_, row) => row)
        .sort((a, b) => raw[b] - raw[a] || a - b);
      const selected = share >= 1 ? numRows : Math.max(1, Math.floor(share * numRows));
      const [signals, others] = [createSum(), createSum()];
      let best = 0;
      for (let i = 0; i < selected; i++) {
        const weight = labels.weight?.[order[i]] ?? 1;
        (labels.values[order[i]] > 0.5 ? signals : others).add(weight);
        const tied = i + 1 < numRows && raw[order[i + 1]] === raw[order[i]];
        if (share >= 1 && !tied) {
          best = Math.max(best, significance(signals.value(), others.value()));
        }
      }
      return share >= 1 ? best : significance(signals.value(), others.value());
    },
  };
}

function significance(signal: number, background: number): number {
  const b = background + REGULAR;
  return Math.sqrt(Math.max(0, 2 * ((signal + b) * log(1 + signal / b) - signal)));
}
