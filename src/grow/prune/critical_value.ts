/**
 * Critical-value pruning: a node stays only if it, or a node below it, gained more than a critical
 * value when it was split.
 *
 * Mingers, "Expert Systems: Rule Induction with Statistical Data", Journal of the Operational
 * Research Society 38 (1987).
 *
 * @module
 */
import { collapseNode, type GrownTree, reachableNodes } from "../tree/tree.ts";

/** @param critical Gain per unit of the node's weight. */
export function pruneCriticalValue(tree: GrownTree, critical: number): void {
  const keeps = new Uint8Array(tree.numNodes);
  const nodes = reachableNodes(tree);
  for (let i = nodes.length - 1; i >= 0; i--) {
    const node = nodes[i];
    if (tree.numBranches[node] === 0) continue;
    let keep = tree.gain[node] > critical * tree.cover[node];
    for (let b = 0; b < tree.numBranches[node]; b++) {
      if (keeps[tree.firstChild[node] + b]) keep = true;
    }
    if (keep) keeps[node] = 1;
    else collapseNode(tree, node);
  }
}
