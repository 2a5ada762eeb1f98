/**
 * What boosting by reweighting does to every row of a round, as a task of several threads: errors,
 * new weights, and the bootstrap drawn by weight. Sums are those of blocks of rows, joined in their
 * order, so they are the same on any number of threads.
 *
 * @module
 */
import { blocksOf } from "../../metric/job.ts";
import { exp, log, pow } from "../../util/math.ts";
import { forkRng } from "../../util/rng.ts";
import type { Task } from "./task.ts";

/** How the errors of numbers count (AdaBoost.R2). */
export type R2Loss = "linear" | "square" | "exponential";

/** What all threads see. */
export interface BoostedRows {
  readonly variant: "samme" | "samme.r" | "r2";
  readonly loss: R2Loss;
  readonly seed: number;
  /** Number of classes; 0 for numbers. */
  readonly numClasses: number;
  /** Class of each row; empty for numbers. */
  readonly codes: Int32Array;
  /** Label of each row; empty for classes. */
  readonly values: Float64Array;
  readonly weight: Float64Array;
  /** Number of the answer that each row gets (`tree_rows.ts`). */
  readonly numberOf: Int32Array;
  /** By answer: its class. */
  readonly said: Int32Array;
  /**
   * By answer. SAMME.R: logarithms of its shares, and their sum; R2: its number; SAMME: nothing.
   */
  readonly told: Float64Array;
  /** R2: error of each row, then its loss. */
  readonly errors: Float64Array;
  /** Two numbers a block. */
  readonly sums: Float64Array;
  /** What a step is told: see {@linkcode BoostStep}. */
  readonly given: Float64Array;
  /** Resampled R2: running sums of the weights of a block, where each block begins, and draws. */
  readonly upTo: Float64Array;
  readonly starts: Float64Array;
  readonly drawn: Int32Array;
  /** Weights that a tree is fitted by; draws where these are asked for. */
  readonly fit: Float64Array;
}

/** Steps. */
export const BoostStep = {
  /** Classes: weight of the wrong rows, and of all. */
  wrong: 0,
  /** Divides the weights by a number. */
  divide: 1,
  /** SAMME: multiplies weights of wrong rows by a number; sums of the weights. */
  raise: 2,
  /** SAMME.R: multiplies weights by exp of a factor times the coding; sums of the weights. */
  change: 3,
  /** R2: errors; the largest of a row that weighs something. */
  distance: 4,
  /** R2: losses of the errors over the largest; weighted sums. */
  lose: 5,
  /** R2: multiplies weights by β^((1 − loss) · rate), told both; sums of the weights. */
  shrink: 6,
  /** Running sums of the weights. */
  accumulate: 7,
  /** Draws rows of the round that `arg` says. */
  draw: 8,
  /** Writes how often each row was drawn. */
  collect: 9,
} as const;

type Fill = (rows: BoostedRows, from: number, to: number, block: number, arg: number) => void;

const FILLS: { readonly [step: number]: Fill } = {
  [BoostStep.wrong]: wrong,
  [BoostStep.divide]: divide,
  [BoostStep.raise]: raise,
  [BoostStep.change]: change,
  [BoostStep.distance]: distance,
  [BoostStep.lose]: lose,
  [BoostStep.shrink]: shrink,
  [BoostStep.accumulate]: accumulate,
  [BoostStep.draw]: draw,
  [BoostStep.collect]: collect,
};

/** Makes the task. */
export function boostedTask(rows: BoostedRows): Task {
  const { count, start } = blocksOf(rows.weight.length);
  return {
    isSmall: count === 1,
    run(step, next, arg) {
      const fill = FILLS[step];
      for (let block = next(); block < count; block = next()) {
        fill(rows, start(block), start(block + 1), block, arg);
      }
    },
  };
}

function wrong(
  { codes, weight, numberOf, said, sums }: BoostedRows,
  from: number,
  to: number,
  block: number,
): void {
  let error = 0;
  let all = 0;
  for (let row = from; row < to; row++) {
    error += weight[row] * Number(said[numberOf[row]] !== codes[row]);
    all += weight[row];
  }
  sums[2 * block] = error;
  sums[2 * block + 1] = all;
}

function divide({ weight, given }: BoostedRows, from: number, to: number): void {
  const by = given[0];
  for (let row = from; row < to; row++) weight[row] /= by;
}

function raise(
  { codes, weight, numberOf, said, sums, given }: BoostedRows,
  from: number,
  to: number,
  block: number,
): void {
  const factor = given[0];
  let sum = 0;
  for (let row = from; row < to; row++) {
    if (said[numberOf[row]] !== codes[row]) weight[row] *= factor;
    sum += weight[row];
  }
  sums[2 * block] = sum;
}

function change(
  { codes, weight, numberOf, told, numClasses, sums, given }: BoostedRows,
  from: number,
  to: number,
  block: number,
): void {
  const factor = given[0];
  let sum = 0;
  for (let row = from; row < to; row++) {
    if (weight[row] > 0) {
      // The coding of a class is 1 for itself and −1/(K − 1) for every other.
      const at = numberOf[row] * (numClasses + 1);
      const own = told[at + codes[row]];
      const coded = own - (told[at + numClasses] - own) / (numClasses - 1);
      weight[row] = exp(log(weight[row]) + factor * coded);
    }
    sum += weight[row];
  }
  sums[2 * block] = sum;
}

function distance(
  { values, weight, numberOf, told, errors, sums }: BoostedRows,
  from: number,
  to: number,
  block: number,
): void {
  let most = 0;
  for (let row = from; row < to; row++) {
    errors[row] = Math.abs(told[numberOf[row]] - values[row]);
    if (weight[row] > 0) most = Math.max(most, errors[row]);
  }
  sums[2 * block] = most;
}

function lose(
  { weight, errors, loss, sums, given }: BoostedRows,
  from: number,
  to: number,
  block: number,
): void {
  const most = given[0];
  let sum = 0;
  for (let row = from; row < to; row++) {
    errors[row] = r2Loss(most > 0 ? errors[row] / most : errors[row], loss);
    sum += weight[row] * errors[row];
  }
  sums[2 * block] = sum;
}

/** Loss of an error between 0 and 1. */
export function r2Loss(error: number, loss: R2Loss): number {
  if (loss === "linear") return error;
  return loss === "square" ? error * error : 1 - exp(-error);
}

function shrink(
  { weight, errors, sums, given }: BoostedRows,
  from: number,
  to: number,
  block: number,
): void {
  const [beta, rate] = given;
  let sum = 0;
  for (let row = from; row < to; row++) {
    if (weight[row] > 0) weight[row] *= pow(beta, (1 - errors[row]) * rate);
    sum += weight[row];
  }
  sums[2 * block] = sum;
}

function accumulate(
  { weight, upTo, sums }: BoostedRows,
  from: number,
  to: number,
  block: number,
): void {
  let sum = 0;
  for (let row = from; row < to; row++) upTo[row] = sum += weight[row];
  sums[2 * block] = sum;
}

/** As many draws as the block has rows, from all rows; each block has a stream of its own. */
function draw(
  { seed, upTo, starts, drawn }: BoostedRows,
  from: number,
  to: number,
  block: number,
  round: number,
): void {
  const rng = block === 0 ? forkRng(seed, round, 1) : forkRng(seed, round, 1, block);
  const { count, start } = blocksOf(upTo.length);
  for (let i = from; i < to; i++) {
    const at = rng.nextFloat() * starts[count];
    let b = 0;
    for (let high = count - 1; b < high;) {
      const middle = (b + high + 1) >>> 1;
      if (starts[middle] <= at) b = middle;
      else high = middle - 1;
    }
    let low = start(b);
    let high = start(b + 1) - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (starts[b] + upTo[middle] <= at) low = middle + 1;
      else high = middle;
    }
    // The order of the draws cannot be seen in a count.
    Atomics.add(drawn, low, 1);
  }
}

function collect({ fit, drawn }: BoostedRows, from: number, to: number): void {
  for (let row = from; row < to; row++) {
    fit[row] = drawn[row];
    drawn[row] = 0;
  }
}
