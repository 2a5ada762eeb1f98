/**
 * Metrics of classes and their probabilities. With one output the response is the second class's
 * probability; with several, one probability a class.
 *
 * @module
 */
import type { Labels } from "../data/types.ts";
import { leastCost } from "../util/least_cost.ts";
import { log } from "../util/math.ts";
import { createSum } from "../util/sum.ts";
import { blocksOf, jobMetric } from "./job.ts";
import type { Metric, MetricStep, Place, Predictions } from "./types.ts";
import { rowMetric } from "./mean.ts";

const CLIP = 1e-15; // probabilities are held inside [1e-15, 1 − 1e-15] before their logarithm

/** Probability of a row's class number. */
export function probability(predictions: Predictions, row: number, code: number): number {
  const { response, numRows, numOutputs } = predictions;
  if (numOutputs > 1) return response[code * numRows + row];
  return code === 1 ? response[row] : 1 - response[row];
}

/** Predicted class: that of least expected cost where there are costs, else the likeliest. */
function predictedClass(predictions: Predictions, row: number): number {
  const { costs, response, numRows, numOutputs } = predictions;
  if (costs === undefined) return likeliestClass(predictions, row);
  return leastCost(costs, response, row, numOutputs, numRows);
}

/** Likeliest class: p > ½ for one output, the first largest of several. */
export function likeliestClass(predictions: Predictions, row: number): number {
  const { response, numRows, numOutputs } = predictions;
  if (numOutputs === 1) return response[row] > 0.5 ? 1 : 0;
  let best = 0;
  for (let k = 1; k < numOutputs; k++) {
    if (response[k * numRows + row] > response[best * numRows + row]) best = k;
  }
  return best;
}

/** Mean −ln p of the true class; for one output also of soft labels in [0, 1]. */
export function logLoss(): Metric {
  const safeLog = (p: number) => log(Math.min(1 - CLIP, Math.max(CLIP, p)));
  return rowMetric("logLoss", false, ({ values }, { response, numRows, numOutputs }) => {
    if (numOutputs === 1) {
      return (row) => {
        const y = values[row];
        const p = response[row];
        return -((y === 0 ? 0 : y * safeLog(p)) + (y === 1 ? 0 : (1 - y) * safeLog(1 - p)));
      };
    }
    return (row) => {
      let total = 0; // one against all need not sum to 1
      for (let k = 0; k < numOutputs; k++) total += response[k * numRows + row];
      return -safeLog(response[values[row] * numRows + row] / total);
    };
  });
}

/** Share of rows whose predicted class is theirs. */
export function accuracy(): Metric {
  return shareMetric(
    "accuracy",
    true,
    (labels, predictions, row) =>
      predictedClass(predictions, row) === Math.round(labels.values[row]),
  );
}

/** Share of rows whose predicted class is not theirs. */
export function error(): Metric {
  return shareMetric(
    "error",
    false,
    (labels, predictions, row) =>
      predictedClass(predictions, row) !== Math.round(labels.values[row]),
  );
}

/** Error of two classes at a threshold other than ½: p > t predicts the second (XGBoost `error@t`). */
export function errorAt(threshold: number): Metric {
  return shareMetric(
    `error@${threshold}`,
    false,
    (labels, predictions, row) =>
      (probability(predictions, row, 1) > threshold ? 1 : 0) !== Math.round(labels.values[row]),
  );
}

/**
 * Share of rows whose class is among the `k` most probable. Ties count against the row, as in
 * LightGBM's `multi_error_top_k`: a model that gives all classes the same knows nothing.
 */
export function topAccuracy(k: number): Metric {
  return shareMetric(`topAccuracy@${k}`, true, (labels, predictions, row) => {
    const classes = Math.max(2, predictions.numOutputs);
    const own = probability(predictions, row, Math.round(labels.values[row]));
    let notBelow = 0; // the row's own class too
    for (let c = 0; c < classes; c++) if (!(probability(predictions, row, c) < own)) notBelow++;
    return notBelow <= k;
  });
}

/** Whether a row has a score that is no number: it has no likeliest class then. */
function lacksScore({ response, numRows, numOutputs }: Predictions, row: number): boolean {
  for (let k = 0; k < numOutputs; k++) if (Number.isNaN(response[k * numRows + row])) return true;
  return false;
}

function shareMetric(
  name: string,
  higherIsBetter: boolean,
  counts: (labels: Labels, predictions: Predictions, row: number) => boolean,
): Metric {
  return rowMetric(
    name,
    higherIsBetter,
    (labels, predictions) => (row) =>
      lacksScore(predictions, row) ? NaN : counts(labels, predictions, row) ? 1 : 0,
  );
}

/** Brier score: mean squared distance of the probabilities from the truth; two classes count once. */
export function brier(): Metric {
  return rowMetric("brier", false, ({ values }, { response, numRows, numOutputs }) => {
    if (numOutputs === 1) return (row) => (response[row] - values[row]) ** 2;
    return (row) => {
      let total = 0;
      for (let k = 0; k < numOutputs; k++) {
        total += (response[k * numRows + row] - (values[row] === k ? 1 : 0)) ** 2;
      }
      return numOutputs === 2 ? total / 2 : total;
    };
  });
}

/** Classes from which every block of rows would need too large a table of its own. */
const MANY_CLASSES = 64;

/** Counts classes block by block, each with compensation: weights may be small. */
function countClasses(
  labels: Labels,
  predictions: Predictions,
  place: Place,
): { readonly step: MetricStep; readonly counts: () => Float64Array } {
  const { numRows, numOutputs } = predictions;
  const classes = Math.max(2, numOutputs);
  const size = classes * classes;
  const { count, start } = blocksOf(numRows, classes > MANY_CLASSES ? numRows : undefined);
  const totals = place.floats(count * size);
  return {
    step: {
      items: count,
      run(block) {
        const total = totals.subarray(block * size, (block + 1) * size).fill(0);
        const lost = new Float64Array(size);
        for (let row = start(block); row < start(block + 1); row++) {
          const at = Math.round(labels.values[row]) * classes + predictedClass(predictions, row);
          const w = labels.weight === undefined ? 1 : labels.weight[row];
          if (lacksScore(predictions, row) && w > 0) total.fill(NaN);
          const next = total[at] + w;
          lost[at] += total[at] >= w ? (total[at] - next) + w : (w - next) + total[at];
          total[at] = next;
        }
        for (let at = 0; at < size; at++) total[at] += lost[at];
      },
    },
    counts: () =>
      Float64Array.from({ length: size }, (_, at) => {
        const sum = createSum();
        for (let block = 0; block < count; block++) sum.add(totals[block * size + at]);
        return sum.value();
      }),
  };
}

/** Row sums, column sums and diagonal of a square matrix of counts. */
function margins(counts: Float64Array): { truth: number[]; predicted: number[]; hits: number[] } {
  const size = Math.sqrt(counts.length);
  const truth = new Array<number>(size).fill(0);
  const predicted = new Array<number>(size).fill(0);
  const hits = new Array<number>(size).fill(0);
  for (let i = 0; i < size; i++) {
    for (let j = 0; j < size; j++) {
      truth[i] += counts[i * size + j];
      predicted[j] += counts[i * size + j];
    }
    hits[i] = counts[i * size + i];
  }
  return { truth, predicted, hits };
}

function countMetric(name: string, value: (counts: Float64Array) => number): Metric {
  return jobMetric(name, true, (labels, predictions, place) => {
    const { step, counts } = countClasses(labels, predictions, place);
    const valueOf = (found: Float64Array) => Number.isNaN(found[0]) ? NaN : value(found);
    return { steps: [step], value: () => valueOf(counts()) };
  });
}

/** F1 of one class: 2·hits / (true + predicted); 0 where the class is neither (scikit-learn). */
function f1Of(hits: number, truth: number, predicted: number): number {
  return truth + predicted > 0 ? 2 * hits / (truth + predicted) : 0;
}

/** F1 of the second class of two. */
export function f1(): Metric {
  return countMetric("f1", (counts) => {
    const { truth, predicted, hits } = margins(counts);
    return f1Of(hits[1], truth[1], predicted[1]);
  });
}

/** Mean F1 over the classes that are true or predicted somewhere. */
export function macroF1(): Metric {
  return countMetric("macroF1", (counts) => {
    const { truth, predicted, hits } = margins(counts);
    const present = truth.map((_, k) => k).filter((k) => truth[k] + predicted[k] > 0);
    return present.reduce((total, k) => total + f1Of(hits[k], truth[k], predicted[k]), 0) /
      present.length;
  });
}

/** Precision of the second class of two; 0 where it is never predicted. */
export function precision(): Metric {
  return countMetric("precision", (counts) => {
    const { predicted, hits } = margins(counts);
    return predicted[1] > 0 ? hits[1] / predicted[1] : 0;
  });
}

/** Recall of the second class of two; NaN where it never occurs. */
export function recall(): Metric {
  return countMetric("recall", (counts) => {
    const { truth, hits } = margins(counts);
    return truth[1] > 0 ? hits[1] / truth[1] : NaN;
  });
}

/** Mean recall over the classes that occur. */
export function balancedAccuracy(): Metric {
  return countMetric("balancedAccuracy", (counts) => {
    const { truth, hits } = margins(counts);
    const present = truth.map((_, k) => k).filter((k) => truth[k] > 0);
    return present.reduce((total, k) => total + hits[k] / truth[k], 0) / present.length;
  });
}

/** Matthews correlation (Gorodkin's R_K for several classes); 0 where it is not defined. */
export function mcc(): Metric {
  return countMetric("mcc", (found) => {
    // Fourth powers of sums of weights are neither 0 nor infinite near 1; a power of two rounds nothing.
    const unit = 2 ** -Math.floor(Math.log2(found.reduce((a, b) => a + b, 0)));
    const { truth, predicted, hits } = margins(found.map((count) => count * unit));
    const total = truth.reduce((a, b) => a + b, 0);
    const correct = hits.reduce((a, b) => a + b, 0);
    let cross = 0;
    let trueSquares = 0;
    let predictedSquares = 0;
    for (let k = 0; k < truth.length; k++) {
      cross += truth[k] * predicted[k];
      trueSquares += truth[k] ** 2;
      predictedSquares += predicted[k] ** 2;
    }
    const scale = Math.sqrt((total ** 2 - predictedSquares) * (total ** 2 - trueSquares));
    return scale > 0 ? (correct * total - cross) / scale : 0;
  });
}
