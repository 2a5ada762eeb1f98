/**
 * One value from JSON, CSV or a script → the number or the text that a model compares.
 *
 * @module
 */
import type { Cell } from "../data/types.ts";
import { DataError } from "../errors.ts";
import { shown } from "../small_door.ts";

// Patterns stand where they are used: each takes a cold start 8 µs where it is made.

/** Whether text means missing unless the caller says otherwise: `MISSING` of src/data/missing_cells.ts. */
export function isMark(text: string): boolean {
  return /^[ \t]*((N\/?A|NaN|nan|null|\?)[ \t]*)?$/.test(text);
}

/** Where a cell stands, for messages: the column's name and the row counted from 1. */
export function cellError(column: string, row: number, problem: string, parse = false): DataError {
  return new DataError(
    parse ? "E_DATA_PARSE" : "E_DATA_TYPE",
    `Cannot read column ${JSON.stringify(column)} at row ${row}: ${problem}`,
    { details: { column, row } },
  );
}

/**
 * A cell as a number; `NaN` means missing. Text is read as a decimal number, booleans are 0 and 1.
 *
 * @throws {DataError} `E_DATA_PARSE` for text that is no number, `E_DATA_TYPE` for other things.
 */
export function cellNumber(cell: Cell, column: string, row: number): number {
  if (typeof cell === "number") return cell;
  if (typeof cell === "boolean" || typeof cell === "bigint") return Number(cell);
  const text = cellText(cell, column, row, "a number")?.trim() ?? "";
  if (/^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text)) return Number(text);
  if (/^[+-]?inf(inity)?$/i.test(text)) return text[0] === "-" ? -Infinity : Infinity;
  if (isMark(text)) return NaN;
  throw cellError(column, row, `${shown(cell)} is not a number`, true);
}

/**
 * A cell as the text of a category; `undefined` means missing. Numbers become their shortest
 * decimal text, so that 1 and "1" are one category.
 *
 * @throws {DataError} `E_DATA_TYPE` for things that are no cell.
 */
export function cellText(
  cell: Cell,
  column: string,
  row: number,
  expected = "text",
): string | undefined {
  if (typeof cell === "string") return cell || undefined;
  if (cell === null || cell === undefined || cell !== cell) return undefined;
  if (typeof cell === "number" || typeof cell === "boolean" || typeof cell === "bigint") {
    return String(cell);
  }
  throw cellError(column, row, `found ${shown(cell)}, expected ${expected}`);
}
