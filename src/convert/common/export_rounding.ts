/**
 * Float32 formats: what of a model's arithmetic they cannot keep, and the float32 model that a user
 * may ask for instead, by name.
 *
 * @module
 */
import type { InputFeature } from "../../data/types.ts";
import { createModel, type Model } from "../../model/model.ts";
import { type Ensemble, NodeKind } from "../../model/types.ts";
import { floor32 } from "../../util/float.ts";
import type { ExportProblem } from "./export_problems.ts";

const { abs, fround } = Math;

/**
 * What changes where features are rounded to float32, and trees are added to the base score in
 * float32. Empty when every score is the same number.
 */
export function float32Problems({ ensemble, schema }: Model): readonly ExportProblem[] {
  const { trees, profile, baseScore } = ensemble;
  const problems: ExportProblem[] = [];
  if (profile.input === "f64") {
    // `x <= Infinity` only tells missing from present: the same of every rounded number.
    const compared = new Set<number>();
    trees.kind.forEach((kind, node) => {
      if (kind !== NodeKind.threshold && kind !== NodeKind.equal) return;
      if (trees.threshold[node] !== Infinity) compared.add(trees.feature[node]);
    });
    for (const f of [...compared].sort((a, b) => a - b)) {
      problems.push({
        feature: schema.features[f].name,
        reason: "its values are compared as float64, not rounded to float32",
      });
    }
  }
  for (const feature of schema.features) {
    if (feature.kind !== "categorical" || !feature.coded || feature.float32Codes) continue;
    problems.push({
      feature: feature.name,
      reason: "its codes are cut to whole ones (-0.5 to 0) without float32",
    });
  }
  if (sumsAreExact(ensemble)) return problems;
  if (baseScore.some((base) => fround(base) !== base)) {
    problems.push({ reason: "the base score needs more than float32" });
  }
  if (profile.sum === "f32" && profile.base === "first") return problems;
  problems.push({
    reason: profile.sum === "f64"
      ? "leaves are added in float64"
      : "the base score is added after the trees",
  });
  return problems;
}

/**
 * Whether float32 sums lose nothing in any order: all terms of an output are multiples of a power of
 * two, of which their magnitudes add up to at most 2²⁴.
 */
function sumsAreExact({ trees, leafWidth, treeOutput, treeWeight, ...rules }: Ensemble): boolean {
  for (let output = 0; output < rules.numOutputs; output++) {
    let unit = 2 ** 100;
    let total = abs(rules.baseScore[output]);
    unit = unitOf(total, unit);
    for (let t = 0; t < treeWeight.length; t++) {
      if (leafWidth === 1 && treeOutput[t] !== output) continue;
      let most = 0;
      for (let node = trees.treeStart[t]; node < trees.treeStart[t + 1]; node++) {
        if (trees.kind[node] !== NodeKind.leaf) continue;
        const value = trees.leaf[node * leafWidth + (leafWidth === 1 ? 0 : output)];
        const term = abs(treeWeight[t] * value);
        unit = unitOf(term, unit);
        if (term > most) most = term;
      }
      total += most;
    }
    if (!(unit >= 2 ** -149 && total <= 2 ** 24 * unit)) return false;
  }
  return true;
}

/** The largest power of two up to `unit` that divides `x`; below 2⁻¹⁴⁹ where float32 has none. */
function unitOf(x: number, unit: number): number {
  while (unit >= 2 ** -149 && x % unit !== 0) unit /= 2;
  return unit;
}

/**
 * The model in XGBoost's arithmetic: features, thresholds, leaves, weights, base scores and sums are
 * float32. A threshold becomes the float32 below it, which parts float32 values as it did.
 */
export function float32Model(model: Model): Model {
  const { ensemble, schema, info, calibration } = model;
  const { trees } = ensemble;
  return createModel({
    schema: { ...schema, features: schema.features.map(withFloat32Codes) },
    info,
    ...(calibration && { calibration }),
    ensemble: {
      ...ensemble,
      trees: {
        ...trees,
        threshold: trees.threshold.map((t, node) =>
          trees.kind[node] === NodeKind.threshold ? floor32(t) : t
        ),
        leaf: trees.leaf.map(rounded),
      },
      treeWeight: ensemble.treeWeight.map(rounded),
      baseScore: ensemble.baseScore.map(rounded),
      profile: { input: "f32", sum: "f32", base: "first", shownTest: "<" },
    },
  });
}

function withFloat32Codes(feature: InputFeature): InputFeature {
  if (feature.kind !== "categorical" || feature.coded !== true) return feature;
  return { ...feature, float32Codes: true };
}

/** A float32, or the number itself where float32 has only infinity: exporters refuse that. */
function rounded(x: number): number {
  const near = fround(x);
  return Number.isFinite(near) ? near : x;
}
