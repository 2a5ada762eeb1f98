/**
 * In which order inner nodes become leaves where a file has to get smaller, and what value they get.
 *
 * Minimal cost-complexity pruning: the subtree goes first whose leaves tell least, each, of what the
 * training rows below got. Breiman, Friedman, Olshen & Stone, "Classification and Regression Trees",
 * 1984, section 3.3. All trees of an ensemble share one order.
 *
 * @module
 */
import type { Trees } from "../../model/types.ts";

/** How nodes weigh, and the mean of what is below them. */
export interface Subtrees {
  /** Share of its tree's rows that come to each node. */
  readonly share: Float64Array;
  /** Mean of the leaves below, `node × leafWidth`. */
  readonly mean: Float64Array;
}

/**
 * Weighs nodes by their covers; where the file has none, all branches of a node alike.
 *
 * @param children Number of children of each node, 0 for leaves.
 */
export function weighSubtrees(
  { firstChild, cover, leaf, treeStart }: Trees,
  leafWidth: number,
  children: Uint32Array,
): Subtrees {
  const numNodes = cover.length;
  const share = new Float64Array(numNodes);
  const part = new Float64Array(numNodes);
  for (let t = 0; t + 1 < treeStart.length; t++) share[treeStart[t]] = 1;
  for (let node = 0; node < numNodes; node++) {
    const [first, count] = [firstChild[node], children[node]];
    let total = 0;
    for (let child = first; child < first + count; child++) {
      total += cover[child] >= 0 ? cover[child] : NaN;
    }
    const known = total > 0 && total < Infinity;
    for (let child = first; child < first + count; child++) {
      part[child] = known ? cover[child] / total : 1 / count;
      share[child] = share[node] * part[child];
    }
  }
  const mean = leaf.slice();
  for (let node = numNodes - 1; node >= 0; node--) {
    const [first, count] = [firstChild[node], children[node]];
    for (let k = 0; count > 0 && k < leafWidth; k++) {
      let [sum, least, most] = [0, Infinity, -Infinity];
      for (let child = first; child < first + count; child++) {
        const value = mean[child * leafWidth + k];
        sum += part[child] * value;
        least = Math.min(least, value);
        most = Math.max(most, value);
      }
      mean[node * leafWidth + k] = Math.min(Math.max(sum, least), most);
    }
  }
  return { share, mean };
}

/**
 * What the split of each node tells: the mean square of its children's means around its own, of all
 * rows of the tree. Leaves tell nothing.
 *
 * @param scales Factor on the values of each tree.
 */
export function splitSpreads(
  trees: Trees,
  leafWidth: number,
  children: Uint32Array,
  { share, mean }: Subtrees,
  scales: Float64Array,
): Float64Array {
  const spread = new Float64Array(trees.kind.length);
  for (let t = 0; t + 1 < trees.treeStart.length; t++) {
    for (let node = trees.treeStart[t]; node < trees.treeStart[t + 1]; node++) {
      const [first, count] = [trees.firstChild[node], children[node]];
      for (let i = first * leafWidth; count > 0 && i < (first + count) * leafWidth; i++) {
        const child = Math.floor(i / leafWidth);
        const off = mean[i] * scales[t] - mean[i + (node - child) * leafWidth] * scales[t];
        spread[node] += share[child] * off * off;
      }
    }
  }
  return spread;
}

/**
 * Inner nodes in the order in which they become leaves, those below before those above.
 *
 * @param tells What each split tells. A node's price is the mean over its weakest links: prices are the
 * isotonic regression of `tells` that falls from parents to children, by pooling adjacent violators.
 */
export function weakestFirst(
  { firstChild }: Trees,
  children: Uint32Array,
  tells: Float64Array,
): Int32Array {
  const numNodes = tells.length;
  const sum = tells.slice();
  const leaves = new Float64Array(numNodes).fill(1);
  const priceOf = (block: number) => sum[block] / leaves[block];
  // Leftist heaps of the blocks right below each block, the dearest on top; a block is its top node.
  const none = () => new Int32Array(numNodes).fill(-1);
  const [left, right, below] = [none(), none(), none()];
  const rank = new Int32Array(numNodes).fill(1);
  const rankOf = (block: number) => block < 0 ? 0 : rank[block];
  const meld = (a: number, b: number): number => {
    if (a < 0 || b < 0) return Math.max(a, b);
    if (priceOf(b) > priceOf(a)) [a, b] = [b, a];
    right[a] = meld(right[a], b);
    if (rankOf(left[a]) < rankOf(right[a])) [left[a], right[a]] = [right[a], left[a]];
    rank[a] = 1 + rankOf(right[a]);
    return a;
  };
  for (let node = numNodes - 1; node >= 0; node--) {
    const [first, count] = [firstChild[node], children[node]];
    if (count > 1) leaves[node] = count - 1;
    let heap = -1;
    for (let child = first; child < first + count; child++) {
      if (children[child] > 0) heap = meld(heap, child);
    }
    while (heap >= 0 && priceOf(heap) > priceOf(node)) {
      sum[node] += sum[heap];
      leaves[node] += leaves[heap];
      heap = meld(meld(left[heap], right[heap]), below[heap]);
    }
    below[node] = heap;
  }
  const price = tells.map((_, node) => priceOf(node));
  for (let node = 0; node < numNodes; node++) {
    const [first, count] = [firstChild[node], children[node]];
    for (let child = first; child < first + count; child++) {
      price[child] = Math.min(price[child], price[node]);
    }
  }
  return inOrder(price, (node) => children[node] > 0);
}

/** The nodes that `may` become leaves by their price; of equal ones the last first, so children. */
export function inOrder(price: Float64Array, may: (node: number) => boolean): Int32Array {
  const nodes = Int32Array.from(price.keys()).filter(may);
  return nodes.sort((a, b) => price[a] - price[b] || b - a);
}

/** What the first steps of an order tell together: none, one, two … */
export function sumsOf(order: Int32Array, tells: Float64Array): Float64Array {
  const sums = new Float64Array(order.length + 1);
  order.forEach((node, i) => sums[i + 1] = sums[i] + tells[node]);
  return sums;
}
