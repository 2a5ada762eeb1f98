/**
 * Trees in the order in which fast scorers take them: all of output 0, then all of output 1, each in
 * the order of the model, so that sums run as they must and a running sum stays in a register.
 *
 * @module
 */
import type { Packed, Rules } from "../packed.ts";

/** Trees by output. */
export interface Groups {
  /** Trees in new order. */
  readonly order: Int32Array;
  /** Where each output's trees begin in `order`; one more entry at the end. */
  readonly start: Int32Array;
  /** Position in `order` after the last tree of output `k` that is among the first `numTrees`. */
  end(output: number, numTrees: number): number;
  /** First inner node of each tree, in model order; its first leaf is that plus the tree's number. */
  readonly firstNode: Int32Array;
}

/** Sorts the trees of an ensemble; leaves of several outputs are one group. */
export function groupTrees(packed: Packed, rules: Rules): Groups {
  const numTrees = packed.treeNodes.length;
  const numGroups = rules.leafWidth === 1 ? rules.numOutputs : 1;
  const start = new Int32Array(numGroups + 1);
  for (let t = 0; t < numTrees; t++) start[rules.treeOutput[t] + 1]++;
  for (let k = 0; k < numGroups; k++) start[k + 1] += start[k];
  const next = start.slice();
  const order = new Int32Array(numTrees);
  const firstNode = new Int32Array(numTrees);
  let node = 0;
  for (let t = 0; t < numTrees; t++) {
    order[next[rules.treeOutput[t]]++] = t;
    firstNode[t] = node;
    node += packed.treeNodes[t];
  }
  return {
    order,
    start,
    firstNode,
    end(output, count) {
      let end = start[output + 1];
      while (end > start[output] && order[end - 1] >= count) end--;
      return end;
    },
  };
}
