/**
 * What a form may start from: a model holds no rows, but its thresholds say where values lie, and the
 * covers of its nodes how many of the rows lay on each side.
 *
 * @module
 */
import type { Model } from "../../model/model.ts";
import { NodeKind, type Trees } from "../../model/types.ts";

/** Where the values of a numeric feature lie, as far as the trees know. */
export interface FeatureRange {
  readonly min: number;
  readonly max: number;
  /** About the median of training, as far as covers tell. */
  readonly middle: number;
  /** Step of a slider; 1 where all thresholds lie between whole numbers. */
  readonly step: number;
  /** Distinct thresholds, ascending. */
  readonly thresholds: readonly number[];
}

/** Ranges of all features; undefined for text and for features that no node tests. */
export function featureRanges(model: Model): (FeatureRange | undefined)[] {
  const { trees } = model.ensemble;
  const found = model.schema.features.map(() => [] as Cut[]);
  for (let node = 0; node < trees.kind.length; node++) {
    if (trees.kind[node] === NodeKind.threshold && Number.isFinite(trees.threshold[node])) {
      found[trees.feature[node]].push({
        at: trees.threshold[node],
        below: trees.cover[trees.firstChild[node]],
        weight: trees.cover[node],
      });
    }
  }
  return found.map((all, f) =>
    model.schema.features[f].kind === "numeric" && all.length > 0 ? rangeOf(all) : undefined
  );
}

/** A threshold, and the weight of the rows that it parted. */
interface Cut {
  readonly at: number;
  below: number;
  weight: number;
}

function rangeOf(cuts: Cut[]): FeatureRange {
  cuts.sort((a, b) => a.at - b.at);
  const all = cuts.map(({ at }) => at);
  const [low, high] = [all[0], all[all.length - 1]];
  const margin = (high - low) * 0.05 || Math.abs(low) * 0.5 || 1;
  const whole = all.every((x) => Math.abs(x % 1) === 0.5 || x % 1 === 0);
  const tidy = (x: number) => whole ? Math.round(x) : Number(x.toPrecision(4));
  const [min, max] = [tidy(low - margin), tidy(high + margin)];
  const least = low >= 0 ? Math.max(0, min) : min;
  return {
    min: least,
    max,
    middle: medianOf(cuts, least, max, tidy),
    step: whole ? 1 : Number(((max - min) / 200).toPrecision(1)),
    thresholds: [...new Set(all)],
  };
}

/**
 * Where the share of rows below passes a half: shares at the thresholds, made to rise by pooling
 * neighbours that fall (Ayer et al., "An empirical distribution function for sampling with
 * incomplete information", 1955). Without covers, the middle threshold.
 */
function medianOf(
  cuts: readonly Cut[],
  min: number,
  max: number,
  tidy: (x: number) => number,
): number {
  if (!(cuts[0].weight > 0)) return tidy(cuts[cuts.length >> 1].at);
  const pools: (Cut & { last: number })[] = [];
  for (const { at, below, weight } of cuts) {
    pools.push({ at, last: at, below, weight });
    for (let i = pools.length - 1; i > 0; i--) {
      const [a, b] = [pools[i - 1], pools[i]];
      if (a.at !== b.at && a.below * b.weight <= b.below * a.weight) break;
      a.below += b.below;
      a.weight += b.weight;
      a.last = b.last;
      pools.pop();
    }
  }
  const upper = pools.findIndex(({ below, weight }) => below >= weight / 2);
  if (upper === 0) return min;
  if (upper < 0) return max;
  return tidy((pools[upper - 1].last + pools[upper].at) / 2);
}

/** Code of the category of each feature that most rows seem to have; 0 where covers do not tell. */
export function commonCategories(model: Model): number[] {
  const { trees } = model.ensemble;
  const masses = model.schema.features.map((feature) =>
    new Float64Array(feature.kind === "categorical" ? feature.categories.length : 0)
  );
  for (let node = 0; node < trees.kind.length; node++) {
    if (trees.kind[node] === NodeKind.subset) addMass(trees, node, masses[trees.feature[node]]);
  }
  return masses.map((mass) =>
    mass.reduce((best, value, code) => value > mass[best] ? code : best, 0)
  );
}

/** Shares the cover of each branch of a node out among its categories. */
function addMass(trees: Trees, node: number, mass: Float64Array): void {
  const { categoryAt, categoryPool, firstChild, cover } = trees;
  const branchOf = (code: number) =>
    (categoryPool[categoryAt[node] + (code >> 5)] >>> (code & 31)) & 1 ? 0 : 1;
  const counts = [0, 0];
  for (let code = 0; code < mass.length; code++) counts[branchOf(code)]++;
  for (let code = 0; code < mass.length; code++) {
    const branch = branchOf(code);
    mass[code] += cover[firstChild[node] + branch] / counts[branch];
  }
}
