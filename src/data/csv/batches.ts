/**
 * CSV → batches of rows for scoring, in constant memory: columns matched to a model's schema by
 * name, categories by value, whatever their order in the file.
 *
 * @module
 */
import { checkArgument, checkedPiece, checkOptions } from "../../door.ts";
import { DataError, ModelError } from "../../errors.ts";
import { createBeyondNotes } from "../reading/beyond.ts";
import { createBadRows } from "../reading/bad_rows.ts";
import { type Block, createBlockReader } from "./blocks.ts";
import { createCellReader } from "./cells.ts";
import type { Head } from "./dialect.ts";
import { type Begun, createHeadBuffer } from "./head_buffer.ts";
import { CellKind, type CreateScanner } from "./scan.ts";
import { type ColumnSink, createSchemaSink } from "./schema_sink.ts";
import { createFastScanner } from "./wasm_scan.ts";
import { missingCells, missingNumbers } from "../missing_cells.ts";
import type { ColumnRef, CsvOptions } from "../options.ts";
import { nextTurn } from "../../util/turn.ts";
import { findColumn } from "../reading/roles.ts";
import type { Column, Dataset, InputReport, Schema } from "../types.ts";

/** How CSV is read and divided into batches. */
export interface BatchOptions extends
  Pick<
    CsvOptions,
    | "delimiter"
    | "decimal"
    | "header"
    | "names"
    | "trim"
    | "badRows"
    | "limits"
    | "missing"
    | "onWarning"
  > {
  /**
   * Largest number of rows in a batch. A batch also ends after about 1 MiB of input, and when the
   * input pauses. @default 8192
   */
  readonly batchRows?: number;
  /** Columns whose cells are passed on as text, unchanged. */
  readonly keep?: readonly ColumnRef[];
  /**
   * The inner loop, for tests.
   *
   * @internal
   */
  readonly createScanner?: CreateScanner;
}

/** Consecutive rows of the input. */
export interface CsvBatch {
  /**
   * The columns of the model that the input has, in the order of the model. Categories have the
   * codes of the model.
   */
  readonly data: Dataset;
  /** Text of each kept column: `kept[column][row]`. */
  readonly kept: readonly (readonly string[])[];
  /** Names of the kept columns. */
  readonly keptNames: readonly string[];
  /** Number of the first row in the whole input, counted from 0. */
  readonly firstRow: number;
  /** Missing, unknown, absent and ignored values and columns of these rows. */
  readonly report: InputReport;
}

/**
 * Reads CSV of any length for scoring, in constant memory: yields batches of rows whose columns are
 * those of the model, matched by name. Missing cells follow the schema's list unless `missing` is
 * given.
 *
 * @param stream Bytes of the file. Any async iterable of `Uint8Array` works.
 * @param schema `model.schema` of the model that will score.
 * @throws {DataError} `E_DATA_PARSE` with line and column if a numeric column holds text, a record
 * is malformed or the schema refuses a value; `E_DATA_EMPTY` if the header is missing;
 * `E_DATA_LIMIT` beyond `limits`.
 * @throws {ModelError} `E_MODEL_SCHEMA` if the header has no column of the model.
 */
export async function* csvBatches(
  stream: ReadableStream<Uint8Array>,
  schema: Schema,
  options: BatchOptions = {},
): AsyncGenerator<CsvBatch, void, unknown> {
  checkArgument("csvBatches", "schema", schema, "object");
  checkArgument("csvBatches", "schema.features", schema.features, "list");
  checkOptions<BatchOptions>("csvBatches", options, {
    batchRows: "count",
    keep: "list",
    createScanner: "function",
    delimiter: "any",
    decimal: "any",
    header: "flag",
    names: "texts",
    trim: "flag",
    badRows: "any",
    limits: "object",
    missing: "texts",
    onWarning: "function",
  }, {
    target: 'the column of the schema\'s target is passed over; keep: ["name"] hands its text on',
  });
  const head = createHeadBuffer(options);
  let body: Body | undefined;
  const begin = (begun: Begun | undefined) => {
    if (begun === undefined) return;
    // A small file comes in one piece, and is read before the kernel has started.
    const { length } = begun.rest;
    body = createBody(begun.head, schema, options, length < SMALL_PIECE ? length : undefined);
    body.push(begun.rest);
  };
  const isStream = "getReader" in Object(stream);
  if (!isStream) checkArgument("csvBatches", "stream", stream, "stream");
  const reader = (isStream ? stream : ReadableStream.from(stream)).getReader();
  try {
    // The next piece is read while this one is scanned.
    for (let coming = readAhead(reader);;) {
      const { done, value } = await coming.piece;
      if (done) break;
      coming = readAhead(reader);
      const piece = checkedPiece("csvBatches", value);
      if (body === undefined) begin(head.push(piece));
      else body.push(piece);
      if (body === undefined) continue;
      yield* body.take(!await coming.isSoon());
    }
    // Without a header, no bytes are no rows: an empty partition of a pipe.
    if (body === undefined && head.length() === 0 && options.names !== undefined) return;
    if (body === undefined) begin(head.finish());
    if (body === undefined) throw new DataError("E_DATA_EMPTY", "Cannot read data: it is empty");
    body.finish();
    yield* body.take(true);
  } finally {
    const ended = reader.cancel().catch(() => {}); // does nothing at the end
    if (isStream) await ended; // others end when they have given the piece that they were asked for
    reader.releaseLock();
  }
}

/** Turns of the queue of promises that a piece which is there takes through a few streams at most. */
const QUEUE_TURNS = 32;

/** A piece that was asked for. */
interface Coming {
  readonly piece: Promise<ReadableStreamReadResult<Uint8Array>>;
  /** Whether it is there now, or the input has ended; false where the input pauses or has failed. */
  isSoon(): Promise<boolean>;
}

function readAhead(reader: ReadableStreamDefaultReader<Uint8Array>): Coming {
  const piece = reader.read();
  let settled = false;
  // A failure is met when the piece is awaited, after the rows before it.
  piece.then(() => void (settled = true), () => {});
  return {
    piece,
    async isSoon() {
      for (let i = 0; i < QUEUE_TURNS && !settled; i++) await undefined;
      if (!settled) await nextTurn();
      return settled;
    },
  };
}

/** Bytes of the first piece from which on more are expected. */
const SMALL_PIECE = 1 << 15;
/** Bytes of input from which on a batch ends after any piece, so that wide rows need little memory. */
const BATCH_BYTES = 1 << 20;

interface Body {
  push(bytes: Uint8Array): void;
  finish(): void;
  /** Batches that are ready, and what is left when `all`. */
  take(all: boolean): CsvBatch[];
}

function createBody(
  head: Head,
  schema: Schema,
  options: BatchOptions,
  sizeHint: number | undefined,
): Body {
  const { names } = head;
  const batchRows = options.batchRows ?? 8192;
  const missing = missingCells({ ...options, schema });
  const numbers = missingNumbers(missing);
  const cells = createCellReader(missing);
  const bad = createBadRows(options);
  const beyond = createBeyondNotes(options.onWarning);
  const keep = (options.keep ?? []).map((ref) => findColumn(names, "keep", ref));
  const position = new Map(names.map((name, at) => [name, at]));
  const kinds = new Uint8Array(names.length).fill(CellKind.skip);
  const sinks: ColumnSink[] = [];
  const absent: string[] = [];
  for (const feature of schema.features) {
    const at = position.get(feature.name.normalize("NFC"));
    if (at === undefined) {
      absent.push(feature.name);
      continue;
    }
    const sink = createSchemaSink(feature, at, {
      cells,
      numbers,
      decimal: head.decimal,
      trim: options.trim === true,
      beyond,
    });
    // The text of a kept column is needed, so its numbers are read from the text.
    kinds[at] = sink.number && !keep.includes(at) ? CellKind.number : CellKind.text;
    sinks.push(sink);
  }
  if (sinks.length === 0 && schema.features.length > 0) {
    throw new ModelError(
      "E_MODEL_SCHEMA",
      `Cannot score this file: it has no column of the model. Its first line says ${
        listed(names)
      }; the model knows ${listed(schema.features.map(({ name }) => name))}`,
      { details: { columns: names.slice(0, 8) } },
    );
  }
  for (const at of keep) kinds[at] = CellKind.text;
  const used = new Set([
    ...sinks.map((sink) => sink.column),
    ...keep,
    ...(schema.target === undefined ? [] : [position.get(schema.target.name) ?? -1]),
  ]);
  const ignored = names.filter((_, at) => !used.has(at));
  let kept: string[][] = keep.map(() => []);
  let rows = 0;
  let firstRow = 0;
  let bytes = 0;
  const ready: CsvBatch[] = [];

  function onBlock(block: Block): boolean {
    for (let from = 0; from < block.numRows;) {
      const to = Math.min(block.numRows, from + batchRows - rows);
      addRows(block, from, to);
      from = to;
      if (rows >= batchRows) cut();
    }
    return true;
  }

  function addRows(block: Block, from: number, to: number): void {
    const problems = new Map<number, { column: number; problem: string }>();
    for (const sink of sinks) {
      sink.read(block, from, to, kinds[sink.column] === CellKind.text, problems);
    }
    const texts = keep.map((column) => keptText(block, from, to, column, problems));
    let start = from;
    const commit = (end: number) => {
      for (const sink of sinks) sink.commit(start - from, end - from);
      texts.forEach((text, k) => kept[k].push(...text.slice(start - from, end - from)));
      rows += end - start;
    };
    for (const row of [...problems.keys()].sort((a, b) => a - b)) {
      commit(row);
      const { column, problem } = problems.get(row)!;
      bad.add(block.line + row, problem, column, names[column]);
      start = row + 1;
    }
    commit(to);
  }

  function keptText(
    { bytes, spans, stride }: Block,
    from: number,
    to: number,
    column: number,
    problems: Map<number, { column: number; problem: string }>,
  ): string[] {
    const texts: string[] = [];
    for (let row = from; row < to; row++) {
      const at = 2 * (column * stride + row);
      const text = cells.text(bytes, spans[at], spans[at + 1]);
      if (text === undefined && !problems.has(row)) {
        problems.set(row, { column, problem: "the cell is not UTF-8 text" });
      }
      texts.push(text ?? "");
    }
    return texts;
  }

  function cut(): void {
    const counts = (which: "missing" | "unknown") =>
      new Map(sinks.flatMap((sink) => sink[which] > 0 ? [[sink.name, sink[which]] as const] : []));
    const report = {
      rows,
      missing: counts("missing"),
      unknown: counts("unknown"),
      absent,
      ignored,
    };
    const features: Column[] = sinks.map((sink) => sink.take(rows));
    ready.push({
      data: { numRows: rows, features },
      kept,
      keptNames: keep.map((at) => names[at]),
      firstRow,
      report,
    });
    firstRow += rows;
    rows = 0;
    bytes = 0;
    kept = keep.map(() => []);
  }

  const reader = createBlockReader({
    numColumns: names.length,
    delimiter: head.delimiter,
    decimal: head.decimal,
    line: head.line,
    emptyIsMissing: missing.includes(""),
    recordBytes: options.limits?.recordBytes ?? 1 << 24,
    sizeHint,
    createScanner: options.createScanner ?? createFastScanner,
    kinds,
    onBlock,
    onBad: (line, problem, column) => bad.add(line, problem, column, names[column ?? -1]),
  });
  return {
    push(piece) {
      bytes += piece.length;
      reader.push(piece);
    },
    finish() {
      reader.finish();
      reader.release();
      bad.report();
      beyond.report();
    },
    take(all) {
      if ((all || bytes >= BATCH_BYTES) && rows > 0) cut();
      return ready.splice(0);
    },
  };
}

/** Names as a message shows them: quoted, at most five. */
function listed(names: readonly string[]): string {
  const shown = names.slice(0, 5).map((name) => JSON.stringify(name.slice(0, 60))).join(", ");
  return names.length > 5 ? `${shown}, …` : shown;
}
