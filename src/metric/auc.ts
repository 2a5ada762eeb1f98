/**
 * Area under curves of ranked scores, with ties and weights.
 *
 * @module
 */
import type { Labels } from "../data/types.ts";
import { log } from "../util/math.ts";
import { createSum } from "../util/sum.ts";
import type { Metric, Predictions } from "./types.ts";

/** Rows by falling score; equal scores in row order. */
function byScore(scores: Float64Array, from: number, numRows: number): Int32Array {
  const order = Int32Array.from({ length: numRows }, (_, row) => row);
  return order.sort((a, b) => scores[from + b] - scores[from + a] || a - b);
}

/**
 * Walks groups of equal score from the highest and tells the weight of positives and negatives in
 * each. Labels above 0 are positive in proportion (soft labels count on both sides).
 */
function walkTies(
  labels: Labels,
  scores: Float64Array,
  numRows: number,
  visit: (positives: number, negatives: number) => void,
): void {
  const order = byScore(scores, 0, numRows);
  const weigh = (at: number) => labels.weight?.[order[at]] ?? 1;
  for (let at = 0; at < numRows;) {
    const score = scores[order[at]];
    const label = labels.values[order[at]];
    if (at + 1 === numRows || scores[order[at + 1]] !== score) { // alone: nothing to sum
      visit(weigh(at) * label, weigh(at) * (1 - label));
      at++;
      continue;
    }
    const positives = createSum();
    const negatives = createSum();
    for (; at < numRows && scores[order[at]] === score; at++) {
      positives.add(weigh(at) * labels.values[order[at]]);
      negatives.add(weigh(at) * (1 - labels.values[order[at]]));
    }
    visit(positives.value(), negatives.value());
  }
}

/** Scores for ranking two classes: the raw score, or the second class's share of a softmax. */
export function scoresOf({ raw, response, numRows, numOutputs }: Predictions): Float64Array {
  return numOutputs === 1 ? raw : response.subarray(numRows, 2 * numRows);
}

/**
 * Area under the ROC curve: the chance that a positive outranks a negative, ties count ½
 * (Mann & Whitney). NaN where one class is absent.
 */
export function auc(): Metric {
  return {
    name: "auc",
    higherIsBetter: true,
    value(labels, predictions) {
      const area = createSum();
      const above = createSum();
      const below = createSum();
      walkTies(labels, scoresOf(predictions), predictions.numRows, (positives, negatives) => {
        area.add(negatives * (above.value() + 0.5 * positives));
        above.add(positives);
        below.add(negatives);
      });
      return area.value() / (above.value() * below.value());
    },
  };
}

/**
 * Average precision: Σ (recall step) · precision at the end of each group of equal scores, as
 * scikit-learn and LightGBM define it. NaN without positives.
 */
export function averagePrecision(): Metric {
  return {
    name: "averagePrecision",
    higherIsBetter: true,
    value(labels, predictions) {
      const area = createSum();
      const hits = createSum();
      const seen = createSum();
      walkTies(labels, scoresOf(predictions), predictions.numRows, (positives, negatives) => {
        hits.add(positives);
        seen.add(positives + negatives);
        if (seen.value() > 0) area.add(positives * (hits.value() / seen.value()));
      });
      return area.value() / hits.value();
    },
  };
}

/**
 * Area under the precision-recall curve by the interpolation of Davis & Goadrich (ICML 2006), as
 * XGBoost's `aucpr`: within a group of equal scores false positives grow in proportion to true
 * ones. NaN where one class is absent.
 */
export function aucPr(): Metric {
  return {
    name: "aucPr",
    higherIsBetter: true,
    value(labels, predictions) {
      const groups: [number, number][] = [];
      const totals = [createSum(), createSum()];
      walkTies(labels, scoresOf(predictions), predictions.numRows, (positives, negatives) => {
        groups.push([positives, negatives]);
        totals[0].add(positives);
        totals[1].add(negatives);
      });
      const [totalPositive, totalNegative] = totals.map((total) => total.value());
      if (!(totalPositive > 0 && totalNegative > 0)) return NaN;
      const area = createSum();
      const [hitsSoFar, missesSoFar] = [createSum(), createSum()];
      for (const [positives, negatives] of groups) {
        const [hits, misses] = [hitsSoFar.value(), missesSoFar.value()];
        if (positives > 0) {
          // ∫ t / (t·a + b) dt over the group's true positives, with false = misses + slope·(t − hits).
          const slope = negatives / positives;
          const a = 1 + slope;
          const b = misses - slope * hits;
          const next = hits + positives;
          const rest = b === 0 ? 0 : -b / a * log((a * next + b) / (a * hits + b));
          area.add((positives + rest) / a / totalPositive);
        }
        hitsSoFar.add(positives);
        missesSoFar.add(negatives);
      }
      return area.value();
    },
  };
}

/** AUC of class `second` against class `first` of several, by one output's score. */
export function pairAuc(
  labels: Labels,
  score: (row: number) => number,
  first: number,
  second: number,
): number {
  const rows: number[] = [];
  for (let row = 0; row < labels.values.length; row++) {
    if (labels.values[row] === first || labels.values[row] === second) rows.push(row);
  }
  const subset: Labels = {
    values: Float64Array.from(rows, (row) => labels.values[row] === second ? 1 : 0),
    ...(labels.weight === undefined
      ? {}
      : { weight: Float64Array.from(rows, (row) => labels.weight![row]) }),
  };
  const raw = Float64Array.from(rows, score);
  return auc().value(subset, { raw, response: raw, numRows: rows.length, numOutputs: 1 });
}

/**
 * Multiclass AUC, each class against the rest by its probability, averaged by the classes' weight
 * (XGBoost `auc` of several classes; scikit-learn `roc_auc_score` with `ovr`, `weighted`). Classes
 * that do not occur weigh nothing; NaN where only one occurs.
 */
export function aucOvr(): Metric {
  return {
    name: "aucOvr",
    higherIsBetter: true,
    value(labels, { response, numRows, numOutputs }) {
      const total = createSum();
      const weights = createSum();
      for (let k = 0; k < numOutputs; k++) {
        const own = createSum();
        const values = labels.values.map((code) => code === k ? 1 : 0);
        values.forEach((y, row) => own.add(y * (labels.weight?.[row] ?? 1)));
        if (!(own.value() > 0)) continue;
        const raw = response.subarray(k * numRows, (k + 1) * numRows);
        const one = { raw, response: raw, numRows, numOutputs: 1 };
        total.add(own.value() * auc().value({ ...labels, values }, one));
        weights.add(own.value());
      }
      return total.value() / weights.value();
    },
  };
}

/**
 * Multiclass AUC of Kleiman & Page (ICML 2019, `auc_mu`) with equal costs: the mean over pairs of
 * classes of the AUC along p_b − p_a, as in the paper (LightGBM takes raw scores for p). NaN where a
 * class is absent.
 */
export function aucMu(): Metric {
  return {
    name: "aucMu",
    higherIsBetter: true,
    value(labels, { response, numRows, numOutputs }) {
      let total = 0;
      let pairs = 0;
      for (let a = 0; a < numOutputs; a++) {
        for (let b = a + 1; b < numOutputs; b++) {
          const at = (row: number) => response[b * numRows + row] - response[a * numRows + row];
          total += pairAuc(labels, at, a, b);
          pairs++;
        }
      }
      return total / pairs;
    },
  };
}
