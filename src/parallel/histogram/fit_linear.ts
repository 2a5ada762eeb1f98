/**
 * Linear leaves of a grown tree by all threads: rows are listed by leaf, as for losses that set leaves
 * (`refit_leaves.ts`), and then leaves are taken, each by one thread. A leaf's rows are in ascending
 * order whoever lists them, so its sums have the bits of one thread.
 *
 * @module
 */
import { columnsAt } from "../../grow/histogram/linear_rows.ts";
import { forItems, type HistContext } from "../../grow/histogram/workspace/context.ts";
import { fitLeaf } from "../../grow/leaf_ridge.ts";
import { countRows, listRows, refitArrays, RefitStep } from "./refit_leaves.ts";

/**
 * Places of the arguments, as float64. Where `models` is, there is the place (in float64) of each
 * part's record: number of features, features, their least spreads, number of terms (−1: no model),
 * constant, and as many places as features for the features of the terms and for their
 * coefficients.
 */
export const FitArgs = {
  step: 0,
  output: 1,
  numLeaves: 2,
  numParts: 3,
  models: 4,
  /** Whole multiples that the gradients are in; 1 where they are numbers as they are. */
  fixG: 5,
  fixH: 6,
  lambda: 7,
  rate: 8,
} as const;

/** Takes its share of a step. */
export function fitLinear(context: HistContext): void {
  const { layout, memory: { f64 } } = context;
  const args = layout.args >>> 3;
  const numLeaves = f64[args + FitArgs.numLeaves];
  const step = f64[args + FitArgs.step];
  if (step === RefitStep.fit) fitParts(context, numLeaves);
  else if (step === RefitStep.list) listRows(context, refitArrays(context, numLeaves), numLeaves);
  else countRows(context, refitArrays(context, numLeaves), numLeaves);
}

function fitParts(context: HistContext, numLeaves: number): void {
  const { layout, memory } = context;
  const { f64 } = memory;
  const args = layout.args >>> 3;
  const [output, , numParts, models, fixG, fixH, lambda, rate] = f64.subarray(args + 1, args + 9);
  const { rows, parts } = refitArrays(context, numLeaves);
  const { numRows } = layout.sets[0].rows;
  const floats = (at: number) => f64.subarray((at >>> 3) + output * numRows);
  const task = {
    columns: columnsAt(context, 0),
    gradient: floats(layout.gradient),
    hessian: floats(layout.hessian),
    fixG,
    fixH,
    lambda,
    rate,
  };
  forItems(memory, numParts, (part) => {
    const at = f64[(models >>> 3) + part] + (models >>> 3);
    const size = f64[at];
    const features = Array.from(f64.subarray(at + 1, at + 1 + size));
    const least = f64.slice(at + 1 + size, at + 1 + 2 * size);
    const own = rows.subarray(parts[2 * part], parts[2 * part + 1]);
    const terms = fitLeaf(features, own, { ...task, least });
    const out = at + 1 + 2 * size;
    f64[out] = terms?.features.length ?? -1;
    if (terms === undefined) return;
    f64[out + 1] = terms.constant;
    f64.set(terms.features, out + 2);
    f64.set(terms.coefficients, out + 2 + size);
  }, layout.counter);
}
