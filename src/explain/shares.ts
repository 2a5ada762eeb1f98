/**
 * The share of a node's rows that each child received: the background distribution of
 * path-dependent SHAP.
 *
 * @module
 */
import { ParameterError } from "../errors.ts";
import type { Model } from "../model/model.ts";
import type { PredictInput } from "../model/encode.ts";
import { childCount } from "./branch.ts";

/**
 * Share of every node in its parent's weight; shares of siblings add up to 1, the root's is 1.
 *
 * @param background Rows to count where the file knows no weights; preferred over stored ones.
 * @throws {ParameterError} `E_PARAM_CONFLICT` when a tree has no weights and no rows are given,
 * `E_PARAM_RANGE` for a background of none.
 */
export function nodeShares(model: Model, background?: PredictInput): Float64Array {
  const { trees } = model.ensemble;
  const cover = background === undefined ? trees.cover : countRows(model, background);
  const numNodes = trees.kind.length;
  const share = new Float64Array(numNodes).fill(1);
  const known = background === undefined ? treesWithWeights(model) : [];
  const unknown = known.filter((isKnown) => !isKnown).length;
  if (unknown > 0) {
    throw new ParameterError(
      "E_PARAM_CONFLICT",
      unknown === known.length
        ? "Cannot explain this model: its file stores no node weights; give background rows to count them"
        : `Cannot explain this model: ${unknown} of its trees have no node weights; give background rows to count them`,
    );
  }
  for (let node = 0; node < numNodes; node++) {
    const first = trees.firstChild[node];
    if (first < 0) continue;
    const end = first + childCount(trees, model.schema, node);
    let total = 0;
    for (let child = first; child < end; child++) total += cover[child];
    for (let child = first; child < end; child++) {
      share[child] = total > 0 ? cover[child] / total : 1 / (end - first);
    }
  }
  return share;
}

/** Whether the nodes of each tree that splits have weights; continued models may have some of both. */
function treesWithWeights({ ensemble: { trees } }: Model): boolean[] {
  const known: boolean[] = [];
  for (let t = 0; t + 1 < trees.treeStart.length; t++) {
    const [start, end] = [trees.treeStart[t], trees.treeStart[t + 1]];
    if (end - start > 1) known.push(trees.cover.subarray(start, end).some((cover) => cover > 0));
  }
  return known;
}

/** Rows that reach each node. */
function countRows(model: Model, background: PredictInput): Float64Array {
  const { trees } = model.ensemble;
  const { data, rows, cols } = model.predictLeaf(background);
  if (rows === 0) {
    throw new ParameterError(
      "E_PARAM_RANGE",
      "Cannot use a background of no rows: expected rows that say how often each branch is taken",
      { details: { param: "background", value: 0 } },
    );
  }
  const count = new Float64Array(trees.kind.length);
  for (let r = 0; r < rows; r++) {
    for (let t = 0; t < cols; t++) count[trees.treeStart[t] + data[r * cols + t]]++;
  }
  // Children come after their parent, so one pass backwards adds them up.
  for (let node = trees.kind.length - 1; node >= 0; node--) {
    const first = trees.firstChild[node];
    if (first < 0) continue;
    const end = first + childCount(trees, model.schema, node);
    for (let child = first; child < end; child++) count[node] += count[child];
  }
  return count;
}
