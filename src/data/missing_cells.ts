/**
 * Cells that mean "missing", and the numbers among them: a marker such as −999 is a number like any
 * other to whoever does not know it, so the model keeps it and scoring reads input as training did.
 *
 * @module
 */
import type { FloatArray } from "./types.ts";
import type { RoleOptions } from "./options.ts";

/** Cells that mean "missing" unless the caller says otherwise. */
const MISSING: readonly string[] = ["", "NA", "NaN", "nan", "null", "?", "N/A"];

/**
 * The cells that mean missing: the caller's, else those the model learnt with, else the usual ones;
 * without spaces around, as cells are compared with them.
 */
export function missingCells({ missing, schema }: RoleOptions): readonly string[] {
  return missing?.map((cell) => cell.trim()) ?? schema?.missingCells ?? MISSING;
}

/**
 * What a model has to keep of them: nothing where they are the usual ones. Markers that are numbers
 * are kept as their shortest decimal text too, whatever the file's decimal sign.
 */
export function keptMissing(cells: readonly string[]): readonly string[] | undefined {
  const usual = cells.length === MISSING.length && cells.every((cell) => MISSING.includes(cell));
  if (usual) return undefined;
  const numbers = missingNumbers(cells).map(String);
  return [...new Set([...cells.map((cell) => cell.trim()), ...numbers])];
}

/** A cell without the spaces and tabs around it, which do not count for numbers and markers. */
export function withoutSpaces(cell: string): string {
  return cell.replace(/^[ \t]+|(?<![ \t])[ \t]+$/g, "");
}

const NUMBER = /^[+-]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:e[+-]?\d+)?$/i;
const INFINITE = /^([+-]?)inf(?:inity)?$/i;

/** The numbers among cells that mean missing: `-999` and `-999.0` are one. */
export function missingNumbers(cells: readonly string[]): readonly number[] {
  const numbers = cells.flatMap((cell) => {
    const text = cell.trim();
    if (NUMBER.test(text)) return [Number(text.replace(",", "."))];
    const infinite = INFINITE.exec(text);
    return infinite === null ? [] : [infinite[1] === "-" ? -Infinity : Infinity];
  });
  return [...new Set(numbers)];
}

/** Turns each of the numbers `from … to − 1` that means missing into NaN; says whether one did. */
export function blankNumbers(
  values: FloatArray,
  from: number,
  to: number,
  numbers: readonly number[],
): boolean {
  let found = false;
  for (const number of numbers) {
    for (let at = from; at < to; at++) {
      if (values[at] !== number) continue;
      values[at] = NaN;
      found = true;
    }
  }
  return found;
}
