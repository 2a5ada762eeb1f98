/**
 * LogitBoost: Newton steps of the logistic likelihood, each fitted as a weighted regression.
 *
 * Friedman, Hastie and Tibshirani, "Additive Logistic Regression: A Statistical View of Boosting",
 * Annals of Statistics 28 (2000), algorithms 3 and 6.
 *
 * @module
 */
import type { Dataset } from "../data/types.ts";
import type { TreePlan } from "../grow/plan.ts";
import { exp, log, sigmoid } from "../util/math.ts";
import type { StatePlan } from "./run_state.ts";
import { boostStepwise, type SteppedEnsemble, type SteppedJudging } from "./stepped.ts";
import type { TrainOptions } from "./types.ts";

/** What LogitBoost is made of. */
export interface LogitBoostPlan {
  readonly judging: SteppedJudging;
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

/** Least weight: twice the distance of 1 from the next double. */
const LEAST_WEIGHT = 2 * 2.220446049250313e-16;
/** Every probability is this close to its label: nothing is left to learn. */
const SEPARATED = 1e-9;

/** Working response of one row and its weight. */
export function workingResponse(
  y: number,
  p: number,
  zMax: number,
  weka: boolean,
): { readonly z: number; readonly w: number } {
  const full = y === 1 ? 1 / p : -1 / (1 - p);
  const z = Math.max(-zMax, Math.min(zMax, full));
  const w = weka ? (y - p) / z : Math.max(p * (1 - p), LEAST_WEIGHT);
  return { z, w };
}

/** Runs LogitBoost on a target of classes. */
export function logitboost(
  data: Dataset,
  plan: LogitBoostPlan,
  options: TrainOptions = {},
): Promise<SteppedEnsemble> {
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
  const shares = new Float64Array(numRows * numOutputs);
  let likelihood = -Infinity;
  /** What a report found of the scores, which the next round begins with. */
  let reported: ReturnType<typeof refresh> | undefined;

  function refresh(raw: Float64Array): { readonly gap: number; readonly likelihood: number } {
    let gap = 0;
    let sum = 0;
    let total = 0;
    for (let row = 0; row < numRows; row++) {
      let own: number;
      if (numOutputs === 1) {
        shares[row] = sigmoid(2 * raw[row]);
        own = codes[row] === 1 ? shares[row] : 1 - shares[row];
      } else {
        let largest = -Infinity;
        for (let k = 0; k < numOutputs; k++) largest = Math.max(largest, raw[k * numRows + row]);
        let norm = 0;
        for (let k = 0; k < numOutputs; k++) {
          norm += shares[k * numRows + row] = exp(raw[k * numRows + row] - largest);
        }
        for (let k = 0; k < numOutputs; k++) shares[k * numRows + row] /= norm;
        own = shares[codes[row] * numRows + row];
      }
      const w = sampleWeight?.[row] ?? 1;
      gap = Math.max(gap, 1 - own);
      sum += w * log(Math.max(own, 1e-300));
      total += w;
    }
    return { gap, likelihood: sum / total };
  }

  return boostStepwise(data, {
    judging: plan.judging,
    rounds: plan.rounds,
    numOutputs,
    baseScore: new Float64Array(numOutputs),
    postprocess: numOutputs === 1 ? { name: "sigmoid", scale: 2 } : { name: "softmax" },
    tree: plan.tree,
    subsample: 1,
    seed: plan.seed,
    ...(plan.states !== undefined && { states: plan.states }),
    begin(raw, round) {
      const now = reported ?? refresh(raw);
      reported = undefined;
      const stalled = plan.tolerance > 0 && now.likelihood - likelihood < plan.tolerance;
      likelihood = now.likelihood;
      return round === 0 || now.gap >= SEPARATED && !stalled;
    },
    work(_raw, output) {
      const values = new Float64Array(numRows);
      const weight = new Float64Array(numRows);
      let before = 0;
      let after = 0;
      for (let row = 0; row < numRows; row++) {
        const y = codes[row] === (numOutputs === 1 ? 1 : output) ? 1 : 0;
        const { z, w } = workingResponse(y, shares[output * numRows + row], plan.zMax, plan.weka);
        const own = sampleWeight?.[row] ?? 1;
        values[row] = z;
        weight[row] = w * own;
        before += own;
        after += weight[row];
      }
      if (plan.weka) { for (let row = 0; row < numRows; row++) weight[row] *= before / after; }
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
    report(raw) {
      reported = refresh(raw);
      return { logLoss: -reported.likelihood };
    },
  }, options);
}
