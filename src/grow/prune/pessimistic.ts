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
import type { ClassSource } from "../rows/stats.ts";
import { lacksSome } from "../tree/part_rows.ts";
import { sendRows, type SharedRows } from "../tree/send_rows.ts";
import { collapseNode, type GrownTree } from "../tree/tree.ts";

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
export function collapseTree(tree: GrownTree): void {
  const errors = new Float64Array(tree.numNodes);
  // Children have larger numbers than their parents.
  for (let node = tree.numNodes - 1; node >= 0; node--) {
    const first = tree.firstChild[node];
    if (tree.numBranches[node] === 0) errors[node] = errorsAt(tree, node);
    for (let b = 0; b < tree.numBranches[node]; b++) errors[node] += errors[first + b];
  }
  for (let node = 0; node < tree.numNodes; node++) {
    if (tree.numBranches[node] > 0 && errors[node] >= errorsAt(tree, node) - 1e-3) {
      collapseNode(tree, node);
    }
  }
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
  const source = tree.source as ClassSource;

  function estimate(stats: ArrayLike<number>, at: number): number {
    let total = 0;
    for (let k = 0; k < numClasses; k++) total += stats[at + k];
    if (total < SMALL) return 0;
    const errors = errorsIn(stats, at, numClasses);
    return errors + addedErrors(total, errors, confidence);
  }

  /** Estimated errors of the subtree at each node, once its branches have been dealt with. */
  const found = new Float64Array(tree.numNodes);
  /** Whether each row takes one branch only in the subtree at each node. */
  const isWhole = new Uint8Array(tree.numNodes);
  const joined = new Float64Array(numClasses);

  /** Fills in both once the branches are as they stay. */
  function settle(node: number): void {
    const first = tree.firstChild[node];
    if (tree.numBranches[node] === 0) {
      found[node] = estimate(tree.stats, node * tree.channels);
      isWhole[node] = 1;
      return;
    }
    let sum = 0;
    let whole = tree.frame.features[tree.feature[node]].hasMissing ? 0 : 1;
    for (let b = 0; b < tree.numBranches[node]; b++) {
      sum += found[first + b];
      whole &= isWhole[first + b];
    }
    found[node] = sum;
    isWhole[node] = whole;
  }

  /** Errors of the subtree at `node` if it stood over these rows. */
  function estimateOver(node: number, all: SharedRows): number {
    if (tree.numBranches[node] === 0) return estimate(statsOf(tree, all), 0);
    let sum = 0;
    sendRows(tree, node, all).forEach((part, b) => {
      sum += estimateOver(tree.firstChild[node] + b, part);
    });
    return sum;
  }

  /** The same over its own rows and these: where none of them come, nothing changes. */
  function estimateWith(node: number, more: Int32Array): number {
    if (more.length === 0) return found[node];
    if (tree.numBranches[node] === 0) {
      const at = node * tree.channels;
      for (let k = 0; k < numClasses; k++) joined[k] = tree.stats[at + k];
      for (const row of more) joined[source.codes[row]] += source.weight?.[row] ?? 1;
      return estimate(joined, 0);
    }
    let sum = 0;
    sendRows(tree, node, { rows: more, share: undefined }).forEach((part, b) => {
      sum += estimateWith(tree.firstChild[node] + b, part.rows);
    });
    return sum;
  }

  /** Errors of a branch if it stood in its parent's place. */
  function estimateBranch(node: number, branch: number): number {
    // With shares, rows of other branches change what those of this one weigh.
    if (isWhole[branch] === 0 || tree.share[node] !== undefined || lacksSome(tree, node)) {
      return estimateOver(branch, rowsOf(tree, node));
    }
    const first = tree.firstChild[node];
    const more: number[] = [];
    for (let b = 0; b < tree.numBranches[node]; b++) {
      const child = first + b;
      if (child === branch) continue;
      const rows = tree.rows[child];
      for (let i = tree.from[child]; i < tree.to[child]; i++) more.push(rows[i]);
    }
    return estimateWith(branch, Int32Array.from(more));
  }

  function prune(node: number): void {
    const first = tree.firstChild[node];
    for (let b = 0; b < tree.numBranches[node]; b++) prune(first + b);
    settle(node);
    if (tree.numBranches[node] === 0) return;
    let largest = first;
    for (let b = 1; b < tree.numBranches[node]; b++) {
      if (tree.cover[largest] - tree.cover[first + b] < SMALL) largest = first + b;
    }
    const ofBranch = options.raising ? estimateBranch(node, largest) : Infinity;
    const asLeaf = estimate(tree.stats, node * tree.channels);
    const asTree = found[node];
    if (asLeaf - asTree - 0.1 < SMALL && asLeaf - ofBranch - 0.1 < SMALL) {
      collapseNode(tree, node);
      return settle(node);
    }
    if (ofBranch - asTree - 0.1 < SMALL) {
      const rows = rowsOf(tree, node);
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
