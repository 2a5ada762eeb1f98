/**
 * Rows by column name, as scripts have them → dataset.
 *
 * @module
 */
import { checkArgument, checkOptions } from "../door.ts";
import { ROLES } from "./options.ts";
import { DataError } from "../errors.ts";
import { assembleDataset } from "./assemble.ts";
import type { RoleOptions } from "./options.ts";
import { withSchema } from "./roles.ts";
import { createRowColumns } from "./row_columns.ts";
import type { Dataset, Row } from "./types.ts";

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
  checkArgument("datasetFromRows", "rows", rows, "list");
  checkOptions<RoleOptions>("datasetFromRows", options, ROLES);
  if (rows.length === 0) throw new DataError("E_DATA_EMPTY", "Cannot read data: it has no rows");
  const table = createRowColumns(options);
  for (const row of rows) table.add(row);
  const { columns, roles } = table.finish();
  const names = columns.map((column) => column?.name ?? "");
  return assembleDataset(columns, roles, withSchema(options, names));
}
