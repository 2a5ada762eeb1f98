/**
 * Where the features of rows lie: of models with linear leaves changes are told for such rows alone.
 *
 * @module
 */
import { ModelError } from "../../errors.ts";
import { createContract } from "../../model/contract.ts";
import { encodeInput, type PredictInput } from "../../model/encode.ts";
import type { Model } from "../../model/model.ts";
import { selfTestRows } from "../self_test.ts";
import { trainingStatsOf } from "../training_stats.ts";

/**
 * The range of the finite values of a feature in the given rows, or in the self-test and the training
 * statistics.
 */
export interface FeatureRange {
  /** Name of the column. */
  readonly name: string;
  /** Smallest value; absent if the rows have none. The range then holds only the missing value. */
  readonly least?: number;
  /** Largest value; absent if the rows have none. */
  readonly most?: number;
}

/** The finite values of each feature; least > most where it has none. */
export interface FeatureRanges {
  readonly least: Float64Array;
  readonly most: Float64Array;
}

/** Rows that are encoded at once. */
const BLOCK = 1024;

/** Where the features of rows lie, or those of the self-test and of training. */
export function rangesOf(model: Model, rows: PredictInput | undefined): FeatureRanges {
  const { schema, ensemble } = model;
  const width = schema.features.length;
  const found = createRanges(width, ensemble.profile.input);
  const stored = rows === undefined ? selfTestRows(model) : undefined;
  const encoded = rows && encodeInput(createContract(schema), rows);
  const count = stored?.rows ?? encoded?.rows ?? 0;
  if (count === 0) {
    throw new ModelError(
      "E_MODEL_SCHEMA",
      "Cannot shrink linear leaves without rows: their values grow with the features, so " +
        "changes are bounded only within the range of given rows. Give rows like those to be scored",
    );
  }
  if (stored) {
    found.add(stored.x, count);
    // A self-test is of few rows: the limits of the training statistics tell where most rows lay.
    for (const end of [0, -1]) {
      const limits = trainingStatsOf(model)?.features.map((f) => f.limits?.at(end) ?? NaN);
      if (limits) found.add(Float64Array.from(limits), 1);
    }
  }
  const x = new Float64Array(width * BLOCK);
  for (let from = 0; encoded && from < count; from += BLOCK) {
    const to = Math.min(count, from + BLOCK);
    encoded.fill(from, to, x);
    found.add(x, to - from);
  }
  return found.ranges;
}

/** The ranges of the features that linear terms have. */
export function namedRanges(
  { ensemble, schema }: Model,
  { least, most }: FeatureRanges,
): FeatureRange[] {
  const used = [...new Set(ensemble.linear!.termFeature)].sort((a, b) => a - b);
  return used.map((f) => ({
    name: schema.features[f].name,
    ...(least[f] <= most[f] && { least: least[f], most: most[f] }),
  }));
}

/** Ranges of the features of encoded rows, row-major, as trees see them. */
function createRanges(numFeatures: number, input: "f32" | "f64") {
  const least = new Float64Array(numFeatures).fill(Infinity);
  const most = new Float64Array(numFeatures).fill(-Infinity);
  return {
    ranges: { least, most } as FeatureRanges,
    add(x: Float64Array, rows: number): void {
      for (let i = 0; i < rows * numFeatures; i++) {
        const value = input === "f32" ? Math.fround(x[i]) : x[i];
        if (!Number.isFinite(value)) continue;
        const f = i % numFeatures;
        least[f] = Math.min(least[f], value);
        most[f] = Math.max(most[f], value);
      }
    },
  };
}
