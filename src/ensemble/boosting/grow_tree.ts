/**
 * Trees of a round: what each is made with is settled here, then all threads grow one together
 * (`grow/histogram/round_tree.ts`), or each grows another by itself (`grow/histogram/alone.ts`).
 *
 * @module
 */
import type { Labels } from "../../data/types.ts";
import { TrainingError } from "../../errors.ts";
import { ROOT_OUTPUTS } from "../../kernels/types.ts";
import { type ColumnDraw, columnSampler } from "../../grow/histogram/column_sampler.ts";
import { readTree, wasGrown, writeTasks } from "../../grow/histogram/alone.ts";
import type { RowDraw } from "../../grow/histogram/gradients/row_draw.ts";
import { Op } from "../../grow/histogram/workspace/op.ts";
import { type GrownTree, leftTable, type NodeFacts } from "../../grow/histogram/tree/tree.ts";
import { fitHistLeaves } from "../../grow/histogram/linear.ts";
import type { TreeTerms } from "../../grow/linear_leaves.ts";
import { gradientStats } from "../../grow/histogram/gradients/stats.ts";
import {
  areFinite,
  chooseQuanta,
  type Quanta,
  quantaOfFloats,
} from "../../grow/histogram/gradients/quanta.ts";
import { buildRoots } from "../../grow/histogram/operations/roots.ts";
import {
  addLeafValues,
  growRoundTree,
  nodesOfLeaves,
  type RoundTree,
  routeSets,
  type TreeTask,
} from "../../grow/histogram/round_tree.ts";
import { treesAlone } from "../engine/alone_choice.ts";
import type { Engine } from "../engine/engine.ts";
import { fitLinearLeaves } from "./fit_linear.ts";
import type { BoostPlan } from "../plan.ts";
import { refitTree } from "./refit_leaves.ts";
import { FEWEST_ROOTS } from "../engine/roots_space.ts";

/** A tree that is due. */
export interface DueTree {
  readonly round: number;
  readonly output: number;
  /** Seed of the dither. */
  readonly dither: number;
  readonly columns: ColumnDraw;
  /** Learning rate over the trees that are averaged. */
  readonly rate: number;
  readonly members: number;
}

/** Grows a tree for each output and adds them to the scores of all sets. */
export function growTrees(
  engine: Engine,
  plan: BoostPlan,
  labels: Labels,
  due: readonly DueTree[],
): RoundTree[] {
  const { roots } = engine.team.context.layout;
  const most = roots === undefined ? due.length : ROOT_OUTPUTS;
  const grown: RoundTree[] = [];
  for (let at = 0; at < due.length; at += most) {
    const some = due.slice(at, at + most);
    grown.push(...growSome(engine, plan, labels, some));
  }
  return grown;
}

/** Grows trees of different outputs, whose roots may be built at once. */
function growSome(
  engine: Engine,
  plan: BoostPlan,
  labels: Labels,
  due: readonly DueTree[],
): RoundTree[] {
  const { numThreads, alone, roots, sets: [{ rows }] } = engine.team.context.layout;
  const numAlone = alone === undefined ? 0 : treesAlone(due.length, numThreads, rows.numRows);
  const tasks = due.map((one) => taskOf(engine, plan, one));
  if (
    roots !== undefined && due.length >= FEWEST_ROOTS && tasks.every(({ quanta }) => !quanta.wide)
  ) buildRoots(engine.team, tasks).forEach((root, i) => tasks[i] = { ...tasks[i], root });
  for (const { output, quanta } of tasks) if (quanta.wide) spreadSigned(engine, output);
  const grown = numAlone === 0
    ? []
    : growAlone(engine, due.slice(0, numAlone), tasks.slice(0, numAlone));
  for (let i = numAlone; i < due.length; i++) {
    grown.push(growTogether(engine, plan, labels, due[i], tasks[i]));
  }
  return grown;
}

/** All threads grow one tree. */
function growTogether(
  engine: Engine,
  plan: BoostPlan,
  labels: Labels,
  due: DueTree,
  task: TreeTask,
): RoundTree {
  return growRoundTree(
    engine,
    task,
    columnSampler(due.columns),
    afterGrowth(engine, plan, labels, due),
  );
}

/** What leaves become after a tree is grown: the loss's own constants, or linear models. */
function afterGrowth(
  engine: Engine,
  plan: BoostPlan,
  labels: Labels,
  { output, round, rate }: DueTree,
): ((tree: GrownTree, facts: NodeFacts, quanta: Quanta) => TreeTerms | undefined) | undefined {
  const { linear, loss: { refitLeaf } } = plan;
  if (refitLeaf !== undefined) {
    return (tree, facts) => {
      refitTree(engine, plan, labels, tree, facts, output);
      return undefined;
    };
  }
  // The first round finds the level; LightGBM's first trees are constants too.
  if (linear === undefined || round === 1) return undefined;
  return (tree, _, quanta) => {
    const { team, columns, leastSpread } = engine;
    const step = { output, lambda: linear.lambda, rate, quanta };
    return team.context.layout.linear === undefined
      ? fitHistLeaves(team, columns![0], tree, nodesOfLeaves(tree), leastSpread!, step)
      : fitLinearLeaves(engine, tree, step);
  };
}

/** Each thread grows trees by itself, as long as there are any. */
function growAlone(
  engine: Engine,
  due: readonly DueTree[],
  tasks: readonly TreeTask[],
): RoundTree[] {
  const { team, tables } = engine;
  const { context } = team;
  const alone = due.map(({ columns }, i) => ({ task: tasks[i], columns }));
  tables.clear();
  writeTasks(context, alone, (bytes) => tables.put(bytes));
  team.run(Op.growTrees);
  const grown = due.map((_, i) => readTree(context, i));
  addToValidation(engine, due, grown);
  return grown;
}

/** A member of a committee whose trees are due. */
export interface DueMember {
  readonly member: number;
  readonly rows: RowDraw;
  /** Seed and names of the stream that its rows are drawn by. */
  readonly stream: readonly [seed: number, ...path: number[]];
  readonly due: readonly DueTree[];
}

/**
 * Each thread grows the trees of members by itself: gradients, rows drawn, a tree for each output, the
 * member's own scores.
 *
 * @param meanwhile What the calling thread does before it grows trees too.
 * @returns Trees of the first members; those of one whose gradients are not finite, and of all after
 * it, are left to the caller.
 */
export function growMembers(
  engine: Engine,
  plan: BoostPlan,
  members: readonly DueMember[],
  meanwhile: () => void,
): RoundTree[] {
  const { team, tables } = engine;
  const { context } = team;
  const tasks = members.map(({ member, rows, stream, due }) => ({
    member,
    rows,
    stream,
    trees: due.map((one) => ({ task: shapeOf(engine, plan, one), columns: one.columns })),
  }));
  tables.clear();
  writeTasks(context, tasks, (bytes) => tables.put(bytes));
  team.run(Op.growMembers, meanwhile);
  const due = members.flatMap((one) => one.due);
  const failed = due.findIndex((_, i) => !wasGrown(context, i));
  const made = failed < 0 ? due : due.slice(0, failed - failed % plan.loss.numOutputs);
  const grown = made.map((_, i) => readTree(context, i));
  addToValidation(engine, made, grown);
  return grown;
}

/** Adds trees to the scores of validation sets: threads see to the training rows only. */
function addToValidation(
  engine: Engine,
  due: readonly DueTree[],
  grown: readonly RoundTree[],
): void {
  const { tables } = engine;
  const { context } = engine.team;
  const valid = context.layout.sets.map((_, set) => set).slice(1);
  if (valid.length === 0) return;
  grown.forEach((made, i) => {
    tables.clear();
    routeSets(engine, made.tree, putTables(engine, made.tree), valid);
    addLeafValues(engine, made, due[i].output, 1, valid);
  });
}

/** Writes the table of each inner node of a tree; says where they are. */
export function putTables(
  { tables, bins }: Engine,
  { nodes }: GrownTree,
): (node: number) => number {
  const { count, feature } = nodes;
  const tableOf = new Uint32Array(count);
  for (let i = 0; i < count; i++) {
    if (feature[i] >= 0) tableOf[i] = tables.put(leftTable(nodes, i, bins[feature[i]].numBins));
  }
  return (node) => tableOf[node];
}

/** Settles what a tree is made with. */
function taskOf(engine: Engine, plan: BoostPlan, due: DueTree): TreeTask {
  return { ...shapeOf(engine, plan, due), quanta: quantaOf(engine, due) };
}

/** What a tree is made with whatever the gradients are. */
function shapeOf(engine: Engine, plan: BoostPlan, due: DueTree): Omit<TreeTask, "quanta"> {
  const { maxDepth = 6, gamma = 0, postPrune = false } = plan;
  return {
    output: due.output,
    dither: due.dither,
    limits: {
      growth: plan.growth ?? "depth",
      maxDepth: maxDepth === 0 ? Infinity : maxDepth,
      maxLeaves: engine.maxLeaves,
      minGain: postPrune ? 0 : gamma,
    },
    prune: postPrune ? gamma : 0,
    rate: due.rate,
    members: due.members,
  };
}

/** Chooses quanta by the statistics of the output's gradients. */
function quantaOf(engine: Engine, due: DueTree): Quanta {
  const { signed, sets: [{ rows }] } = engine.team.context.layout;
  const stats = gradientStats(engine.team, due.output);
  if (!areFinite(stats)) throw notFinite(engine, due);
  const quanta = chooseQuanta(stats, rows.numRows);
  return signed === undefined ? quanta : quantaOfFloats(quanta);
}

/** Both derivatives of an output as float64, where one number stands for them. */
function spreadSigned({ team }: Engine, output: number): void {
  const { layout, memory } = team.context;
  if (layout.signed === undefined) return;
  memory.f64[layout.args >>> 3] = output;
  team.run(Op.spread);
}

function notFinite(engine: Engine, due: DueTree): TrainingError {
  spreadSigned(engine, due.output);
  const { numRows } = engine.team.context.layout.sets[0].rows;
  const g = engine.gradient().subarray(due.output * numRows, (due.output + 1) * numRows);
  const h = engine.hessian().subarray(due.output * numRows, (due.output + 1) * numRows);
  let row = 0;
  while (row < numRows - 1 && Number.isFinite(g[row]) && Number.isFinite(h[row])) row++;
  return new TrainingError(
    "E_TRAIN_NUMERIC",
    `Cannot continue in round ${due.round}: the gradient of row ${row + 1} is ${g[row]} (second ` +
      `derivative ${h[row]}), expected finite numbers (another baseScore, a ` +
      `smaller learningRate, a larger lambda, or maxDeltaStep)`,
    { details: { round: due.round, row: row + 1 } },
  );
}
