/**
 * Form Z (packed.ts) → `Trees`, for explanations, exports and plots.
 *
 * @module
 */
import type { NodeStats, Packed, Rules } from "./packed.ts";
import { type Ensemble, NodeKind, type Trees } from "./types.ts";

/** Unpacks all trees; nodes get the numbers that `packTrees` gives them. */
export function unpack(packed: Packed, stats: NodeStats, rules: Rules): Ensemble {
  const { treeNodes, feat2, cut, size, dictAt, setWords, cuts, sets, leaves, leafIndex } = packed;
  const { leafWidth } = rules;
  const numTrees = treeNodes.length;
  const numNodes = 2 * feat2.length + numTrees;
  const trees: Trees = {
    treeStart: new Int32Array(numTrees + 1),
    kind: new Uint8Array(numNodes),
    feature: new Int32Array(numNodes).fill(-1),
    threshold: new Float64Array(numNodes),
    firstChild: new Int32Array(numNodes).fill(-1),
    missing: new Uint8Array(numNodes),
    categoryAt: new Int32Array(numNodes).fill(-1),
    categoryPool: sets,
    leaf: new Float64Array(numNodes * leafWidth).fill(NaN),
    cover: Float64Array.from(stats.cover ?? new Float64Array(numNodes)),
    gain: new Float64Array(numNodes),
  };
  let j = 0;
  let leaf = 0;
  let placed = 0;
  for (let t = 0; t < numTrees; t++) {
    trees.treeStart[t] = placed;
    // Open subtrees: node number and inner nodes.
    const stack = [placed++, treeNodes[t]];
    while (stack.length > 0) {
      const inner = stack.pop()!;
      const node = stack.pop()!;
      if (inner === 0) {
        const from = (leafIndex === undefined ? leaf : leafIndex[leaf]) * leafWidth;
        for (let k = 0; k < leafWidth; k++) trees.leaf[node * leafWidth + k] = leaves[from + k];
        leaf++;
        continue;
      }
      const f = feat2[j] >>> 1;
      trees.feature[node] = f;
      trees.missing[node] = feat2[j] & 1;
      trees.firstChild[node] = placed;
      if (setWords[f] === 0) {
        trees.kind[node] = NodeKind.threshold;
        trees.threshold[node] = cuts[dictAt[f] + cut[j]];
      } else {
        trees.kind[node] = NodeKind.subset;
        trees.categoryAt[node] = dictAt[f] + cut[j] * setWords[f];
      }
      if (stats.gain !== undefined) trees.gain[node] = stats.gain[j];
      if (stats.value !== undefined) {
        for (let k = 0; k < leafWidth; k++) {
          trees.leaf[node * leafWidth + k] = stats.value[j * leafWidth + k];
        }
      }
      stack.push(placed + 1, inner - size[j], placed, size[j] - 1);
      placed += 2;
      j++;
    }
  }
  trees.treeStart[numTrees] = placed;
  return { ...rules, trees };
}
