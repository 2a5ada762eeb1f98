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
import { createTreeBuilder, type TreeBuilder } from "../../model/trees.ts";
import { float32Order } from "../../util/float32_order.ts";
import { type ExactNode, type NodeMath, nodeMath, type NodeOptions } from "./math.ts";

/** Rows of one feature in ascending order of value, missing ones left out. */
export interface SortedColumn {
  readonly rows: Int32Array;
  /** Float32 values in the same order. */
  readonly values: Float32Array;
  readonly numMissing: number;
}

/** Limits and penalties of one tree. */
export interface ExactOptions extends NodeOptions {
  readonly learningRate: number;
  /** 0: no limit. */
  readonly maxDepth: number;
  readonly gamma: number;
  readonly minRowsPerLeaf: number;
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

/** Finds the splits of a level with the help of other threads. */
export interface ExactTeam {
  /** Where rows are: which node each is in, and their derivatives, which all threads see. */
  readonly leafOf: Int32Array;
  readonly derivatives: Derivatives;
  findBest(level: readonly ExactNode[]): void;
}

const MIN_GAIN = Math.fround(1e-6); // XGBoost's kRtEps: least loss change of a split
const { fround } = Math;

/** Sorts a column once for all trees. */
export function sortColumn(values: ArrayLike<number>): SortedColumn {
  const rounded = new Float32Array(values);
  const rows = float32Order(rounded);
  const ascending = new Float32Array(rows.length);
  for (let i = 0; i < rows.length; i++) ascending[i] = rounded[rows[i]];
  return {
    rows,
    values: ascending,
    numMissing: rounded.length - rows.length,
  };
}

/**
 * Grows one tree level by level and prunes splits whose loss change is below γ from the bottom.
 *
 * @param team Other threads; the next tree writes over the `leafOf` of this one then.
 */
export function growExactNewton(
  columns: readonly SortedColumn[],
  derivatives: Derivatives,
  options: ExactOptions,
  team?: ExactTeam,
): ExactTree {
  const tree = createTreeBuilder(1);
  const math = nodeMath(options);
  const leafOf = team?.leafOf.fill(0) ?? new Int32Array(derivatives.gradient.length);
  team?.derivatives.gradient.set(derivatives.gradient);
  team?.derivatives.hessian.set(derivatives.hessian);
  for (let row = 0; row < leafOf.length; row++) if (derivatives.hessian[row] < 0) leafOf[row] = -1;
  const nodes: ExactNode[] = [];
  const losses = new Map<number, number>();
  let level = countRows([math.node(0, { low: -Infinity, high: Infinity })], leafOf, derivatives);
  for (let depth = 0; level.length > 0; depth++) {
    level.forEach(math.finish);
    nodes.push(...level);
    if (options.maxDepth > 0 && depth >= options.maxDepth) break;
    if (team !== undefined) team.findBest(level);
    else {
      columns.forEach((column, feature) => {
        scanFeature(column, feature, derivatives, leafOf, level, options, math);
      });
    }
    const splitting = level.filter(({ best }) => best.loss > MIN_GAIN);
    const next: ExactNode[] = [];
    for (const node of splitting) {
      const { feature, value, left, loss } = node.best;
      const first = tree.splitThreshold(node.id, feature, belowFloat32(value), left ? 0 : 1);
      losses.set(node.id, loss);
      const bounds = math.childBounds(node);
      next.push(math.node(first, bounds[0]), math.node(first + 1, bounds[1]));
    }
    moveRows(columns, leafOf, splitting, tree);
    level = countRows(next, leafOf, derivatives);
  }
  for (const node of nodes) {
    tree.setValue(node.id, [fround(node.weight * fround(options.learningRate))]);
    tree.setStats(node.id, fround(node.h), losses.get(node.id) ?? 0);
  }
  prune(tree, nodes, losses, options.gamma, leafOf);
  return { tree, leafOf };
}

/** Sums derivatives of each node of a level in row order, as the updater does after each move. */
function countRows(
  level: ExactNode[],
  leafOf: Int32Array,
  { gradient, hessian }: Derivatives,
): ExactNode[] {
  if (level.length === 0) return level;
  const first = level[0].id; // ids of a level are consecutive
  for (let row = 0; row < leafOf.length; row++) {
    const node = leafOf[row] < first ? undefined : level[leafOf[row] - first];
    if (node === undefined) continue;
    node.g += gradient[row];
    node.h += hessian[row];
    node.count++;
  }
  return level;
}

/** Finds the best split of one feature for every node of a level, where it beats what is known. */
export function scanFeature(
  column: SortedColumn,
  feature: number,
  derivatives: Derivatives,
  leafOf: Int32Array,
  level: readonly ExactNode[],
  options: ExactOptions,
  math: NodeMath,
): void {
  const { values } = column;
  const constant = values.length > 0 && values[0] === values[values.length - 1];
  // With nothing missing (or one value only) the forward scan proposes nothing new.
  if (column.numMissing > 0 && !constant) {
    scan(column, feature, 1, derivatives, leafOf, level, options, math);
  }
  scan(column, feature, -1, derivatives, leafOf, level, options, math);
}

/** Whether a split is better than the best so far: ties go to the lower feature. */
export function isBetter(loss: number, feature: number, best: ExactNode["best"]): boolean {
  if (!Number.isFinite(loss)) return false;
  return best.feature <= feature ? loss > best.loss : !(best.loss > loss);
}

/** Running sums of one scan at one node. */
interface Seen {
  g: number;
  h: number;
  count: number;
  last: number;
}

/** One pass over a feature: forward sends missing rows right, backward sends them left. */
function scan(
  column: SortedColumn,
  feature: number,
  step: 1 | -1,
  { gradient, hessian }: Derivatives,
  leafOf: Int32Array,
  level: readonly ExactNode[],
  options: ExactOptions,
  math: NodeMath,
): void {
  const { rows, values } = column;
  const first = level[0].id;
  const least = options.minRowsPerLeaf;
  const scans: Seen[] = level.map(() => ({ g: 0, h: 0, count: 0, last: 0 }));
  const propose = (node: ExactNode, seen: Seen, value: number): void => {
    if (seen.h < math.minWeight || seen.count < least) return;
    const g = node.g - seen.g;
    const h = node.h - seen.h;
    if (h < math.minWeight || node.count - seen.count < least) return;
    const loss = step === 1
      ? math.lossChange(node, feature, seen.g, seen.h, g, h)
      : math.lossChange(node, feature, g, h, seen.g, seen.h);
    const { best } = node;
    if (!isBetter(loss, feature, best)) return;
    best.loss = loss;
    best.feature = feature;
    best.value = value;
    best.left = step === -1;
    best.g = step === 1 ? seen.g : g;
    best.h = step === 1 ? seen.h : h;
  };
  const end = step === 1 ? rows.length : -1;
  for (let i = step === 1 ? 0 : rows.length - 1; i !== end; i += step) {
    const row = rows[i];
    if (leafOf[row] < first) continue;
    const node = level[leafOf[row] - first];
    const seen = scans[leafOf[row] - first];
    const value = values[i];
    if (seen.h !== 0 && value !== seen.last) {
      const middle = fround(fround(value + seen.last) * 0.5);
      const isOpen = middle === -Infinity || middle !== middle;
      // Nothing is below minus infinity, and infinities of both signs have no middle.
      const cut = isOpen ? Math.max(value, seen.last) : middle === value ? seen.last : middle;
      propose(node, seen, cut);
    }
    seen.g += gradient[row];
    seen.h += hessian[row];
    seen.count++;
    seen.last = value;
  }
  // All present rows against the missing ones.
  level.forEach((node, index) => {
    const seen = scans[index];
    // No number is beyond an infinity, so that none parts it from the missing ones.
    if (Math.abs(seen.last) === Infinity) return;
    const gap = fround(Math.abs(seen.last) + MIN_GAIN);
    propose(node, seen, fround(step === 1 ? seen.last + gap : seen.last - gap));
  });
}

/** Sends the rows of split nodes to the children: `value < threshold` left. */
function moveRows(
  columns: readonly SortedColumn[],
  leafOf: Int32Array,
  splitting: readonly ExactNode[],
  tree: TreeBuilder,
): void {
  const moved = new Int32Array(leafOf.length).fill(-1);
  for (const { id, best } of splitting) {
    const { rows, values } = columns[best.feature];
    const [left, right] = tree.children[id];
    for (let i = 0; i < rows.length; i++) {
      if (leafOf[rows[i]] === id) moved[rows[i]] = values[i] < best.value ? left : right;
    }
  }
  const missing = new Map(
    splitting.map(({ id, best }) => [id, tree.children[id][best.left ? 0 : 1]]),
  );
  for (let row = 0; row < leafOf.length; row++) {
    leafOf[row] = moved[row] >= 0 ? moved[row] : missing.get(leafOf[row]) ?? leafOf[row];
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
