/**
 * Request values straight into the numbers a model scores: no row objects, no dataset in between.
 *
 * The rules for cells are those of `src/model`; this adds the bounds of a request and a short way
 * for what nearly every cell is, a number or a known category.
 *
 * @module
 */
import type { Cell, InputFeature, Schema } from "../../data/types.ts";
import { DataError } from "../../errors.ts";
import { missingCells } from "../../data/missing_cells.ts";
import { type Contract, createContract } from "../../model/contract.ts";
import { encodeCell } from "../../model/encode.ts";
import { type Batch, createBatch } from "./batch.ts";
import type { Limits } from "../admission/limits.ts";
import { MARK } from "../../util/utf8.ts";
import { forMany, LARGE_BODY } from "./for_many.ts";

/** A number as it is, a category looked up by its text, or by the rules of `src/model`. */
export const Way = { number: 0, category: 1, other: 2 } as const;

/** A schema made ready for requests. */
export interface Encoder {
  /** What rows look like: that of the model, with the offset column last where it has one. */
  readonly schema: Schema;
  /** Whether the last column is the raw score that a row starts from. */
  readonly starts: boolean;
  readonly limits: Limits;
  readonly contract: Contract;
  /** `Way` of each feature. */
  readonly ways: Uint8Array;
  /** Codes of each category; undefined where cells are numbers. */
  readonly codes: readonly (ReadonlyMap<string, number> | undefined)[];
  /** Cells of CSV that mean missing. */
  readonly missing: ReadonlySet<string>;
  /** Whether U+FFFD is in a name or category: then bytes that are not UTF-8 could be taken for it. */
  readonly knowsMark: boolean;
  /** Reused by requests of one row: nothing waits between reading and scoring it. */
  readonly single: Batch;
  /** The short way for JSON bodies. */
  readonly reader: RowReader;
}

/**
 * Compiles a schema.
 *
 * @param starts Whether its last column is the raw score that a row starts from. @default false
 */
export function createEncoder(schema: Schema, limits: Limits, starts = false): Encoder {
  const contract = createContract(schema);
  const ways = Uint8Array.from(schema.features, (feature) => {
    // Numbers and text may mean missing: each is looked at.
    if (schema.missingCells !== undefined) return Way.other;
    if (feature.kind === "numeric") return feature.zeroIsMissing ? Way.other : Way.number;
    return feature.coded ? Way.other : Way.category;
  });
  const codes = schema.features.map((feature, f) =>
    feature.kind === "categorical" && !feature.coded ? contract.codesOf(f) : undefined
  );
  const missing = new Set(missingCells({ schema }));
  const knowsMark = [...missing, ...schema.features.flatMap(textsOf)].some((text) =>
    text.includes(MARK)
  );
  const single = createBatch(schema, 1, starts);
  const encoder = { schema, starts, limits, contract, ways, codes, missing, knowsMark, single };
  return { ...encoder, reader: lazyReader(encoder) };
}

function textsOf(feature: InputFeature): readonly string[] {
  return feature.kind === "categorical" ? [feature.name, ...feature.categories] : [feature.name];
}

/** A batch to fill: the shared one for a single row, else a new one. */
export function startBatch(encoder: Encoder, rows: number): Batch {
  if (rows !== 1) return createBatch(encoder.schema, rows, encoder.starts);
  const batch = encoder.single;
  batch.x.fill(NaN);
  batch.tally.missing.fill(0);
  batch.tally.unknown.fill(0);
  batch.sent.fill(0);
  batch.named.fill(0);
  // `clear` makes the table of an old set anew where old objects lie, for the next full collection.
  if (batch.ignored.size > 0) batch.ignored = new Set();
  return batch;
}

/** Feature of a name as it was sent, or −1 (then the name is noted as ignored). */
export function featureOf(encoder: Encoder, batch: Batch, name: string): number {
  const { byName } = encoder.contract;
  const feature = byName.get(name) ?? byName.get(name.normalize());
  if (feature !== undefined) {
    batch.named[feature] = 1;
    return feature;
  }
  if (name === encoder.schema.target?.name) return -1;
  if (batch.ignored.size >= encoder.limits.maxColumns) {
    throw new DataError(
      "E_DATA_LIMIT",
      `Cannot read more than ${encoder.limits.maxColumns} unknown column names in one request`,
      { details: { limit: "maxColumns", value: encoder.limits.maxColumns } },
    );
  }
  batch.ignored.add(name);
  return -1;
}

/**
 * Feature of a whole column, or −1.
 *
 * @throws {DataError} `E_DATA_SHAPE` for a second column of a feature: the same name again, or the
 * same name in another Unicode form.
 */
export function columnOf(encoder: Encoder, batch: Batch, name: string): number {
  const { byName } = encoder.contract;
  const known = byName.get(name) ?? byName.get(name.normalize());
  if (known !== undefined && batch.named[known] === 1) throw twice(encoder, known);
  return featureOf(encoder, batch, name);
}

/** The error for two columns of one feature. */
export function twice(encoder: Encoder, feature: number, row?: number): DataError {
  const column = encoder.schema.features[feature].name;
  return new DataError(
    "E_DATA_SHAPE",
    `Cannot read column ${quote(column)}${row === undefined ? "" : ` at row ${row + 1}`}: ` +
      "it occurs twice, perhaps in two Unicode forms; send it once",
    { details: { column, ...(row === undefined ? {} : { row: row + 1 }) } },
  );
}

/**
 * Stores one value.
 *
 * @throws {DataError} `E_DATA_TYPE` or `E_DATA_PARSE` when the value is no cell, or its rule
 * refuses it; `E_DATA_LIMIT` for text that is too long.
 */
export function putCell(
  encoder: Encoder,
  batch: Batch,
  row: number,
  feature: number,
  cell: unknown,
): void {
  const at = row * encoder.ways.length + feature;
  batch.sent[feature]++;
  if (typeof cell === "number") {
    if (encoder.ways[feature] === Way.number && cell === cell) {
      batch.x[at] = cell;
      return;
    }
  } else if (typeof cell === "string") {
    const code = encoder.codes[feature]?.get(cell);
    if (code !== undefined) {
      batch.x[at] = code;
      return;
    }
    checkLength(encoder, row, feature, cell);
  }
  batch.x[at] = encodeCell(encoder.contract, feature, cell as Cell, row + 1, batch.tally);
}

function checkLength(encoder: Encoder, row: number, feature: number, text: string): void {
  if (text.length <= encoder.limits.maxString) return;
  const column = encoder.schema.features[feature].name;
  throw new DataError(
    "E_DATA_LIMIT",
    `Cannot read column ${quote(column)} at row ${row + 1}: ` +
      `${text.length} characters, expected at most ${encoder.limits.maxString}`,
    { details: { column, row: row + 1, limit: "maxString", value: encoder.limits.maxString } },
  );
}

/** A value as a message may show it: short, never the whole of what was sent. */
export function shown(cell: unknown): string {
  if (Array.isArray(cell)) return "an array";
  if (typeof cell === "object" && cell !== null) return "an object";
  return typeof cell === "string" ? quote(cell) : String(cell);
}

/** Text in quotes, cut at 60 characters. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}

/** Reads bodies for one model the short way, which row_reader.ts is. */
export interface RowReader {
  /**
   * A body as a batch, or undefined where it must be read the long way. The batch is good until the
   * next call.
   */
  read(body: string | Uint8Array): Batch | undefined;
}

/** What a reader needs to know: an `Encoder` has it. */
export interface Plan {
  readonly starts: boolean;
  readonly schema: Schema;
  readonly contract: Contract;
  readonly limits: Limits;
  readonly ways: Uint8Array;
  readonly codes: readonly (ReadonlyMap<string, number> | undefined)[];
}

/** Small bodies that are read the long way first: a cold start does not wait for tables. */
const FIRST = 8;

/** A reader that is made once it pays, and what makes it is loaded. */
function lazyReader(plan: Plan): RowReader {
  let calls = 0;
  let reader: RowReader | undefined | null = null;
  return {
    read(body) {
      if (reader === null) {
        if (++calls <= FIRST && body.length < LARGE_BODY) return undefined;
        const many = forMany();
        if (many === undefined) return undefined;
        reader = many.createRowReader(plan);
      }
      return reader?.read(body);
    },
  };
}
