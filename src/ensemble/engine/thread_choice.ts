/**
 * Whether threads pay for what they take to start, by the work there is.
 *
 * @module
 */
import { queryStarts } from "../../data/dataset/queries.ts";
import type { Dataset } from "../../data/types.ts";
import type { BoostPlan } from "../plan.ts";

/**
 * Cells of data, and cells × levels × trees, below which a second thread is not worth starting: it is
 * there after 0.1 s, in which one thread does about 7e7 of the latter. Of many cells binning pays.
 */
const LEAST_CELLS = 100_000;
const LEAST_WORK = 1.5e8;
const MANY_CELLS = 4_000_000;

/** The same of a run that takes a fifth of a second or more. */
const LONG_WORK = 4e8;

/** Whether there is too little to do for more than one thread. */
export function isLittle(data: Dataset, plan: BoostPlan): boolean {
  const cells = data.numRows * data.features.length;
  return cells < LEAST_CELLS || (cells < MANY_CELLS && workOf(data, plan) < LEAST_WORK);
}

/** Whether kernels have so much to do that memory which makes them faster pays for its making. */
export function isLong(data: Dataset, plan: BoostPlan): boolean {
  return workOf(data, plan) >= LONG_WORK;
}

/** Cells × levels × trees. */
function workOf(data: Dataset, plan: BoostPlan): number {
  const { numRows, features } = data;
  const { maxDepth = 6, rounds, loss, parallelTrees = 1, committee } = plan;
  const cells = numRows * features.length;
  const levels = Math.min(maxDepth === 0 ? Infinity : maxDepth, Math.ceil(Math.log2(numRows + 1)));
  const draws = rounds * (committee?.members ?? 1);
  const trees = draws * loss.numOutputs * parallelTrees;
  return cells * levels * trees + draws * gradientWork(data, plan);
}

/**
 * What gradients of a round cost that threads share, in cells × levels: a row of a loss without a kernel
 * about 15, a pair of a ranking loss 20 to 60.
 */
function gradientWork({ numRows, group }: Dataset, plan: BoostPlan): number {
  if (!sharesLoss(plan, numRows)) return 0;
  if (group === undefined) return 15 * numRows * plan.loss.numOutputs;
  const perQuery = numRows / (queryStarts(group).length - 1);
  return 10 * numRows * Math.min(100, perQuery);
}

/** Rows × outputs from which threads share the gradients of a loss without a kernel. */
const LEAST_GRADIENTS = 8192;

/** Whether threads compute the gradients: the loss has no kernel, and they can make it. */
export function sharesLoss({ loss }: BoostPlan, numRows: number): boolean {
  return loss.kernel === undefined && loss.recipe !== undefined &&
    numRows * loss.numOutputs >= LEAST_GRADIENTS;
}
