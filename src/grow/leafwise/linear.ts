/**
 * Linear leaves in LightGBM's arithmetic: values and derivatives are float32.
 *
 * `linear_tree_learner.cpp` of release 4.6.0.
 *
 * @module
 */
import { fitLeaves, type LinearColumns, pathFeatures, type TreeTerms } from "../linear_leaves.ts";
import type { LeafwiseDerivatives } from "./math.ts";
import type { LeafwiseTree } from "./tree.ts";

/**
 * Makes the fitter of a training set: from a tree to the models of its leaves.
 *
 * @param columns Values as float32.
 * @param lambda Ridge penalty of the coefficients; the constant has none.
 * @param rate Learning rate, which the models are multiplied by.
 */
export function linearFitter(
  columns: LinearColumns,
  lambda: number,
  rate: number,
): (grown: LeafwiseTree, derivatives: LeafwiseDerivatives) => TreeTerms {
  const hasMissing = columns.map((column) => column?.some((value) => value !== value) === true);
  return ({ tree: { children, feature }, leafOf }, { gradient, hessian }) => {
    const split = (node: number) =>
      children[node].length === 0
        ? undefined
        : { feature: feature[node], children: children[node] };
    const paths = pathFeatures(children.length, split, columns);
    const counts = paths.some((path) => path?.some((f) => hasMissing[f])) ? "values" : "rows";
    return fitLeaves({ columns, paths, leafOf, gradient, hessian, lambda, rate, counts });
  };
}
