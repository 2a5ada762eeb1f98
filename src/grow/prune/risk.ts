/**
 * The risk of each node as a leaf: what pruning weighs against size.
 *
 * @module
 */
import type { GrownTree } from "../tree/tree.ts";

/** Risks that pruning knows. */
export type RiskName = "impurity" | "misclassification";

/** Loss of predicting class `j` for class `i`: entry `i × numClasses + j`. */
export type LossMatrix = Float64Array;

/** Loss 1 for every wrong class. */
export function zeroOneLoss(numClasses: number): LossMatrix {
  const loss = new Float64Array(numClasses * numClasses).fill(1);
  for (let k = 0; k < numClasses; k++) loss[k * numClasses + k] = 0;
  return loss;
}

/** Class of least expected loss, on ties the earlier, and that loss. */
export function cheapestClass(
  stats: Float64Array,
  at: number,
  numClasses: number,
  loss: LossMatrix,
): { readonly label: number; readonly loss: number } {
  let label = 0;
  let least = Infinity;
  for (let j = 0; j < numClasses; j++) {
    let sum = 0;
    for (let i = 0; i < numClasses; i++) sum += stats[at + i] * loss[i * numClasses + j];
    if (sum < least) {
      least = sum;
      label = j;
    }
  }
  return { label, loss: least };
}

/**
 * Risk of every node, in units of weight: weight × impurity, or expected loss of the best class
 * (the sum of squares for regression, which is the same as the first).
 */
export function nodeRisks(tree: GrownTree, risk: RiskName, loss?: LossMatrix): Float64Array {
  const { criterion, channels, stats, numNodes, source } = tree;
  const risks = new Float64Array(numNodes);
  if (risk === "misclassification" && source.kind === "class") {
    const matrix = loss ?? zeroOneLoss(source.numClasses);
    for (let node = 0; node < numNodes; node++) {
      risks[node] = cheapestClass(stats, node * channels, source.numClasses, matrix).loss;
    }
    return risks;
  }
  for (let node = 0; node < numNodes; node++) {
    risks[node] = tree.cover[node] * criterion.impurity(stats, node * channels);
  }
  return risks;
}
