/**
 * The table shapes of other protocols → a batch: split, records, instances, inputs.
 *
 * @module
 */
import { DataError } from "../../errors.ts";
import { columnOf, type Encoder, putCell, quote, shown, startBatch } from "../body/encoder.ts";
import type { Batch } from "../body/batch.ts";
import { batchFromMatrix } from "../body/float_rows.ts";
import { batchFromJson, checkRows } from "../body/json_rows.ts";

/** `{columns, index?, data}`: pandas' split orientation. */
export function batchFromSplit(encoder: Encoder, value: unknown): Batch {
  const { columns, data } = (value ?? {}) as Record<string, unknown>;
  if (!Array.isArray(data)) throw shapeError("a split table", "columns and data, both arrays");
  if (columns === undefined) {
    // Names under another word would be passed over, and the cells taken by position.
    const others = Object.keys(value as object).filter((key) => key !== "data" && key !== "index");
    if (others.length > 0) throw shapeError("a split table", `columns, not ${quote(others[0])}`);
    return batchFromInstances(encoder, data);
  }
  if (!Array.isArray(columns)) throw shapeError("a split table", "columns and data, both arrays");
  checkRows(encoder, data.length);
  const batch = startBatch(encoder, data.length);
  const names = columns.map((name) => {
    if (typeof name !== "object") return String(name);
    throw shapeError("a split table", `names of columns, not ${shown(name)}`);
  });
  const seen = new Set<string>();
  const twice = names.find((name) => seen.size === seen.add(name).size);
  if (twice !== undefined) throw shapeError("a split table", `one column ${quote(twice)}`);
  const features = names.map((name) => columnOf(encoder, batch, name));
  for (let row = 0; row < data.length; row++) {
    const cells = data[row];
    if (!Array.isArray(cells) || cells.length !== names.length) {
      throw shapeError(`row ${row + 1}`, `an array of ${names.length} values`, row);
    }
    for (let at = 0; at < cells.length; at++) {
      if (features[at] >= 0) putCell(encoder, batch, row, features[at], cells[at]);
    }
  }
  return batch;
}

/** A list of objects by name, of arrays by position, or of single numbers. */
export function batchFromInstances(encoder: Encoder, instances: unknown): Batch {
  if (!Array.isArray(instances)) throw shapeError("instances", "an array");
  checkRows(encoder, instances.length);
  const [first] = instances;
  if (typeof first === "object" && first !== null && !Array.isArray(first)) {
    return batchFromJson(encoder, instances);
  }
  const width = Array.isArray(first) ? first.length : 1;
  const flat: unknown[] = [];
  for (let row = 0; row < instances.length; row++) {
    const cells = Array.isArray(first) ? instances[row] : [instances[row]];
    if (!Array.isArray(cells) || cells.length !== width) {
      throw shapeError(`row ${row + 1}`, `an array of ${width} values`, row);
    }
    for (const cell of cells) flat.push(cell);
  }
  return batchFromMatrix(encoder, instances.length, width, (i) => flat[i]);
}

/** Columns by name, or what `instances` may be. Columns of one-value arrays are columns of values. */
export function batchFromInputs(encoder: Encoder, inputs: unknown): Batch {
  if (typeof inputs !== "object" || inputs === null || Array.isArray(inputs)) {
    return batchFromInstances(encoder, inputs);
  }
  const columns = Object.create(null) as Record<string, unknown>;
  for (const [name, value] of Object.entries(inputs)) {
    const nested = Array.isArray(value) && value.length > 0 &&
      value.every((cell) => Array.isArray(cell) && cell.length === 1);
    columns[name] = nested ? value.map((cell) => cell[0]) : value;
  }
  return batchFromJson(encoder, columns);
}

function shapeError(what: string, expected: string, row?: number): DataError {
  return new DataError("E_DATA_SHAPE", `Cannot read ${what}: expected ${expected}`, {
    details: row === undefined ? {} : { row: row + 1 },
  });
}
