/**
 * One regression tree by exact greedy Newton splits, with the arithmetic of XGBoost's `exact`
 * updater, so that its trees can be reproduced: values, gradients, gains and leaves are float32,
 * sums are float64 in order of value.
 *
 * Chen & Guestrin, "XGBoost: A Scalable Tree Boosting System", KDD 2016, algorithms 1 and 3; the
 * order of scans and the rule for ties are those of `updater_colmaker.cc`.
 *
 * @module
 */
import type { FloatArray } from "../../data/types.ts";
import { createTreeBuilder, type TreeBuilder } from "../../model/trees.ts";
import { type ExactNode, nodeMath } from "./math.ts";
import { createScan, MIN_GAIN, type ScanOptions, type ScanRows } from "./scan.ts";

/** Limits and penalties of one tree. */
export interface ExactOptions extends ScanOptions {
  readonly learningRate: number;
  /** 0: no limit. */
  readonly maxDepth: number;
  readonly gamma: number;
}

/** A grown tree and the node each row ended in (−1 for rows that took no part). */
export interface ExactTree {
  readonly tree: TreeBuilder;
  readonly leafOf: Int32Array;
}

/** Float32 derivatives of one output; rows with a negative hessian take no part. */
export interface Derivatives {
  readonly gradient: Float32Array;
  readonly hessian: Float32Array;
}

/** Finds the splits of a level, with the help of other threads where there are any. */
export interface ExactTeam extends Pick<ScanRows, "leafOf" | "pairs"> {
  findBest(level: readonly ExactNode[]): void;
}

const { fround } = Math;

/** A team of one thread. */
export function aloneExact(rows: ScanRows, options: ExactOptions): ExactTeam {
  const scan = createScan(rows, options);
  return {
    leafOf: rows.leafOf,
    pairs: rows.pairs,
    findBest: (level) => rows.columns.forEach((_, feature) => scan(feature, level)),
  };
}

/**
 * Grows one tree level by level and prunes splits whose loss change is below γ from the bottom.
 *
 * @param values Of each feature, as the team's columns were sorted from.
 * @param team Its next tree writes over the `leafOf` of this one.
 */
export function growExactNewton(
  values: readonly FloatArray[],
  derivatives: Derivatives,
  options: ExactOptions,
  team: ExactTeam,
): ExactTree {
  const tree = createTreeBuilder(1);
  const math = nodeMath(options);
  const { pairs } = team;
  const leafOf = team.leafOf.fill(0);
  for (let row = 0; row < leafOf.length; row++) {
    pairs[2 * row] = derivatives.gradient[row];
    pairs[2 * row + 1] = derivatives.hessian[row];
    if (derivatives.hessian[row] < 0) leafOf[row] = -1;
  }
  const nodes: ExactNode[] = [];
  const losses = new Map<number, number>();
  let level = countRows([math.node(0, { low: -Infinity, high: Infinity })], leafOf, pairs);
  for (let depth = 0; level.length > 0; depth++) {
    level.forEach(math.finish);
    nodes.push(...level);
    if (options.maxDepth > 0 && depth >= options.maxDepth) break;
    team.findBest(level);
    const splitting = level.filter(({ best }) => best.loss > MIN_GAIN);
    const next: ExactNode[] = [];
    for (const node of splitting) {
      const { feature, value, left, loss } = node.best;
      const first = tree.splitThreshold(node.id, feature, belowFloat32(value), left ? 0 : 1);
      losses.set(node.id, loss);
      const bounds = math.childBounds(node);
      next.push(math.node(first, bounds[0]), math.node(first + 1, bounds[1]));
    }
    moveRows(values, leafOf, level[0].id, splitting, tree);
    level = countRows(next, leafOf, pairs);
  }
  for (const node of nodes) {
    tree.setValue(node.id, [fround(node.weight * fround(options.learningRate))]);
    tree.setStats(node.id, fround(node.h), losses.get(node.id) ?? 0);
  }
  prune(tree, nodes, losses, options.gamma, leafOf);
  return { tree, leafOf };
}

/** Sums derivatives of each node of a level in row order, as the updater does after each move. */
function countRows(level: ExactNode[], leafOf: Int32Array, pairs: Float32Array): ExactNode[] {
  if (level.length === 0) return level;
  const first = level[0].id; // ids of a level are consecutive
  const sums = new Float64Array(2 * level.length);
  const counts = new Int32Array(level.length);
  for (let row = 0; row < leafOf.length; row++) {
    const node = leafOf[row] - first;
    if (node < 0) continue;
    sums[2 * node] += pairs[2 * row];
    sums[2 * node + 1] += pairs[2 * row + 1];
    counts[node]++;
  }
  level.forEach((node, i) => {
    node.g = sums[2 * i];
    node.h = sums[2 * i + 1];
    node.count = counts[i];
  });
  return level;
}

/** Sends the rows of split nodes to the children: `value < threshold` left, missing as learnt. */
function moveRows(
  values: readonly FloatArray[],
  leafOf: Int32Array,
  first: number,
  splitting: readonly ExactNode[],
  tree: TreeBuilder,
): void {
  if (splitting.length === 0) return;
  // By place in the level; the last that was split ends it.
  const places = splitting[splitting.length - 1].id - first + 1;
  const feature = new Int32Array(places).fill(-1);
  const threshold = new Float64Array(places);
  const left = new Int32Array(places);
  const missing = new Int32Array(places);
  for (const { id, best } of splitting) {
    const at = id - first;
    const children = tree.children[id];
    feature[at] = best.feature;
    threshold[at] = best.value;
    left[at] = children[0];
    missing[at] = children[best.left ? 0 : 1];
  }
  for (let row = 0; row < leafOf.length; row++) {
    const node = leafOf[row] - first;
    if (node < 0 || node >= places || feature[node] < 0) continue;
    const value = fround(values[feature[node]][row]);
    leafOf[row] = value !== value ? missing[node] : left[node] + (value < threshold[node] ? 0 : 1);
  }
}

/** Turns splits below γ whose children are leaves back into leaves, from the bottom up. */
function prune(
  tree: TreeBuilder,
  nodes: readonly ExactNode[],
  losses: ReadonlyMap<number, number>,
  gamma: number,
  leafOf: Int32Array,
): void {
  const into = new Map<number, number>();
  // Children come after their parents, so a backward pass meets them first.
  for (let i = nodes.length - 1; i >= 0; i--) {
    const { id } = nodes[i];
    const children = tree.children[id];
    const parentOfLeaves = children.length > 0 &&
      children.every((child) => tree.children[child].length === 0);
    if (!parentOfLeaves || losses.get(id)! >= fround(gamma)) continue;
    for (const child of children) into.set(child, id);
    tree.collapse(id);
  }
  if (into.size === 0) return;
  for (let row = 0; row < leafOf.length; row++) {
    for (let up = into.get(leafOf[row]); up !== undefined; up = into.get(up)) leafOf[row] = up;
  }
}

const float = new Float32Array(1);
const bits = new Int32Array(float.buffer);

/** The float32 next below: `x < t` over float32 equals `x <= belowFloat32(t)`. */
export function belowFloat32(t: number): number {
  if (t === 0) return -1.401298464324817e-45;
  if (t === -Infinity) return t;
  float[0] = t;
  bits[0] += float[0] > 0 ? -1 : 1;
  return float[0];
}
