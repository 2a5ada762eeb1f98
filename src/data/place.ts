/**
 * Where a row stands, for messages and for `details`.
 *
 * @module
 */

/** Line (from 1) of a row (from 0) in the file that it came from. */
export type LineOf = (row: number) => number;

/** `row 3`, or `row 3 (line 4)` where lines are known. */
export function placeOf(row: number, lineOf: LineOf | undefined): string {
  return lineOf === undefined ? `row ${row + 1}` : `row ${row + 1} (line ${lineOf(row)})`;
}

/** The same for `details`. */
export function placeDetails(
  row: number,
  lineOf: LineOf | undefined,
): { readonly row: number; readonly line?: number } {
  return { row: row + 1, ...(lineOf !== undefined && { line: lineOf(row) }) };
}
