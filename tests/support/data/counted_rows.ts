/**
 * Datasets given as counts, for numbers worked by hand.
 *
 * @module
 */
import type { Dataset } from "../../../src/data/types.ts";

/** Rows of one number `x` and a class: `[x, class, how many]`. */
export function countedRows(
  classes: readonly string[],
  counts: readonly (readonly [number, number, number])[],
): Dataset {
  const rows = counts.flatMap(([x, code, count]) =>
    Array.from({ length: count }, () => [x, code] as const)
  );
  return {
    numRows: rows.length,
    features: [{ kind: "numeric", name: "x", values: Float64Array.from(rows, ([x]) => x) }],
    target: {
      kind: "classification",
      name: "y",
      codes: Int32Array.from(rows, ([, code]) => code),
      classes,
    },
  };
}
