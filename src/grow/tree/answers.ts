/**
 * What a grown tree answers to training rows: the value of one leaf, or of several by share where a
 * value is missing and goes to all branches (C4.5).
 *
 * @module
 */
import { valuedNode } from "./pack.ts";
import { branchOfCode, type GrownTree } from "./tree.ts";

/** Writes the answer to `row`, with the value that row `other` has in `feature` (−1: its own). */
export type Answers = (row: number, feature: number, other: number, out: Float64Array) => void;

/**
 * Answers of a tree, `leafWidth` numbers each: those that its packed form gives.
 *
 * @param valueAt Value of a node; that of the criterion when absent.
 */
export function createAnswers(
  tree: GrownTree,
  valueAt?: (node: number, out: Float64Array) => void,
): Answers {
  const { criterion, frame, firstChild, numBranches, cover } = tree;
  const { leafWidth } = criterion;
  const read = valueAt ??
    ((node, out) => criterion.leafValue(tree.stats, node * tree.channels, out));
  const value = new Float64Array(leafWidth);

  function gather(
    from: number,
    row: number,
    feature: number,
    other: number,
    share: number,
    out: Float64Array,
  ): void {
    let node = from;
    while (numBranches[node] > 0) {
      const tested = tree.feature[node];
      const code = frame.features[tested].codes[tested === feature ? other : row];
      const branch = branchOfCode(tree, node, code, row);
      const first = firstChild[node];
      const end = first + numBranches[node];
      if (branch < numBranches[node]) {
        node = first + branch;
        continue;
      }
      let total = 0;
      for (let child = first; child < end; child++) total += cover[child];
      for (let child = first; child < end; child++) {
        const part = total > 0 ? cover[child] / total : 1 / (end - first);
        if (part > 0) gather(child, row, feature, other, share * part, out);
      }
      return;
    }
    read(valuedNode(tree, node), value);
    for (let k = 0; k < leafWidth; k++) out[k] += share * value[k];
  }

  return (row, feature, other, out) => {
    out.fill(0);
    gather(0, row, feature, other, 1, out);
  };
}
