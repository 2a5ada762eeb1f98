/**
 * What a form may start from: a model holds no rows, but its thresholds say where values lie.
 *
 * @module
 */
import type { Model } from "../../model/model.ts";
import { NodeKind } from "../../model/types.ts";

/** Where the values of a numeric feature lie, as far as the trees know. */
export interface FeatureRange {
  readonly min: number;
  readonly max: number;
  readonly middle: number;
  /** Step of a slider; 1 where all thresholds lie between whole numbers. */
  readonly step: number;
  /** Distinct thresholds, ascending. */
  readonly thresholds: readonly number[];
}

/** Ranges of all features; undefined for text and for features that no node tests. */
export function featureRanges(model: Model): (FeatureRange | undefined)[] {
  const { trees } = model.ensemble;
  const found = model.schema.features.map(() => [] as number[]);
  for (let node = 0; node < trees.kind.length; node++) {
    if (trees.kind[node] === NodeKind.threshold && Number.isFinite(trees.threshold[node])) {
      found[trees.feature[node]].push(trees.threshold[node]);
    }
  }
  return found.map((all, f) =>
    model.schema.features[f].kind === "numeric" && all.length > 0 ? rangeOf(all) : undefined
  );
}

function rangeOf(all: number[]): FeatureRange {
  all.sort((a, b) => a - b);
  const [low, high] = [all[0], all[all.length - 1]];
  const margin = (high - low) * 0.05 || Math.abs(low) * 0.5 || 1;
  const whole = all.every((x) => Math.abs(x % 1) === 0.5 || x % 1 === 0);
  const tidy = (x: number) => whole ? Math.round(x) : Number(x.toPrecision(4));
  const [min, max] = [tidy(low - margin), tidy(high + margin)];
  return {
    min: low >= 0 ? Math.max(0, min) : min,
    max,
    middle: tidy(all[all.length >> 1]),
    step: whole ? 1 : Number(((max - min) / 200).toPrecision(1)),
    thresholds: [...new Set(all)],
  };
}
