/**
 * C4.5's error-based pruning: collapse, then, bottom-up, replace a node by a leaf or by its largest
 * branch where the estimated errors do not grow.
 *
 * Quinlan, "C4.5: Programs for Machine Learning", 1993, chapter 4; release 8 as mirrored by Weka.
 *
 * @module
 */
import { pow } from "../../util/math.ts";
import { normalQuantile } from "../../util/normal.ts";
import { sendRows, type SharedRows } from "../send_rows.ts";
import type { ClassSource } from "../stats.ts";
import { collapseNode, type GrownTree } from "../tree.ts";

/** Weka's notion of equality. */
const SMALL = 1e-6;

/**
 * Errors to add to `errors` observed among `weight` cases: the upper confidence limit of the
 * binomial (normal approximation with continuity correction) less the errors seen.
 *
 * @param confidence CF; above 0.5 nothing is added.
 */
export function addedErrors(weight: number, errors: number, confidence: number): number {
  if (confidence > 0.5) return 0;
  if (errors < 1) {
    const base = weight * (1 - pow(confidence, 1 / weight));
    return errors === 0 ? base : base + errors * (addedErrors(weight, 1, confidence) - base);
  }
  if (errors + 0.5 >= weight) return Math.max(weight - errors, 0);
  const z = normalQuantile(1 - confidence);
  const f = (errors + 0.5) / weight;
  const root = Math.sqrt(f / weight - f * f / weight + z * z / (4 * weight * weight));
  const r = (f + z * z / (2 * weight) + z * root) / (1 + z * z / weight);
  return r * weight - errors;
}

/** Pessimistic pruning's options. */
export interface PessimisticOptions {
  readonly confidence: number;
  /** Whether a node may be replaced by its largest branch. */
  readonly raising: boolean;
}

/** Turns subtrees into leaves where training errors stay within 1e-3. */
export function collapseTree(tree: GrownTree, node = 0): void {
  if (tree.numBranches[node] === 0) return;
  if (trainingErrors(tree, node) >= errorsAt(tree, node) - 1e-3) return collapseNode(tree, node);
  const first = tree.firstChild[node];
  for (let b = 0; b < tree.numBranches[node]; b++) collapseTree(tree, first + b);
}

function trainingErrors(tree: GrownTree, node: number): number {
  if (tree.numBranches[node] === 0) return errorsAt(tree, node);
  let sum = 0;
  for (let b = 0; b < tree.numBranches[node]; b++) {
    sum += trainingErrors(tree, tree.firstChild[node] + b);
  }
  return sum;
}

function errorsAt(tree: GrownTree, node: number): number {
  return errorsIn(tree.stats, node * tree.channels, tree.channels - 1);
}

function errorsIn(stats: ArrayLike<number>, at: number, numClasses: number): number {
  let total = 0;
  let most = 0;
  for (let k = 0; k < numClasses; k++) {
    total += stats[at + k];
    most = Math.max(most, stats[at + k]);
  }
  return total - most;
}

/** Prunes in place. */
export function prunePessimistic(tree: GrownTree, options: PessimisticOptions): void {
  const { confidence } = options;
  const numClasses = tree.channels - 1;

  function estimate(stats: ArrayLike<number>, at: number): number {
    let total = 0;
    for (let k = 0; k < numClasses; k++) total += stats[at + k];
    if (total < SMALL) return 0;
    const errors = errorsIn(stats, at, numClasses);
    return errors + addedErrors(total, errors, confidence);
  }

  function estimateTree(node: number): number {
    if (tree.numBranches[node] === 0) return estimate(tree.stats, node * tree.channels);
    let sum = 0;
    for (let b = 0; b < tree.numBranches[node]; b++) sum += estimateTree(tree.firstChild[node] + b);
    return sum;
  }

  /** Errors of the subtree at `node` if it stood over these rows. */
  function estimateBranch(node: number, all: SharedRows): number {
    if (tree.numBranches[node] === 0) return estimate(statsOf(tree, all), 0);
    let sum = 0;
    sendRows(tree, node, all).forEach((part, b) => {
      sum += estimateBranch(tree.firstChild[node] + b, part);
    });
    return sum;
  }

  function prune(node: number): void {
    if (tree.numBranches[node] === 0) return;
    const first = tree.firstChild[node];
    for (let b = 0; b < tree.numBranches[node]; b++) prune(first + b);
    let largest = first;
    for (let b = 1; b < tree.numBranches[node]; b++) {
      if (tree.cover[largest] - tree.cover[first + b] < SMALL) largest = first + b;
    }
    const rows = rowsOf(tree, node);
    const ofBranch = options.raising ? estimateBranch(largest, rows) : Infinity;
    const asLeaf = estimate(tree.stats, node * tree.channels);
    const asTree = estimateTree(node);
    if (asLeaf - asTree - 0.1 < SMALL && asLeaf - ofBranch - 0.1 < SMALL) {
      return collapseNode(tree, node);
    }
    if (ofBranch - asTree - 0.1 < SMALL) {
      raise(tree, node, largest);
      redistribute(tree, node, rows);
      prune(node);
    }
  }

  prune(0);
}

function rowsOf(tree: GrownTree, node: number): SharedRows {
  const from = tree.from[node];
  const to = tree.to[node];
  return {
    rows: tree.rows[node].slice(from, to),
    share: tree.share[node]?.slice(from, to),
  };
}

/** Channels of some rows. */
function statsOf(tree: GrownTree, { rows, share }: SharedRows): Float64Array {
  const source = tree.source as ClassSource;
  const stats = new Float64Array(tree.channels);
  for (let i = 0; i < rows.length; i++) {
    stats[source.codes[rows[i]]] += (source.weight?.[rows[i]] ?? 1) * (share?.[i] ?? 1);
  }
  stats[tree.channels - 1] = rows.length;
  return stats;
}

/** Puts a child's split (or leaf) in the place of its parent's. */
function raise(tree: GrownTree, node: number, child: number): void {
  tree.kind[node] = tree.kind[child];
  tree.feature[node] = tree.feature[child];
  tree.code[node] = tree.code[child];
  tree.threshold[node] = tree.threshold[child];
  tree.categories[node] = tree.categories[child];
  tree.firstChild[node] = tree.firstChild[child];
  tree.numBranches[node] = tree.numBranches[child];
  tree.missing[node] = tree.missing[child];
  tree.gain[node] = tree.gain[child];
  for (let b = 0; b < tree.numBranches[node]; b++) tree.parent[tree.firstChild[node] + b] = node;
}

/** Sends rows through a subtree again and refreshes its statistics. */
function redistribute(tree: GrownTree, node: number, all: SharedRows): void {
  tree.rows[node] = all.rows;
  tree.share[node] = all.share;
  tree.from[node] = 0;
  tree.to[node] = all.rows.length;
  const stats = statsOf(tree, all);
  tree.stats.set(stats, node * tree.channels);
  let cover = 0;
  for (let k = 0; k < tree.channels - 1; k++) cover += stats[k];
  tree.cover[node] = cover;
  if (tree.numBranches[node] === 0) return;
  sendRows(tree, node, all).forEach((part, b) => {
    redistribute(tree, tree.firstChild[node] + b, part);
  });
}
