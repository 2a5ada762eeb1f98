/**
 * Whether probabilities mean what they say: of rows with confidence near p, a share p is right.
 *
 * Naeini, Cooper & Hauskrecht, "Obtaining Well Calibrated Probabilities Using Bayesian Binning",
 * AAAI 2015 (expected calibration error); Guo et al., ICML 2017 (top class of several).
 *
 * @module
 */
import type { Labels } from "../data/types.ts";
import { createSum } from "../util/sum.ts";
import { likeliestClass } from "./classification.ts";
import type { Metric, Predictions } from "./types.ts";

/** Rows of similar confidence. */
export interface ReliabilityBin {
  /** Lower bound of the confidence; the upper one is the next bin's. */
  readonly from: number;
  readonly to: number;
  /** Weight of the rows; bins without rows are left out. */
  readonly weight: number;
  /** Mean confidence. */
  readonly confidence: number;
  /** Share of rows that are right: of the second class for two, of the predicted for several. */
  readonly observed: number;
}

/**
 * The reliability table with bins of equal width. For two classes the confidence is the second
 * class's probability; for several the largest one.
 */
export function reliabilityTable(
  labels: Labels,
  predictions: Predictions,
  numBins = 10,
): readonly ReliabilityBin[] {
  const { response, numRows, numOutputs } = predictions;
  const sums = () => Array.from({ length: numBins }, createSum);
  const [weights, confidences, hits] = [sums(), sums(), sums()];
  for (let row = 0; row < numRows; row++) {
    const top = numOutputs === 1 ? 0 : likeliestClass(predictions, row);
    const p = response[top * numRows + row];
    const hit = numOutputs === 1 ? labels.values[row] : labels.values[row] === top ? 1 : 0;
    const bin = Math.min(numBins - 1, Math.max(0, Math.floor(p * numBins)));
    const w = labels.weight?.[row] ?? 1;
    weights[bin].add(w);
    confidences[bin].add(w * p);
    hits[bin].add(w * hit);
  }
  const bins: ReliabilityBin[] = [];
  for (let bin = 0; bin < numBins; bin++) {
    const weight = weights[bin].value();
    if (!(weight > 0)) continue;
    bins.push({
      from: bin / numBins,
      to: (bin + 1) / numBins,
      weight,
      confidence: confidences[bin].value() / weight,
      observed: hits[bin].value() / weight,
    });
  }
  return bins;
}

/** Expected calibration error: mean over rows of |confidence − observed| of their bin. */
export function expectedCalibrationError(bins: readonly ReliabilityBin[]): number {
  const total = bins.reduce((sum, { weight }) => sum + weight, 0);
  return bins.reduce(
    (sum, { weight, confidence, observed }) => sum + weight * Math.abs(confidence - observed),
    0,
  ) / total;
}

/** {@linkcode expectedCalibrationError} as a metric. */
export function ece(numBins = 10): Metric {
  return {
    name: "ece",
    higherIsBetter: false,
    value: (labels, predictions) =>
      expectedCalibrationError(reliabilityTable(labels, predictions, numBins)),
  };
}
