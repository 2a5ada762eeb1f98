/**
 * How often rows come to the nodes of trees, as far as one can tell from the tests alone: the cuts of
 * a feature are taken for its quantiles, and features for independent of each other.
 *
 * @module
 */
import type { Packed } from "../../packed.ts";

/** Least share of a side. */
const LEAST = 0.005;

/** Shares of rows by inner nodes; `firstNode` has the first one of each tree. */
export function sharesOf(packed: Packed, firstNode: Int32Array): Float64Array {
  const { feat2, cut, size, treeNodes, dictSize, setWords } = packed;
  const shares = new Float64Array(size.length);
  // Between which cuts of each feature rows are that come to a node.
  const low = new Float64Array(dictSize.length);
  const high = Float64Array.from(dictSize);
  firstNode.forEach((first, tree) => descend(first, treeNodes[tree], 1));
  return shares;

  function descend(j: number, n: number, share: number): void {
    if (n === 0) return;
    shares[j] = share;
    const f = feat2[j] >>> 1;
    const s = size[j];
    if (setWords[f] > 0) {
      descend(j + 1, s - 1, share / 2);
      descend(j + s, n - s, share / 2);
      return;
    }
    const [from, to] = [low[f], high[f]];
    const at = cut[j] + 0.5;
    const left = Math.min(1 - LEAST, Math.max(LEAST, (at - from) / (to - from)));
    high[f] = at;
    descend(j + 1, s - 1, share * left);
    high[f] = to;
    low[f] = at;
    descend(j + s, n - s, share * (1 - left));
    low[f] = from;
  }
}
