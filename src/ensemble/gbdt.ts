/**
 * Gradient boosting of first order: trees fit the negative gradient by least squares, leaves then
 * take the step that is best for the loss.
 *
 * Friedman, "Greedy Function Approximation: A Gradient Boosting Machine", Annals of Statistics 29
 * (2001); "Stochastic Gradient Boosting", Computational Statistics & Data Analysis 38 (2002).
 *
 * @module
 */
import type { Dataset, Labels } from "../data/types.ts";
import { labelsOf } from "../data/target.ts";
import type { TreePlan } from "../grow/plan.ts";
import { huberLoss } from "../loss/huber.ts";
import { weightedQuantile } from "../loss/labels.ts";
import type { Loss } from "../loss/types.ts";
import { labelsIn } from "../parallel/team_tasks.ts";
import { exp, log } from "../util/math.ts";
import { baseScoreBeside } from "../loss/base_score.ts";
import type { StatePlan } from "./run_state.ts";
import { boostStepwise, type SteppedEnsemble, type SteppedJudging } from "./stepped.ts";
import type { TrainOptions } from "./types.ts";

/** What gradient boosting is made of. */
export interface GbdtPlan {
  readonly judging: SteppedJudging;
  readonly loss: Loss;
  readonly rounds: number;
  readonly learningRate: number;
  readonly tree: TreePlan;
  readonly subsample: number;
  /** Huber loss: quantile of |residual| that becomes δ in each round. */
  readonly huberAlpha: number;
  /** Tweedie loss: its power. */
  readonly tweediePower: number;
  readonly seed: number;
  readonly states?: StatePlan;
}

/** A denominator below this means that the leaf is pure (scikit-learn). */
const PURE = 1e-150;

/** Runs gradient boosting. */
export function gbdt(
  data: Dataset,
  plan: GbdtPlan,
  options: TrainOptions = {},
): Promise<SteppedEnsemble> {
  const labels = labelsOf(data);
  plan.loss.checkLabels(labels);
  const { numRows, sampleWeight: weight } = data;
  const { numOutputs, name } = plan.loss;
  let { loss } = plan;
  let gradient: Float64Array = new Float64Array(0);
  let hessian: Float64Array = new Float64Array(0);
  // Huber's δ changes from round to round.
  const recipe = name === "huber" ? undefined : loss.recipe;

  return boostStepwise(data, {
    judging: plan.judging,
    rounds: plan.rounds,
    numOutputs,
    baseScore: startOf(data, labels, loss),
    postprocess: loss.postprocess,
    tree: plan.tree,
    subsample: plan.subsample,
    seed: plan.seed,
    ...(plan.states !== undefined && { states: plan.states }),
    task(raw, place) {
      gradient = place.floats(numRows * numOutputs);
      hessian = place.floats(numRows * numOutputs);
      return recipe && {
        kind: "gradients",
        rows: { recipe, labels: labelsIn(place, labels), raw, gradient, hessian },
      };
    },
    begin(raw, _round, share) {
      if (name === "huber") loss = huberLoss(deltaOf(labels, raw, plan.huberAlpha));
      if (recipe !== undefined) share(0);
      else loss.gradients(labels, raw, gradient, hessian, 0, numRows);
      return true;
    },
    work(raw, output) {
      const at = output * numRows;
      const response = new Float64Array(numRows);
      for (let row = 0; row < numRows; row++) response[row] = -gradient[at + row];
      return {
        values: response,
        weight,
        step(_tree, _leaf, rows) {
          const step = loss.refitLeaf !== undefined
            ? loss.refitLeaf(labels, raw, rows, output)
            : exactStep(name, labels, raw, rows, plan.tweediePower) ??
              newtonStep(
                labels,
                gradient,
                hessian,
                rows,
                at,
                name === "softmax" ? numOutputs : 0,
                output,
              );
          return plan.learningRate * step;
        },
      };
    },
    report: (raw) => ({ [loss.name]: loss.value(labels, raw) }),
    // Rows of one query cannot be told apart: their loss is that of the query.
    ...(labels.group === undefined && {
      lossOf: (raw: Float64Array, rows: Int32Array) => loss.value(...rowsOf(labels, raw, rows)),
    }),
  }, options);
}

/** Labels and output-major scores of some rows. */
function rowsOf(labels: Labels, raw: Float64Array, rows: Int32Array): [Labels, Float64Array] {
  const numRows = labels.values.length;
  const { weight } = labels;
  const some = new Float64Array(raw.length / numRows * rows.length);
  for (let i = 0; i < some.length; i++) {
    some[i] = raw[Math.floor(i / rows.length) * numRows + rows[i % rows.length]];
  }
  return [{
    values: Float64Array.from(rows, (row) => labels.values[row]),
    ...(weight !== undefined && { weight: Float64Array.from(rows, (row) => weight[row]) }),
  }, some];
}

function startOf(data: Dataset, labels: Labels, loss: Loss): Float64Array {
  if (data.offset !== undefined) return baseScoreBeside(loss, labels, data.offset);
  // Huber starts at the median, as Friedman's M-regression does.
  return loss.name === "huber"
    ? Float64Array.of(weightedQuantile(labels.values, 0.5, labels.weight))
    : loss.baseScore(labels);
}

/** δ: the quantile of the absolute residuals. */
function deltaOf(labels: Labels, raw: Float64Array, alpha: number): number {
  const residuals = labels.values.map((y, row) => Math.abs(y - raw[row]));
  return Math.max(weightedQuantile(residuals, alpha, labels.weight), Number.MIN_VALUE);
}

/**
 * −Σwg / Σwh of a leaf. The softmax is done by hand: p(1 − p) as curvature and (K − 1)/K as factor,
 * Friedman's algorithm 6.
 */
function newtonStep(
  labels: Labels,
  gradient: Float64Array,
  hessian: Float64Array,
  rows: Int32Array,
  at: number,
  numClasses: number,
  output: number,
): number {
  const { weight, values } = labels;
  let up = 0;
  let down = 0;
  for (const row of rows) {
    const w = weight?.[row] ?? 1;
    const g = gradient[at + row];
    up -= w * g;
    if (numClasses === 0) down += w * hessian[at + row];
    else {
      const p = values[row] === output ? g + 1 : g;
      down += w * p * (1 - p);
    }
  }
  if (Math.abs(down) < PURE) return 0;
  return numClasses === 0 ? up / down : (numClasses - 1) / numClasses * up / down;
}

/** Closed forms under a log link; undefined for other losses. */
function exactStep(
  name: string,
  labels: Labels,
  raw: Float64Array,
  rows: Int32Array,
  power: number,
): number | undefined {
  if (name !== "poisson" && name !== "gamma" && name !== "tweedie") return undefined;
  const { weight, values } = labels;
  // Σwy/Σwμ in the powers of the loss: Poisson 1, gamma 2.
  const rho = name === "poisson" ? 1 : name === "gamma" ? 2 : power;
  let up = 0;
  let down = 0;
  for (const row of rows) {
    const w = weight?.[row] ?? 1;
    up += w * values[row] * (rho === 1 ? 1 : exp((1 - rho) * raw[row]));
    down += w * (rho === 2 ? 1 : exp((2 - rho) * raw[row]));
  }
  // A leaf without events has its best step at −∞: one unit of the log link is enough.
  if (!(down > 0)) return 0;
  return up > 0 ? log(up / down) : -1;
}
