/**
 * Grows one tree on bins: chooses which nodes to split, parts their rows, asks for the histograms of
 * their children. Depth-wise growth splits a whole level at a time, leaf-wise growth the node with
 * the largest gain. A child's histogram is built from its rows, or is its parent's less its
 * sibling's; when memory for histograms is short, some are built twice instead.
 *
 * @module
 */
import { levelsOnLeft } from "./category.ts";
import { readFeature } from "./evaluate.ts";
import { Evaluator } from "./evaluator.ts";
import { Op, SPLIT_BYTES, SplitField, SplitMode } from "./op.ts";
import type { Pool, TableSpace } from "./pool.ts";
import { type FeatureSplit, SplitKind } from "./scan.ts";
import { type NodeSums, nodeValue } from "./score.ts";
import type { Team } from "./team.ts";
import { type GrownTree, leftTable, newNode } from "./tree.ts";

/** What decides which nodes are split. */
export interface GrowLimits {
  readonly growth: "depth" | "leaf";
  /** At least 1, or Infinity. */
  readonly maxDepth: number;
  readonly maxLeaves: number;
  /** Splits below this gain are not made. */
  readonly minGain: number;
}

/** Which features a node may be split on; `undefined` means all. */
export interface FeatureChooser {
  /** @param path Features that the node's ancestors were split on. */
  allowed(depth: number, node: number, path: readonly number[]): Uint8Array | undefined;
}

/** One tree's task. */
export interface GrowTask {
  readonly output: number;
  /** Histograms of float64 pairs, not packed. */
  readonly wide: boolean;
  /** Size of one unit of the histogram's whole numbers. */
  readonly unitG: number;
  readonly unitH: number;
  /** Sums of the root in whole numbers, and its rows. */
  readonly root: { readonly gradient: number; readonly hessian: number; readonly count: number };
  readonly limits: GrowLimits;
  readonly features: FeatureChooser;
  readonly pool: Pool;
  readonly tables: TableSpace;
}

/** A node that has rows and may be split. */
export interface OpenNode {
  /** Index in the tree. */
  readonly node: number;
  readonly depth: number;
  /** Its row segments, and the record buffer they are in. */
  readonly entry: number;
  readonly buffer: number;
  /** Sums in whole numbers. */
  readonly sums: NodeSums;
  /** Address of its histogram, or 0. */
  histogram: number;
  split: FeatureSplit | undefined;
}

/** A tree and where the tables of its splits are. */
export interface GrowResult {
  readonly tree: GrownTree;
  /** Address of the table of each inner node. */
  readonly tableOf: readonly number[];
}

/** Grows a tree; afterwards `leafOf` of every recorded row is its leaf number. */
export function growHistTree(team: Team, task: GrowTask): GrowResult {
  const { context } = team;
  const { layout, memory } = context;
  const { params } = layout;
  const { limits } = task;
  const tree = { nodes: [newNode(-1, -Infinity, Infinity, task.root.count)], numLeaves: 0 };
  const tableOf: number[] = [0];
  const evaluator = new Evaluator(team, task, pathOf);
  const table = new Uint8Array(Math.max(...layout.bins.places.map(({ numBins }) => numBins)) + 1);
  const fills: { open: OpenNode; leaf: number }[] = [];
  let numEntries = 1;
  let leavesLeft = limits.maxLeaves - 1;
  task.tables.clear();

  const root: OpenNode = {
    node: 0,
    depth: 0,
    entry: 0,
    buffer: 0,
    sums: { ...task.root, lower: -Infinity, upper: Infinity, value: 0 },
    histogram: 0,
    split: undefined,
  };
  root.sums.value = valueOf(root.sums);
  if (mayBeSplit(root)) evaluator.evaluateOne(root);
  const candidates = settle([root]);

  while (candidates.length > 0 && leavesLeft > 0) {
    const batch = takeBatch();
    const children = splitAll(batch);
    candidates.push(...settle(children));
  }
  for (const open of candidates) makeLeaf(open);
  runSplits([]);
  return { tree, tableOf };

  /** Features that a node's ancestors were split on. */
  function pathOf(node: number): number[] {
    const path: number[] = [];
    for (let i = tree.nodes[node].parent; i >= 0; i = tree.nodes[i].parent) {
      if (!path.includes(tree.nodes[i].feature)) path.push(tree.nodes[i].feature);
    }
    return path;
  }

  /** Value of a node from its whole-number sums. */
  function valueOf(sums: NodeSums, parentValue?: number): number {
    return nodeValue(
      sums.gradient * task.unitG,
      sums.hessian * task.unitH,
      sums.count,
      sums.lower,
      sums.upper,
      parentValue,
      params.lambda,
      params,
    );
  }

  function mayBeSplit(open: OpenNode): boolean {
    const { count, hessian } = open.sums;
    return open.depth < limits.maxDepth && count >= 2 * params.minRowsPerLeaf && count >= 2 &&
      hessian * task.unitH >= 2 * params.minChildWeight * (1 - 1e-9);
  }

  /** Nodes with a split worth making; the others become leaves. */
  function settle(open: readonly OpenNode[]): OpenNode[] {
    return open.filter((one) => {
      if (one.split !== undefined && one.split.gain > 0 && one.split.gain >= limits.minGain) {
        return true;
      }
      makeLeaf(one);
      return false;
    });
  }

  function makeLeaf(open: OpenNode): void {
    const leaf = tree.numLeaves++;
    tree.nodes[open.node].leaf = leaf;
    evaluator.release(open);
    fills.push({ open, leaf });
  }

  /** The nodes to be split now, in order of node. */
  function takeBatch(): OpenNode[] {
    if (limits.growth === "leaf") {
      let best = 0;
      for (let i = 1; i < candidates.length; i++) {
        if (candidates[i].split!.gain > candidates[best].split!.gain) best = i;
      }
      return candidates.splice(best, 1);
    }
    const batch = candidates.splice(0, leavesLeft);
    return batch;
  }

  /** Splits nodes and evaluates their children; returns those that may be split further. */
  function splitAll(batch: readonly OpenNode[]): OpenNode[] {
    const splits: { open: OpenNode; table: number; rightEntry: number; leaves: boolean }[] = [];
    for (const open of batch) {
      leavesLeft--;
      const split = open.split!;
      const sides = sidesOf(open, split);
      const node = tree.nodes[open.node];
      node.feature = split.feature;
      node.bin = split.bin;
      node.goesLeft = sides.levels;
      node.missingLeft = sides.missingLeft;
      node.gain = split.gain;
      node.left = tree.nodes.length;
      node.right = node.left + 1;
      const [left, right] = childSums(open, split);
      tree.nodes.push(
        newNode(open.node, left.lower, left.upper, left.count),
        newNode(open.node, right.lower, right.upper, right.count),
      );
      const { numBins } = layout.bins.places[split.feature];
      tableOf[open.node] = task.tables.put(leftTable(node, numBins, table));
      const leaves = open.depth + 1 >= limits.maxDepth;
      splits.push({
        open,
        table: tableOf[open.node],
        rightEntry: leaves ? 0 : numEntries++,
        leaves,
      });
      if (leaves) {
        tree.nodes[node.left].leaf = tree.numLeaves++;
        tree.nodes[node.right].leaf = tree.numLeaves++;
        evaluator.release(open);
      }
    }
    runSplits(splits);
    const children: OpenNode[] = [];
    for (const { open, rightEntry, leaves } of splits) {
      if (leaves) continue;
      const { left: leftNode } = tree.nodes[open.node];
      const [leftSums, rightSums] = childSums(open, open.split!);
      const child = (node: number, entry: number, sums: NodeSums): OpenNode => {
        const made: OpenNode = {
          node,
          depth: open.depth + 1,
          entry,
          buffer: 1 - open.buffer,
          sums,
          histogram: 0,
          split: undefined,
        };
        sums.count = tree.nodes[node].count = rowsOf(entry);
        return made;
      };
      const left = child(leftNode, open.entry, leftSums);
      const right = child(leftNode + 1, rightEntry, rightSums);
      const go = [mayBeSplit(left), mayBeSplit(right)];
      if (go[0] || go[1]) evaluator.evaluatePair(open, left, right);
      else evaluator.release(open);
      children.push(left, right);
    }
    evaluator.flush();
    for (const child of children) if (!mayBeSplit(child)) child.split = undefined;
    return children;
  }

  /** Sums, bounds and values of the two children of a split. */
  function childSums(open: OpenNode, split: FeatureSplit): [NodeSums, NodeSums] {
    const { sums } = open;
    const left: NodeSums = {
      ...sums,
      gradient: split.gradient,
      hessian: split.hessian,
      count: split.count,
    };
    const right: NodeSums = {
      ...sums,
      gradient: sums.gradient - split.gradient,
      hessian: sums.hessian - split.hessian,
      count: sums.count - split.count,
    };
    left.value = valueOf(left, sums.value);
    right.value = valueOf(right, sums.value);
    const direction = params.monotone?.[split.feature] ?? 0;
    if (direction !== 0) {
      const middle = (left.value + right.value) / 2;
      if (direction > 0) left.upper = right.lower = middle;
      else left.lower = right.upper = middle;
    }
    return [left, right];
  }

  /**
   * What goes left: missing values, and of categories, 1 for each level. What the node has no rows
   * of follows the heavier child.
   */
  function sidesOf(
    open: OpenNode,
    split: FeatureSplit,
  ): { readonly levels: Uint8Array | undefined; readonly missingLeft: boolean } {
    const { categorical, numBins } = layout.bins.places[split.feature];
    const { sums } = context.scratch;
    evaluator.withHistogram(open, (histogram) => {
      readFeature(context, histogram, task.wide, split.feature, open.sums, sums);
    });
    sums.unitG = task.unitG;
    sums.unitH = task.unitH;
    const isEmpty = (bin: number) =>
      sums.gradient[bin] === 0 && sums.hessian[bin] === 0 &&
      (!sums.counted || sums.count[bin] === 0);
    const missingLeft = isEmpty(numBins)
      ? 2 * split.hessian >= open.sums.hessian
      : split.missingLeft;
    if (!categorical) return { levels: undefined, missingLeft };
    const levels = new Uint8Array(numBins);
    if (split.kind === SplitKind.threshold) levels.fill(1, 0, split.bin + 1);
    else {for (const level of levelsOnLeft(sums, numBins, open.sums, params, split)) {
        levels[level] = 1;
      }}
    // Unknown is not missing: levels that the node has not seen follow the known ones.
    let left = 0;
    let right = 0;
    for (let bin = 0; bin < numBins; bin++) {
      if (levels[bin] === 1) left += sums.hessian[bin];
      else right += sums.hessian[bin];
    }
    const knownLeft = left >= right ? 1 : 0;
    for (let bin = 0; bin < numBins; bin++) if (isEmpty(bin)) levels[bin] = knownLeft;
    return { levels, missingLeft };
  }

  /** Rows in a node's segments. */
  function rowsOf(entry: number): number {
    const { numBlocks } = layout.sets[0];
    let rows = 0;
    for (let block = 0; block < numBlocks; block++) {
      rows += memory.u32[(layout.segments >>> 2) + 2 * (entry * numBlocks + block) + 1];
    }
    return rows;
  }

  /** Has the team part rows, and write the leaf numbers that are due. */
  function runSplits(
    splits: readonly { open: OpenNode; table: number; rightEntry: number; leaves: boolean }[],
  ): void {
    const { u32, f64 } = memory;
    const size = SPLIT_BYTES >>> 2;
    let at = layout.items >>> 2;
    const total = fills.length + splits.length;
    for (const { open, leaf } of fills) {
      u32[at + SplitField.entry] = open.entry;
      u32[at + SplitField.buffer] = open.buffer;
      u32[at + SplitField.mode] = SplitMode.fillLeaf;
      u32[at + SplitField.left] = leaf;
      at += size;
    }
    fills.length = 0;
    for (const { open, table, rightEntry, leaves } of splits) {
      const node = tree.nodes[open.node];
      u32[at + SplitField.entry] = open.entry;
      u32[at + SplitField.rightEntry] = rightEntry;
      u32[at + SplitField.buffer] = open.buffer;
      u32[at + SplitField.column] = layout.sets[0].rows.columns[node.feature];
      u32[at + SplitField.wide] = layout.bins.places[node.feature].wide ? 1 : 0;
      u32[at + SplitField.table] = table;
      u32[at + SplitField.mode] = leaves ? SplitMode.splitLeaf : SplitMode.partition;
      u32[at + SplitField.left] = leaves ? tree.nodes[node.left].leaf : 0;
      u32[at + SplitField.right] = leaves ? tree.nodes[node.right].leaf : 0;
      at += size;
    }
    f64[layout.args >>> 3] = total;
    if (total > 0) team.run(Op.partition);
  }
}
