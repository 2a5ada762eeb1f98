/**
 * Proof that finished trees keep monotone constraints: for every pair of leaves that rows which
 * differ in one constrained feature only can reach, the values are in order.
 *
 * Two such rows part at a node that is split on that feature (at any other they go the same way), so
 * that it is enough that no leaf on the lower side of such a node is above a leaf on the other side.
 * All leaves of a node are bounded in one pass, children before parents. A missing value has no
 * place in the order: it may go to either side.
 *
 * @module
 */
import { TrainingError } from "../errors.ts";
import { type Ensemble, NodeKind } from "../model/types.ts";

/**
 * Proves all trees.
 *
 * @param monotone Direction of each feature: 1, −1 or 0.
 * @throws {TrainingError} `E_TRAIN_NUMERIC` naming tree, node and feature where it does not hold.
 */
export function proveMonotone(
  { trees, treeWeight }: Pick<Ensemble, "trees" | "treeWeight">,
  monotone: ArrayLike<number>,
): void {
  const { treeStart, kind, feature, firstChild, leaf } = trees;
  const least = new Float64Array(kind.length);
  const most = new Float64Array(kind.length);
  for (let t = 0; t < treeWeight.length; t++) {
    // Parents come before their children.
    for (let node = treeStart[t + 1] - 1; node >= treeStart[t]; node--) {
      const low = firstChild[node];
      if (low < 0) {
        least[node] = most[node] = leaf[node];
        continue;
      }
      const high = low + 1;
      least[node] = Math.min(least[low], least[high]);
      most[node] = Math.max(most[low], most[high]);
      const direction = kind[node] === NodeKind.threshold ? monotone[feature[node]] : 0;
      const kept = direction === 0 ||
        (direction > 0 ? most[low] <= least[high] : least[low] >= most[high]);
      if (kept && treeWeight[t] >= 0) continue;
      throw new TrainingError(
        "E_TRAIN_NUMERIC",
        `Cannot prove the model monotone: tree ${t + 1} has leaves out of order below node ` +
          `${node - treeStart[t]}, which is split on feature ${feature[node] + 1}`,
        { details: { tree: t, node: node - treeStart[t], feature: feature[node] } },
      );
    }
  }
}
