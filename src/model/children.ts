/**
 * How many children a node has. Apart from trees.ts, so that what scores does not carry what builds trees.
 *
 * @module
 */
import { NodeKind, type Trees } from "./types.ts";

/**
 * Number of children of each node: two, or for multiway nodes one more than the largest branch in
 * their table.
 *
 * @param numCategories K of the node's feature; only needed for multiway nodes.
 */
export function numChildren(trees: Trees, node: number, numCategories = 0): number {
  if (trees.kind[node] === NodeKind.leaf) return 0;
  if (trees.kind[node] !== NodeKind.multiway) return 2;
  let most = 0;
  for (let i = 0; i <= numCategories; i++) {
    const branch = trees.categoryPool[trees.categoryAt[node] + i];
    if (branch !== 0xffffffff) most = Math.max(most, branch + 1);
  }
  return most;
}
