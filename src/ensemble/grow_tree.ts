/**
 * Trees of a round: what each is made with is settled here, then all threads grow one together
 * (`grow/histogram/round_tree.ts`), or each grows another by itself (`grow/histogram/alone.ts`).
 *
 * @module
 */
import type { Labels } from "../data/types.ts";
import { TrainingError } from "../errors.ts";
import { type ColumnDraw, columnSampler } from "../grow/histogram/column_sampler.ts";
import { readTree, writeTasks } from "../grow/histogram/alone.ts";
import { Op } from "../grow/histogram/op.ts";
import { smoothed } from "../grow/histogram/score.ts";
import {
  type GrownNode,
  type GrownTree,
  leftTable,
  type NodeFacts,
} from "../grow/histogram/tree.ts";
import { chooseQuanta, type GradientStats, type Quanta } from "../grow/histogram/quanta.ts";
import {
  addLeafValues,
  growRoundTree,
  keptNode,
  type RoundTree,
  routeSets,
  type TreeTask,
} from "../grow/histogram/round_tree.ts";
import type { Engine } from "./engine.ts";
import type { BoostPlan } from "./plan.ts";

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
  const { numThreads, alone } = engine.team.context.layout;
  const numAlone = alone === undefined ? 0 : treesAlone(due.length, numThreads);
  const grown = numAlone === 0 ? [] : growAlone(engine, plan, due.slice(0, numAlone));
  for (const one of due.slice(numAlone)) grown.push(growTogether(engine, plan, labels, one));
  return grown;
}

/**
 * How many of a round's trees threads grow by themselves: as many as keep all threads busy, and the
 * rest too where few threads would wait for them.
 */
export function treesAlone(numTrees: number, numThreads: number): number {
  const rest = numTrees % numThreads;
  return 4 * rest >= 3 * numThreads ? numTrees : numTrees - rest;
}

/** All threads grow one tree. */
function growTogether(
  engine: Engine,
  plan: BoostPlan,
  labels: Labels,
  due: DueTree,
): RoundTree {
  const { refitLeaf } = plan.loss;
  const refitTree = (tree: GrownTree, facts: NodeFacts) =>
    refit(engine, plan, labels, tree, facts, due.output);
  return growRoundTree(
    engine,
    taskOf(engine, plan, due),
    columnSampler(due.columns),
    refitLeaf === undefined ? undefined : refitTree,
  );
}

/** Each thread grows trees by itself, as long as there are any. */
function growAlone(engine: Engine, plan: BoostPlan, due: readonly DueTree[]): RoundTree[] {
  const { team, tables } = engine;
  const { context } = team;
  const tasks = due.map((one) => ({ task: taskOf(engine, plan, one), columns: one.columns }));
  tables.clear();
  writeTasks(context, tasks, (bytes) => tables.put(bytes));
  team.run(Op.growTrees);
  const grown = due.map((_, i) => readTree(context, i));
  // The threads have seen to the training rows only.
  const valid = context.layout.sets.map((_, set) => set).slice(1);
  if (valid.length === 0) return grown;
  grown.forEach((made, i) => {
    tables.clear();
    const tableOf = made.tree.nodes.map((node) =>
      node.feature < 0 ? 0 : tables.put(leftTable(node, engine.bins[node.feature].numBins))
    );
    routeSets(engine, made.tree, (node) => tableOf[node], valid, 0);
    addLeafValues(engine, made, due[i].output, 1, valid);
  });
  return grown;
}

/** Settles what a tree is made with. */
function taskOf(engine: Engine, plan: BoostPlan, due: DueTree): TreeTask {
  const { maxDepth = 6, gamma = 0, postPrune = false } = plan;
  return {
    output: due.output,
    quanta: quantaOf(engine, due),
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
  const { team } = engine;
  const { layout, memory } = team.context;
  const { f64 } = memory;
  const { rows, numBlocks } = layout.sets[0];
  f64[layout.args >>> 3] = due.output;
  if (!layout.statsAtOnce) team.run(Op.stats);
  let maxG = 0;
  let sumG = 0;
  let maxH = 0;
  let sumH = 0;
  const pieces = numBlocks * layout.piecesPerBlock;
  for (let piece = 0; piece < pieces; piece++) {
    const at = (layout.stats >>> 3) + 4 * (due.output * pieces + piece);
    maxG = Math.max(maxG, f64[at]);
    sumG += f64[at + 1];
    maxH = Math.max(maxH, f64[at + 2]);
    sumH += f64[at + 3];
  }
  const stats: GradientStats = { maxG, sumG, maxH, sumH };
  if (!Number.isFinite(maxG + sumG + maxH + sumH)) throw notFinite(engine, due);
  return chooseQuanta(stats, rows.numRows);
}

function notFinite(engine: Engine, due: DueTree): TrainingError {
  const { numRows } = engine.team.context.layout.sets[0].rows;
  const g = engine.gradient().subarray(due.output * numRows, (due.output + 1) * numRows);
  const h = engine.hessian().subarray(due.output * numRows, (due.output + 1) * numRows);
  let row = 0;
  while (row < numRows - 1 && Number.isFinite(g[row]) && Number.isFinite(h[row])) row++;
  return new TrainingError(
    "E_TRAIN_NUMERIC",
    `Cannot go on in round ${due.round}: the gradient of row ${row + 1} is ${g[row]} (second ` +
      `derivative ${h[row]}), expected finite numbers (another baseScore, a ` +
      `smaller learningRate, or maxDeltaStep)`,
    { details: { round: due.round, row: row + 1 } },
  );
}

/**
 * Sets leaves to the loss's own best constants; inner nodes to the mean of their children. The
 * penalties `lambda` and `alpha` have shaped the splits and do not touch these constants, as in
 * XGBoost up to 3.3 and LightGBM; `maxDeltaStep` and `pathSmooth` do, as in any other leaf.
 */
function refit(
  engine: Engine,
  plan: BoostPlan,
  labels: Labels,
  tree: GrownTree,
  facts: NodeFacts,
  output: number,
): void {
  const { layout, memory } = engine.team.context;
  const { numRows } = layout.sets[0].rows;
  const leafOf = engine.leafOf();
  const nodeOf = new Int32Array(tree.numLeaves);
  tree.nodes.forEach((node, i) => {
    if (node.leaf >= 0) nodeOf[node.leaf] = keptNode(tree, i);
  });
  const start = new Int32Array(tree.nodes.length + 1);
  const isIn = (row: number) => layout.mask === 0 || memory.u8[layout.mask + row] === 1;
  for (let row = 0; row < numRows; row++) if (isIn(row)) start[nodeOf[leafOf[row]] + 1]++;
  for (let i = 0; i < tree.nodes.length; i++) start[i + 1] += start[i];
  const rows = new Int32Array(start[tree.nodes.length]);
  const next = start.slice();
  for (let row = 0; row < numRows; row++) if (isIn(row)) rows[next[nodeOf[leafOf[row]]]++] = row;
  const raw = engine.raw(0);
  const most = plan.maxDeltaStep || Infinity; // 0 means no limit
  const valueOf = (some: Int32Array, { lower, upper }: GrownNode, from?: number) => {
    const bounded = Math.max(
      -most,
      Math.min(most, plan.loss.refitLeaf!(labels, raw, some, output)),
    );
    const value = from === undefined ? bounded : smoothed(bounded, some.length, from, pathSmooth);
    return Math.max(lower, Math.min(upper, value));
  };
  const { pathSmooth = 0 } = plan;
  const rowsOf = (leaf: number) => rows.slice(start[leaf], start[leaf + 1]);
  // Smoothing goes from the root down, so that inner nodes need constants of their own first.
  const smooth = pathSmooth > 0 ? smoothedValues(tree, rowsOf, valueOf) : undefined;
  for (let i = tree.nodes.length - 1; i >= 0; i--) {
    const node = tree.nodes[i];
    if (node.feature >= 0) {
      const { left, right } = node;
      const total = facts.cover[left] + facts.cover[right];
      const share = total > 0 ? facts.cover[left] / total : 0.5;
      facts.value[i] = share * facts.value[left] + (1 - share) * facts.value[right];
    } else if (start[i + 1] > start[i]) {
      facts.value[i] = smooth?.[i] ?? valueOf(rowsOf(i), node);
    }
  }
}

function joined(left: Int32Array, right: Int32Array): Int32Array {
  const both = new Int32Array(left.length + right.length);
  both.set(left);
  both.set(right, left.length);
  return both;
}

/** Constants of all nodes, each pulled towards its parent's. */
function smoothedValues(
  { nodes }: GrownTree,
  leafRows: (node: number) => Int32Array,
  valueOf: (rows: Int32Array, node: GrownNode, from?: number) => number,
): Float64Array {
  const rowsOf: Int32Array[] = new Array(nodes.length);
  for (let i = nodes.length - 1; i >= 0; i--) {
    const { feature, left, right } = nodes[i];
    rowsOf[i] = feature < 0 ? leafRows(i) : joined(rowsOf[left], rowsOf[right]);
  }
  const values = new Float64Array(nodes.length);
  nodes.forEach((node, i) => {
    const from = node.parent < 0 ? undefined : values[node.parent];
    values[i] = rowsOf[i].length === 0 ? from ?? 0 : valueOf(rowsOf[i], node, from);
  });
  return values;
}
