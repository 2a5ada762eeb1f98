/**
 * Rows by column name, as scripts have them → dataset.
 *
 * @module
 */
import { checkArgument, checkOptions } from "../../door.ts";
import { ROLES } from "../options.ts";
import { DataError } from "../../errors.ts";
import { assembleDataset } from "../reading/assemble.ts";
import type { RoleOptions } from "../options.ts";
import { withSchema } from "../reading/roles.ts";
import { createRowColumns } from "./row_columns.ts";
import type { Dataset, Row } from "../types.ts";

/**
 * Builds a dataset from objects. The columns are the keys of all rows, in order of first appearance.
 * A value is missing if the row does not have the key, or if it is `null`, `undefined`, `NaN` or one
 * of the `missing` texts. A column is numeric if every other value is a number or the text of one.
 *
 * @throws {DataError} With column and row: `E_DATA_TYPE` for a value that is not a cell,
 * `E_DATA_PARSE` for text in a column declared numeric, `E_DATA_EMPTY` without rows; and for columns
 * and targets as {@linkcode parseCsv}.
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
