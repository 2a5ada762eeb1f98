/**
 * One tree as an ensemble.
 *
 * @module
 */
import type { Dataset } from "../data/types.ts";
import type { Ensemble, NumericProfile, Trees } from "../model/types.ts";

/** Treeline's own arithmetic: doubles throughout, `<=`. */
export const OWN_PROFILE: NumericProfile = {
  input: "f64",
  sum: "f64",
  base: "first",
  shownTest: "<=",
};

/** Number of values a leaf of a classic tree holds for this target. */
export function leafWidthOf(data: Dataset): number {
  return data.target?.kind === "classification" ? data.target.classes.length : 1;
}

/** A tree whose leaves hold class shares, or a number. */
export function singleTree(trees: Trees, data: Dataset): Ensemble {
  const width = leafWidthOf(data);
  return {
    trees,
    leafWidth: width,
    numOutputs: width,
    treeOutput: new Int32Array(1),
    treeWeight: new Float64Array([1]),
    treesPerRound: 1,
    aggregate: "sum",
    baseScore: new Float64Array(width),
    postprocess: { name: data.target?.kind === "classification" ? "proportions" : "identity" },
    profile: OWN_PROFILE,
  };
}
