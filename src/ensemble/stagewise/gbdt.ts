/**
 * Gradient boosting of first order: trees fit the negative gradient by least squares, leaves then
 * take the step that is best for the loss.
 *
 * Friedman, "Greedy Function Approximation: A Gradient Boosting Machine", Annals of Statistics 29
 * (2001); "Stochastic Gradient Boosting", Computational Statistics & Data Analysis 38 (2002).
 *
 * @module
 */
import type { Dataset, Labels } from "../../data/types.ts";
import { labelsOf } from "../../data/dataset/target.ts";
import type { TreePlan } from "../../grow/plan/plan.ts";
import { weightedRows } from "../../grow/rows/source.ts";
import { huberLoss } from "../../loss/huber.ts";
import { weightedQuantile } from "../../loss/labels.ts";
import type { Loss } from "../../loss/types.ts";
import {
  gradientRoom,
  type GradientRows,
  GradientStep,
  joinedMean,
} from "../../parallel/rows/gradients.ts";
import { labelsIn } from "../../parallel/rows/team_tasks.ts";
import { exp, log } from "../../util/math.ts";
import type { StatePlan } from "../run_state.ts";
import {
  boostStagewise,
  type ShareStep,
  type StagewiseEnsemble,
  type StagewiseJudging,
} from "./rounds.ts";
import type { TrainOptions } from "../types.ts";

/** What gradient boosting is made of. */
export interface GbdtPlan {
  readonly judging: StagewiseJudging;
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
): Promise<StagewiseEnsemble> {
  const labels = labelsOf(data);
  plan.loss.checkLabels(labels);
  const { numRows, sampleWeight: weight } = data;
  const { numOutputs, name } = plan.loss;
  const { recipe } = plan.loss;
  let { loss } = plan;
  let rows!: Omit<GradientRows, "recipe">;

  /** Mean loss of all rows, or of those that the round has not drawn. */
  function lossNow(raw: Float64Array, share: ShareStep, outside: boolean): number {
    // Rows of one query cannot be told apart: their loss is that of the query.
    if (recipe === undefined || labels.group !== undefined) {
      return loss.value(
        ...(outside ? rowsOutside(labels, raw, rows.taken) : [labels, raw] as const),
      );
    }
    share(GradientStep.loss, outside ? 1 : 0);
    return joinedMean(rows);
  }

  return boostStagewise(data, {
    judging: plan.judging,
    rounds: plan.rounds,
    numOutputs,
    baseScore: startOf(labels, loss),
    postprocess: loss.postprocess,
    tree: plan.tree,
    subsample: plan.subsample,
    seed: plan.seed,
    ...(plan.states !== undefined && { states: plan.states }),
    task(raw, place, taken) {
      rows = {
        labels: labelsIn(place, labels),
        raw,
        gradient: place.floats(numRows * numOutputs),
        hessian: place.floats(numRows * numOutputs),
        taken,
        ...gradientRoom(place, numRows),
      };
      return recipe && { kind: "gradients", rows: { ...rows, recipe } };
    },
    begin(raw, _round, share) {
      const { gradient, hessian, delta, response } = rows;
      if (name === "huber") {
        if (recipe !== undefined) share(GradientStep.distances);
        else response.forEach((_, row) => response[row] = Math.abs(labels.values[row] - raw[row]));
        delta[0] = deltaOf(response, plan.huberAlpha, weight);
        loss = huberLoss(delta[0]);
      }
      if (recipe !== undefined) share(GradientStep.gradients);
      else loss.gradients(labels, raw, gradient, hessian, 0, numRows);
      return true;
    },
    work(raw, output, share) {
      const at = output * numRows;
      const { gradient, hessian, response } = rows;
      if (recipe !== undefined) share(GradientStep.response, output);
      else for (let row = 0; row < numRows; row++) response[row] = -gradient[at + row];
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
    report: (raw, share) => ({ [loss.name]: lossNow(raw, share, false) }),
    ...(labels.group === undefined && {
      lossOutside: (raw: Float64Array, share: ShareStep) => lossNow(raw, share, true),
    }),
  }, options);
}

/** Labels and output-major scores of the rows that weigh something and were not drawn. */
function rowsOutside(
  labels: Labels,
  raw: Float64Array,
  taken: Float64Array,
): readonly [Labels, Float64Array] {
  const numRows = labels.values.length;
  const { weight } = labels;
  const rows = weightedRows(numRows, weight).filter((row) => taken[row] === 0);
  const some = new Float64Array(raw.length / numRows * rows.length);
  for (let i = 0; i < some.length; i++) {
    some[i] = raw[Math.floor(i / rows.length) * numRows + rows[i % rows.length]];
  }
  return [{
    values: Float64Array.from(rows, (row) => labels.values[row]),
    ...(weight !== undefined && { weight: Float64Array.from(rows, (row) => weight[row]) }),
  }, some];
}

function startOf(labels: Labels, loss: Loss): Float64Array {
  // Huber starts at the median, as Friedman's M-regression does.
  return loss.name === "huber"
    ? Float64Array.of(weightedQuantile(labels.values, 0.5, labels.weight))
    : loss.baseScore(labels);
}

/** δ: the quantile of the absolute residuals. */
function deltaOf(
  distances: Float64Array,
  alpha: number,
  weight: Float64Array | undefined,
): number {
  return Math.max(weightedQuantile(distances, alpha, weight), Number.MIN_VALUE);
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
