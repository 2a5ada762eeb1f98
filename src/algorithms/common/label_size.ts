/**
 * Labels whose size is out of reach of the arithmetic: trees of them would be constants that look like
 * models.
 *
 * @module
 */
import type { Dataset, Target } from "../../data/types.ts";
import { DataError } from "../../errors.ts";

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

/**
 * Refuses numbers that are out of reach together with the weights of their rows.
 *
 * @throws {DataError} `E_DATA_TARGET`.
 */
export function checkWeightedLabels({ target, sampleWeight }: Dataset): void {
  if (target?.kind !== "regression" || sampleWeight === undefined) return;
  let sum = 0;
  sampleWeight.forEach((weight, row) => sum += weight * Math.abs(target.values[row]));
  if (sum === 0 || (sum >= 1e-140 && sum <= 1e150)) return;
  throw new DataError(
    "E_DATA_TARGET",
    `Cannot train on target ${
      JSON.stringify(target.name)
    }: weight × magnitude adds up to ${sum}, ` +
      "expected 1e-140 to 1e150, whose square can be held (multiply the target or the weights by " +
      "a number)",
    { details: { column: target.name, value: sum } },
  );
}
