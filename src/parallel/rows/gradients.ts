/**
 * What gradient boosting does to every row between trees, as a task of several threads: gradients of a
 * round, the response that a tree is fitted to, and the loss. Each thread takes blocks of rows
 * (ranking: the queries that begin in them). A row's numbers depend on nothing that another thread
 * writes, and the loss is the mean of the blocks' means by weight, in their order.
 *
 * @module
 */
import type { Labels } from "../../data/types.ts";
import { lossOfRecipe } from "../../loss/losses.ts";
import type { LossRecipe } from "../../loss/recipe.ts";
import type { Loss } from "../../loss/types.ts";
import { blocksOf } from "../../metric/job.ts";
import type { Place } from "../../metric/types.ts";
import type { Task } from "./task.ts";

/** What all threads see; output-major. */
export interface GradientRows {
  readonly recipe: LossRecipe;
  readonly labels: Labels;
  readonly raw: Float64Array;
  readonly gradient: Float64Array;
  readonly hessian: Float64Array;
  /** Response of the output at hand; or distances of the labels from the scores. */
  readonly response: Float64Array;
  /** Above 0 of rows that the round has drawn; empty where it takes all. */
  readonly taken: Float64Array;
  /** Mean loss and weight of each block. */
  readonly means: Float64Array;
  /** Huber's δ, which changes from round to round; 0 for other losses. */
  readonly delta: Float64Array;
}

/** Steps; `response` is told its output, `loss` whether rows that were drawn are left out (1). */
export const GradientStep = { gradients: 0, distances: 1, response: 2, loss: 3 } as const;

/** Makes room for means and the rest that only threads write. */
export function gradientRoom(
  place: Place,
  numRows: number,
): Pick<GradientRows, "response" | "means" | "delta"> {
  return {
    response: place.floats(numRows),
    means: place.floats(2 * blocksOf(numRows).count),
    delta: place.floats(1),
  };
}

/** Makes the task. */
export function gradientTask(rows: GradientRows): Task {
  const { recipe, labels, raw, gradient, hessian, response, delta } = rows;
  const fixed = lossOfRecipe(recipe);
  const { count, start } = blocksOf(labels.values.length);
  const lossNow = (): Loss =>
    delta[0] === 0
      ? fixed
      : lossOfRecipe({ ...recipe, params: { ...recipe.params, huberDelta: delta[0] } });
  return {
    isSmall: count === 1,
    run(step, next, arg) {
      const loss = lossNow();
      for (let block = next(); block < count; block = next()) {
        const from = start(block);
        const to = start(block + 1);
        if (step === GradientStep.gradients) {
          loss.gradients(labels, raw, gradient, hessian, from, to);
        } else if (step === GradientStep.loss) {
          rows.means.set(meanOfBlock(rows, loss, from, to, arg === 1), 2 * block);
        } else if (step === GradientStep.response) {
          const at = arg * labels.values.length;
          for (let row = from; row < to; row++) response[row] = -gradient[at + row];
        } else {
          for (let row = from; row < to; row++) {
            response[row] = Math.abs(labels.values[row] - raw[row]);
          }
        }
      }
    },
  };
}

/** Mean loss and weight of a block's rows. */
function meanOfBlock(
  { labels, raw, taken }: GradientRows,
  loss: Loss,
  from: number,
  to: number,
  outside: boolean,
): readonly [mean: number, weight: number] {
  const numRows = labels.values.length;
  const { weight } = labels;
  const rows = new Int32Array(to - from);
  let count = 0;
  for (let row = from; row < to; row++) {
    rows[count] = row;
    const isIn = (weight === undefined || weight[row] > 0) && !(outside && taken[row] > 0);
    count += Number(isIn);
  }
  if (count === 0) return [0, 0];
  const numOutputs = raw.length / numRows;
  const values = new Float64Array(count);
  const weights = weight && new Float64Array(count);
  const scores = new Float64Array(count * numOutputs);
  let total = 0;
  for (let i = 0; i < count; i++) {
    const row = rows[i];
    values[i] = labels.values[row];
    if (weights !== undefined) weights[i] = weight![row];
    total += weights === undefined ? 1 : weights[i];
    for (let k = 0; k < numOutputs; k++) scores[k * count + i] = raw[k * numRows + row];
  }
  return [loss.value({ values, ...(weights && { weight: weights }) }, scores), total];
}

/** The mean of the blocks' means. */
export function joinedMean({ means }: Pick<GradientRows, "means">): number {
  // A mean times its weight over the weight may be another number.
  if (means.length === 2) return means[0];
  let sum = 0;
  let total = 0;
  for (let at = 0; at < means.length; at += 2) {
    sum += means[at] * means[at + 1];
    total += means[at + 1];
  }
  return sum / total;
}
