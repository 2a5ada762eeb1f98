/**
 * Pruning on rows that the tree has not seen.
 *
 * Quinlan, "Simplifying Decision Trees", International Journal of Man-Machine Studies 27 (1987):
 * reduced-error pruning; Breiman et al. 1984, section 3.4: the best tree of the pruning sequence
 * on a test sample.
 *
 * @module
 */
import { branchOfRow, collapseNode, type GrownTree, reachableNodes } from "../tree/tree.ts";
import { pruneCostComplexity, pruneSequence } from "./cost_complexity.ts";

/** Loss that each held-out row costs where it stops. */
export type NodeLoss = (node: number, row: number) => number;

/**
 * Loss of every node as a leaf over the held-out rows that reach it. The frame of the tree must
 * hold those rows.
 */
export function holdoutLosses(tree: GrownTree, rows: Int32Array, lossOf: NodeLoss): Float64Array {
  const losses = new Float64Array(tree.numNodes);
  for (const row of rows) {
    let node = 0;
    for (;;) {
      losses[node] += lossOf(node, row);
      if (tree.numBranches[node] === 0) break;
      const branch = branchOfRow(tree, node, row);
      if (branch >= tree.numBranches[node]) break;
      node = tree.firstChild[node] + branch;
    }
  }
  return losses;
}

/** Bottom-up: a node becomes a leaf where that does not cost more on the held-out rows. */
export function pruneReducedError(tree: GrownTree, losses: Float64Array): void {
  const best = new Float64Array(tree.numNodes);
  const nodes = reachableNodes(tree);
  for (let i = nodes.length - 1; i >= 0; i--) {
    const node = nodes[i];
    let below = 0;
    for (let b = 0; b < tree.numBranches[node]; b++) below += best[tree.firstChild[node] + b];
    if (tree.numBranches[node] === 0 || losses[node] <= below) {
      best[node] = losses[node];
      if (tree.numBranches[node] > 0) collapseNode(tree, node);
    } else best[node] = below;
  }
}

/**
 * Takes the tree of the weakest-link sequence that loses least on the held-out rows (the smaller on
 * ties).
 *
 * @param risk Training risk of each node, which makes the sequence.
 * @param losses Loss of each node on the held-out rows.
 * @returns α of the chosen tree.
 */
export function pruneByValidation(
  tree: GrownTree,
  risk: Float64Array,
  losses: Float64Array,
): number {
  const { steps } = pruneSequence(tree, risk);
  let current = 0;
  const below = new Float64Array(tree.numNodes);
  const nodes = reachableNodes(tree);
  for (let i = nodes.length - 1; i >= 0; i--) {
    const node = nodes[i];
    if (tree.numBranches[node] === 0) below[node] = losses[node];
    for (let b = 0; b < tree.numBranches[node]; b++) {
      below[node] += below[tree.firstChild[node] + b];
    }
  }
  current = below[0];
  let least = current;
  let alpha = -1;
  for (let i = 1; i < steps.length; i++) {
    const { node } = steps[i];
    const change = losses[node] - below[node];
    for (let up = node; up >= 0; up = tree.parent[up]) below[up] += change;
    current = below[0];
    const last = i === steps.length - 1 || steps[i + 1].alpha > steps[i].alpha;
    if (last && current <= least + 1e-12 * Math.abs(least)) {
      least = current;
      alpha = steps[i].alpha;
    }
  }
  if (alpha >= 0) pruneCostComplexity(tree, risk, alpha);
  return Math.max(0, alpha);
}
