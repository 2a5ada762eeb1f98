/**
 * Grows one tree on bins: chooses which nodes to split, parts their rows, asks for the histograms of
 * their children. Depth-wise growth splits a whole level at a time, leaf-wise growth the node with
 * the largest gain. A child's histogram is built from its rows, or is its parent's less its
 * sibling's; when memory for histograms is short, some are built twice instead.
 *
 * @module
 */
import { Evaluator } from "./evaluate/evaluator.ts";
import type { GrowTask } from "./tree/grow_task.ts";
import { bufferOf } from "./tree/grow_space.ts";
import { leftLevels } from "./evaluate/left_levels.ts";
import { addNode, takeNodes } from "./tree/nodes.ts";
import { SPLIT_BYTES, SplitField, SplitMode } from "../../kernels/items/split.ts";
import { Op } from "./workspace/op.ts";
import { nodeValue } from "./split/score.ts";
import type { Team } from "./workspace/team.ts";
import { type GrownTree, leftTable } from "./tree/tree.ts";

/** A tree and where the tables of its splits are. */
export interface GrowResult {
  readonly tree: GrownTree;
  /** Address of the table of each inner node; the next tree writes over it. */
  readonly tableOf: Uint32Array;
}

/** Grows a tree; afterwards `task.leafOf` of every row is its leaf number, drawn or not. */
export function growHistTree(team: Team, task: GrowTask): GrowResult {
  const { context } = team;
  const { layout, memory } = context;
  const { params } = layout;
  const { limits, space } = task;
  const { nodes } = space;
  const evaluator = new Evaluator(team, task);
  const table = new Uint8Array(
    Math.max(0, ...layout.bins.places.map(({ numBins }) => numBins)) + 1,
  );
  /** Leaves whose rows have not been told their number. */
  const fills: number[] = [];
  let numLeaves = 0;
  let numEntries = 1;
  let leavesLeft = limits.maxLeaves - 1;
  task.tables.clear();
  nodes.count = 0;

  const root = growRoot();
  const candidates = settle([root]);
  while (candidates.length > 0 && leavesLeft > 0) {
    for (const node of settle(splitAll(takeBatch()))) candidates.push(node);
  }
  for (const node of candidates) makeLeaf(node);
  runSplits([]);
  return { tree: { nodes: takeNodes(nodes), numLeaves }, tableOf: space.table };

  function growRoot(): number {
    const { gradient, hessian, count } = task.root;
    const root = addNode(nodes, -1, -Infinity, Infinity, count);
    space.depth[root] = 0;
    open(root, 0, gradient, hessian);
    space.value[root] = valueOf(root);
    mark(root);
    if (space.mayBeSplit[root] === 1) evaluator.evaluateOne(root);
    return root;
  }

  /** Makes a node one that may be split further. */
  function open(node: number, entry: number, gradient: number, hessian: number): void {
    space.entry[node] = entry;
    space.gradient[node] = gradient;
    space.hessian[node] = hessian;
    space.histogram[node] = 0;
    space.splitGain[node] = 0;
  }

  /** Value of an open node within its bounds. */
  function valueOf(node: number, parentValue?: number): number {
    return nodeValue(
      space.gradient[node] * task.unitG,
      space.hessian[node] * task.unitH,
      nodes.rows[node],
      nodes.lower[node],
      nodes.upper[node],
      parentValue,
      params.lambda,
      params,
    );
  }

  /** Notes whether an open node may be split. */
  function mark(node: number): void {
    const rows = nodes.rows[node];
    const may = layout.bins.places.length > 0 && space.depth[node] < limits.maxDepth &&
      rows >= 2 * params.minRowsPerLeaf &&
      rows >= 2 && space.hessian[node] * task.unitH >= 2 * params.minChildWeight * (1 - 1e-9);
    space.mayBeSplit[node] = may ? 1 : 0;
  }

  /** Nodes with a split worth making; the others become leaves. */
  function settle(some: readonly number[]): number[] {
    return some.filter((node) => {
      const gain = space.splitGain[node];
      if (gain > 0 && gain >= limits.minGain) return true;
      makeLeaf(node);
      return false;
    });
  }

  function makeLeaf(node: number): void {
    nodes.leaf[node] = numLeaves++;
    evaluator.release(node);
    fills.push(node);
  }

  /** The nodes to be split now, in order of node. */
  function takeBatch(): number[] {
    if (limits.growth === "depth") return candidates.splice(0, leavesLeft);
    let best = 0;
    for (let i = 1; i < candidates.length; i++) {
      if (space.splitGain[candidates[i]] > space.splitGain[candidates[best]]) best = i;
    }
    return candidates.splice(best, 1);
  }

  /** Whether the children of a node are leaves for sure. */
  function endsIn(node: number): boolean {
    return space.depth[node] + 1 >= limits.maxDepth;
  }

  /** Splits nodes and evaluates their children; returns those that may be split further. */
  function splitAll(batch: readonly number[]): number[] {
    for (const node of batch) split(node);
    runSplits(batch);
    const children: number[] = [];
    for (const node of batch) {
      if (endsIn(node)) continue;
      const left = nodes.left[node];
      for (let child = left; child <= left + 1; child++) {
        nodes.rows[child] = rowsOf(space.entry[child]);
        mark(child);
        children.push(child);
      }
      evaluator.evaluatePair(node, left, left + 1);
    }
    evaluator.flush();
    return children;
  }

  /** Makes an open node an inner one with two children. */
  function split(node: number): void {
    leavesLeft--;
    const feature = nodes.feature[node] = space.splitFeature[node];
    const { categorical, numBins } = layout.bins.places[feature];
    nodes.bin[node] = space.splitBin[node];
    if (categorical) nodes.levels.set(node, levelsOf(node));
    nodes.missingLeft[node] = space.splitMissingLeft[node];
    nodes.gain[node] = space.splitGain[node];
    space.table[node] = task.tables.put(leftTable(nodes, node, numBins, table));
    addChildren(node);
    if (!endsIn(node)) return;
    const left = nodes.left[node];
    nodes.leaf[left] = numLeaves++;
    nodes.leaf[left + 1] = numLeaves++;
    evaluator.release(node);
  }

  /** Adds the children of a node: sums, bounds and values. */
  function addChildren(node: number): void {
    const lower = nodes.lower[node];
    const upper = nodes.upper[node];
    const rows = space.splitRows[node];
    const left = nodes.left[node] = addNode(nodes, node, lower, upper, rows);
    const right = addNode(nodes, node, lower, upper, nodes.rows[node] - rows);
    space.depth[left] = space.depth[right] = space.depth[node] + 1;
    const gradient = space.splitGradient[node];
    const hessian = space.splitHessian[node];
    open(left, space.entry[node], gradient, hessian);
    open(
      right,
      endsIn(node) ? 0 : numEntries++,
      space.gradient[node] - gradient,
      space.hessian[node] - hessian,
    );
    const leftValue = space.value[left] = valueOf(left, space.value[node]);
    const rightValue = space.value[right] = valueOf(right, space.value[node]);
    const direction = params.monotone?.[nodes.feature[node]] ?? 0;
    if (direction === 0) return;
    // No number goes right: the sides have no order to keep.
    if (nodes.bin[node] === layout.bins.places[nodes.feature[node]].numBins - 1) return;
    const middle = (leftValue + rightValue) / 2;
    if (direction > 0) nodes.upper[left] = nodes.lower[right] = middle;
    else nodes.lower[left] = nodes.upper[right] = middle;
  }

  /** 1 for each level that goes left; settles where missing values go. */
  function levelsOf(node: number): Uint8Array {
    const levels = leftLevels(context, evaluator.histogramOf(node), task, space, node);
    const numBins = levels.length - 1;
    space.splitMissingLeft[node] = levels[numBins];
    return levels.subarray(0, numBins);
  }

  /** Rows in a node's segments. */
  function rowsOf(entry: number): number {
    const { numBlocks } = layout.sets[0];
    const { u32 } = memory;
    const first = (layout.segments >>> 2) + 2 * entry * numBlocks + 1;
    let rows = 0;
    for (let block = 0; block < numBlocks; block++) rows += u32[first + 2 * block];
    return rows;
  }

  /** Has the team part rows, and write the leaf numbers that are due. */
  function runSplits(batch: readonly number[]): void {
    const total = fills.length + batch.length;
    const at = writeFills(layout.items >>> 2);
    writeSplits(at, batch);
    memory.f64[layout.args >>> 3] = total;
    memory.f64[(layout.args >>> 3) + 1] = task.leafOf;
    if (total > 0) team.run(Op.partition);
  }

  /** Writes items for leaves whose rows have not been told their number; returns where the next goes. */
  function writeFills(first: number): number {
    const { u32 } = memory;
    let at = first;
    for (const node of fills) {
      u32[at + SplitField.entry] = space.entry[node];
      u32[at + SplitField.buffer] = bufferOf(space, node);
      u32[at + SplitField.mode] = SplitMode.fillLeaf;
      u32[at + SplitField.left] = nodes.leaf[node];
      at += SPLIT_BYTES >>> 2;
    }
    fills.length = 0;
    return at;
  }

  /** Writes items for nodes that are split. */
  function writeSplits(first: number, batch: readonly number[]): void {
    const { i32, u32 } = memory;
    let at = first;
    for (const node of batch) {
      const feature = nodes.feature[node];
      const left = nodes.left[node];
      const ends = endsIn(node);
      const { wide, numBins, categorical } = layout.bins.places[feature];
      // The root's rows follow each other, unless some are left out.
      const isAll = node === 0 && !ends && !wide && layout.mask === 0;
      u32[at + SplitField.entry] = space.entry[node];
      u32[at + SplitField.rightEntry] = ends ? 0 : space.entry[left + 1];
      u32[at + SplitField.buffer] = bufferOf(space, node);
      u32[at + SplitField.column] = layout.sets[0].rows.columns[feature];
      u32[at + SplitField.wide] = wide ? 1 : 0;
      u32[at + SplitField.table] = space.table[node];
      u32[at + SplitField.mode] = ends
        ? SplitMode.splitLeaf
        : isAll
        ? SplitMode.partitionAll
        : SplitMode.partition;
      i32[at + SplitField.last] = categorical ? -1 : nodes.bin[node];
      u32[at + SplitField.other] = nodes.missingLeft[node] === 1 ? numBins : 0;
      u32[at + SplitField.left] = ends ? nodes.leaf[left] : 0;
      u32[at + SplitField.right] = ends ? nodes.leaf[left + 1] : 0;
      at += SPLIT_BYTES >>> 2;
    }
  }
}
