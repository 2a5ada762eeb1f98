/**
 * How much the trees use each feature, three ways side by side: none of them is "the" importance.
 *
 * @module
 */
import type { Model } from "../../model/model.ts";

/** Shares of one feature. */
export interface Importance {
  readonly feature: number;
  readonly name: string;
  /** Share of the loss decrease of all splits. */
  readonly gain: number;
  /** Share of the weight that passed its nodes. */
  readonly cover: number;
  /** Share of the splits. */
  readonly splits: number;
}

/** Features that any node tests, by gain (by splits where gains are not known). */
export function importanceOf(model: Model): Importance[] {
  const { features } = model.schema;
  const { trees } = model.ensemble;
  const gain = new Float64Array(features.length);
  const cover = new Float64Array(features.length);
  const splits = new Float64Array(features.length);
  for (let node = 0; node < trees.kind.length; node++) {
    const feature = trees.feature[node];
    if (feature < 0) continue;
    gain[feature] += Math.max(0, trees.gain[node]);
    cover[feature] += trees.cover[node];
    splits[feature]++;
  }
  const sharesOf = (of: Float64Array) => {
    const total = of.reduce((sum, x) => sum + x, 0);
    return of.map((x) => total > 0 ? x / total : 0);
  };
  const [ofGain, ofCover, ofSplits] = [gain, cover, splits].map(sharesOf);
  return features
    .map(({ name }, feature) => ({
      feature,
      name,
      gain: ofGain[feature],
      cover: ofCover[feature],
      splits: ofSplits[feature],
    }))
    .filter(({ splits }) => splits > 0)
    .sort((a, b) => b.gain - a.gain || b.splits - a.splits);
}
