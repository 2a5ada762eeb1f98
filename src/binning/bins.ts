/**
 * How each feature becomes small whole numbers: value bins `0 … numBins − 1`, then one code for
 * missing. A category is its own bin, and the last of them is for values outside the vocabulary.
 *
 * @module
 */
import type { CategoricalColumn, Column, Dataset } from "../data/types.ts";
import { DataError } from "../errors.ts";

/** Bins of a numeric feature. */
export interface NumericBins {
  readonly kind: "numeric";
  /** Ascending; bin b holds values above cut b − 1 up to and with cut b. */
  readonly cuts: Float64Array;
  readonly numBins: number;
  readonly hasMissing: boolean;
}

/** Bins of a categorical feature: one a category, and one for unknown values. */
export interface CategoryBins {
  readonly kind: "categorical";
  readonly categories: readonly string[];
  readonly numBins: number;
  readonly hasMissing: boolean;
}

/** Bins of one feature; the code of missing is `numBins`. */
export type FeatureBins = NumericBins | CategoryBins;

/** Largest number of bins, missing not counted, that two bytes can name. */
const MAX_BINS = 65535;

/**
 * Bins of a categorical column.
 *
 * @param hasMissing Whether a row is missing, where that is known.
 */
export function categoryBins(
  column: CategoricalColumn,
  hasMissing: boolean = isAnyMissing(column.codes),
): CategoryBins {
  const numBins = column.categories.length + 1;
  if (numBins > MAX_BINS) {
    throw new DataError(
      "E_DATA_LIMIT",
      `Cannot train on column ${
        JSON.stringify(column.name)
      }: ${column.categories.length} categories, expected at most ${MAX_BINS - 1}`,
      { details: { column: column.name, categories: column.categories.length } },
    );
  }
  return { kind: "categorical", categories: column.categories, numBins, hasMissing };
}

function isAnyMissing(codes: Int32Array): boolean {
  // A loop: a call for each code would take eight times as long.
  for (let row = 0; row < codes.length; row++) if (codes[row] < 0) return true;
  return false;
}

/** Bins of a numeric column. */
export function numericBins(cuts: Float64Array, hasMissing: boolean): NumericBins {
  return { kind: "numeric", cuts, numBins: cuts.length + 1, hasMissing };
}

/** Writes the code of every row of a categorical column to `out`, matching categories by value. */
export function categoryCodesInto(
  column: CategoricalColumn,
  bins: CategoryBins,
  out: Uint8Array | Uint16Array,
): void {
  const codeOf = translation(column.categories, bins.categories);
  const unknown = bins.numBins - 1;
  for (let row = 0; row < column.codes.length; row++) {
    const code = column.codes[row];
    out[row] = code < 0 ? bins.numBins : code < codeOf.length ? codeOf[code] : unknown;
  }
}

/** Bin of each code of another vocabulary, by value. */
function translation(from: readonly string[], to: readonly string[]): Int32Array {
  if (from === to) return Int32Array.from(from, (_, i) => i);
  const place = new Map(to.map((value, i) => [value, i]));
  return Int32Array.from(from, (value) => place.get(value) ?? to.length);
}

/** The column of a dataset with a name; `at` is tried first. */
export function columnByName(data: Dataset, name: string, at: number): Column {
  if (data.features[at]?.name === name) return data.features[at];
  const found = data.features.find((column) => column.name === name);
  if (found !== undefined) return found;
  throw new DataError(
    "E_DATA_SHAPE",
    `Cannot use the validation set: it has no column ${JSON.stringify(name)}`,
    { details: { column: name } },
  );
}

/** A column of a validation set that is of another kind than in training. */
export function kindError(name: string, expected: string): DataError {
  return new DataError(
    "E_DATA_TYPE",
    `Cannot use the validation set: column ${JSON.stringify(name)} does not hold ${expected}`,
    { details: { column: name, expected } },
  );
}

/** Bin of a value: the first whose cut is ≥ `value`; missing has the code after the last. */
export function binOf(cuts: Float64Array, value: number): number {
  if (value !== value) return cuts.length + 1;
  let low = 0;
  let high = cuts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (cuts[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
