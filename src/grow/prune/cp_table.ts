/**
 * The table that rpart prints: a row for each tree of the pruning sequence, with its relative error
 * and, by cross-validation, its expected error and standard error.
 *
 * Breiman et al. 1984, section 8.5; Therneau and Atkinson, "An Introduction to Recursive
 * Partitioning Using the RPART Routines", section 4.2.
 *
 * @module
 */
import { createSum } from "../../util/sum.ts";
import { branchOfRow, collapseNode, type GrownTree, reachableNodes } from "../tree/tree.ts";
import type { NodeLoss } from "./reduced_error.ts";

/** One row: a tree of the sequence. */
export interface CpRow {
  /** The tree is the best for relative complexities from here (to the row before). */
  readonly cp: number;
  readonly splits: number;
  /** Risk of the tree over the risk of the root. */
  readonly relativeError: number;
  /** Cross-validated risk over the risk of the root. */
  readonly xerror?: number;
  /** Standard error of `xerror`. */
  readonly xstd?: number;
}

/** Values of α closer than this (relatively) are one. */
const SAME = 1e-9;
/** Links that cost this share of the root's risk more than α are rounding: weights need not be whole. */
const ROUNDING = 1e-13;

/**
 * Complexity of every inner node as rpart computes it on the way up: the α at which the node
 * becomes a leaf, given which of its two children go before it; a child never outlives its parent.
 * Breiman's sequence (`pruneSequence`) may differ where a grandchild would go between the two.
 *
 * @param alpha Nodes whose links cost no more are leaves from the start.
 */
export function rpartComplexity(
  tree: GrownTree,
  risk: Float64Array,
  alpha: number,
): Float64Array {
  const complexity = new Float64Array(tree.numNodes).fill(-Infinity);
  const below = new Float64Array(tree.numNodes);
  const splits = new Int32Array(tree.numNodes);
  const nodes = reachableNodes(tree);
  for (let i = nodes.length - 1; i >= 0; i--) {
    const node = nodes[i];
    below[node] = risk[node];
    if (tree.numBranches[node] === 0) {
      complexity[node] = alpha;
      continue;
    }
    const children = Array.from(
      { length: tree.numBranches[node] },
      (_, b) => tree.firstChild[node] + b,
    );
    const parts = children.map((child) => ({ risk: below[child], splits: splits[child] }));
    const price = () => {
      let sum = 0;
      let count = 1;
      for (const part of parts) {
        sum += part.risk;
        count += part.splits;
      }
      return (risk[node] - sum) / count;
    };
    // The cheaper child goes first; of equal ones the last.
    const order = children.map((_, b) => b).sort((x, y) =>
      complexity[children[x]] - complexity[children[y]] || y - x
    );
    for (const b of order) {
      if (!(price() > complexity[children[b]])) break;
      parts[b] = { risk: risk[children[b]], splits: 0 };
    }
    complexity[node] = price();
    if (complexity[node] <= alpha + ROUNDING * risk[0]) {
      complexity[node] = Math.min(complexity[node], alpha);
      continue;
    }
    below[node] = parts.reduce((sum, part) => sum + part.risk, 0);
    splits[node] = parts.reduce((sum, part) => sum + part.splits, 1);
  }
  for (const node of nodes) {
    for (let b = 0; b < tree.numBranches[node]; b++) {
      const child = tree.firstChild[node] + b;
      complexity[child] = Math.min(complexity[child], complexity[node]);
    }
  }
  return complexity;
}

/**
 * Rows from the root to the largest tree whose links all cost more than `cp`.
 *
 * @param risk Risk of each node as a leaf.
 */
export function cpTable(tree: GrownTree, risk: Float64Array, cp: number): CpRow[] {
  const root = risk[0];
  if (!(root > 0)) return [{ cp, splits: 0, relativeError: 0 }];
  const alpha = cp * root;
  const complexity = rpartComplexity(tree, risk, alpha);
  const nodes = reachableNodes(tree);
  const values: number[] = [];
  for (const node of nodes) {
    if (tree.numBranches[node] > 0 && complexity[node] > alpha) values.push(complexity[node]);
  }
  values.sort((a, b) => b - a);
  const distinct = values.filter((value, i) =>
    (i === 0 || !same(value, values[i - 1])) && !same(value, alpha)
  );
  // The largest complexity first: nodes only open from row to row, so that one walk makes all rows.
  const inner = nodes.filter((node) => tree.numBranches[node] > 0)
    .sort((a, b) => complexity[b] - complexity[a]);
  const sum = createSum();
  sum.add(root);
  let splits = 0;
  let next = 0;
  return [...distinct, alpha].map((value) => {
    for (; next < inner.length; next++) {
      const node = inner[next];
      // Merged values collapse together.
      if (!(complexity[node] > value) || same(complexity[node], value)) break;
      splits += tree.numBranches[node] - 1;
      sum.add(-risk[node]);
      for (let b = 0; b < tree.numBranches[node]; b++) sum.add(risk[tree.firstChild[node] + b]);
    }
    return {
      cp: value === alpha ? cp : value / root,
      splits,
      relativeError: Math.max(0, sum.value()) / root,
    };
  });
}

/** Collapses every node whose complexity is at most `alpha`. */
export function pruneByComplexity(tree: GrownTree, complexity: Float64Array, alpha: number): void {
  for (const node of reachableNodes(tree)) {
    if (tree.numBranches[node] > 0 && complexity[node] <= alpha) collapseNode(tree, node);
  }
}

function same(a: number, b: number): boolean {
  return Math.abs(a - b) <= SAME * Math.max(Math.abs(a), Math.abs(b));
}

/** What cross-validation needs besides the table. */
export interface CpValidation {
  readonly numRows: number;
  readonly weight?: Float64Array;
  /** Fold of each row, from 0. */
  readonly foldOfRow: Int32Array;
  readonly numFolds: number;
  /** Grows a tree on some rows. */
  readonly grow: (rows: Int32Array) => Promise<GrownTree>;
  /** Risk of each node of such a tree. */
  readonly riskOf: (tree: GrownTree) => Float64Array;
  /** Losses of rows by the node of such a tree that they end in. */
  readonly lossesOf: (tree: GrownTree) => NodeLoss;
}

/** Adds cross-validated errors to a table. */
export async function validateCpTable(
  table: readonly CpRow[],
  rootRisk: number,
  options: CpValidation,
): Promise<CpRow[]> {
  const { numRows, weight, foldOfRow, numFolds } = options;
  if (!(rootRisk > 0)) return table.map((row) => ({ ...row, xerror: 0, xstd: 0 }));
  // A value of α inside each tree's interval: the geometric mean of its ends.
  const alphas = table.map((row, k) =>
    rootRisk * (k === 0 ? 10 * row.cp : Math.sqrt(row.cp * table[k - 1].cp))
  );
  // Squares of losses may overflow where losses do not. A power of two changes no bit else.
  const unit = 2 ** Math.round(Math.log2(rootRisk));
  const root = rootRisk / unit;
  const losses = createRunningSums(table.length);
  const squares = createRunningSums(table.length);
  const weightOf = (row: number) => weight?.[row] ?? 1;
  let total = 0;
  for (let row = 0; row < numRows; row++) total += weightOf(row);
  const growWithout = (fold: number) => {
    const inside: number[] = [];
    let trainWeight = 0;
    for (let row = 0; row < numRows; row++) {
      if (foldOfRow[row] === fold || !(weightOf(row) > 0)) continue;
      inside.push(row);
      trainWeight += weightOf(row);
    }
    return { trainWeight, growing: options.grow(Int32Array.from(inside)) };
  };
  // Other threads may grow the next tree while this one looks at the last.
  let next = growWithout(0);
  for (let fold = 0; fold < numFolds; fold++) {
    const { trainWeight, growing } = next;
    const tree = await growing;
    if (fold + 1 < numFolds) next = growWithout(fold + 1);
    const scale = trainWeight / total;
    const least = table[table.length - 1].cp * rootRisk * scale;
    const complexity = rpartComplexity(tree, options.riskOf(tree), least);
    const lossOf = options.lossesOf(tree);
    const scaled = Float64Array.from(alphas, (alpha) => alpha * scale);
    for (let row = 0; row < numRows; row++) {
      const w = weightOf(row);
      if (foldOfRow[row] !== fold || !(w > 0)) continue;
      visitStops(tree, complexity, scaled, row, (k, node, before) => {
        const loss = lossOf(node, row) / unit;
        losses.addFrom(k, w * loss);
        squares.addFrom(k, w * loss * loss);
        if (before < 0) return;
        const gone = lossOf(before, row) / unit;
        losses.addFrom(k, -w * gone);
        squares.addFrom(k, -w * gone * gone);
      });
    }
  }
  const [loss, square] = [losses.values(), squares.values()];
  return table.map((row, k) => ({
    ...row,
    xerror: loss[k] / root,
    xstd: Math.sqrt(Math.max(0, square[k] - loss[k] * loss[k] / total)) / root,
  }));
}

/**
 * Nodes where a row stops in the trees pruned at descending values of α. Complexities fall on the way
 * down, so that one walk meets them all: with a walk for each α, time grew with the square of the rows.
 *
 * @param visit Told the first α that ends in a node and the node of the α before it, −1 at first.
 */
function visitStops(
  tree: GrownTree,
  complexity: Float64Array,
  alphas: Float64Array,
  row: number,
  visit: (k: number, node: number, before: number) => void,
): void {
  let before = -1;
  let node = 0;
  let k = 0;
  while (k < alphas.length) {
    const branch = tree.numBranches[node] > 0 ? branchOfRow(tree, node, row) : 0;
    const last = branch >= tree.numBranches[node];
    const until = last ? alphas.length : firstBelow(alphas, complexity[node]);
    if (until > k) {
      visit(k, node, before);
      before = node;
      k = until;
    }
    node = tree.firstChild[node] + branch;
  }
}

/** First of descending numbers that is below a limit; their count where none is. */
function firstBelow(numbers: Float64Array, limit: number): number {
  let [from, to] = [0, numbers.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (numbers[middle] < limit) to = middle;
    else from = middle + 1;
  }
  return from;
}

/** Sums that differ from each other by what is added from one of them on. */
function createRunningSums(length: number) {
  const total = new Float64Array(length);
  const lost = new Float64Array(length);
  const add = (k: number, x: number) => {
    const next = total[k] + x;
    lost[k] += Math.abs(total[k]) >= Math.abs(x) ? (total[k] - next) + x : (x - next) + total[k];
    total[k] = next;
  };
  return {
    /** Adds to sum `k` and to all after it. */
    addFrom: add,
    values(): Float64Array {
      for (let k = 1; k < length; k++) {
        // Both parts: equal errors of neighbours stay equal, and ties are decided by them.
        add(k, total[k - 1]);
        add(k, lost[k - 1]);
      }
      return total.map((sum, k) => Number.isFinite(sum) ? sum + lost[k] : sum);
    },
  };
}

/** How a row of the table is chosen. */
export type CpRule = "min" | "1se";

/**
 * Row of the chosen tree: least cross-validated error (the smaller tree on ties), or the smallest
 * tree within one standard error of it.
 */
export function chooseCpRow(table: readonly CpRow[], rule: CpRule): number {
  let best = 0;
  table.forEach((row, i) => {
    if (row.xerror! < table[best].xerror!) best = i;
  });
  if (rule === "min") return best;
  const bound = table[best].xerror! + table[best].xstd!;
  return table.findIndex((row) => row.xerror! <= bound);
}

/** A relative complexity that prunes to exactly this row's tree. */
export function cpOfRow(table: readonly CpRow[], row: number): number {
  return row === 0 ? 10 * table[0].cp : Math.sqrt(table[row].cp * table[row - 1].cp);
}
