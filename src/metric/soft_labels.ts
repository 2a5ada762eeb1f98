/**
 * Metrics of labels that are probabilities themselves (LightGBM's `xentropy_metric.hpp`).
 *
 * @module
 */
import { expm1, log, softplus } from "../util/math.ts";
import { createSum } from "../util/sum.ts";
import { scoresOf } from "./auc.ts";
import { probability } from "./classification.ts";
import { weightedMean } from "./mean.ts";
import type { Metric } from "./types.ts";

const CLIP = 1e-15;

/** Kullback–Leibler divergence of soft labels from predicted probabilities. */
export function klDivergence(): Metric {
  const term = (y: number, p: number) =>
    y === 0 ? 0 : y * log(y / Math.min(1 - CLIP, Math.max(CLIP, p)));
  return {
    name: "klDivergence",
    higherIsBetter: false,
    value: (labels, predictions) =>
      weightedMean(predictions.numRows, labels.weight, (row) => {
        const y = labels.values[row];
        const p = probability(predictions, row, 1);
        return term(y, p) + term(1 - y, 1 - p);
      }),
  };
}

/**
 * Cross entropy of soft labels where a row's weight w is its exposure: p = 1 − e^(−wλ) with
 * λ = ln(1 + e^raw). The mean is over rows, not over weights. With weights of one it is the log loss
 * of a logistic model. Raw scores count, whatever the model's link, as LightGBM does where it knows
 * no loss; under its own `cross_entropy` it takes the probability for λ.
 */
export function crossEntropyLambda(): Metric {
  return {
    name: "crossEntropyLambda",
    higherIsBetter: false,
    value(labels, predictions) {
      const { numRows } = predictions;
      const raw = scoresOf(predictions);
      const total = createSum();
      for (let row = 0; row < numRows; row++) {
        const y = labels.values[row];
        const hazard = (labels.weight?.[row] ?? 1) * softplus(raw[row]);
        const p = -expm1(-hazard);
        if (y > 0) total.add(-y * log(Math.max(p, CLIP)));
        if (y < 1) total.add((1 - y) * hazard); // −ln(1 − p)
      }
      return total.value() / numRows;
    },
  };
}
