/**
 * Labels whose size is out of reach of the arithmetic: trees of them would be constants that look like
 * models.
 *
 * @module
 */
import type { Target } from "../data/types.ts";
import { DataError } from "../errors.ts";

/**
 * Refuses numbers whose largest magnitude is outside of a range; all may be 0.
 *
 * @param why Completes "expected 1e-140 to 1e140, …".
 * @throws {DataError} `E_DATA_TARGET`.
 */
export function checkLabelSize(target: Target, least: number, most: number, why: string): void {
  if (target.kind !== "regression") return;
  let largest = 0;
  for (const value of target.values) if (Math.abs(value) > largest) largest = Math.abs(value);
  if (largest === 0 || (largest >= least && largest <= most)) return;
  throw new DataError(
    "E_DATA_TARGET",
    `Cannot train on target ${JSON.stringify(target.name)}: its largest magnitude is ${largest}, ` +
      `expected ${least} to ${most}, ${why} (multiply the target by a number)`,
    { details: { column: target.name, value: largest } },
  );
}
