/**
 * Metrics of labels that are probabilities themselves (LightGBM's `xentropy_metric.hpp`).
 *
 * @module
 */
import { expm1, log, softplus } from "../util/math.ts";
import { scoresOf } from "./auc.ts";
import { probability } from "./classification.ts";
import { jobMetric } from "./job.ts";
import { meanJob, rowMetric } from "./mean.ts";
import type { Metric } from "./types.ts";

const CLIP = 1e-15;

/** Kullback–Leibler divergence of soft labels from predicted probabilities. */
export function klDivergence(): Metric {
  const term = (y: number, p: number) =>
    y === 0 ? 0 : y * log(y / Math.min(1 - CLIP, Math.max(CLIP, p)));
  return rowMetric("klDivergence", false, ({ values }, predictions) => (row) => {
    const y = values[row];
    const p = probability(predictions, row, 1);
    return term(y, p) + term(1 - y, 1 - p);
  });
}

/**
 * Cross entropy of soft labels where a row's weight w is its exposure: p = 1 − e^(−wλ) with
 * λ = ln(1 + e^raw). The mean is over rows, not over weights. With weights of one it is the log loss
 * of a logistic model. Raw scores count, whatever the model's link, as LightGBM does where it knows
 * no loss; under its own `cross_entropy` it takes the probability for λ.
 */
export function crossEntropyLambda(): Metric {
  return jobMetric("crossEntropyLambda", false, ({ values, weight }, predictions, place) => {
    const raw = scoresOf({ ...predictions, reordered: false });
    return meanJob(predictions.numRows, undefined, (row) => {
      const y = values[row];
      const hazard = (weight?.[row] ?? 1) * softplus(raw[row]);
      const p = -expm1(-hazard);
      return (y > 0 ? -y * log(Math.max(p, CLIP)) : 0) +
        (y < 1 ? (1 - y) * hazard : 0); // −ln(1 − p)
    }, place);
  });
}
