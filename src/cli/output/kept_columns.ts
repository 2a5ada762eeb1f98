/**
 * Names of a result's columns: each comes once. Readers of JSON keep the last of two without a word, and
 * who looks up a score by name must not find what was kept of the input.
 *
 * @module
 */
import { UsageError } from "../../errors.ts";

/**
 * Refuses columns to keep whose names the result has, or that are named twice.
 *
 * @throws {UsageError} `E_USAGE` with the name.
 */
export function checkKept(keep: readonly string[], found: readonly string[]): void {
  const taken = new Set(found);
  keep.forEach((name, i) => {
    if (!taken.has(name) && keep.indexOf(name) === i) return;
    throw new UsageError(
      "E_USAGE",
      `Cannot keep column ${JSON.stringify(name)}${
        taken.has(name) ? ": the result has a column of that name" : " twice"
      }; expected other names in --keep`,
      { details: { column: name } },
    );
  });
}

/** A name that no other column has. */
export function freeName(name: string, others: readonly string[]): string {
  while (others.includes(name)) name += "_";
  return name;
}
