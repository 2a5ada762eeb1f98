/**
 * C4.5's threshold on a number: the cut of the largest information gain, its gain lowered by the
 * cost of naming one of the candidates (MDL correction), judged by gain ratio.
 *
 * Quinlan, "Improved Use of Continuous Attributes in C4.5", JAIR 4 (1996).
 *
 * @module
 */
import { weightedEntropy, xlog2x } from "../criterion/entropy.ts";
import { type ClassSource, weightOf } from "../rows/stats.ts";
import type { FrameFeature } from "../rows/frame.ts";
import { cutCodes } from "./cut.ts";
import { groupByCode } from "./groups.ts";
import type { FindSplit } from "./split.ts";
import { log } from "../../util/math.ts";

/** How C4.5 thresholds are judged. */
export interface C45Options {
  /** Least weight of a branch. */
  readonly minObjects: number;
  /** Whether a threshold costs log₂(candidates)/weight of its gain. */
  readonly mdl: boolean;
}

/** Weka's notion of equality. */
const SMALL = 1e-6;
/** Values this close are one value to release 8. */
const GAP = 1e-5;
const LN2 = 0.6931471805599453;

/** Threshold splits as C4.5 makes them. */
export function c45Splitter(options: C45Options): FindSplit {
  return (view, feature, context) => {
    const column = context.frame.features[feature];
    const { scratch } = context;
    const source = context.source as ClassSource;
    const { numClasses } = source;
    const { count, known } = groupByCode(view, column, source, scratch, false);
    if (count < 2) return undefined;
    const channels = numClasses + 1;
    const { left, groupCode } = scratch;
    const total = left.slice((count - 1) * channels, count * channels);
    const weight = weightOf(source, total);
    const all = weightOf(source, view.total);
    let minSide = 0.1 * weight / numClasses;
    if (minSide - options.minObjects < SMALL) minSide = options.minObjects;
    else if (minSide - 25 > SMALL) minSide = 25;
    // Weka asks for so many known cases here, whatever they weigh; sides below for so much weight.
    if (2 * minSide - known > SMALL) return undefined;
    const whole = weightedEntropy(total, 0, numClasses);
    const right = new Float64Array(numClasses);
    let best = 0;
    let bestGroup = -1;
    let candidates = 0;
    for (let i = 0; i < count - 1; i++) {
      if (!(column.values[groupCode[i]] + GAP < column.values[groupCode[i + 1]])) continue;
      const at = i * channels;
      const leftWeight = weightOf(source, left, at);
      if (minSide - leftWeight >= SMALL || minSide - (weight - leftWeight) >= SMALL) continue;
      candidates++;
      for (let k = 0; k < numClasses; k++) right[k] = total[k] - left[at + k];
      const numerator = weight / all *
        (whole - weightedEntropy(left, at, numClasses) - weightedEntropy(right, 0, numClasses));
      const gain = Math.abs(numerator) < SMALL ? 0 : numerator / weight;
      if (gain - best > SMALL) {
        best = gain;
        bestGroup = i;
      }
    }
    if (bestGroup < 0) return undefined;
    let gain = best;
    if (options.mdl) gain -= log(candidates) / LN2 / all;
    if (gain < SMALL) return undefined;
    const sides = new Float64Array(2 * channels);
    for (let k = 0; k < channels; k++) {
      sides[k] = left[bestGroup * channels + k];
      sides[channels + k] = total[k] - sides[k];
    }
    const code = groupCode[bestGroup];
    return {
      feature,
      kind: "threshold",
      ...cutCodes(column.values, code, groupCode[bestGroup + 1], "midpoint"),
      categories: undefined,
      numBranches: 2,
      missing: -1,
      gain,
      score: splitRatio(gain, sides, total, all, numClasses),
    };
  };
}

/** Corrected gain over the split information of the two sides and the missing. */
function splitRatio(
  gain: number,
  sides: Float64Array,
  total: Float64Array,
  all: number,
  numClasses: number,
): number {
  const sumOf = (at: number, from: Float64Array) => {
    let weight = 0;
    for (let k = 0; k < numClasses; k++) weight += from[at + k];
    return weight;
  };
  const unknown = all - sumOf(0, total);
  const info = xlog2x(all) - xlog2x(unknown > SMALL ? unknown : 0) - xlog2x(sumOf(0, sides)) -
    xlog2x(sumOf(numClasses + 1, sides));
  return info < SMALL ? 0 : gain / (info / all);
}

/** A cut of a column: codes up to `code`, values up to `threshold`. */
export interface Cut {
  readonly code: number;
  readonly threshold: number;
}

/**
 * A cut moved to the largest value of the whole training set up to its midpoint, as release 8 writes it.
 * A value that rounding alone puts above the midpoint counts as the midpoint, as in Weka.
 *
 * @param values Of the column's codes, ascending.
 * @param isThere Whether a row of the training set has a code; all are there when absent.
 */
export function cutAtValue(
  values: Float64Array,
  { code, threshold }: Cut,
  isThere: Uint8Array | undefined,
): Cut {
  let last = code;
  while (last + 1 < values.length && values[last + 1] - threshold < SMALL) last++;
  while (last > 0 && isThere?.[last] === 0) last--;
  return { code: last, threshold: values[last] };
}

/** Which codes of a feature some rows have, by code; missing values come last. */
export function codesOfRows({ codes, numCodes }: FrameFeature, rows: Int32Array): Uint8Array {
  const isThere = new Uint8Array(numCodes + 1);
  for (const row of rows) isThere[codes[row]] = 1;
  return isThere;
}
