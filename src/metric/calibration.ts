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
import { blocksOf, HERE, jobMetric } from "./job.ts";
import type { Metric, MetricStep, Place, Predictions } from "./types.ts";

/**
 * A bin of the reliability table: rows of similar confidence. With two classes, the confidence of a
 * row is the probability of the second class; with more, it is the largest probability.
 */
export interface ReliabilityBin {
  /** Lower bound of the confidence. */
  readonly from: number;
  /** Upper bound of the confidence. */
  readonly to: number;
  /** Total weight of the rows. Bins without rows are left out. */
  readonly weight: number;
  /** Mean confidence. */
  readonly confidence: number;
  /** Share of the rows whose class is the second one or, with more classes, the predicted one. */
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
  const { step, table } = reliabilityJob(labels, predictions, HERE, numBins);
  for (let item = 0; item < step.items; item++) step.run(item);
  return table();
}

/** The table as work for several threads. */
export interface ReliabilityJob {
  readonly step: MetricStep;
  /** After the step. */
  readonly table: () => readonly ReliabilityBin[];
}

/** Block by block; of each block and bin the sums of weights, confidences and hits. */
export function reliabilityJob(
  labels: Labels,
  predictions: Predictions,
  place: Place,
  numBins = 10,
): ReliabilityJob {
  const { response, numRows, numOutputs } = predictions;
  const isPair = numOutputs <= 2;
  const { count, start } = blocksOf(numRows);
  const sums = place.floats(count * numBins * 3);
  return {
    step: {
      items: count,
      run(block) {
        const own = Array.from({ length: 3 * numBins }, createSum);
        for (let row = start(block); row < start(block + 1); row++) {
          // Trees of classes have two outputs for two classes, boosted ones have one.
          const top = isPair ? numOutputs - 1 : likeliestClass(predictions, row);
          const p = response[top * numRows + row];
          const hit = isPair ? labels.values[row] : labels.values[row] === top ? 1 : 0;
          const w = labels.weight?.[row] ?? 1;
          if (w === 0) continue;
          // What is no number makes the confidence of the first bin, and the error, none.
          const bin = p >= 0 ? Math.min(numBins - 1, Math.floor(p * numBins)) : 0;
          own[3 * bin].add(w);
          own[3 * bin + 1].add(w * p);
          own[3 * bin + 2].add(w * hit);
        }
        own.forEach((sum, i) => sums[3 * numBins * block + i] = sum.value());
      },
    },
    table: () => binsOf(sums, count, numBins),
  };
}

/** Adds up the blocks; bins without rows are left out. */
function binsOf(sums: Float64Array, count: number, numBins: number): readonly ReliabilityBin[] {
  const total = (i: number) => {
    const sum = createSum();
    for (let block = 0; block < count; block++) sum.add(sums[3 * numBins * block + i]);
    return sum.value();
  };
  const bins: ReliabilityBin[] = [];
  for (let bin = 0; bin < numBins; bin++) {
    const weight = total(3 * bin);
    if (!(weight > 0)) continue;
    bins.push({
      from: bin / numBins,
      to: (bin + 1) / numBins,
      weight,
      confidence: total(3 * bin + 1) / weight,
      observed: total(3 * bin + 2) / weight,
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
  return jobMetric("ece", false, (labels, predictions, place) => {
    const { step, table } = reliabilityJob(labels, predictions, place, numBins);
    return { steps: [step], value: () => expectedCalibrationError(table()) };
  });
}
