/**
 * Checks that the parts of a dataset fit each other, and can be learned from.
 *
 * @module
 */
import { DataError, ParameterError } from "../../errors.ts";
import { missingNumbers } from "../missing_cells.ts";
import { duplicateError } from "../names.ts";
import { type LineOf, placeDetails, placeOf } from "../place.ts";
import { forgetQueries } from "./queries.ts";
import type { Column, Dataset, Target } from "../types.ts";

/**
 * Checks that the parts of a dataset fit, as {@linkcode createDataset} does: trainers take plain
 * objects too, which nobody has looked at.
 *
 * @param of Completes the name of weights in errors: ` of set valid`.
 * @param judges Rows to be scored only: there may be none, or none that weighs anything.
 * @throws {DataError} `E_DATA_SHAPE`, `E_DATA_EMPTY`, `E_DATA_TYPE` or `E_DATA_TARGET`.
 */
export function checkDataset(
  { numRows, features, target, sampleWeight, offset, group, missingCells }: Dataset,
  of = "",
  judges = false,
): void {
  if (numRows === 0 && !judges) {
    throw new DataError("E_DATA_EMPTY", "Cannot use data without rows");
  }
  checkColumns(features, numRows);
  if (missingCells !== undefined) checkMarkers(features, missingNumbers(missingCells));
  if (target !== undefined) checkTarget(target, numRows);
  if (sampleWeight !== undefined && !(judges && sampleWeight.every((weight) => weight === 0))) {
    checkWeight(sampleWeight, numRows, `sampleWeight${of}`);
  }
  if (offset !== undefined && numRows > 0) checkOffset(offset, numRows);
  if (group !== undefined) checkGroup(group, numRows);
}

/** Scoring reads these numbers as missing: training must not learn from them as numbers. */
function checkMarkers(features: readonly Column[], markers: readonly number[]): void {
  for (const column of features) {
    if (column.kind !== "numeric" || column.binned !== undefined) continue; // bins know no markers
    for (const marker of markers) {
      const row = column.values.indexOf(marker);
      if (row < 0) continue;
      throw new DataError(
        "E_DATA_TYPE",
        `Cannot use column "${column.name}": ${marker} at row ${row + 1} is one of missingCells; ` +
          "expected NaN where a value is missing",
        { details: { column: column.name, row: row + 1, value: marker } },
      );
    }
  }
}

/**
 * Checks that levels and classes can be told apart by their names when rows are scored: two of one name
 * could not be, and an empty level is a missing value on every way into a model.
 *
 * @throws {DataError} `E_DATA_TYPE`
 */
export function checkLevels({ features, target }: Dataset): void {
  for (const column of features) {
    if (column.kind === "numeric") continue;
    if (column.categories.includes("")) {
      const problem = 'one of its levels is "", which reads as a missing value; ' +
        'expected "" among the cells that mean missing';
      throw levelError(column.name, "", problem);
    }
    checkDistinct(column.name, column.categories);
  }
  if (target?.kind === "classification") checkDistinct(target.name, target.classes);
}

function levelError(column: string, level: string, problem: string): DataError {
  return new DataError(
    "E_DATA_TYPE",
    `Cannot train on column ${JSON.stringify(column)}: ${problem}`,
    { details: { column, level } },
  );
}

function checkDistinct(name: string, levels: readonly string[]): void {
  const seen = new Set<string>();
  for (const level of levels) {
    if (seen.has(level)) {
      const problem = `two of its levels are called ${JSON.stringify(level)}`;
      throw levelError(name, level, `${problem}; expected different names`);
    }
    seen.add(level);
  }
}

/** Largest weights between these: their squares, and sums of them, are numbers. */
const LEAST_WEIGHT = 1e-100;
const MOST_WEIGHT = 1e100;

/**
 * Checks weights: finite, not negative, at least one above zero, the largest no further from 1 than
 * sums of their squares can bear.
 *
 * @throws {DataError} `E_DATA_TYPE` with the first bad row, or `E_DATA_SHAPE`.
 */
export function checkWeight(
  weight: Float64Array,
  numRows: number,
  name: string,
  lineOf?: LineOf,
): void {
  checkLength(name, weight.length, numRows);
  let most = 0;
  for (let row = 0; row < weight.length; row++) {
    const value = weight[row];
    if (!(value >= 0 && value < Infinity)) {
      throw new DataError(
        "E_DATA_TYPE",
        `Cannot use weight ${value} in column "${name}" at ${
          placeOf(row, lineOf)
        }: expected a finite number of 0 or more`,
        { details: { column: name, ...placeDetails(row, lineOf) } },
      );
    }
    if (value > most) most = value;
  }
  if (most >= LEAST_WEIGHT && most <= MOST_WEIGHT) return;
  throw new DataError(
    "E_DATA_TYPE",
    most === 0
      ? `Cannot use weights "${name}": all are 0`
      : `Cannot use weights "${name}": the largest is ${most}, expected ${LEAST_WEIGHT} to ` +
        `${MOST_WEIGHT} (multiply them by a number)`,
    { details: { column: name } },
  );
}

/**
 * Refuses data whose values are known only up to bins chosen for training by histograms.
 *
 * @param what Who needs the values.
 * @throws {ParameterError} `E_PARAM_CONFLICT`.
 */
export function requireValues({ features }: Dataset, what: string): void {
  const column = features.find((one) => one.kind === "numeric" && one.binned !== undefined);
  if (column === undefined) return;
  throw new ParameterError(
    "E_PARAM_CONFLICT",
    `Cannot train ${what} on bins: it needs the values of column "${column.name}"; read the data ` +
      `without bins, or train "boost" by histograms`,
    { details: { column: column.name } },
  );
}

/** Number of rows of a column. */
export function lengthOf(column: Column): number {
  if (column.kind === "categorical") return column.codes.length;
  return column.binned?.numRows ?? column.values.length;
}

function checkLength(name: string, length: number, numRows: number): void {
  if (length === numRows) return;
  throw new DataError(
    "E_DATA_SHAPE",
    `Cannot use "${name}" with ${length} rows: expected ${numRows}`,
    { details: { column: name, length, rows: numRows } },
  );
}

function checkColumns(features: readonly Column[], numRows: number): void {
  const seen = new Map<string, number>();
  features.forEach((column, at) => {
    checkLength(column.name, lengthOf(column), numRows);
    const before = seen.get(column.name);
    if (before !== undefined) throw duplicateError(column.name, before, at);
    seen.set(column.name, at);
    if (column.kind === "categorical") {
      checkCodes(column.name, column.codes, -1, column.categories.length);
    }
  });
}

function checkCodes(name: string, codes: Int32Array, low: number, high: number): void {
  for (let row = 0; row < codes.length; row++) {
    if (codes[row] < low || codes[row] > high) {
      throw new DataError(
        "E_DATA_TYPE",
        `Cannot use code ${codes[row]} in column "${name}" at row ${
          row + 1
        }: expected ${low} to ${high}`,
        { details: { column: name, row: row + 1 } },
      );
    }
  }
}

/** Checks a target by itself. @throws {DataError} */
export function checkTarget(target: Target, numRows: number): void {
  if (target.kind === "classification") {
    checkLength(target.name, target.codes.length, numRows);
    checkCodes(target.name, target.codes, 0, target.classes.length - 1);
    return;
  }
  checkLength(target.name, target.values.length, numRows);
  for (let row = 0; row < numRows; row++) {
    if (!Number.isFinite(target.values[row])) {
      throw new DataError(
        "E_DATA_TARGET",
        `Cannot use target ${target.values[row]} in column "${target.name}" at row ${
          row + 1
        }: expected a finite number`,
        { details: { column: target.name, row: row + 1 } },
      );
    }
  }
}

function checkOffset(offset: Float64Array, numRows: number): void {
  if (offset.length % numRows !== 0 || offset.length === 0) {
    checkLength("offset", offset.length, numRows);
  }
  const at = offset.findIndex((value) => !Number.isFinite(value));
  if (at >= 0) {
    const row = Math.floor(at / (offset.length / numRows)) + 1;
    throw new DataError(
      "E_DATA_TYPE",
      `Cannot use offset ${offset[at]} at row ${row}: expected a finite number`,
      { details: { row } },
    );
  }
}

function checkGroup(group: Int32Array, numRows: number): void {
  checkLength("group", group.length, numRows);
  forgetQueries(group);
  const seen = new Set<number>();
  for (let row = 0; row < numRows; row++) {
    if (row > 0 && group[row] === group[row - 1]) continue;
    if (seen.has(group[row])) {
      throw new DataError(
        "E_DATA_SHAPE",
        `Cannot use group ${group[row]} at row ${row + 1}: its rows are not adjacent`,
        { details: { row: row + 1 } },
      );
    }
    seen.add(group[row]);
  }
}
