/**
 * Sends rows down one split, with C4.5's shares for missing values.
 *
 * @module
 */
import { MissingBranch } from "../../model/types.ts";
import { branchOfRow, type GrownTree } from "./tree.ts";

/** Rows and the share of each; undefined shares are all 1. */
export interface SharedRows {
  readonly rows: Int32Array;
  readonly share: Float64Array | undefined;
}

/** Shares below this are dropped (Weka's notion of zero). */
const SMALL = 1e-6;

/** Rows of every branch, in the order of the rows; missing values by the split's own policy. */
export function sendRows(tree: GrownTree, node: number, all: SharedRows): SharedRows[] {
  const { rows, share } = all;
  const { source } = tree;
  const count = tree.numBranches[node];
  const column = tree.frame.features[tree.feature[node]];
  const fractional = tree.missing[node] === MissingBranch.fractional;
  const known = new Float64Array(count);
  let total = 0;
  const branches = new Int32Array(rows.length);
  for (let i = 0; i < rows.length; i++) {
    const missing = column.codes[rows[i]] === column.numCodes;
    // Beyond the last branch: the row stops at the node.
    const branch = missing && fractional ? -1 : Math.min(count, branchOfRow(tree, node, rows[i]));
    branches[i] = branch;
    if (branch < 0 || branch === count) continue;
    const weight = (source.weight?.[rows[i]] ?? 1) * (share?.[i] ?? 1);
    known[branches[i]] += weight;
    total += weight;
  }
  const childRows: number[][] = Array.from({ length: count }, () => []);
  const childShare: number[][] = Array.from({ length: count }, () => []);
  let whole = share === undefined;
  for (let i = 0; i < rows.length; i++) {
    if (branches[i] === count) continue;
    const held = share?.[i] ?? 1;
    if (branches[i] >= 0) {
      childRows[branches[i]].push(rows[i]);
      childShare[branches[i]].push(held);
      continue;
    }
    whole = false;
    for (let b = 0; b < count; b++) {
      const part = total > SMALL ? known[b] / total : 1 / count;
      if (!(part > SMALL)) continue;
      childRows[b].push(rows[i]);
      childShare[b].push(held * part);
    }
  }
  return childRows.map((list, b) => ({
    rows: Int32Array.from(list),
    share: whole ? undefined : Float64Array.from(childShare[b]),
  }));
}
