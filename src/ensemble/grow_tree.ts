/**
 * One tree of a round: quantise its output's gradients, grow on bins, prune, set leaf values, move
 * the scores of all sets.
 *
 * @module
 */
import type { BinLayout } from "../binning/binned.ts";
import type { Labels } from "../data/types.ts";
import { TrainingError } from "../errors.ts";
import { Control } from "../grow/hist_control.ts";
import type { FeatureChooser, GrowResult } from "../grow/hist_grower.ts";
import { growHistTree } from "../grow/hist_grower.ts";
import { binsOf } from "../grow/hist_layout.ts";
import { Op, QuantiseArgs } from "../grow/hist_ops.ts";
import { nodeValue, smoothed } from "../grow/hist_score.ts";
import {
  type GrownNode,
  type GrownTree,
  leafBelow,
  type NodeFacts,
  writeRoute,
} from "../grow/hist_tree.ts";
import type { Engine } from "./engine.ts";
import type { BoostPlan } from "./plan.ts";
import { chooseQuanta, type GradientStats, type Quanta } from "./quanta.ts";

/** What a tree of a round is made with. */
export interface TreeTask {
  readonly round: number;
  readonly output: number;
  /** Seed of the dither. */
  readonly dither: number;
  readonly features: FeatureChooser;
  /** Factor on leaf values: learning rate over the trees that are averaged. */
  readonly rate: number;
  /** Members of the committee: training scores are those of the tree's own member. */
  readonly members: number;
}

/** A tree on bins and the facts of its nodes. */
export interface RoundTree {
  readonly tree: GrownTree;
  readonly facts: NodeFacts;
}

/** Grows a tree and adds it to the scores of all sets. */
export function growTree(
  engine: Engine,
  plan: BoostPlan,
  labels: Labels,
  task: TreeTask,
): RoundTree {
  const { team } = engine;
  const { layout } = team.context;
  const { numRows } = layout.sets[0].rows;
  const quanta = quantise(engine, task);
  const sums = blockSums(engine);
  const { maxDepth = 6, gamma = 0, postPrune = false } = plan;
  const grown = growHistTree(team, {
    output: task.output,
    wide: quanta.wide,
    unitG: 1 / (quanta.wide ? quanta.fixG : quanta.packG),
    unitH: 1 / (quanta.wide ? quanta.fixH : quanta.packH),
    root: {
      gradient: sums[quanta.wide ? 2 : 0],
      hessian: sums[quanta.wide ? 3 : 1],
      count: countRecords(engine),
    },
    limits: {
      growth: plan.growth ?? "depth",
      maxDepth: maxDepth === 0 ? Infinity : maxDepth,
      maxLeaves: engine.maxLeaves,
      minGain: postPrune ? 0 : gamma,
    },
    features: task.features,
    pool: quanta.wide ? engine.pool.wide : engine.pool.packed,
    tables: engine.tables,
  });
  if (postPrune && gamma > 0) prune(grown.tree, gamma);
  const { tree } = grown;
  routeRest(engine, grown);
  const facts = measureNodes(engine, tree, quanta, task);
  if (plan.loss.refitLeaf !== undefined) {
    refit(engine, plan, labels, tree, facts, task.output, numRows);
  }
  for (let i = 0; i < facts.value.length; i++) {
    facts.value[i] = Math.fround(facts.value[i] * task.rate);
  }
  const made = { tree, facts };
  // A leaf holds its share of the average; the member itself has a score of its own.
  addLeafValues(engine, made, task.output, task.members, [0]);
  const valid = layout.sets.map((_, set) => set).slice(1);
  if (valid.length > 0) addLeafValues(engine, made, task.output, 1, valid);
  return made;
}

/** Chooses quanta and writes records. */
function quantise(engine: Engine, task: TreeTask): Quanta {
  const { team } = engine;
  const { layout, memory } = team.context;
  const { f64 } = memory;
  const args = Control.args >>> 3;
  const { rows, numBlocks } = layout.sets[0];
  f64[args] = task.output;
  if (!layout.statsAtOnce) team.run(Op.stats);
  let maxG = 0;
  let sumG = 0;
  let maxH = 0;
  let sumH = 0;
  const pieces = numBlocks * layout.piecesPerBlock;
  for (let piece = 0; piece < pieces; piece++) {
    const at = (layout.stats >>> 3) + 4 * (task.output * pieces + piece);
    maxG = Math.max(maxG, f64[at]);
    sumG += f64[at + 1];
    maxH = Math.max(maxH, f64[at + 2]);
    sumH += f64[at + 3];
  }
  const stats: GradientStats = { maxG, sumG, maxH, sumH };
  if (!Number.isFinite(maxG + sumG + maxH + sumH)) throw notFinite(engine, task);
  const quanta = chooseQuanta(stats, rows.numRows);
  f64[args + QuantiseArgs.output] = task.output;
  f64[args + QuantiseArgs.fixG] = quanta.fixG;
  f64[args + QuantiseArgs.fixH] = quanta.fixH;
  f64[args + QuantiseArgs.packG] = quanta.wide ? 0 : quanta.packG;
  f64[args + QuantiseArgs.packH] = quanta.wide ? 0 : quanta.packH;
  f64[args + QuantiseArgs.seed] = task.dither;
  team.run(Op.quantise);
  return quanta;
}

function notFinite(engine: Engine, task: TreeTask): TrainingError {
  const { numRows } = engine.team.context.layout.sets[0].rows;
  const g = engine.gradient().subarray(task.output * numRows, (task.output + 1) * numRows);
  const h = engine.hessian().subarray(task.output * numRows, (task.output + 1) * numRows);
  let row = 0;
  while (row < numRows - 1 && Number.isFinite(g[row]) && Number.isFinite(h[row])) row++;
  return new TrainingError(
    "E_TRAIN_NUMERIC",
    `Cannot go on in round ${task.round}: the gradient of row ${row + 1} is ${g[row]} (second ` +
      `derivative ${h[row]}), expected finite numbers (another baseScore, a ` +
      `smaller learningRate, or maxDeltaStep)`,
    { details: { round: task.round, row: row + 1 } },
  );
}

/** Σ packed g, packed h, fixed g, fixed h over all records. */
function blockSums(engine: Engine): [number, number, number, number] {
  const { layout, memory } = engine.team.context;
  const sums: [number, number, number, number] = [0, 0, 0, 0];
  for (let block = 0; block < layout.sets[0].numBlocks; block++) {
    for (let i = 0; i < 4; i++) sums[i] += memory.f64[(layout.blockSums >>> 3) + 4 * block + i];
  }
  return sums;
}

function countRecords(engine: Engine): number {
  const { layout, memory } = engine.team.context;
  let count = 0;
  for (let block = 0; block < layout.sets[0].numBlocks; block++) {
    count += memory.u32[(layout.segments >>> 2) + 2 * block + 1];
  }
  return count;
}

/** Removes splits below gamma from the bottom. */
function prune(tree: GrownTree, gamma: number): void {
  for (let i = tree.nodes.length - 1; i >= 0; i--) {
    const node = tree.nodes[i];
    if (node.feature < 0 || node.gain >= gamma) continue;
    if (tree.nodes[node.left].feature >= 0 || tree.nodes[node.right].feature >= 0) continue;
    node.feature = -1;
    node.gain = 0;
  }
}

/** Gives rows that were not drawn, and those of validation sets, their leaf. */
function routeRest(engine: Engine, { tree, tableOf }: GrowResult): void {
  const { layout } = engine.team.context;
  const rest = layout.sets.map((_, set) => set).filter((set) => set > 0 || layout.mask !== 0);
  routeSets(engine, tree, (node) => tableOf[node], rest, layout.mask);
}

/**
 * Writes the leaf of each row of some sets.
 *
 * @param mask Rows of the training set whose byte is set keep the leaf they have; 0 for none.
 */
export function routeSets(
  engine: Engine,
  tree: GrownTree,
  tableOf: (node: number) => number,
  sets: readonly number[],
  mask: number,
): void {
  if (sets.length === 0) return;
  const { team, routeAt } = engine;
  const { layout, memory } = team.context;
  const isLeaf = tree.nodes[0].feature < 0;
  let written: BinLayout | undefined;
  for (const set of sets) {
    const { leafOf, rows } = layout.sets[set];
    const bins = binsOf(layout, set);
    if (!isLeaf && written !== bins) {
      writeRoute(memory, bins, tree, routeAt, tableOf, (table) => engine.tables.put(table));
      written = bins;
    }
    if (isLeaf) {
      memory.i32.fill(leafBelow(tree, 0), leafOf >>> 2, (leafOf >>> 2) + rows.numRows);
      continue;
    }
    memory.f64.set([set, routeAt, set === 0 ? mask : 0], Control.args >>> 3);
    team.run(Op.route);
  }
}

/** Values (before the rate) and covers of all nodes from exact sums of their leaves. */
function measureNodes(
  engine: Engine,
  tree: GrownTree,
  quanta: Quanta,
  task: TreeTask,
): NodeFacts {
  const { team } = engine;
  const { layout, memory } = team.context;
  const { params } = layout;
  // Where histograms are wide, the gradients are whole numbers already.
  const fix = quanta.wide ? [1, 1] : [quanta.fixG, quanta.fixH];
  memory.f64.set([task.output, tree.numLeaves, ...fix], Control.args >>> 3);
  // A thread that comes too late for any block leaves its sums as they were: clear them all.
  for (let t = 0; t < layout.numThreads; t++) {
    const at = (layout.leafSums + t * layout.leafSumsStride) >>> 3;
    memory.f64.fill(0, at, at + 2 * tree.numLeaves);
  }
  team.run(Op.leafSums);
  const count = tree.nodes.length;
  const g = new Float64Array(count);
  const h = new Float64Array(count);
  for (let i = count - 1; i >= 0; i--) {
    const node = tree.nodes[i];
    if (node.left >= 0) {
      g[i] = g[node.left] + g[node.right];
      h[i] = h[node.left] + h[node.right];
      continue;
    }
    for (let t = 0; t < layout.numThreads; t++) {
      const at = ((layout.leafSums + t * layout.leafSumsStride) >>> 3) + 2 * node.leaf;
      g[i] += memory.f64[at];
      h[i] += memory.f64[at + 1];
    }
  }
  const value = new Float64Array(count);
  const cover = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    const { lower, upper, parent, count: rows } = tree.nodes[i];
    cover[i] = h[i] / quanta.fixH;
    value[i] = nodeValue(
      g[i] / quanta.fixG,
      cover[i],
      rows,
      lower,
      upper,
      parent < 0 ? undefined : value[parent],
      params.lambda,
      params,
    );
  }
  return { value, cover };
}

/** Node that a leaf number belongs to after pruning. */
function keptNode(tree: GrownTree, node: number): number {
  let kept = node;
  for (let i = node; i >= 0; i = tree.nodes[i].parent) {
    if (tree.nodes[i].feature < 0) kept = i;
  }
  return kept;
}

/** Adds a tree, whose leaf numbers the rows of some sets have, to their scores. */
export function addLeafValues(
  engine: Engine,
  { tree, facts }: RoundTree,
  output: number,
  factor: number,
  sets: readonly number[],
): void {
  const { team, valuesAt } = engine;
  const { memory } = team.context;
  tree.nodes.forEach((node, i) => {
    if (node.leaf >= 0) {
      memory.f64[(valuesAt >>> 3) + node.leaf] = factor * facts.value[keptNode(tree, i)];
    }
  });
  for (const set of sets) {
    memory.f64.set([set, output, valuesAt], Control.args >>> 3);
    team.run(Op.addLeaves);
  }
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
  numRows: number,
): void {
  const { layout, memory } = engine.team.context;
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
