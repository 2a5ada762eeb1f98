/**
 * LogitBoost: Newton steps of the logistic likelihood, each fitted as a weighted regression.
 *
 * Friedman, Hastie and Tibshirani, "Additive Logistic Regression: A Statistical View of Boosting",
 * Annals of Statistics 28 (2000), algorithms 3 and 6.
 *
 * @module
 */
import type { Dataset } from "../../data/types.ts";
import type { TreePlan } from "../../grow/plan/plan.ts";
import { type LogitRows, LogitStep } from "../../parallel/rows/logitboost.ts";
import { floatsIn, intsIn } from "../../parallel/rows/team_tasks.ts";
import type { StatePlan } from "../run_state.ts";
import type { TrainOptions } from "../types.ts";
import {
  boostStagewise,
  type ShareStep,
  type StagewiseEnsemble,
  type StagewiseJudging,
} from "./rounds.ts";

/** What LogitBoost is made of. */
export interface LogitBoostPlan {
  readonly judging: StagewiseJudging;
  readonly rounds: number;
  readonly learningRate: number;
  readonly tree: TreePlan;
  /** Largest absolute working response. */
  readonly zMax: number;
  /** Weights follow a clipped response and are scaled to the number of rows (Weka). */
  readonly weka: boolean;
  /** Stop when the mean log likelihood rises by less; 0 never. */
  readonly tolerance: number;
  readonly seed: number;
  readonly states?: StatePlan;
}

/** Every probability is this close to its label: nothing is left to learn. */
const SEPARATED = 1e-9;

/** Runs LogitBoost on a target of classes. */
export function logitboost(
  data: Dataset,
  plan: LogitBoostPlan,
  options: TrainOptions = {},
): Promise<StagewiseEnsemble> {
  const { codes, classes } = data.target as {
    readonly codes: Int32Array;
    readonly classes: readonly string[];
  };
  const { numRows, sampleWeight } = data;
  const numClasses = classes.length;
  // Two classes need one score F, with p = σ(2F); more have one score each under a softmax, where
  // the paper's centring subtracts the same number from all and so changes nothing.
  const numOutputs = numClasses === 2 ? 1 : numClasses;
  const factor = plan.learningRate * (numClasses - 1) / numClasses;
  let rows!: LogitRows;
  let likelihood = -Infinity;
  /** What the report of a round found of the scores, which the next one begins with; told of all or none. */
  let reported: { readonly gap: number; readonly likelihood: number } | undefined;

  /** Whether a row weighs something. */
  const counts = (row: number) => sampleWeight === undefined || sampleWeight[row] > 0;

  /** Probabilities of the scores; how far the worst row that counts is from its class. */
  function refresh(share: ShareStep): number {
    share(LogitStep.shares);
    let gap = 0;
    for (let row = 0; row < numRows; row++) {
      if (counts(row)) gap = Math.max(gap, 1 - rows.own[row]);
    }
    return gap;
  }

  /** Mean logarithm of the probability of a row's own class; added in the order of the rows. */
  function likelihoodOf(share: ShareStep): number {
    share(LogitStep.logarithms);
    let sum = 0;
    let total = 0;
    for (let row = 0; row < numRows; row++) {
      if (!counts(row)) continue; // it may be as unlikely as can be: 0 · −∞
      const w = sampleWeight?.[row] ?? 1;
      sum += w * rows.own[row];
      total += w;
    }
    return sum / total;
  }

  return boostStagewise(data, {
    judging: plan.judging,
    rounds: plan.rounds,
    numOutputs,
    baseScore: new Float64Array(numOutputs),
    postprocess: numOutputs === 1 ? { name: "sigmoid", scale: 2 } : { name: "softmax" },
    tree: plan.tree,
    subsample: 1,
    seed: plan.seed,
    ...(plan.states !== undefined && { states: plan.states }),
    task(raw, place) {
      rows = {
        codes: intsIn(place, codes),
        sampleWeight: sampleWeight && floatsIn(place, sampleWeight),
        numOutputs,
        zMax: plan.zMax,
        weka: plan.weka,
        raw,
        shares: place.floats(numRows * numOutputs),
        own: place.floats(numRows),
        values: place.floats(numRows),
        weight: place.floats(numRows),
      };
      return { kind: "logit", rows };
    },
    weights: () => rows.weight,
    begin(_raw, round, share) {
      const gap = reported?.gap ?? refresh(share);
      if (!(plan.tolerance > 0)) return round === 0 || gap >= SEPARATED;
      const now = reported?.likelihood ?? likelihoodOf(share);
      const stalled = now - likelihood < plan.tolerance;
      likelihood = now;
      return round === 0 || gap >= SEPARATED && !stalled;
    },
    work(_raw, output, share) {
      share(LogitStep.work, output);
      const { values, weight } = rows;
      if (plan.weka) {
        let before = 0;
        let after = 0;
        for (let row = 0; row < numRows; row++) {
          before += sampleWeight?.[row] ?? 1;
          after += weight[row];
        }
        for (let row = 0; row < numRows; row++) weight[row] *= before / after;
      }
      const mean = new Float64Array(1);
      return {
        values,
        weight,
        step(tree, leaf) {
          tree.criterion.leafValue(tree.stats, leaf * tree.channels, mean);
          return factor * mean[0];
        },
      };
    },
    memory(values) {
      if (values !== undefined) likelihood = values[0];
      return Float64Array.of(likelihood);
    },
    report(_raw, share) {
      const gap = refresh(share);
      reported = { gap, likelihood: likelihoodOf(share) };
      return { logLoss: -reported.likelihood };
    },
  }, options);
}
