/**
 * Columns as they were read → a dataset: target, weights, queries and offset leave the features.
 *
 * @module
 */
import { DataError } from "../../errors.ts";
import { checkWeight, lengthOf } from "../dataset/check.ts";
import { createDataset, selectRows } from "../dataset/dataset.ts";
import {
  checkTargetKind,
  sayBooleans,
  sayDoubts,
  sayInexact,
  sayRareClasses,
} from "../warnings/doubtful_columns.ts";
import { sayTwins } from "../warnings/twin_levels.ts";
import { blankNumbers, keptMissing, missingCells, missingNumbers } from "../missing_cells.ts";
import type { RoleOptions } from "../options.ts";
import { type LineOf, placeDetails, placeOf } from "../place.ts";
import type { Roles } from "./roles.ts";
import { missingLabels, targetOf } from "../dataset/target.ts";
import type { Column, Dataset } from "../types.ts";

/**
 * Builds a dataset from all columns of an input.
 *
 * @param columns Every column, dropped ones left out as `undefined`.
 * @param lineOf Where rows stood in the file, for messages.
 * @throws {DataError} `E_DATA_EMPTY`, `E_DATA_SHAPE`, `E_DATA_TARGET` or `E_DATA_TYPE`.
 */
export function assembleDataset(
  columns: readonly (Column | undefined)[],
  roles: Roles,
  options: RoleOptions,
  lineOf?: LineOf,
): Dataset {
  let place = lineOf;
  const marks = missingCells(options);
  const numbers = missingNumbers(marks);
  for (const column of columns) {
    // Bins were chosen without them.
    if (column?.kind !== "numeric" || column.binned !== undefined) continue;
    blankNumbers(column.values, 0, column.values.length, numbers);
  }
  let kept = columns;
  if (options.dropMissingTarget === true && roles.target !== undefined) {
    const { columns: left, rows } = withoutMissingTarget(columns, roles.target, options);
    kept = left;
    if (rows !== undefined && lineOf !== undefined) place = (row) => lineOf(rows[row]);
  }
  const at = (index: number | undefined) => index === undefined ? undefined : kept[index];
  const special = new Set([roles.target, roles.weight, roles.group, roles.offset]);
  const features: Column[] = [];
  kept.forEach((column, index) => {
    if (column !== undefined && !special.has(index)) features.push(column);
  });
  if (features.length === 0) {
    throw new DataError("E_DATA_SHAPE", "Cannot use data without features: no column is left");
  }
  const target = at(roles.target);
  if (target !== undefined) checkTargetKind(target, options, place);
  const doubtful = target === undefined || options.task !== undefined ? [] : [target];
  sayDoubts([...doubtful, ...features], options, place);
  sayBooleans(features, options);
  sayTwins(target === undefined ? features : [target, ...features], options, place);
  const weight = at(roles.weight);
  const group = at(roles.group);
  const offset = at(roles.offset);
  sayInexact(target === undefined ? features : [target, ...features], options);
  const keptMarks = keptMissing(marks);
  const labels = target && targetOf(target, {
    ...options,
    // Relevance is an amount: ranking losses read it as a number.
    ...(group !== undefined && options.task === undefined && { task: "regression" }),
  });
  sayRareClasses(labels, options);
  return createDataset(
    features,
    labels,
    weight === undefined ? undefined : weightsOf(weight, place),
    {
      ...(group !== undefined && { group: queriesOf(group, place) }),
      ...(offset !== undefined && {
        offset: numbersOf(offset, "offset", place),
        offsetName: offset.name,
      }),
      ...(keptMarks !== undefined && { missingCells: keptMarks }),
    },
  );
}

/** The columns without those rows, and the rows that are left, where any were left out. */
function withoutMissingTarget(
  columns: readonly (Column | undefined)[],
  target: number,
  options: RoleOptions,
): { readonly columns: readonly (Column | undefined)[]; readonly rows?: Int32Array } {
  const labels = columns[target];
  if (labels === undefined) return { columns };
  const missing = new Set(missingLabels(labels));
  if (missing.size === 0) return { columns };
  const numRows = lengthOf(labels);
  const rows = new Int32Array(numRows - missing.size);
  let at = 0;
  for (let row = 0; row < numRows; row++) if (!missing.has(row)) rows[at++] = row;
  options.onWarning?.(
    `Left out ${missing.size} of ${numRows} rows without target "${labels.name}"`,
  );
  const present = columns.filter((column) => column !== undefined);
  const picked = selectRows({ numRows, features: present }, rows).features;
  let next = 0;
  return {
    columns: columns.map((column) => column === undefined ? undefined : picked[next++]),
    rows,
  };
}

/** Weights, refused by the name of their column. */
function weightsOf(column: Column, lineOf: LineOf | undefined): Float64Array {
  const weights = numbersOf(column, "weight", lineOf);
  checkWeight(weights, weights.length, column.name, lineOf);
  return weights;
}

function numbersOf(column: Column, role: string, lineOf: LineOf | undefined): Float64Array {
  if (column.kind === "categorical") {
    const row = column.codes.findIndex((code) => code >= 0 && !(column.categories[code] === ""));
    const value = row < 0 ? "" : column.categories[column.codes[row]];
    throw new DataError(
      "E_DATA_TYPE",
      `Cannot use column "${column.name}" as ${role}: it holds text such as "${value}"`,
      { details: { column: column.name, value } },
    );
  }
  const row = column.values.findIndex((value) => Number.isNaN(value));
  if (row >= 0) {
    throw new DataError(
      "E_DATA_TYPE",
      `Cannot use a missing ${role} in column "${column.name}" at ${placeOf(row, lineOf)}`,
      { details: { column: column.name, ...placeDetails(row, lineOf) } },
    );
  }
  return column.values instanceof Float64Array ? column.values : Float64Array.from(column.values);
}

/** From here on neighbouring whole numbers are one: two queries would be taken for one. */
const EXACT = 2 ** 53;

function inexactError(column: string, row: number, lineOf: LineOf | undefined): DataError {
  return new DataError(
    "E_DATA_SHAPE",
    `Cannot use column "${column}" as group: its number at ${placeOf(row, lineOf)} is 2^53 or ` +
      `more, where neighbours cannot be told apart; number the queries, or read it as text (types, --categorical)`,
    { details: { column, ...placeDetails(row, lineOf) } },
  );
}

/** Numbers queries in order of appearance. */
function queriesOf(column: Column, lineOf: LineOf | undefined): Int32Array {
  const values = column.kind === "numeric" ? column.values : column.codes;
  const queries = new Int32Array(values.length);
  const seen = new Map<number, number>();
  for (let row = 0; row < values.length; row++) {
    const value = values[row];
    const missing = column.kind === "numeric" ? Number.isNaN(value) : value < 0;
    if (column.kind === "numeric" && Math.abs(value) >= EXACT) {
      throw inexactError(column.name, row, lineOf);
    }
    const number = seen.get(value);
    if (!missing && (number === undefined || value === values[row - 1])) {
      queries[row] = number ?? seen.size;
      if (number === undefined) seen.set(value, seen.size);
      continue;
    }
    const shown = column.kind === "numeric" ? value : column.categories[value];
    throw new DataError(
      "E_DATA_SHAPE",
      missing
        ? `Cannot use a missing group in column "${column.name}" at ${placeOf(row, lineOf)}`
        : `Cannot use group "${shown}" at ${
          placeOf(row, lineOf)
        }: its rows do not stand side by side; sort the data by "${column.name}"`,
      { details: { column: column.name, ...placeDetails(row, lineOf) } },
    );
  }
  return queries;
}
