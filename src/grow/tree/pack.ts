/**
 * A grown tree as `Trees`: preorder of parents with siblings adjacent, whatever the order of growth.
 *
 * @module
 */
import type { Trees } from "../../model/types.ts";
import type { GrownTree } from "./tree.ts";

/** What to write into nodes. */
export interface PackOptions {
  /** Whether inner nodes hold their own value too. @default true */
  readonly innerValues?: boolean;
  /** Value of a node instead of the criterion's, length `leafWidth`. */
  readonly value?: (node: number, out: Float64Array) => void;
  readonly leafWidth?: number;
}

/** Nodes in the order in which they are packed, and the packed first child of each. */
export function packOrder(
  tree: GrownTree,
): { readonly order: readonly number[]; readonly firstChild: readonly number[] } {
  const order: number[] = [0];
  const placeOf: number[] = [];
  placeOf[0] = 0;
  const firstChild: number[] = [];
  const stack = [0];
  while (stack.length > 0) {
    const node = stack.pop()!;
    const first = tree.firstChild[node];
    const branches = tree.numBranches[node];
    firstChild[placeOf[node]] = branches > 0 ? order.length : -1;
    for (let b = 0; b < branches; b++) {
      placeOf[first + b] = order.length;
      order.push(first + b);
    }
    for (let b = branches - 1; b >= 0; b--) stack.push(first + b);
  }
  return { order, firstChild };
}

/** Packs one tree. Empty nodes take the value of their parent. */
export function packGrown(tree: GrownTree, options: PackOptions = {}): Trees {
  const width = options.leafWidth ?? tree.criterion.leafWidth;
  const { order, firstChild } = packOrder(tree);
  let poolSize = 0;
  for (const node of order) poolSize += tree.categories[node]?.length ?? 0;
  const n = order.length;
  const trees = {
    treeStart: new Int32Array([0, n]),
    kind: new Uint8Array(n),
    feature: new Int32Array(n),
    threshold: new Float64Array(n),
    firstChild: new Int32Array(n),
    missing: new Uint8Array(n),
    categoryAt: new Int32Array(n).fill(-1),
    categoryPool: new Uint32Array(poolSize),
    leaf: new Float64Array(n * width),
    cover: new Float64Array(n),
    gain: new Float64Array(n),
  };
  const value = new Float64Array(width);
  const valueAt = options.value ??
    ((node: number, out: Float64Array) =>
      tree.criterion.leafValue(tree.stats, node * tree.channels, out));
  const inner = options.innerValues !== false;
  let pool = 0;
  for (let place = 0; place < n; place++) {
    const node = order[place];
    const isLeaf = tree.numBranches[node] === 0;
    trees.kind[place] = tree.kind[node];
    trees.feature[place] = tree.feature[node];
    trees.threshold[place] = tree.threshold[node];
    trees.firstChild[place] = firstChild[place];
    trees.missing[place] = tree.missing[node];
    trees.cover[place] = tree.cover[node];
    trees.gain[place] = tree.gain[node];
    const categories = tree.categories[node];
    if (categories !== undefined) {
      trees.categoryAt[place] = pool;
      trees.categoryPool.set(categories, pool);
      pool += categories.length;
    }
    if (isLeaf || inner) {
      valueAt(valuedNode(tree, node), value);
      trees.leaf.set(value, place * width);
    } else trees.leaf.fill(NaN, place * width, (place + 1) * width);
  }
  return trees;
}

/** The node itself, or its nearest ancestor that any weight reached: the one whose value it has. */
export function valuedNode(tree: GrownTree, node: number): number {
  while (tree.parent[node] >= 0 && !(tree.cover[node] > 0)) node = tree.parent[node];
  return node;
}
