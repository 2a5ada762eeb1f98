/**
 * Zeros as missing values, where a model is to read them so (LightGBM's `zero_as_missing`).
 *
 * @module
 */
import type { Column, Dataset } from "../types.ts";

const ZERO = Math.fround(1e-35); // LightGBM's kZeroThreshold, as scoring has it

const nearZero = (value: number) => Math.abs(value) <= ZERO;

/**
 * The data with `NaN` for each zero of a numeric column; categories stay. Columns without zeros are
 * the same arrays as before.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const { features: [x] } = zerosMissing({
 *   numRows: 4,
 *   features: [{ kind: "numeric", name: "x", values: new Float64Array([2, 0, -0, 1e-36]) }],
 * });
 * assertEquals(x.kind === "numeric" && [...x.values], [2, NaN, NaN, NaN]);
 * ```
 */
export function zerosMissing(data: Dataset): Dataset {
  const features = data.features.map((column): Column => {
    if (column.kind !== "numeric" || !column.values.some(nearZero)) return column;
    return { ...column, values: column.values.map((value) => nearZero(value) ? NaN : value) };
  });
  return { ...data, features };
}
