/**
 * Area under curves of ranked scores, with ties and weights.
 *
 * @module
 */
import type { Labels } from "../data/types.ts";
import { log } from "../util/math.ts";
import { createSum, sum } from "../util/sum.ts";
import { blocksOf, jobMetric } from "./job.ts";
import { sumFrom } from "./mean.ts";
import { rankByScore, type Ranked } from "./order.ts";
import type { Metric, Predictions } from "./types.ts";

/**
 * Scores for ranking two classes: the raw score, which parts what a probability rounds to 1, where
 * responses have its order, else the response; or the second class's share of a softmax.
 */
export function scoresOf(
  { raw, response, numRows, numOutputs, reordered }: Predictions,
): Float64Array {
  if (numOutputs === 1) return reordered === true ? response : raw;
  return response.subarray(numRows, 2 * numRows);
}

/** Weight of the positives and negatives of a group of equal scores. */
type Visit = (positives: number, negatives: number) => void;

/**
 * Walks the groups of equal score that begin in some ranks. Labels above 0 are positive in proportion
 * (soft labels count on both sides).
 */
function walkTies(labels: Labels, ranked: Ranked, from: number, to: number, visit: Visit): void {
  const { rows, scores } = ranked;
  const { values, weight } = labels;
  const numRows = rows.length;
  const weigh = (at: number) => weight === undefined ? 1 : weight[rows[at]];
  let at = from;
  while (at > 0 && at < to && scores[at] === scores[at - 1]) at++;
  while (at < to) {
    const score = scores[at];
    const label = values[rows[at]];
    if (at + 1 === numRows || scores[at + 1] !== score) { // alone: nothing to sum
      visit(weigh(at) * label, weigh(at) * (1 - label));
      at++;
      continue;
    }
    const positives = createSum();
    const negatives = createSum();
    for (; at < numRows && scores[at] === score; at++) {
      positives.add(weigh(at) * values[rows[at]]);
      negatives.add(weigh(at) * (1 - values[rows[at]]));
    }
    visit(positives.value(), negatives.value());
  }
}

/** Weights of positives and negatives. */
interface Weights {
  readonly positives: number;
  readonly negatives: number;
}

/** Adds up an area over groups of equal score. */
interface Area {
  readonly visit: Visit;
  readonly value: () => number;
}

/**
 * An area under a curve over ranks, block by block: what is above a block is known before its groups
 * are visited.
 *
 * @param area Begins at a block, told the weights above it and those of all rows.
 */
function curveMetric(
  name: string,
  area: (above: Weights, all: Weights) => Area,
  finish: (area: number, all: Weights) => number,
): Metric {
  return jobMetric(name, true, (labels, predictions, place) => {
    const { numRows } = predictions;
    const ranked = rankByScore(scoresOf(predictions), numRows, place);
    const { count, start } = blocksOf(numRows);
    const positives = place.floats(count);
    const negatives = place.floats(count);
    const areas = place.floats(count);
    /** Weights of the first blocks. */
    const weightsOf = (blocks: number): Weights => ({
      positives: sum(positives.subarray(0, blocks)),
      negatives: sum(negatives.subarray(0, blocks)),
    });
    const walk = (block: number, visit: Visit) =>
      walkTies(labels, ranked, start(block), start(block + 1), visit);
    return {
      steps: [...ranked.steps, {
        items: count,
        run(block) {
          const own = [createSum(), createSum()] as const;
          walk(block, (positive, negative) => {
            own[0].add(positive);
            own[1].add(negative);
          });
          positives[block] = own[0].value();
          negatives[block] = own[1].value();
        },
      }, {
        items: count,
        run(block) {
          const own = area(weightsOf(block), weightsOf(count));
          walk(block, own.visit);
          areas[block] = own.value();
        },
      }],
      // Scores that are no numbers have no order.
      value: () => ranked.hasNaN() ? NaN : finish(sum(areas), weightsOf(count)),
    };
  });
}

/**
 * Area under the ROC curve: the chance that a positive outranks a negative, ties count ½
 * (Mann & Whitney). NaN where one class is absent.
 */
export function auc(): Metric {
  return curveMetric("auc", ({ positives: before }) => {
    const area = createSum();
    const above = sumFrom(before);
    return {
      visit(positives, negatives) {
        area.add(negatives * (above.value() + 0.5 * positives));
        above.add(positives);
      },
      value: area.value,
    };
  }, (area, { positives, negatives }) => area / (positives * negatives));
}

/**
 * Average precision: Σ (recall step) · precision at the end of each group of equal scores, as
 * scikit-learn and LightGBM define it. NaN without positives.
 */
export function averagePrecision(): Metric {
  return curveMetric("averagePrecision", (above) => {
    const area = createSum();
    const hits = sumFrom(above.positives);
    const seen = sumFrom(above.positives + above.negatives);
    return {
      visit(positives, negatives) {
        hits.add(positives);
        seen.add(positives + negatives);
        if (seen.value() > 0) area.add(positives * (hits.value() / seen.value()));
      },
      value: area.value,
    };
  }, (area, { positives }) => area / positives);
}

/**
 * Area under the precision-recall curve by the interpolation of Davis & Goadrich (ICML 2006), as
 * XGBoost's `aucpr`: within a group of equal scores false positives grow in proportion to true
 * ones. NaN where one class is absent.
 */
export function aucPr(): Metric {
  return curveMetric("aucPr", (above, all) => {
    const area = createSum();
    const [hitsSoFar, missesSoFar] = [sumFrom(above.positives), sumFrom(above.negatives)];
    return {
      visit(positives, negatives) {
        const [hits, misses] = [hitsSoFar.value(), missesSoFar.value()];
        if (positives > 0) {
          // ∫ t / (t·a + b) dt over the group's true positives, with false = misses + slope·(t − hits).
          const slope = negatives / positives;
          const a = 1 + slope;
          const b = misses - slope * hits;
          const next = hits + positives;
          const rest = b === 0 ? 0 : -b / a * log((a * next + b) / (a * hits + b));
          area.add((positives + rest) / a / all.positives);
        }
        hitsSoFar.add(positives);
        missesSoFar.add(negatives);
      },
      value: area.value,
    };
  }, (area, { positives, negatives }) => positives > 0 && negatives > 0 ? area : NaN);
}

/** AUC of class `second` against class `first` of several, by one output's score. */
function pairAuc(
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
  return jobMetric("aucOvr", true, (labels, { response, numRows, numOutputs }, place) => {
    const areas = place.floats(numOutputs);
    const weights = place.floats(numOutputs);
    return {
      steps: [{
        items: numOutputs,
        run(k) {
          const own = createSum();
          const values = labels.values.map((code) => code === k ? 1 : 0);
          values.forEach((y, row) => own.add(y * (labels.weight?.[row] ?? 1)));
          weights[k] = own.value();
          if (!(weights[k] > 0)) return;
          const raw = response.subarray(k * numRows, (k + 1) * numRows);
          const one = { raw, response: raw, numRows, numOutputs: 1 };
          areas[k] = auc().value({ ...labels, values }, one);
        },
      }],
      value() {
        const total = createSum();
        const all = createSum();
        for (let k = 0; k < numOutputs; k++) {
          if (!(weights[k] > 0)) continue;
          total.add(weights[k] * areas[k]);
          all.add(weights[k]);
        }
        return total.value() / all.value();
      },
    };
  });
}

/**
 * Multiclass AUC of Kleiman & Page (ICML 2019, `auc_mu`) with equal costs: the mean over pairs of
 * classes of the AUC along p_b − p_a, as in the paper (LightGBM takes raw scores for p). NaN where a
 * class is absent.
 */
export function aucMu(): Metric {
  return jobMetric("aucMu", true, (labels, { response, numRows, numOutputs }, place) => {
    const pairs: (readonly [a: number, b: number])[] = [];
    for (let a = 0; a < numOutputs; a++) {
      for (let b = a + 1; b < numOutputs; b++) pairs.push([a, b]);
    }
    const areas = place.floats(pairs.length);
    return {
      steps: [{
        items: pairs.length,
        run(i) {
          const [a, b] = pairs[i];
          const at = (row: number) => response[b * numRows + row] - response[a * numRows + row];
          areas[i] = pairAuc(labels, at, a, b);
        },
      }],
      value: () => areas.reduce((total, area) => total + area, 0) / pairs.length,
    };
  });
}
