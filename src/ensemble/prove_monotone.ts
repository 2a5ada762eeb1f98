/**
 * Proof that finished trees keep monotone constraints: for every pair of leaves that rows which
 * differ in one constrained feature only can reach, the values are in order.
 *
 * Two such rows part at a node that is split on that feature (at any other they go the same way).
 * Where no leaf on the lower side of such a node is above a leaf on the other side, that is enough;
 * all leaves of a node are bounded in one pass, children before parents. Otherwise both sides are
 * walked together, along what one row may hold of all other features. A missing value has no place in
 * the order: it may go to either side.
 *
 * @module
 */
import { TrainingError } from "../errors.ts";
import { type Ensemble, NodeKind, type Trees } from "../model/types.ts";

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
  const bounds = {
    least: new Float64Array(kind.length),
    most: new Float64Array(kind.length),
  };
  const { least, most } = bounds;
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
        (direction > 0
          ? keepsOrder(trees, bounds, low, high, feature[node])
          : keepsOrder(trees, bounds, high, low, feature[node]));
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

/** Values of one feature that two rows share: numbers above `low` up to `high`, and missing ones. */
interface Shared {
  readonly low: number;
  readonly high: number;
  readonly missing: boolean;
}

const ALL: Shared = { low: -Infinity, high: Infinity, missing: true };

/**
 * Whether no leaf below `small` is above a leaf below `large` that the same values of all features
 * but `free` reach.
 */
function keepsOrder(
  trees: Trees,
  { least, most }: { readonly least: Float64Array; readonly most: Float64Array },
  small: number,
  large: number,
  free: number,
): boolean {
  const { kind, feature, firstChild, threshold, missing } = trees;
  const shared = new Map<number, Shared>();
  const walk = (a: number, b: number): boolean => {
    if (most[a] <= least[b]) return true;
    const split = firstChild[a] >= 0 ? a : b;
    if (firstChild[split] < 0) return false;
    const f = feature[split];
    // Categories are followed as if every value went both ways: more is compared than must be.
    const ordered = kind[split] === NodeKind.threshold && f !== free;
    const before = shared.get(f);
    for (const side of [0, 1]) {
      if (ordered) {
        const range = before ?? ALL;
        const { low, high } = range;
        const part = {
          low: side === 0 ? low : Math.max(low, threshold[split]),
          high: side === 1 ? high : Math.min(high, threshold[split]),
          missing: range.missing && missing[split] === side,
        };
        if (part.low >= part.high && !part.missing) continue;
        shared.set(f, part);
      }
      const child = firstChild[split] + side;
      const kept = split === a ? walk(child, b) : walk(a, child);
      if (before === undefined) shared.delete(f);
      else shared.set(f, before);
      if (!kept) return false;
    }
    return true;
  };
  return walk(small, large);
}
