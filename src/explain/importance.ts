/**
 * What each feature contributed to the trees, in three currencies side by side: no single number is
 * the importance, and each has its bias (gain and counts favour features with many values).
 *
 * @module
 */
import { checkModel } from "../door.ts";
import type { Model } from "../model/model.ts";
import { NodeKind } from "../model/types.ts";

/** Importance of one feature in the trees of a model. */
export interface FeatureImportance {
  /** Name of the column. */
  readonly feature: string;
  /** Number of splits that test it. */
  readonly splits: number;
  /** Sum of the decreases of the loss by these splits. */
  readonly gain: number;
  /** Sum of the weights (or hessians) of the rows that reached these splits. */
  readonly cover: number;
}

/**
 * Counts the splits of each feature, and adds up their gain and cover.
 *
 * Gain and cover are 0 throughout if the model file does not store them. Weights of trees (DART) are
 * not applied, as in XGBoost and LightGBM. Surrogate splits are not counted: rpart adds their
 * adjusted agreement times the gain of the split, which no file stores;
 * {@linkcode permutationImportance} includes their effect.
 *
 * @returns One entry for each feature, in the order of the schema.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { trainBoost } from "../algorithms/boost/boost.ts";
 * const model = await trainBoost({
 *   numRows: 4,
 *   features: [
 *     { kind: "numeric", name: "signal", values: new Float64Array([1, 2, 3, 4]) },
 *     { kind: "numeric", name: "constant", values: new Float64Array(4) },
 *   ],
 *   target: { kind: "regression", name: "y", values: new Float64Array([0, 0, 1, 1]) },
 * }, { rounds: 1, minChildWeight: 0 });
 * const [signal, constant] = featureImportance(model);
 * assertEquals(signal.splits > 0 && signal.gain > 0, true);
 * assertEquals(constant, { feature: "constant", splits: 0, gain: 0, cover: 0 });
 * ```
 */
export function featureImportance(model: Model): readonly FeatureImportance[] {
  checkModel("featureImportance", model);
  const { trees } = model.ensemble;
  const { features } = model.schema;
  const splits = new Float64Array(features.length);
  const gain = new Float64Array(features.length);
  const cover = new Float64Array(features.length);
  for (let node = 0; node < trees.kind.length; node++) {
    if (trees.kind[node] === NodeKind.leaf) continue;
    const feature = trees.feature[node];
    splits[feature]++;
    gain[feature] += trees.gain[node];
    cover[feature] += trees.cover[node];
  }
  return features.map(({ name }, f) => ({
    feature: name,
    splits: splits[f],
    gain: gain[f],
    cover: cover[f],
  }));
}

/** Names of the features on which a score may depend: of splits, of surrogates, of terms of leaves. */
export function featuresUsed({ ensemble, schema }: Model): ReadonlySet<string> {
  const { trees, surrogates, linear } = ensemble;
  const used = new Set<string>();
  for (const features of [trees.feature, surrogates?.feature ?? [], linear?.termFeature ?? []]) {
    for (const feature of features) if (feature >= 0) used.add(schema.features[feature].name);
  }
  return used;
}
