/**
 * Error, weight of the tree and new weights of the rows after a round of AdaBoost; what is done to
 * every row is shared by the threads of the run.
 *
 * @module
 */
import type { Dataset } from "../../data/types.ts";
import type { TreePlan } from "../../grow/plan/plan.ts";
import type { Frame } from "../../grow/rows/frame.ts";
import type { GrownTree } from "../../grow/tree/tree.ts";
import { blocksOf } from "../../metric/job.ts";
import type { Place } from "../../metric/types.ts";
import { type BoostedRows, BoostStep } from "../../parallel/rows/adaboost.ts";
import { floatsIn, intsIn, type TaskPlan, type TeamTasks } from "../../parallel/rows/team_tasks.ts";
import {
  chooseRows,
  mostLeaves,
  numberRows,
  type RunRows,
  type TreeRows,
  treeRows,
} from "../../parallel/rows/tree_rows.ts";
import { exp, log } from "../../util/math.ts";
import { writeAnswers } from "./answers.ts";

/** What AdaBoost is made of, but for its states. */
export interface RoundsPlan {
  readonly variant: BoostedRows["variant"];
  readonly rounds: number;
  readonly learningRate: number;
  readonly tree: TreePlan;
  /** R2: how large errors count. */
  readonly loss: BoostedRows["loss"];
  /** R2: fit on a bootstrap drawn by weight instead of on weighted rows. */
  readonly resample: boolean;
  /** What the weights add up to in every round. */
  readonly total: number;
  readonly seed: number;
}

/** What a round came to; without an `alpha` the tree is thrown away. */
export interface Round {
  readonly error: number;
  readonly alpha: number | undefined;
  readonly last: boolean;
}

/** Rows and weights of a run, in memory that its threads see. */
export interface RoundRows {
  readonly tree: TreeRows;
  readonly boosted: BoostedRows;
  /** Tasks by their numbers. */
  readonly tasks: readonly TaskPlan[];
}

const TREE_TASK = 0;
const BOOSTED_TASK = 1;

/** Makes room for the rounds on a frame; `start` are the first weights. */
export function roundRows(
  { target, numRows }: Dataset,
  start: Float64Array,
  frame: Frame,
  plan: RoundsPlan,
  place: Place,
): RoundRows {
  const { variant, loss, seed } = plan;
  const tree = treeRows(frame, plan.tree, place);
  for (let row = 0; row < numRows; row++) tree.all[row] = row;
  const classes = target?.kind === "classification" ? target : undefined;
  const numClasses = classes?.classes.length ?? 0;
  const answers = plan.tree.missing === "fractional" ? numRows : mostLeaves(plan.tree, numRows);
  const isR2 = variant === "r2";
  const resampled = isR2 && plan.resample ? numRows : 0;
  const { count } = blocksOf(numRows);
  const weight = floatsIn(place, start);
  const boosted: BoostedRows = {
    variant,
    loss,
    seed,
    numClasses,
    codes: intsIn(place, classes?.codes ?? new Int32Array(0)),
    values: floatsIn(place, target?.kind === "regression" ? target.values : new Float64Array(0)),
    weight,
    numberOf: tree.numberOf,
    said: place.ints(isR2 ? 0 : answers),
    told: place.floats(answers * (isR2 ? 1 : variant === "samme.r" ? numClasses + 1 : 0)),
    errors: place.floats(isR2 ? numRows : 0),
    sums: place.floats(2 * count),
    given: place.floats(2),
    upTo: place.floats(resampled),
    starts: place.floats(count + 1),
    drawn: place.ints(resampled),
    fit: resampled > 0 ? place.floats(numRows) : weight,
  };
  return {
    tree,
    boosted,
    tasks: [{ kind: "tree", rows: tree, weight: boosted.fit }, { kind: "boosted", rows: boosted }],
  };
}

/** The rounds of a run. */
export interface Rounds {
  /** The rows of a round and their weights, until the next one. */
  rows(round: number): { readonly rows: Int32Array; readonly weight: Float64Array };
  /**
   * Error and weight of a tree that grew on them.
   *
   * @param only There is no tree before it.
   * @param update Whether the weights change.
   */
  judge(tree: GrownTree, only: boolean, update: boolean): Round;
  /** Makes changed weights add up to the plan's total; false where it is not a positive finite number. */
  rescale(): boolean;
}

/** Makes the rounds. */
export function createRounds(
  { tree: treeRows, boosted }: RoundRows,
  plan: RoundsPlan,
  tasks: TeamTasks,
): Rounds {
  const { numClasses, weight, sums, given, starts, fit } = boosted;
  const { variant, learningRate, total } = plan;
  const { count } = blocksOf(weight.length);
  const runRows: RunRows = (step, arg) => tasks.run(TREE_TASK, step, arg);
  const run = (step: number, ...told: readonly number[]) => {
    given.set(told);
    tasks.run(BOOSTED_TASK, step);
  };
  /** The sums of all blocks, in their order. */
  const joined = (channel = 0): number => {
    let sum = 0;
    for (let block = 0; block < count; block++) sum += sums[2 * block + channel];
    return sum;
  };

  function classRound(update: boolean): Round {
    run(BoostStep.wrong);
    const error = joined() / joined(1);
    if (error <= 0) return { error: 0, alpha: 1, last: true };
    if (variant === "samme.r") {
      if (update) run(BoostStep.change, -learningRate * (numClasses - 1) / numClasses);
      return { error, alpha: 1, last: false };
    }
    if (error >= 1 - 1 / numClasses) return { error, alpha: undefined, last: true };
    const alpha = learningRate * (log((1 - error) / error) + log(numClasses - 1));
    if (update) run(BoostStep.raise, exp(alpha));
    return { error, alpha, last: false };
  }

  function r2Round(only: boolean, update: boolean): Round {
    run(BoostStep.distance);
    let most = 0;
    for (let block = 0; block < count; block++) most = Math.max(most, sums[2 * block]);
    run(BoostStep.lose, most);
    const error = joined() / total;
    if (error <= 0) return { error: 0, alpha: 1, last: true };
    if (error >= 0.5) return { error, alpha: only ? 0 : undefined, last: true };
    const beta = error / (1 - error);
    if (update) run(BoostStep.shrink, beta, learningRate);
    return { error, alpha: learningRate * log(1 / beta), last: false };
  }

  /** A bootstrap in which a row is drawn with its weight as probability. */
  function draw(round: number): void {
    run(BoostStep.accumulate);
    for (let block = 0; block < count; block++) {
      starts[block + 1] = starts[block] + sums[2 * block];
    }
    tasks.run(BOOSTED_TASK, BoostStep.draw, round);
    run(BoostStep.collect);
  }

  return {
    rows(round) {
      if (fit !== weight) draw(round);
      return { rows: chooseRows(treeRows, weight.length, runRows), weight: fit };
    },
    judge(tree, only, update) {
      const apart = plan.tree.missing === "fractional";
      writeAnswers(tree, numberRows(tree, treeRows, runRows, apart), boosted);
      return variant === "r2" ? r2Round(only, update) : classRound(update);
    },
    rescale() {
      const sum = joined();
      if (!(sum > 0 && sum < Infinity)) return false;
      run(BoostStep.divide, sum / total);
      return true;
    },
  };
}
