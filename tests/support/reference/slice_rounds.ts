/**
 * A model of some rounds of another: what `iteration_range` and `start_iteration` of the libraries do.
 *
 * @module
 */
import { createModel, type Model } from "../../../src/model/model.ts";

/** Rounds `from … to − 1` as a model of their own. */
export function sliceRounds(model: Model, from: number, to: number): Model {
  const { ensemble } = model;
  const { trees, treesPerRound, leafWidth } = ensemble;
  const first = from * treesPerRound;
  const last = to * treesPerRound;
  const [a, b] = [trees.treeStart[first], trees.treeStart[last]];
  return createModel({
    schema: model.schema,
    info: model.info,
    ensemble: {
      ...ensemble,
      treeOutput: ensemble.treeOutput.slice(first, last),
      treeWeight: ensemble.treeWeight.slice(first, last),
      trees: {
        treeStart: trees.treeStart.slice(first, last + 1).map((start) => start - a),
        kind: trees.kind.slice(a, b),
        feature: trees.feature.slice(a, b),
        threshold: trees.threshold.slice(a, b),
        firstChild: trees.firstChild.slice(a, b).map((child) => child < 0 ? child : child - a),
        missing: trees.missing.slice(a, b),
        categoryAt: trees.categoryAt.slice(a, b),
        categoryPool: trees.categoryPool,
        leaf: trees.leaf.slice(a * leafWidth, b * leafWidth),
        cover: trees.cover.slice(a, b),
        gain: trees.gain.slice(a, b),
      },
    },
  });
}
