/**
 * How each feature becomes small whole numbers: value bins `0 … numBins − 1`, then one code for
 * missing. A category is its own bin, and the last of them is for values outside the vocabulary.
 *
 * @module
 */
import type { Column, Dataset } from "../data/types.ts";
import { DataError } from "../errors.ts";
import { quantileCuts } from "./cuts.ts";

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
export const MAX_BINS = 65535;

/** Chooses the bins of a column. */
export function chooseBins(column: Column, maxBins: number, weight?: Float64Array): FeatureBins {
  if (column.kind === "categorical") {
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
    const hasMissing = column.codes.some((code) => code < 0);
    return { kind: "categorical", categories: column.categories, numBins, hasMissing };
  }
  const { sorted, weights, hasMissing } = sortColumn(column.values, weight);
  const cuts = quantileCuts(sorted, maxBins, weights);
  return { kind: "numeric", cuts, numBins: cuts.length + 1, hasMissing };
}

/** Present values in ascending order, with their weights. */
function sortColumn(
  values: Float64Array | Float32Array,
  weight: Float64Array | undefined,
): { sorted: Float64Array | Float32Array; weights: Float64Array | undefined; hasMissing: boolean } {
  if (weight === undefined) {
    const sorted = values.slice().sort(); // NaN comes last
    let present = sorted.length;
    while (present > 0 && Number.isNaN(sorted[present - 1])) present--;
    return {
      sorted: sorted.subarray(0, present),
      weights: undefined,
      hasMissing: present < sorted.length,
    };
  }
  const rows: number[] = [];
  for (let row = 0; row < values.length; row++) if (!Number.isNaN(values[row])) rows.push(row);
  rows.sort((a, b) => values[a] - values[b] || a - b);
  return {
    sorted: Float64Array.from(rows, (row) => values[row]),
    weights: Float64Array.from(rows, (row) => weight[row]),
    hasMissing: rows.length < values.length,
  };
}

/** Bin of one value: the first whose cut is ≥ `value`; missing has the code after the last. */
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

/** Writes the code of every row of a column to `out`. */
export function binColumnInto(
  column: Column,
  bins: FeatureBins,
  out: Uint8Array | Uint16Array,
): void {
  if (bins.kind === "numeric") {
    if (column.kind !== "numeric") throw kindError(column.name, "numbers");
    const { cuts } = bins;
    const { values } = column;
    for (let row = 0; row < values.length; row++) out[row] = binOf(cuts, values[row]);
    return;
  }
  if (column.kind !== "categorical") throw kindError(column.name, "categories");
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

function kindError(name: string, expected: string): DataError {
  return new DataError(
    "E_DATA_TYPE",
    `Cannot use the validation set: column ${JSON.stringify(name)} does not hold ${expected}`,
    { details: { column: name, expected } },
  );
}
