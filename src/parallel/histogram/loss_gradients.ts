/**
 * Gradients of losses without a kernel, by all threads: each takes blocks of rows (ranking: the queries
 * that begin in them). A row's gradients depend on nothing that another thread writes, so they have the
 * bits of one thread.
 *
 * @module
 */
import type { Labels } from "../../data/types.ts";
import { forBlocks, type HistContext } from "../../grow/histogram/workspace/context.ts";
import { lossOfRecipe } from "../../loss/losses.ts";
import type { LossRecipe } from "../../loss/recipe.ts";
import type { Loss } from "../../loss/types.ts";

/** What a thread makes once. */
export interface Known {
  readonly loss: Loss;
  readonly labels: Labels;
}

const KNOWN = new WeakMap<HistContext, Known>();

/** Gradients of all outputs, times the sample weights. */
export function lossGradients(context: HistContext): void {
  const { memory, kernels, layout } = context;
  const { numOutputs, gradient, hessian, weight } = layout;
  const { raw, rows: { numRows } } = layout.sets[0];
  const known = knownLoss(context);
  const floats = (at: number) => memory.f64.subarray(at >>> 3, (at >>> 3) + numRows * numOutputs);
  const round = memory.f64[layout.args >>> 3];
  const scores = floats(raw);
  const g = floats(gradient);
  const h = floats(hessian);
  forBlocks(context, 0, (from, n) => {
    known.loss.gradients(known.labels, scores, g, h, from, from + n, round);
    if (weight === 0) return;
    for (let k = 0; k < numOutputs; k++) {
      const at = 8 * (k * numRows + from);
      kernels.weigh(gradient + at, hessian + at, weight + 8 * from, n);
    }
  });
}

/** The loss of the run and its labels as this thread sees them. */
export function knownLoss(context: HistContext): Known {
  return KNOWN.get(context) ?? learn(context);
}

function learn(context: HistContext): Known {
  const { memory, layout: { label, loss, sets, weight: applied } } = context;
  const { numRows } = sets[0].rows;
  const { recipe, weight: own, group } = loss!;
  // Gradients look at weights of their own only; leaves look at those that gradients are multiplied by.
  const weight = own || applied;
  const floats = (at: number) => memory.f64.subarray(at >>> 3, (at >>> 3) + numRows);
  const known = {
    loss: lossOfRecipe(recipe as LossRecipe),
    labels: {
      values: floats(label),
      ...(weight !== 0 && { weight: floats(weight) }),
      ...(group !== 0 && { group: memory.i32.subarray(group >>> 2, (group >>> 2) + numRows) }),
    },
  };
  KNOWN.set(context, known);
  return known;
}
