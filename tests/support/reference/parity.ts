/**
 * Scoring foreign inputs with imported models, and measuring how far the results are from the
 * library's own.
 *
 * @module
 */
import type { Column, Dataset } from "../../../src/data/types.ts";
import type { Model } from "../../../src/model/model.ts";
import type { Table } from "./tables.ts";

/** Rows of numbers by position as a dataset with the model's names. */
export function datasetOf(model: Model, rows: readonly Float64Array[]): Dataset {
  const features = model.schema.features.map((feature, f): Column => ({
    kind: "numeric",
    name: feature.name,
    values: Float64Array.from(rows, (row) => f < row.length ? row[f] : NaN),
  }));
  return { numRows: rows.length, features };
}

/** Largest difference in units of `max(1, |expected|)`; infinite where one is NaN or the shapes differ. */
export function worst(
  actual: ArrayLike<number>,
  expected: readonly ArrayLike<number>[],
): number {
  const cols = expected[0]?.length ?? 0;
  if (actual.length !== expected.length * cols) return Infinity;
  let most = 0;
  for (let r = 0; r < expected.length; r++) {
    for (let k = 0; k < cols; k++) {
      const want = expected[r][k];
      const have = actual[r * cols + k];
      if (Object.is(want, have) || want === have) continue;
      const difference = Math.abs(have - want) / Math.max(1, Math.abs(want));
      most = Math.max(most, Number.isNaN(difference) ? Infinity : difference);
    }
  }
  return most;
}

/** Number of entries that differ once both sides are float32 (9 digits name a float32 exactly). */
export function differentBits32(
  actual: ArrayLike<number>,
  expected: readonly ArrayLike<number>[],
): number {
  const cols = expected[0]?.length ?? 0;
  let count = actual.length === expected.length * cols ? 0 : 1;
  for (let r = 0; r < expected.length; r++) {
    for (let k = 0; k < cols; k++) {
      if (Math.fround(actual[r * cols + k]) !== Math.fround(expected[r][k])) count++;
    }
  }
  return count;
}

/** Table rows only. */
export const rowsOf = (table: Table): readonly Float64Array[] => table.rows;
