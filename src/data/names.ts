/**
 * Names of columns: as they are compared, and no two alike. Apart from what checks datasets, so that
 * reading the head of a file does not bring that.
 *
 * @module
 */
import { DataError } from "../errors.ts";

/**
 * Names as they are compared: Unicode NFC.
 *
 * @throws {DataError} `E_DATA_SHAPE` when two are the same, with both positions.
 */
export function normaliseNames(names: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return names.map((raw, at) => {
    const name = raw.normalize("NFC");
    const before = seen.get(name);
    if (before !== undefined) throw duplicateError(name, before, at);
    seen.set(name, at);
    return name;
  });
}

/** The error for two columns of one name, with both positions counted from 1. */
export function duplicateError(name: string, first: number, second: number): DataError {
  return new DataError(
    "E_DATA_SHAPE",
    name === ""
      ? `Cannot use two columns without a name: columns ${first + 1} and ${second + 1}`
      : `Cannot use two columns named "${name}": columns ${first + 1} and ${second + 1}`,
    { details: { column: name, positions: [first + 1, second + 1] } },
  );
}
