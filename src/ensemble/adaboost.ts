/**
 * Boosting by reweighting: SAMME and SAMME.R for classes, AdaBoost.R2 for numbers.
 *
 * Zhu, Zou, Rosset and Hastie, "Multi-class AdaBoost", Statistics and Its Interface 2 (2009);
 * Drucker, "Improving Regressors using Boosting Techniques", ICML 1997. Two classes under SAMME are
 * AdaBoost.M1 of Freund and Schapire with doubled weights.
 *
 * @module
 */
import type { Dataset } from "../data/types.ts";
import { TrainingError } from "../errors.ts";
import { createFrame } from "../grow/frame.ts";
import { createAnswers } from "../grow/answers.ts";
import { growTree } from "../grow/grower.ts";
import { packGrown } from "../grow/pack.ts";
import { contextOf, type TreePlan } from "../grow/plan.ts";
import { sourceOf, weightedRows } from "../grow/source.ts";
import { type GrownTree, leafOfRows } from "../grow/tree.ts";
import { concatTrees } from "../model/trees.ts";
import type { Ensemble, Trees } from "../model/types.ts";
import { openSplitCrew } from "../parallel/split_crew.ts";
import { exp, log, pow } from "../util/math.ts";
import { createPause } from "../util/pause.ts";
import { forkRng, type Rng } from "../util/rng.ts";
import { createClock } from "./clock.ts";
import { OWN_PROFILE } from "./single.ts";
import { keepState, type StatePlan, treesFromState, treesToState } from "./run_state.ts";
import type { RoundReport, TrainOptions } from "./types.ts";

/** What AdaBoost is made of. */
export interface AdaBoostPlan {
  readonly variant: "samme" | "samme.r" | "r2";
  readonly rounds: number;
  readonly learningRate: number;
  readonly tree: TreePlan;
  /** R2: how large errors count. */
  readonly loss: "linear" | "square" | "exponential";
  /** R2: fit on a bootstrap drawn by weight instead of on weighted rows. */
  readonly resample: boolean;
  readonly seed: number;
  readonly states?: StatePlan;
}

/** An ensemble with the error and weight of each round. */
export interface AdaBoosted {
  readonly ensemble: Ensemble;
  readonly errors: readonly number[];
  readonly weights: readonly number[];
}

/** What a round came to; without an `alpha` the tree is thrown away. */
interface Round {
  readonly error: number;
  readonly alpha: number | undefined;
  readonly last: boolean;
}

/** Smallest class share under SAMME.R: the distance of 1 from the next double. */
const EPSILON = 2.220446049250313e-16;

/**
 * Runs the rounds; stops early at a perfect tree, or at one no better than chance.
 *
 * @throws {TrainingError} `E_TRAIN_ABORTED`, whose `details.best` is the {@linkcode AdaBoosted} so
 * far where there is a round.
 */
export async function adaboost(
  data: Dataset,
  plan: AdaBoostPlan,
  options: TrainOptions = {},
): Promise<AdaBoosted> {
  const { target, numRows } = data;
  const numClasses = target?.kind === "classification" ? target.classes.length : 0;
  const width = Math.max(1, numClasses);
  const weight = normalised(data.sampleWeight ?? new Float64Array(numRows).fill(1));
  using crew = await openSplitCrew(createFrame(data), {
    plan: plan.tree,
    source: sourceOf(data, weight),
    trees: plan.rounds,
    threads: options.threads,
    onWarning: options.onWarning,
    onDetail: options.onDetail,
  });
  const trees: Trees[] = [];
  const errors: number[] = [];
  const weights: number[] = [];
  const { states = {} } = plan;
  const history: RoundReport[] = [...(states.resume?.history ?? [])];
  const clock = createClock(states.resume?.round);
  const trained = (): AdaBoosted => ({
    ensemble: {
      trees: concatTrees(trees),
      leafWidth: width,
      numOutputs: width,
      treeOutput: new Int32Array(trees.length),
      treeWeight: Float64Array.from(weights),
      treesPerRound: 1,
      aggregate: plan.variant === "r2" ? "median" : "average",
      baseScore: new Float64Array(width),
      postprocess: { name: plan.variant === "r2" ? "identity" : "softmax" },
      profile: OWN_PROFILE,
    },
    errors,
    weights,
  });
  if (states.resume !== undefined) {
    const { arrays } = states.resume;
    trees.push(...treesFromState(arrays));
    errors.push(...arrays.errors);
    weights.push(...arrays.weights);
    weight.set(arrays.rowWeight);
  }
  const pause = createPause();
  for (let round = trees.length; round < plan.rounds; round++) {
    await pause();
    if (options.signal?.aborted === true) {
      throw new TrainingError(
        "E_TRAIN_ABORTED",
        `Training stopped after ${round} of ${plan.rounds} rounds`,
        {
          details: { rounds: round, ...(round > 0 && { best: trained() }) },
          cause: options.signal.reason,
        },
      );
    }
    const rng = forkRng(plan.seed, round);
    const rowWeight = plan.variant === "r2" && plan.resample
      ? drawByWeight(weight, forkRng(plan.seed, round, 1))
      : weight.slice();
    const context = {
      ...contextOf(plan.tree, crew.frame, sourceOf(data, rowWeight)),
      ...(crew.team !== undefined && { team: crew.team }),
    };
    const tree = growTree(context, weightedRows(numRows, rowWeight), rng);
    const update = round < plan.rounds - 1;
    const result = plan.variant === "samme"
      ? sammeRound(data, tree, plan, weight, numClasses, update)
      : plan.variant === "samme.r"
      ? sammeRealRound(data, tree, plan, weight, numClasses, update)
      : r2Round(data, tree, plan, weight, trees.length === 0, update);
    if (result.alpha === undefined) {
      if (trees.length > 0) break;
      throw new TrainingError(
        "E_TRAIN_NUMERIC",
        `Cannot boost: the first tree errs on ${result.error} of the weight, no better than chance; ` +
          "use deeper trees",
        { details: { round: 1, error: result.error } },
      );
    }
    trees.push(packGrown(tree, { leafWidth: width, value: leafOption(tree, plan, numClasses) }));
    errors.push(result.error);
    weights.push(result.alpha);
    const report: RoundReport = {
      round: round + 1,
      rounds: plan.rounds,
      metrics: { train: { weightedError: result.error } },
      ...clock(round + 1, plan.rounds),
    };
    history.push(report);
    options.onRound?.(report);
    if (result.last) break;
    if (update && !rescale(weight)) {
      throw new TrainingError("E_TRAIN_NUMERIC", "Cannot boost: the row weights are not finite", {
        details: { round: round + 1 },
      });
    }
    // After the last round there is nothing to go on with.
    if (!update) continue;
    await keepState(states, round + 1, history, () => ({
      ...treesToState(concatTrees(trees)),
      errors: Float64Array.from(errors),
      weights: Float64Array.from(weights),
      rowWeight: weight,
    }));
  }
  return trained();
}

function normalised(weight: Float64Array): Float64Array {
  let sum = 0;
  for (const w of weight) sum += w;
  return weight.map((w) => w / sum);
}

/** Divides by the sum; false where it is not a positive finite number. */
function rescale(weight: Float64Array): boolean {
  let sum = 0;
  for (const w of weight) sum += w;
  if (!(sum > 0 && sum < Infinity)) return false;
  for (let row = 0; row < weight.length; row++) weight[row] /= sum;
  return true;
}

/** A bootstrap in which a row is drawn with its weight as probability. */
function drawByWeight(weight: Float64Array, rng: Rng): Float64Array {
  const upTo = new Float64Array(weight.length);
  let sum = 0;
  for (let row = 0; row < weight.length; row++) upTo[row] = sum += weight[row];
  const counts = new Float64Array(weight.length);
  for (let i = 0; i < weight.length; i++) {
    const at = rng.nextFloat() * sum;
    let low = 0;
    let high = weight.length - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (upTo[middle] <= at) low = middle + 1;
      else high = middle;
    }
    counts[low]++;
  }
  return counts;
}

/** Class shares of every leaf, on demand. */
function sharesOf(tree: GrownTree): (node: number) => Float64Array {
  const cache: Float64Array[] = [];
  return (node) => {
    if (cache[node] === undefined) {
      cache[node] = new Float64Array(tree.criterion.leafWidth);
      tree.criterion.leafValue(tree.stats, node * tree.channels, cache[node]);
    }
    return cache[node];
  };
}

function largest(values: Float64Array): number {
  let best = 0;
  for (let k = 1; k < values.length; k++) if (values[k] > values[best]) best = k;
  return best;
}

/** What rows hear of a tree, by the answer of each: rows with one answer have its class and sums. */
interface Heard {
  /** Answer of each row. */
  readonly answerOf: Int32Array;
  /** Shares of an answer, those of its leaf or of several leaves. */
  shares(answer: number): Float64Array;
  readonly numAnswers: number;
}

/**
 * What a tree says of the rows as the model will hear it: the shares of its leaf, or what the leaves of
 * several branches say by share where a missing value goes to all of them.
 */
function hear(tree: GrownTree, plan: AdaBoostPlan, numClasses: number): Heard {
  if (plan.tree.missing !== "fractional") {
    return { answerOf: leafOfRows(tree), shares: sharesOf(tree), numAnswers: tree.numNodes };
  }
  const { numRows } = tree.frame;
  const answer = createAnswers(tree, leafOption(tree, plan, numClasses));
  const out = new Float64Array(tree.criterion.leafWidth);
  return {
    answerOf: Int32Array.from({ length: numRows }, (_, row) => row),
    shares(row) {
      answer(row, -1, row, out);
      return out;
    },
    numAnswers: numRows,
  };
}

/** Weighted share of wrong rows; `wrong` is filled. */
function errorOf(
  data: Dataset,
  weight: Float64Array,
  wrong: Uint8Array,
  { answerOf, shares, numAnswers }: Heard,
): number {
  const { codes } = data.target as { readonly codes: Int32Array };
  const classOf = new Int32Array(numAnswers).fill(-1);
  let error = 0;
  let total = 0;
  for (let row = 0; row < data.numRows; row++) {
    const answer = answerOf[row];
    let said = classOf[answer];
    if (said < 0) said = classOf[answer] = largest(shares(answer));
    wrong[row] = said === codes[row] ? 0 : 1;
    error += weight[row] * wrong[row];
    total += weight[row];
  }
  return error / total;
}

function sammeRound(
  data: Dataset,
  tree: GrownTree,
  plan: AdaBoostPlan,
  weight: Float64Array,
  numClasses: number,
  update: boolean,
): Round {
  const wrong = new Uint8Array(data.numRows);
  const error = errorOf(data, weight, wrong, hear(tree, plan, numClasses));
  if (error <= 0) return { error: 0, alpha: 1, last: true };
  if (error >= 1 - 1 / numClasses) return { error, alpha: undefined, last: true };
  const alpha = plan.learningRate * (log((1 - error) / error) + log(numClasses - 1));
  if (update) {
    const factor = exp(alpha);
    for (let row = 0; row < weight.length; row++) if (wrong[row]) weight[row] *= factor;
  }
  return { error, alpha, last: false };
}

function sammeRealRound(
  data: Dataset,
  tree: GrownTree,
  plan: AdaBoostPlan,
  weight: Float64Array,
  numClasses: number,
  update: boolean,
): Round {
  const heard = hear(tree, plan, numClasses);
  const error = errorOf(data, weight, new Uint8Array(data.numRows), heard);
  // There the leaves hold logarithms already.
  const fractional = plan.tree.missing === "fractional";
  if (error <= 0) return { error: 0, alpha: 1, last: true };
  if (update) {
    const { codes } = data.target as { readonly codes: Int32Array };
    const { answerOf, shares, numAnswers } = heard;
    const factor = -plan.learningRate * (numClasses - 1) / numClasses;
    // By answer and class, where several rows share them.
    const changes = new Float64Array(fractional ? 0 : numAnswers * numClasses).fill(NaN);
    const changeOf = (answer: number, code: number): number => {
      const share = shares(answer);
      let sum = 0;
      for (let k = 0; k < numClasses; k++) {
        const coding = k === code ? 1 : -1 / (numClasses - 1);
        sum += coding * (fractional ? share[k] : log(Math.max(share[k], EPSILON)));
      }
      return factor * sum;
    };
    for (let row = 0; row < weight.length; row++) {
      const at = answerOf[row] * numClasses + codes[row];
      let change = fractional ? NaN : changes[at];
      if (change !== change) {
        change = changeOf(answerOf[row], codes[row]);
        if (!fractional) changes[at] = change;
      }
      if (weight[row] > 0 || change < 0) weight[row] = exp(log(weight[row]) + change);
    }
  }
  return { error, alpha: 1, last: false };
}

function r2Round(
  data: Dataset,
  tree: GrownTree,
  plan: AdaBoostPlan,
  weight: Float64Array,
  only: boolean,
  update: boolean,
): Round {
  const { values } = data.target as { readonly values: Float64Array };
  const shares = sharesOf(tree);
  const leafOf = leafOfRows(tree);
  const loss = new Float64Array(data.numRows);
  let most = 0;
  for (let row = 0; row < data.numRows; row++) {
    loss[row] = Math.abs(shares(leafOf[row])[0] - values[row]);
    if (weight[row] > 0) most = Math.max(most, loss[row]);
  }
  let error = 0;
  for (let row = 0; row < data.numRows; row++) {
    loss[row] = r2Loss(most > 0 ? loss[row] / most : loss[row], plan.loss);
    error += weight[row] * loss[row];
  }
  if (error <= 0) return { error: 0, alpha: 1, last: true };
  if (error >= 0.5) return { error, alpha: only ? 0 : undefined, last: true };
  const beta = error / (1 - error);
  const alpha = plan.learningRate * log(1 / beta);
  if (update) {
    for (let row = 0; row < data.numRows; row++) {
      if (weight[row] > 0) weight[row] *= pow(beta, (1 - loss[row]) * plan.learningRate);
    }
  }
  return { error, alpha, last: false };
}

/** Loss of an error between 0 and 1. */
export function r2Loss(error: number, loss: AdaBoostPlan["loss"]): number {
  if (loss === "linear") return error;
  return loss === "square" ? error * error : 1 - exp(-error);
}

/**
 * Leaves whose weighted average under softmax is the method's probability: one vote over K − 1
 * (SAMME), ln p less its mean (SAMME.R), or the value (R2).
 */
function leafOption(
  tree: GrownTree,
  plan: AdaBoostPlan,
  numClasses: number,
): (node: number, out: Float64Array) => void {
  const shares = sharesOf(tree);
  if (plan.variant === "r2") return (node, out) => out.set(shares(node));
  return (node, out) => {
    const share = shares(node);
    if (plan.variant === "samme") {
      out.fill(0);
      out[largest(share)] = 1 / Math.max(1, numClasses - 1);
      return;
    }
    let mean = 0;
    for (let k = 0; k < numClasses; k++) {
      out[k] = log(Math.max(share[k], EPSILON));
      mean += out[k] / numClasses;
    }
    for (let k = 0; k < numClasses; k++) out[k] -= mean;
  };
}
