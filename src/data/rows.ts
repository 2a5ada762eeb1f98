/**
 * Rows by column name, as scripts and JSON have them → dataset.
 *
 * @module
 */
import { DataError } from "../errors.ts";
import { assembleDataset } from "./assemble.ts";
import { type LineOf, placeDetails, placeOf } from "./place.ts";
import { isNumberText, sortVocabulary } from "./labels.ts";
import { MISSING, type RoleOptions } from "./options.ts";
import { declaredKind, knownValues, normaliseNames, resolveRoles, withSchema } from "./roles.ts";
import type { Cell, Column, Dataset, Row } from "./types.ts";

/**
 * Builds a dataset from objects. Columns are the keys of all rows in order of first appearance; a
 * row without a key has a missing value there. `null`, `undefined`, `NaN` and the missing tokens
 * are missing. A column is numeric where every present value is a number, or text that is one.
 *
 * @throws {DataError} Naming column and row.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const data = datasetFromRows([{ x: 1, y: "a" }, { x: null, y: "b" }], { target: "y" });
 * assertEquals(data.features, [
 *   { kind: "numeric", name: "x", values: new Float64Array([1, NaN]) },
 * ]);
 * ```
 */
export function datasetFromRows(rows: readonly Row[], options: RoleOptions = {}): Dataset {
  return datasetFromLines(rows, options, undefined);
}

/** The same for rows of a file, whose lines go into messages. */
export function datasetFromLines(
  rows: readonly Row[],
  options: RoleOptions,
  lineOf: LineOf | undefined,
): Dataset {
  if (rows.length === 0) throw new DataError("E_DATA_EMPTY", "Cannot read data: it has no rows");
  const keys = new Map<string, number>();
  rows.forEach((row, at) => {
    if (typeof row !== "object" || row === null || Array.isArray(row)) {
      throw new DataError(
        "E_DATA_TYPE",
        `Cannot read ${placeOf(at, lineOf)}: expected an object of values by column name`,
        { details: { ...placeDetails(at, lineOf) } },
      );
    }
    for (const key of Object.keys(row)) if (!keys.has(key)) keys.set(key, keys.size);
  });
  const raw = [...keys.keys()];
  const names = normaliseNames(raw);
  const roles = resolveRoles(names, withSchema(options, names));
  const missing = new Set(options.missing ?? MISSING);
  const columns = names.map((name, at): Column | undefined => {
    if (roles.drop.has(at)) return undefined;
    const known = new Set(knownValues(name, options));
    const cells = rows.map((row, index) =>
      present(Object.hasOwn(row, raw[at]) ? row[raw[at]] : undefined, missing, known, () => ({
        name,
        index,
        lineOf,
      }))
    );
    const declared = declaredKind(name, options);
    const numeric = declared === undefined ? cells.every(isNumeric) : declared === "numeric";
    return numeric ? numericColumn(name, cells, lineOf) : categoricalColumn(name, cells);
  });
  return assembleDataset(columns, roles, withSchema(options, names), lineOf);
}

/** A value, or undefined where it is missing. */
type Present = string | number | boolean | bigint | undefined;

function present(
  cell: Cell,
  missing: ReadonlySet<string>,
  known: ReadonlySet<string>,
  where: () => { name: string; index: number; lineOf: LineOf | undefined },
): Present {
  if (cell === null || cell === undefined || Number.isNaN(cell)) return undefined;
  if (typeof cell === "string") {
    return missing.has(cell.trim()) && !known.has(cell) ? undefined : cell;
  }
  if (typeof cell === "number" || typeof cell === "boolean" || typeof cell === "bigint") {
    return cell;
  }
  const { name, index, lineOf } = where();
  throw new DataError(
    "E_DATA_TYPE",
    `Cannot read column "${name}" at ${placeOf(index, lineOf)}: found ${
      Array.isArray(cell) ? "an array" : typeof cell
    }, expected a number, text or true and false`,
    { details: { column: name, ...placeDetails(index, lineOf) } },
  );
}

const INFINITY = /^[+-]?inf(inity)?$/i;

function isNumeric(cell: Present): boolean {
  if (typeof cell === "string") return isNumberText(cell.trim()) || INFINITY.test(cell.trim());
  return cell === undefined || typeof cell === "number" || typeof cell === "bigint";
}

function numericColumn(name: string, cells: readonly Present[], lineOf?: LineOf): Column {
  const values = new Float64Array(cells.length);
  cells.forEach((cell, row) => {
    if (cell === undefined) values[row] = NaN;
    else if (typeof cell !== "string") values[row] = Number(cell);
    else if (INFINITY.test(cell.trim())) values[row] = cell.includes("-") ? -Infinity : Infinity;
    else if (isNumberText(cell.trim())) values[row] = Number(cell);
    else {
      throw new DataError(
        "E_DATA_PARSE",
        `Cannot read column "${name}" at ${placeOf(row, lineOf)}: ${
          JSON.stringify(cell.slice(0, 60))
        } is not a number`,
        { details: { column: name, ...placeDetails(row, lineOf) } },
      );
    }
  });
  return { kind: "numeric", name, values };
}

function categoricalColumn(name: string, cells: readonly Present[]): Column {
  const codeOf = new Map<string, number>();
  const codes = Int32Array.from(cells, (cell) => {
    if (cell === undefined) return -1;
    const text = String(cell);
    const code = codeOf.get(text);
    if (code !== undefined) return code;
    codeOf.set(text, codeOf.size);
    return codeOf.size - 1;
  });
  return {
    kind: "categorical",
    name,
    codes,
    categories: sortVocabulary([...codeOf.keys()], codes),
  };
}
