/**
 * A schema made ready for matching: names to positions, vocabularies to codes.
 *
 * An encoded row is one number a feature: the value itself, or a category's code, where
 * `categories.length` stands for a value outside the vocabulary; `NaN` is missing everywhere.
 *
 * @module
 */
import type { InputFeature, Schema } from "../data/types.ts";
import { cellError } from "./cells.ts";

/** A schema with its look-up tables. */
export interface Contract {
  readonly schema: Schema;
  readonly features: readonly InputFeature[];
  /** Position of each feature by NFC name. */
  readonly byName: ReadonlyMap<string, number>;
  /** Code of each category of feature `f`. */
  codesOf(feature: number): ReadonlyMap<string, number>;
}

/** Prepares a schema; vocabularies are indexed on first use. */
export function createContract(schema: Schema): Contract {
  const byName = new Map(schema.features.map((feature, index) => [feature.name, index]));
  const vocabularies: (ReadonlyMap<string, number> | undefined)[] = [];
  return {
    schema,
    features: schema.features,
    byName,
    codesOf(feature) {
      return vocabularies[feature] ??= new Map(
        (schema.features[feature] as { categories: readonly string[] }).categories
          .map((category, code) => [category, code]),
      );
    },
  };
}

/** What was noticed in each feature while rows were encoded. */
export interface Tally {
  readonly missing: Float64Array;
  readonly unknown: Float64Array;
}

/** LightGBM's `kZeroThreshold`: 1e-35 as a float32, compared as a double. */
const ZERO = Math.fround(1e-35);

/** Starts counting. */
export function createTally(numFeatures: number): Tally {
  return { missing: new Float64Array(numFeatures), unknown: new Float64Array(numFeatures) };
}

/** Applies a feature's rules to a number of its column: a value, or a code as the library casts it. */
export function settle(
  { features, missingCells }: Schema,
  index: number,
  value: number,
  row: number,
  tally: Tally,
): number {
  const feature = features[index];
  // A marker such as 5 is a number of a column of numbers, never the sixth category.
  if (feature.kind === "numeric") {
    if (missingCells?.includes(String(value))) value = NaN;
    return settleNumber(feature, index, value, row, tally);
  }
  // −1 or what is no code is unknown.
  const cast = !feature.float32Codes ? value : value < 0 ? -1 : Math.fround(value);
  return settleCode(feature, index, Math.trunc(cast), row, tally, value);
}

/** Applies a feature's missing rule to a value that may be `NaN`, and counts. */
function settleNumber(
  feature: InputFeature,
  index: number,
  value: number,
  row: number,
  tally: Tally,
): number {
  if (feature.kind === "numeric" && feature.zeroIsMissing === true && Math.abs(value) <= ZERO) {
    value = NaN;
  }
  if (value !== value) {
    tally.missing[index]++;
    if (feature.missing === "error") throw cellError(feature.name, row, "the value is missing");
  }
  return value;
}

/** Applies a categorical feature's rules to a code: −1 or NaN missing, outside the vocabulary unknown. */
export function settleCode(
  feature: InputFeature & { readonly kind: "categorical" },
  index: number,
  code: number,
  row: number,
  tally: Tally,
  cell: string | number,
): number {
  if (code !== code) return settleNumber(feature, index, NaN, row, tally);
  const size = feature.categories.length;
  if (code >= 0 && code < size) return code;
  tally.unknown[index]++;
  if (feature.unknown === "error") {
    throw cellError(
      feature.name,
      row,
      `${JSON.stringify(`${cell}`)} is not one of the ${size} categories the model knows`,
    );
  }
  return feature.unknown === "missing" ? NaN : size;
}
