/**
 * What a score takes of the value of each tree: its weight, and of averages its share.
 *
 * @module
 */
import type { Ensemble } from "../../model/types.ts";

/** Sum of the weights of the trees of each output. */
export function weightsOf(
  { leafWidth, numOutputs, treeOutput, treeWeight }: Ensemble,
): Float64Array {
  const totals = new Float64Array(numOutputs);
  for (let t = 0; t < treeWeight.length; t++) {
    for (let k = 0; k < leafWidth; k++) {
      totals[leafWidth === 1 ? treeOutput[t] : k] += treeWeight[t];
    }
  }
  return totals;
}

/** What a score takes of each tree's value, in parts of the largest, for squares of 1e200 are infinite. */
export function scalesOf(
  ensemble: Ensemble,
): { readonly scales: Float64Array; readonly unit: number } {
  const { trees, leafWidth, treeOutput, treeWeight, aggregate } = ensemble;
  const totals = weightsOf(ensemble);
  // Weights of a median count values; those of all else scale them.
  const scales = treeWeight.map((weight, t) =>
    aggregate === "median"
      ? 1
      : weight / (aggregate === "average" && totals[leafWidth === 1 ? treeOutput[t] : 0] || 1)
  );
  let unit = 0;
  scales.forEach((scale, t) => {
    const end = trees.treeStart[t + 1] * leafWidth;
    for (let i = trees.treeStart[t] * leafWidth; i < end; i++) {
      const size = Math.abs(trees.leaf[i] * scale);
      if (size > unit) unit = size;
    }
  });
  if (!(unit > 0 && unit < Infinity)) unit = 1;
  return { scales: scales.map((scale) => scale / unit), unit };
}

/** The same ensemble with each leaf weighed and divided beforehand. */
export function asSum(ensemble: Ensemble): Ensemble {
  const { trees, leafWidth, treeOutput, treeWeight } = ensemble;
  const totals = weightsOf(ensemble);
  const leaf = trees.leaf.slice();
  const constant = ensemble.linear?.constant.slice();
  const termCoefficient = ensemble.linear?.termCoefficient.slice();
  for (let t = 0; t < treeWeight.length; t++) {
    const total = totals[leafWidth === 1 ? treeOutput[t] : 0];
    const factor = total > 0 ? treeWeight[t] / total : treeWeight[t];
    const end = trees.treeStart[t + 1] * leafWidth;
    for (let i = trees.treeStart[t] * leafWidth; i < end; i++) leaf[i] *= factor;
    if (ensemble.linear === undefined) continue;
    const [from, to] = [trees.treeStart[t], trees.treeStart[t + 1]];
    for (let node = from; node < to; node++) constant![node] *= factor;
    const { termStart } = ensemble.linear;
    for (let i = termStart[from]; i < termStart[to]; i++) termCoefficient![i] *= factor;
  }
  return {
    ...ensemble,
    trees: { ...trees, leaf },
    ...(ensemble.linear && {
      linear: { ...ensemble.linear, constant: constant!, termCoefficient: termCoefficient! },
    }),
    aggregate: "sum",
    treeWeight: new Float64Array(treeWeight.length).fill(1),
  };
}
