/**
 * Rows as raw float32 numbers, little-endian, one after the other: the smallest body there is.
 * Numbers have no names, so the caller proves by the schema's hash that the order is the model's.
 *
 * @module
 */
import { DataError, ModelError } from "../../errors.ts";
import { type Encoder, putCell, quote, startBatch } from "./encoder.ts";
import type { Batch } from "./batch.ts";
import { checkRows } from "./json_rows.ts";

/**
 * Asks for the hash of the columns, which shows that the caller knows their order.
 *
 * @throws {ModelError} `E_MODEL_SCHEMA`.
 */
export function needSchemaHash(given: string | undefined, expected: string): void {
  if (given !== undefined) return; // it has been compared
  throw new ModelError(
    "E_MODEL_SCHEMA",
    "Cannot match columns by position: send ?schema= and the model's schemaHash",
    { details: { expected } },
  );
}

/** A body of float32 numbers as a batch; NaN is missing. */
export function batchFromFloats(encoder: Encoder, bytes: Uint8Array): Batch {
  const width = encoder.schema.features.length;
  refuseText(encoder);
  if (bytes.byteLength % (4 * width) !== 0) {
    throw new DataError(
      "E_DATA_SHAPE",
      `Cannot split ${bytes.byteLength} bytes into rows: expected a multiple of ${4 * width}`,
      { details: { bytes: bytes.byteLength, rowBytes: 4 * width } },
    );
  }
  const rows = bytes.byteLength / (4 * width);
  checkRows(encoder, rows);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return batchFromMatrix(encoder, rows, width, (i) => view.getFloat32(4 * i, true));
}

/** Numbers in the order of the model's columns as a batch. */
export function batchFromMatrix(
  encoder: Encoder,
  rows: number,
  width: number,
  cellAt: (index: number) => unknown,
): Batch {
  const expected = encoder.schema.features.length;
  if (width !== expected) {
    throw new DataError(
      "E_DATA_SHAPE",
      `Cannot match ${width} columns by position: the model has ${expected}`,
      { details: { expected, found: width } },
    );
  }
  checkRows(encoder, rows);
  const batch = startBatch(encoder, rows);
  batch.named.fill(1);
  for (let row = 0; row < rows; row++) {
    for (let f = 0; f < width; f++) putCell(encoder, batch, row, f, cellAt(row * width + f));
  }
  return batch;
}

/**
 * Numbers cannot stand for text categories: their codes are the model's own business.
 *
 * @throws {DataError} `E_DATA_TYPE`.
 */
export function refuseText(encoder: Encoder): void {
  const at = encoder.codes.findIndex((codes) => codes !== undefined);
  if (at < 0) return;
  const column = encoder.schema.features[at].name;
  throw new DataError(
    "E_DATA_TYPE",
    `Cannot read column ${quote(column)} from a matrix of numbers: its values are text; ` +
      "send named columns",
    { details: { column } },
  );
}
