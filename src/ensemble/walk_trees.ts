/**
 * Rows of a dataset down the trees of an ensemble, by value: for trees that did not grow on the
 * bins of the data at hand.
 *
 * @module
 */
import { columnByName } from "../binning/bins.ts";
import type { Dataset } from "../data/types.ts";
import { ParameterError } from "../errors.ts";
import { NodeKind, type Trees } from "../model/types.ts";

/** Writes the node (index in `trees`) at which each row ends. */
export type TreeWalk = (tree: number, out: Int32Array) => void;

/**
 * Makes a walk over a dataset whose features are those of the trees, in order; categories are codes
 * of one vocabulary.
 *
 * @throws {ParameterError} `E_PARAM_CONFLICT` for kinds of node that boosting does not make.
 */
export function createTreeWalk(trees: Trees, data: Dataset, names: readonly string[]): TreeWalk {
  for (const kind of trees.kind) {
    if (kind !== NodeKind.leaf && kind !== NodeKind.threshold && kind !== NodeKind.subset) {
      throw new ParameterError(
        "E_PARAM_CONFLICT",
        "Cannot go on from this model: it has splits that boosting does not make",
      );
    }
  }
  const columns = names.map((name, i) => columnByName(data, name, i));
  return (tree, out) => {
    const root = trees.treeStart[tree];
    for (let row = 0; row < data.numRows; row++) {
      let node = root;
      while (trees.kind[node] !== NodeKind.leaf) {
        const column = columns[trees.feature[node]];
        let branch: number;
        if (column.kind === "numeric") {
          const value = column.values[row];
          branch = value !== value ? trees.missing[node] : value <= trees.threshold[node] ? 0 : 1;
        } else {
          const code = column.codes[row];
          const word = trees.categoryPool[trees.categoryAt[node] + (code >>> 5)];
          branch = code < 0 ? trees.missing[node] : 1 - ((word >>> (code & 31)) & 1);
        }
        node = trees.firstChild[node] + branch;
      }
      out[row] = node;
    }
  };
}
