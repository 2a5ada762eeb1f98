/**
 * One tree of a round, from gradients to scores: quantise its output's gradients, grow on bins, prune,
 * set leaf values, move the scores. All threads do it together, or one thread by itself in a place of
 * its own; the tree is the same.
 *
 * @module
 */
import type { BinLayout } from "../../binning/binned.ts";
import type { Memory } from "../../kernels/memory.ts";
import type { GrowSpace } from "./tree/grow_space.ts";
import { growHistTree } from "./grower.ts";
import type { FeatureChooser, GrowLimits, GrowTask } from "./tree/grow_task.ts";
import { growLevels, growsByLevels } from "./level_grower.ts";
import { binsOf, leafPlace, leavesOf } from "./workspace/layout.ts";
import type { LinearColumns, TreeTerms } from "../linear_leaves.ts";
import { addLinearLeaves } from "./linear.ts";
import { Op, QuantiseArgs } from "./workspace/op.ts";
import { type BuiltRoot, packedOf } from "./operations/roots.ts";
import type { Pool, TableSpace } from "./workspace/pool.ts";
import { nodeValue } from "./split/score.ts";
import type { Team } from "./workspace/team.ts";
import { type GrownTree, leafBelow, type NodeFacts, writeRoute } from "./tree/tree.ts";
import type { Quanta } from "./gradients/quanta.ts";

/** Where a tree grows. */
export interface TreePlace {
  readonly team: Team;
  readonly pool: { readonly packed: Pool; readonly wide: Pool };
  readonly tables: TableSpace;
  readonly space: GrowSpace;
  /** Where trees are written for the `route` kernel. */
  readonly routeAt: number;
  /** Where leaf values are written. */
  readonly valuesAt: number;
  /** Values of the features of each set, where leaves are linear. */
  readonly columns?: readonly LinearColumns[] | undefined;
}

/** What a tree of a round is made with; plain data. */
export interface TreeTask {
  readonly output: number;
  readonly quanta: Quanta;
  /** Seed of the dither. */
  readonly dither: number;
  readonly limits: GrowLimits;
  /** Splits below this gain are removed from the bottom afterwards; 0 keeps all. */
  readonly prune: number;
  /** Factor on leaf values: learning rate over the trees that are averaged. */
  readonly rate: number;
  /** Members of the committee: training scores are those of the tree's own member. */
  readonly members: number;
  /** Where its gradients are packed and its root is built already. */
  readonly root?: BuiltRoot;
}

/** A tree on bins and the facts of its nodes. */
export interface RoundTree {
  readonly tree: GrownTree;
  readonly facts: NodeFacts;
  /** Linear models of leaves, by node. */
  readonly terms?: TreeTerms;
}

/**
 * Grows a tree and adds it to the scores of all sets that the place knows.
 *
 * @param refit Changes the values of leaves before the rate, or gives them linear models.
 */
export function growRoundTree(
  place: TreePlace,
  task: TreeTask,
  features: FeatureChooser,
  refit?: (tree: GrownTree, facts: NodeFacts, quanta: Quanta) => TreeTerms | undefined,
): RoundTree {
  return finishTree(place, task, growTree(place, task, features), refit);
}

/** Grows a tree whose leaves have no values yet; all rows have been told their leaf numbers. */
export function growTree(place: TreePlace, task: TreeTask, features: FeatureChooser): GrownTree {
  const { team, pool, tables, space } = place;
  const { layout } = team.context;
  const { output, quanta } = task;
  const root = task.root === undefined ? quantise(place, task) : listRows(place, task.root);
  const growth: GrowTask = {
    output,
    wide: quanta.wide,
    unitG: 1 / (quanta.wide ? quanta.fixG : quanta.packG),
    unitH: 1 / (quanta.wide ? quanta.fixH : quanta.packH),
    packed: task.root === undefined ? layout.packed : packedOf(team.context, task.root),
    leafOf: leafPlace(layout, output),
    root: { ...root, count: countRows(place) },
    limits: task.limits,
    features,
    pool: quanta.wide ? pool.wide : pool.packed,
    tables,
    space,
  };
  const byLevels = growsByLevels(team.context, growth);
  const { tree, tableOf } = byLevels ? growLevels(team, growth) : growHistTree(team, growth);
  if (task.prune > 0) prune(tree, task.prune);
  // Rows of validation sets have no leaf yet.
  const valid = layout.sets.map((_, set) => set).slice(1);
  routeSets(place, tree, (node) => tableOf[node], valid);
  return tree;
}

/** Gives a tree's leaves their values, and adds it to the scores of all sets that the place knows. */
export function finishTree(
  place: TreePlace,
  task: TreeTask,
  tree: GrownTree,
  refit?: (tree: GrownTree, facts: NodeFacts, quanta: Quanta) => TreeTerms | undefined,
): RoundTree {
  const { layout } = place.team.context;
  const { output, quanta } = task;
  const facts = measureNodes(place, tree, task);
  const terms = refit?.(tree, facts, quanta);
  for (let i = 0; i < facts.value.length; i++) {
    facts.value[i] = Math.fround(facts.value[i] * task.rate);
  }
  const made = { tree, facts, ...(terms && { terms }) };
  // A leaf holds its share of the average; the member itself has a score of its own.
  if (layout.signed?.late === undefined) addLeafValues(place, made, output, task.members, [0]);
  else leaveValues(place, made, output);
  const valid = layout.sets.map((_, set) => set).slice(1);
  if (valid.length > 0) addLeafValues(place, made, output, 1, valid);
  return made;
}

/** Makes whole numbers of the gradients and lists the rows; returns the sums of the whole numbers. */
function quantise(
  { team }: TreePlace,
  { output, quanta, dither }: TreeTask,
): { readonly gradient: number; readonly hessian: number } {
  const { layout, memory: { f64 } } = team.context;
  const args = layout.args >>> 3;
  f64[args + QuantiseArgs.output] = output;
  f64[args + QuantiseArgs.fixG] = quanta.fixG;
  f64[args + QuantiseArgs.fixH] = quanta.fixH;
  f64[args + QuantiseArgs.packG] = quanta.wide ? 0 : quanta.packG;
  f64[args + QuantiseArgs.packH] = quanta.wide ? 0 : quanta.packH;
  f64[args + QuantiseArgs.seed] = dither;
  f64[args + QuantiseArgs.signed] = layout.signed !== undefined && !quanta.wide ? 1 : 0;
  team.run(Op.quantise);
  let gradient = 0;
  let hessian = 0;
  for (let block = 0; block < layout.sets[0].numBlocks; block++) {
    gradient += f64[(layout.blockSums >>> 3) + 2 * block];
    hessian += f64[(layout.blockSums >>> 3) + 2 * block + 1];
  }
  return { gradient, hessian };
}

/** Lists the rows of a tree whose root is there. */
function listRows({ team }: TreePlace, root: BuiltRoot): BuiltRoot {
  team.run(Op.listRows);
  return root;
}

function countRows(place: TreePlace): number {
  const { layout, memory } = place.team.context;
  let count = 0;
  for (let block = 0; block < layout.sets[0].numBlocks; block++) {
    count += memory.u32[(layout.segments >>> 2) + 2 * block + 1];
  }
  return count;
}

/** Removes splits below gamma from the bottom. */
function prune(tree: GrownTree, gamma: number): void {
  const { count, feature, gain, left } = tree.nodes;
  for (let i = count - 1; i >= 0; i--) {
    if (feature[i] < 0 || gain[i] >= gamma) continue;
    if (feature[left[i]] >= 0 || feature[left[i] + 1] >= 0) continue;
    feature[i] = -1;
    gain[i] = 0;
  }
}

/** Writes the leaf of each row of some sets. */
export function routeSets(
  place: TreePlace,
  tree: GrownTree,
  tableOf: (node: number) => number,
  sets: readonly number[],
): void {
  if (sets.length === 0) return;
  const { team, routeAt } = place;
  const { layout, memory } = team.context;
  const isLeaf = tree.nodes.feature[0] < 0;
  let written: BinLayout | undefined;
  for (const set of sets) {
    const bins = binsOf(layout, set);
    if (!isLeaf && written !== bins) {
      writeRoute(memory, bins, tree, routeAt, tableOf, (table) => place.tables.put(table));
      written = bins;
    }
    if (isLeaf) {
      leavesOf(memory, layout, set).fill(leafBelow(tree, 0));
      continue;
    }
    memory.f64.set([set, routeAt], layout.args >>> 3);
    team.run(Op.route);
  }
}

/** Values (before the rate) and covers of all nodes from exact sums of their leaves. */
function measureNodes(
  place: TreePlace,
  tree: GrownTree,
  { output, quanta }: TreeTask,
): NodeFacts {
  const { team } = place;
  const { layout, memory } = team.context;
  const { params } = layout;
  // Where histograms are wide, the gradients are whole numbers already.
  const fix = quanta.wide ? [1, 1] : [quanta.fixG, quanta.fixH];
  const isSigned = layout.signed !== undefined && !quanta.wide ? 1 : 0;
  const leaves = leafPlace(layout, output);
  memory.f64.set([output, tree.numLeaves, ...fix, isSigned, leaves], layout.args >>> 3);
  // A thread that comes too late for any block leaves its sums as they were: clear them all.
  const numTables = 2 * layout.numThreads;
  for (let t = 0; t < numTables; t++) {
    const at = (layout.leafSums + t * layout.leafSumsStride) >>> 3;
    memory.f64.fill(0, at, at + 2 * tree.numLeaves);
  }
  team.run(Op.leafSums);
  const { nodes } = tree;
  const { count } = nodes;
  const g = new Float64Array(count);
  const h = new Float64Array(count);
  for (let i = count - 1; i >= 0; i--) {
    const left = nodes.left[i];
    if (left >= 0) {
      g[i] = g[left] + g[left + 1];
      h[i] = h[left] + h[left + 1];
      continue;
    }
    for (let t = 0; t < numTables; t++) {
      const at = ((layout.leafSums + t * layout.leafSumsStride) >>> 3) + 2 * nodes.leaf[i];
      g[i] += memory.f64[at];
      h[i] += memory.f64[at + 1];
    }
  }
  const value = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    const parent = nodes.parent[i];
    h[i] /= quanta.fixH;
    value[i] = nodeValue(
      g[i] / quanta.fixG,
      h[i],
      nodes.rows[i],
      nodes.lower[i],
      nodes.upper[i],
      parent < 0 ? undefined : value[parent],
      params.lambda,
      params,
    );
  }
  return { value, cover: h };
}

/** Node that a leaf number belongs to after pruning. */
function keptNode(tree: GrownTree, node: number): number {
  const { feature, parent } = tree.nodes;
  let kept = node;
  for (let i = node; i >= 0; i = parent[i]) {
    if (feature[i] < 0) kept = i;
  }
  return kept;
}

/** Node of each leaf number after pruning. */
export function nodesOfLeaves(tree: GrownTree): Int32Array {
  const { count, leaf } = tree.nodes;
  const nodeOf = new Int32Array(tree.numLeaves);
  for (let i = 0; i < count; i++) if (leaf[i] >= 0) nodeOf[leaf[i]] = keptNode(tree, i);
  return nodeOf;
}

/** Leaves a tree's values to who computes the next gradients. */
function leaveValues({ team }: TreePlace, made: RoundTree, output: number): void {
  const { layout: { signed }, memory } = team.context;
  const { values, valuesBytes } = signed!.late!;
  writeValues(memory, made, values + output * valuesBytes, 1);
}

/** Writes the values of a tree's leaves by their numbers. */
function writeValues(
  { f64 }: Memory,
  { tree, facts }: RoundTree,
  at: number,
  factor: number,
): void {
  const { count, leaf } = tree.nodes;
  for (let i = 0; i < count; i++) {
    if (leaf[i] >= 0) f64[(at >>> 3) + leaf[i]] = factor * facts.value[keptNode(tree, i)];
  }
}

/** Adds a tree, whose leaf numbers the rows of some sets have, to their scores. */
export function addLeafValues(
  place: TreePlace,
  made: RoundTree,
  output: number,
  factor: number,
  sets: readonly number[],
): void {
  const { team, valuesAt } = place;
  const { tree, facts, terms } = made;
  if (terms !== undefined) {
    const linear = { nodeOf: nodesOfLeaves(tree), value: facts.value, terms };
    for (const set of sets) {
      const from = { columns: place.columns![set], tables: place.tables };
      addLinearLeaves(team, from, linear, { set, output, factor });
    }
    return;
  }
  const { layout, memory } = team.context;
  writeValues(memory, made, valuesAt, factor);
  for (const set of sets) {
    memory.f64.set([set, output, valuesAt], layout.args >>> 3);
    team.run(Op.addLeaves);
  }
}
