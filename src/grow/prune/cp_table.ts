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
import { branchOfRow, collapseNode, type GrownTree, reachableNodes } from "../tree.ts";

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
  return [...distinct, alpha].map((value) => {
    let leaves = 0;
    let sum = 0;
    const stack = [0];
    while (stack.length > 0) {
      const node = stack.pop()!;
      // Merged values collapse together.
      const stays = complexity[node] > value && !same(complexity[node], value);
      if (tree.numBranches[node] === 0 || !stays) {
        leaves++;
        sum += risk[node];
        continue;
      }
      for (let b = 0; b < tree.numBranches[node]; b++) stack.push(tree.firstChild[node] + b);
    }
    return {
      cp: value === alpha ? cp : value / root,
      splits: leaves - 1,
      relativeError: sum / root,
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
  /** Loss of a row if it ends in this node. */
  readonly lossOf: (tree: GrownTree, node: number, row: number) => number;
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
  const sums = table.map(() => ({ loss: createSum(), square: createSum() }));
  const weightOf = (row: number) => weight?.[row] ?? 1;
  let total = 0;
  for (let row = 0; row < numRows; row++) total += weightOf(row);
  for (let fold = 0; fold < numFolds; fold++) {
    const inside: number[] = [];
    let trainWeight = 0;
    for (let row = 0; row < numRows; row++) {
      if (foldOfRow[row] === fold || !(weightOf(row) > 0)) continue;
      inside.push(row);
      trainWeight += weightOf(row);
    }
    const tree = await options.grow(Int32Array.from(inside));
    const scale = trainWeight / total;
    const least = table[table.length - 1].cp * rootRisk * scale;
    const complexity = rpartComplexity(tree, options.riskOf(tree), least);
    for (let row = 0; row < numRows; row++) {
      const w = weightOf(row);
      if (foldOfRow[row] !== fold || !(w > 0)) continue;
      for (let k = 0; k < table.length; k++) {
        const loss = options.lossOf(tree, runDown(tree, complexity, alphas[k] * scale, row), row);
        sums[k].loss.add(w * loss);
        sums[k].square.add(w * loss * loss);
      }
    }
  }
  return table.map((row, k) => {
    const loss = sums[k].loss.value();
    const square = sums[k].square.value();
    return {
      ...row,
      xerror: loss / rootRisk,
      xstd: Math.sqrt(Math.max(0, square - loss * loss / total)) / rootRisk,
    };
  });
}

/** Node where a row stops in the tree pruned at `alpha`. */
export function runDown(
  tree: GrownTree,
  complexity: Float64Array,
  alpha: number,
  row: number,
): number {
  let node = 0;
  while (tree.numBranches[node] > 0 && complexity[node] > alpha) {
    const branch = branchOfRow(tree, node, row);
    if (branch >= tree.numBranches[node]) break;
    node = tree.firstChild[node] + branch;
  }
  return node;
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
