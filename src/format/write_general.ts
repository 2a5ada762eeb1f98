/**
 * Writes layout G of the tree section, which general.ts reads.
 *
 * @module
 */
import { numTrees } from "../model/trees.ts";
import type { Ensemble } from "../model/types.ts";
import type { Numbers } from "./bytes.ts";
import { LAYOUT_G, LINEAR, SURROGATES } from "./general.ts";
import { HEAD_WORDS } from "./packed.ts";

/** The arrays of a tree section in layout G. */
export function writeGeneral(ensemble: Ensemble): Numbers[] {
  const { trees, linear, surrogates } = ensemble;
  const count = numTrees(trees);
  const head = new Uint32Array(HEAD_WORDS);
  head.set([
    LAYOUT_G,
    count,
    trees.kind.length,
    trees.categoryPool.length,
    (linear ? LINEAR : 0) | (surrogates ? SURROGATES : 0),
    linear ? linear.termFeature.length : 0,
    surrogates ? surrogates.feature.length : 0,
    surrogates ? surrogates.pool.length : 0,
  ]);
  return [
    head,
    ensemble.baseScore,
    ensemble.treeOutput,
    ensemble.treeWeight,
    trees.treeStart,
    trees.kind,
    trees.feature,
    trees.threshold,
    trees.firstChild,
    trees.missing,
    trees.categoryAt,
    trees.categoryPool,
    trees.leaf,
    trees.cover,
    trees.gain,
    ...(linear
      ? [linear.constant, linear.termStart, linear.termFeature, linear.termCoefficient]
      : []),
    ...(surrogates
      ? [
        surrogates.start,
        surrogates.feature,
        surrogates.threshold,
        surrogates.below,
        surrogates.categoryAt,
        surrogates.pool,
      ]
      : []),
  ];
}
