/**
 * Request values straight into the columns a model scores: no row objects, no intermediate dataset.
 *
 * The schema is compiled once into name and category lookups; each request fills one `Batch`.
 *
 * @module
 */
import type { Cell, Column, Dataset, InputFeature, Schema } from "../data/types.ts";
import { DataError } from "../errors.ts";
import type { Limits } from "./types.ts";

/** A schema made ready for lookups. */
export interface Encoder {
  readonly schema: Schema;
  readonly limits: Limits;
  /** Index of a feature by its name. */
  readonly index: ReadonlyMap<string, number>;
  /** Code of a category by its value; undefined for numeric features. */
  readonly vocabulary: readonly (ReadonlyMap<string, number> | undefined)[];
  /** Reused by requests of one row: encoding and scoring do not wait in between. */
  readonly single: Batch;
}

/** Rows of one request as the scorer reads them, and what was noticed while they were filled. */
export interface Batch {
  readonly rows: number;
  /** Row-major, one number a feature: the value, or the category's code; NaN is missing. */
  readonly x: Float64Array;
  /** Values given, by feature. */
  readonly present: Int32Array;
  /** Values outside the vocabulary, by feature. */
  readonly unknown: Int32Array;
  /** 1 where the request names the feature at all. */
  readonly named: Uint8Array;
  /** Names that the model does not use. */
  readonly ignored: Set<string>;
}

/** Compiles a schema. */
export function createEncoder(schema: Schema, limits: Limits): Encoder {
  const index = new Map(schema.features.map((feature, i) => [feature.name, i]));
  const vocabulary = schema.features.map((feature) =>
    feature.kind === "categorical"
      ? new Map(feature.categories.map((value, code) => [value, code]))
      : undefined
  );
  return { schema, limits, index, vocabulary, single: createBatch(schema, 1) };
}

/** An empty batch: every value missing. */
export function createBatch(schema: Schema, rows: number): Batch {
  const { length } = schema.features;
  return {
    rows,
    x: new Float64Array(rows * length).fill(NaN),
    present: new Int32Array(length),
    unknown: new Int32Array(length),
    named: new Uint8Array(length),
    ignored: new Set(),
  };
}

/** A batch to fill: the shared one for a single row, else a new one. */
export function startBatch(encoder: Encoder, rows: number): Batch {
  if (rows !== 1) return createBatch(encoder.schema, rows);
  const batch = encoder.single;
  batch.x.fill(NaN);
  batch.present.fill(0);
  batch.unknown.fill(0);
  batch.named.fill(0);
  if (batch.ignored.size > 0) batch.ignored.clear();
  return batch;
}

/** The batch as a dataset. */
export function batchDataset(schema: Schema, batch: Batch): Dataset {
  const { rows, x } = batch;
  const { length } = schema.features;
  const features = schema.features.map((feature, f): Column => {
    const values = new Float64Array(rows);
    for (let row = 0; row < rows; row++) values[row] = x[row * length + f]!;
    if (feature.kind === "numeric") return { kind: "numeric", name: feature.name, values };
    const codes = Int32Array.from(values, (code) => code === code ? code : -1);
    return { kind: "categorical", name: feature.name, codes, categories: feature.categories };
  });
  return { numRows: rows, features };
}

/** Feature of a name as it was sent, or −1 (then the name is noted as ignored). */
export function featureOf(encoder: Encoder, batch: Batch, name: string): number {
  const feature = encoder.index.get(name) ?? encoder.index.get(name.normalize("NFC"));
  if (feature !== undefined) {
    batch.named[feature] = 1;
    return feature;
  }
  if (name === encoder.schema.target?.name) return -1;
  if (batch.ignored.size >= encoder.limits.maxColumns) {
    throw new DataError(
      "E_DATA_LIMIT",
      `Cannot read more than ${encoder.limits.maxColumns} column names in one request`,
      { details: { limit: "maxColumns", value: encoder.limits.maxColumns } },
    );
  }
  batch.ignored.add(name);
  return -1;
}

/**
 * Stores one value.
 *
 * @throws {DataError} `E_DATA_TYPE` when the value is no cell, or its rule refuses it.
 */
export function putCell(
  encoder: Encoder,
  batch: Batch,
  row: number,
  feature: number,
  cell: unknown,
): void {
  const vocabulary = encoder.vocabulary[feature];
  const at = row * encoder.vocabulary.length + feature;
  if (vocabulary === undefined) {
    const value = typeof cell === "number" ? cell : numberOf(encoder, row, feature, cell);
    if (value === value) {
      batch.x[at] = value;
      batch.present[feature]!++;
    }
    return;
  }
  const input = encoder.schema.features[feature]!;
  const code = input.kind === "categorical" && input.coded === true
    ? codedOf(encoder, row, feature, cell, vocabulary.size)
    : codeOf(encoder, row, feature, cell, vocabulary);
  if (code < 0) return;
  if (code === vocabulary.size) {
    if (input.kind === "categorical" && input.unknown === "error") {
      throw refuse(input, row, cell, "one of its known categories");
    }
    batch.unknown[feature]!++;
  }
  batch.x[at] = code;
  batch.present[feature]!++;
}

/** A number from what JSON or a form sent; NaN is missing. */
function numberOf(encoder: Encoder, row: number, feature: number, cell: unknown): number {
  if (cell === null || cell === undefined) return NaN;
  if (typeof cell === "boolean") return cell ? 1 : 0;
  if (typeof cell === "bigint") return Number(cell);
  if (typeof cell === "string") {
    const text = cell.trim();
    if (text === "" || text === "NaN") return NaN;
    const value = decimal(text);
    if (value === value) return value;
    throw refuse(encoder.schema.features[feature]!, row, cell, "a number or null", "E_DATA_PARSE");
  }
  throw refuse(encoder.schema.features[feature]!, row, cell, "a number or null");
}

/** Decimal notation and infinities only: no hexadecimal, no empty text. */
function decimal(text: string): number {
  if (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) return Number(text);
  const infinite = /^([+-]?)(inf|infinity)$/i.exec(text);
  return infinite === null ? NaN : infinite[1] === "-" ? -Infinity : Infinity;
}

/** Category code; −1 missing, the size of the vocabulary when outside it. */
function codeOf(
  encoder: Encoder,
  row: number,
  feature: number,
  cell: unknown,
  vocabulary: ReadonlyMap<string, number>,
): number {
  if (typeof cell === "string") {
    if (cell === "") return -1;
    checkLength(encoder, row, feature, cell);
    return vocabulary.get(cell) ?? vocabulary.get(cell.normalize("NFC")) ?? vocabulary.size;
  }
  if (cell === null || cell === undefined || cell !== cell) return -1;
  if (typeof cell === "object") {
    throw refuse(encoder.schema.features[feature]!, row, cell, "text or null");
  }
  return vocabulary.get(String(cell)) ?? vocabulary.size;
}

/** Imported models whose categories are codes: truncated, negative is missing. */
function codedOf(encoder: Encoder, row: number, feature: number, cell: unknown, size: number) {
  const value = typeof cell === "number" ? cell : numberOf(encoder, row, feature, cell);
  if (!(value >= 0)) return -1;
  return value < size ? Math.trunc(value) : size;
}

function checkLength(encoder: Encoder, row: number, feature: number, text: string): void {
  if (text.length <= encoder.limits.maxString) return;
  throw new DataError(
    "E_DATA_LIMIT",
    `Cannot read column ${quote(encoder.schema.features[feature]!.name)} at row ${
      row + 1
    }: ${text.length} characters, expected at most ${encoder.limits.maxString}`,
    { details: { column: encoder.schema.features[feature]!.name, row: row + 1 } },
  );
}

function refuse(
  input: InputFeature,
  row: number,
  cell: unknown,
  expected: string,
  code: "E_DATA_TYPE" | "E_DATA_PARSE" = "E_DATA_TYPE",
): DataError {
  return new DataError(
    code,
    `Cannot read column ${quote(input.name)} at row ${row + 1}: ${
      shown(cell)
    } is not accepted, expected ${expected}`,
    { details: { column: input.name, row: row + 1 } },
  );
}

/** A value as a message may show it: short, never the whole of what was sent. */
export function shown(cell: unknown): string {
  if (Array.isArray(cell)) return "an array";
  if (typeof cell === "object" && cell !== null) return "an object";
  return typeof cell === "string" ? quote(cell) : String(cell as Cell);
}

/** Text in quotes, cut at 60 characters. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
