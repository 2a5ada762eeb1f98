/**
 * Trees of the stagewise methods: the rows that each grows on, the step of every leaf, and what the
 * scores of all rows get of it. What is done to every row is shared by the threads of the run.
 *
 * @module
 */
import { TrainingError } from "../../errors.ts";
import type { Frame } from "../../grow/rows/frame.ts";
import { growTree } from "../../grow/grower.ts";
import { packGrown } from "../../grow/tree/pack.ts";
import { contextOf, type TreePlan } from "../../grow/plan/plan.ts";
import type { StatSource } from "../../grow/rows/stats.ts";
import { type GrownTree, leavesOf } from "../../grow/tree/tree.ts";
import type { Place } from "../../metric/types.ts";
import type { Trees } from "../../model/types.ts";
import { LeafStep, type LeafSteps } from "../../parallel/rows/leaf_steps.ts";
import type { SplitCrew } from "../../parallel/splits/split_crew.ts";
import type { TaskPlan } from "../../parallel/rows/team_tasks.ts";
import {
  chooseRows,
  mostLeaves,
  numberRows,
  type RunRows,
  type TreeRows,
  treeRows,
} from "../../parallel/rows/tree_rows.ts";
import { forkRng } from "../../util/rng.ts";

/** What one tree is fitted to. */
export interface Working {
  /** Response of each row. */
  readonly values: Float64Array;
  /** Weight of each row; undefined is 1. */
  readonly weight: Float64Array | undefined;
  /** Step of a leaf, from the rows of the round that are in it. */
  step(tree: GrownTree, leaf: number, rows: Int32Array): number;
}

/** Rows and steps of a run, in memory that its threads see. */
export interface StagewiseRows {
  readonly tree: TreeRows;
  readonly leaves: LeafSteps;
  /** The two tasks, in the order of {@linkcode createTrees}. */
  readonly tasks: readonly TaskPlan[];
}

/**
 * Makes room.
 *
 * @param raw Scores, output-major.
 * @param weight Rows without a weight above 0 are left out; where undefined, none are.
 */
export function stagewiseRows(
  { frame, plan, positive, raw, weight }: {
    readonly frame: Frame;
    readonly plan: TreePlan;
    readonly positive: Int32Array;
    readonly raw: Float64Array;
    readonly weight: Float64Array | undefined;
  },
  place: Place,
): StagewiseRows {
  const tree = treeRows(frame, plan, place);
  tree.all.set(positive);
  const leaves: LeafSteps = {
    numberOf: tree.numberOf,
    values: place.floats(mostLeaves(plan, frame.numRows)),
    raw,
    steps: place.floats(raw.length > frame.numRows ? raw.length : 0),
  };
  return {
    tree,
    leaves,
    tasks: [{ kind: "tree", rows: tree, weight }, { kind: "steps", rows: leaves }],
  };
}

/** Grows the trees of a round one after the other. */
export interface StagewiseTrees {
  /**
   * Grows the tree of an output; its steps wait until all outputs have theirs.
   *
   * @param round From 0.
   */
  grow(working: Working, round: number, output: number): Trees;
  /** Adds the steps of all trees of the round to the scores: all have seen those before it. */
  add(): void;
}

/** How trees grow, and by whom. */
export interface TreesWork {
  readonly plan: TreePlan;
  readonly seed: number;
  readonly numOutputs: number;
  /** Rows to choose from. */
  readonly numPositive: number;
  /** Whether some of them may be left out. */
  readonly chooses: boolean;
  readonly crew: SplitCrew;
  /** Number of the first of the two tasks. */
  readonly firstTask: number;
}

/** Makes what grows them. */
export function createTrees(
  { tree: space, leaves }: StagewiseRows,
  { plan, seed, numOutputs, numPositive, chooses, crew, firstTask }: TreesWork,
): StagewiseTrees {
  const { frame, team, tasks } = crew;
  const runRows: RunRows = (step, arg) => tasks.run(firstTask, step, arg);
  const runSteps = (step: number, output: number) => tasks.run(firstTask + 1, step, output);

  /** A copy of the rows that are not left out, or of all where none is taken. */
  function rowsOfTree(): Int32Array {
    const chosen = chooses ? chooseRows(space, numPositive, runRows) : undefined;
    if (chosen !== undefined && chosen.length > 0) return chosen;
    space.rows.set(space.all.subarray(0, numPositive));
    return space.rows.subarray(0, numPositive);
  }

  return {
    grow({ values, weight, step }, round, output) {
      const source: StatSource = { kind: "moment", values, ...(weight && { weight }) };
      const context = { ...contextOf(plan, frame, source), ...(team && { team }) };
      const tree = growTree(context, rowsOfTree(), forkRng(seed, round, 0, output));
      const value = valuesOf(tree, step, round, output);
      numberRows(tree, space, runRows).forEach((leaf, number) => {
        leaves.values[number] = value[leaf];
      });
      runSteps(numOutputs === 1 ? LeafStep.add : LeafStep.keep, output);
      return packGrown(tree, { value: (node, out) => void (out[0] = value[node]) });
    },
    add() {
      if (numOutputs > 1) runSteps(LeafStep.addKept, 0);
    },
  };
}

/** The step of every node. */
function valuesOf(
  tree: GrownTree,
  step: Working["step"],
  round: number,
  output: number,
): Float64Array {
  const value = new Float64Array(tree.numNodes);
  for (const leaf of leavesOf(tree)) {
    value[leaf] = step(tree, leaf, tree.rows[leaf].subarray(tree.from[leaf], tree.to[leaf]));
    if (!Number.isFinite(value[leaf])) {
      throw new TrainingError(
        "E_TRAIN_NUMERIC",
        `Cannot continue in round ${round + 1}: a leaf has the step ${value[leaf]}; a smaller ` +
          "learning rate or another loss may help",
        { details: { round: round + 1, output } },
      );
    }
  }
  // Inner nodes answer with the mean of their leaves, by weight.
  for (let node = tree.numNodes - 1; node >= 0; node--) {
    const branches = tree.numBranches[node];
    if (branches === 0) continue;
    let sum = 0;
    let total = 0;
    for (let b = 0; b < branches; b++) {
      const child = tree.firstChild[node] + b;
      sum += tree.cover[child] * value[child];
      total += tree.cover[child];
    }
    value[node] = total > 0 ? sum / total : 0;
  }
  return value;
}
