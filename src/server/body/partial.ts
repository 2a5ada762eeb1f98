/**
 * Filling a batch row by row, so that a row that cannot be read refuses the request or is left out.
 *
 * @module
 */
import { DataError } from "../../errors.ts";
import { type Encoder, quote, startBatch } from "./encoder.ts";
import { type Batch, createBatch } from "./batch.ts";

/** A row that could not be read, when the others may go on. */
export interface RowError {
  /** From 1. */
  readonly row: number;
  readonly code: string;
  readonly message: string;
  readonly column?: string;
}

/** Where row errors go; without it the first one is thrown. */
export type RowErrors = RowError[] | undefined;

/** Reads row `row` of the body into row `at` of a batch. */
export type FillRow = (row: number, at: number) => void;

/**
 * A batch of those rows that can be read.
 *
 * @param begin Makes the reader for a batch; called again when rows are left out, since what was
 * noticed (missing, unknown) shall be that of the rows which are scored.
 * @param errors Where to name the rows that are left out.
 * @throws {DataError} of the first row that cannot be read, without `errors`.
 */
export function fillRows(
  encoder: Encoder,
  rows: number,
  begin: (batch: Batch) => FillRow,
  errors: RowErrors,
): Batch {
  const batch = startBatch(encoder, rows);
  const fill = begin(batch);
  if (errors === undefined) {
    for (let row = 0; row < rows; row++) fill(row, row);
    return batch;
  }
  const bad = new Map<number, RowError>();
  for (let row = 0; row < rows; row++) {
    try {
      fill(row, row);
    } catch (error) {
      if (!(error instanceof DataError)) throw error;
      bad.set(row, rowError(row, error));
    }
  }
  findLacking(encoder, batch, bad);
  if (bad.size === 0) return batch;
  for (let row = 0; row < rows; row++) {
    const error = bad.get(row);
    if (error !== undefined) errors.push(error);
  }
  const rest = createBatch(encoder.schema, rows - bad.size, encoder.starts);
  const refill = begin(rest);
  let at = 0;
  for (let row = 0; row < rows; row++) if (!bad.has(row)) refill(row, at++);
  return rest;
}

/** Names rows without a value that the model needs, where the column as such was sent. */
function findLacking(encoder: Encoder, batch: Batch, bad: Map<number, RowError>): void {
  const { features } = encoder.schema;
  features.forEach(({ missing, name }, f) => {
    if (missing !== "error" || batch.named[f] === 0) return;
    for (let row = 0; row < batch.rows; row++) {
      const value = batch.x[row * features.length + f];
      if (value !== value && !bad.has(row)) bad.set(row, rowError(row, lackingError(name, row)));
    }
  });
}

/** The error for a missing value of a feature that must be given. */
export function lackingError(name: string, row: number): DataError {
  return new DataError(
    "E_DATA_TYPE",
    `Cannot score row ${row + 1} without column ${quote(name)}: the value is missing`,
    { details: { column: name, row: row + 1 } },
  );
}

/** What an answer says about a row that was left out. */
function rowError(row: number, error: DataError): RowError {
  const column = error.details.column;
  return {
    row: row + 1,
    code: error.code,
    message: error.message,
    ...(typeof column === "string" ? { column } : {}),
  };
}

/** Texts of the rows that were scored, with `null` in the place of each row that was left out. */
export function withNulls(texts: readonly string[], errors: RowErrors): readonly string[] {
  if (errors === undefined || errors.length === 0) return texts;
  const all: string[] = [];
  const bad = new Set(errors.map(({ row }) => row - 1));
  let at = 0;
  for (let row = 0; row < texts.length + bad.size; row++) {
    all.push(bad.has(row) ? "null" : texts[at++]);
  }
  return all;
}
