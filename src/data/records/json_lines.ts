/**
 * JSON lines (one object a line) → dataset.
 *
 * @module
 */
import { checkArgument, checkedPiece } from "../../door.ts";
import { DataError } from "../../errors.ts";
import { repeatedName } from "../../util/repeated_name.ts";
import { assembleDataset } from "../reading/assemble.ts";
import { type BadRows, createBadRows } from "../reading/bad_rows.ts";
import type { PassMeans, PassResult, TablePass } from "../csv/table.ts";
import { createLineMap, type LineMap } from "../reading/lines.ts";
import { createLineDecoder, createLineReader } from "../reading/line_reader.ts";
import type { EachPiece } from "../csv/parse.ts";
import { createPlainObjects } from "./plain_objects.ts";
import { checkReading, type CsvOptions, type RoleOptions, ROLES } from "../options.ts";
import { withSchema } from "../reading/roles.ts";
import { createRowColumns, type RowMeans } from "./row_columns.ts";
import type { Dataset, Row } from "../types.ts";

/** Most bytes in a line unless a limit is given. */
export const RECORD_BYTES = 1 << 24;

/** How JSON lines are read. */
export interface JsonLinesOptions extends RoleOptions, Pick<CsvOptions, "badRows" | "limits"> {}

/** Kinds of {@linkcode JsonLinesOptions}. */
export const JSON_LINES_OPTIONS = { ...ROLES, badRows: "text", limits: "object" } as const;

/**
 * Reads JSON lines, one object in each line. Keys are columns, as in {@linkcode datasetFromRows}.
 * Blank lines are skipped. Nested values, and a key that occurs twice in an object, are refused.
 *
 * @param input Text, or its bytes in UTF-8.
 * @throws {DataError} With the line, and the column if there is one: `E_DATA_PARSE` for a line that
 * is not JSON, `E_DATA_TYPE` for one that is not an object or has a nested value, `E_DATA_EMPTY`
 * without rows, `E_DATA_LIMIT` beyond `limits`; and for columns and targets as
 * {@linkcode parseCsv}.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const data = parseJsonLines('{"x": 1.5, "c": "a"}\n{"x": null, "c": "b"}\n');
 * assertEquals(data.features.map((column) => column.kind), ["numeric", "categorical"]);
 * ```
 */
export function parseJsonLines(
  input: string | Uint8Array,
  options: JsonLinesOptions = {},
): Dataset {
  checkArgument("parseJsonLines", "input", input, "input");
  checkReading<JsonLinesOptions>("parseJsonLines", options, JSON_LINES_OPTIONS);
  const reader = createReader(options);
  reader.push(typeof input === "string" ? new TextEncoder().encode(input) : input);
  return reader.finish();
}

/** Reads JSON lines from a stream of bytes, as {@linkcode parseJsonLines} does from memory. */
export async function parseJsonLinesStream(
  stream: ReadableStream<Uint8Array>,
  options: JsonLinesOptions = {},
): Promise<Dataset> {
  checkArgument("parseJsonLinesStream", "stream", stream, "stream");
  checkReading<JsonLinesOptions>("parseJsonLinesStream", options, JSON_LINES_OPTIONS);
  const reader = createReader(options);
  for await (const piece of stream) reader.push(checkedPiece("parseJsonLinesStream", piece));
  return reader.finish();
}

/** Reads what is handed on piece by piece; see {@linkcode parseJsonLines}. */
export async function parseJsonLinesPieces(
  eachPiece: EachPiece,
  options: JsonLinesOptions = {},
): Promise<Dataset> {
  const reader = createReader(options);
  await eachPiece(reader.push);
  return reader.finish();
}

/** A pass over JSON lines that hands the numbers of features on; see {@linkcode parseJsonLines}. */
export function createJsonLinesPass(options: JsonLinesOptions, means: PassMeans): TablePass {
  const { push, finish } = createTableReader(options, means);
  return { push, finish, fixKinds: () => {} };
}

function createReader(options: JsonLinesOptions) {
  const { push, finish } = createTableReader(options, {});
  return {
    push,
    finish(): Dataset {
      const result = finish();
      if (!result.done) throw new TypeError("numbers that are kept can become text");
      const { columns, roles, names, lineOf } = result.table;
      return assembleDataset(columns, roles, withSchema(options, names), lineOf);
    },
  };
}

function createTableReader(options: JsonLinesOptions, means: PassMeans) {
  const bad = createBadRows(options);
  const rows = createJsonRows(options, { bad, lines: createLineMap() }, means);
  const reader = createLineReader(rows.onLine, options.limits?.recordBytes ?? RECORD_BYTES);

  return {
    push: reader.push,
    finish(): PassResult {
      reader.finish();
      rows.flush();
      const numRows = rows.numRows();
      if (numRows === 0) {
        throw new DataError("E_DATA_EMPTY", "Cannot read data: it has no rows");
      }
      bad.report();
      const { textColumns, ...found } = rows.table.finish();
      if (textColumns.size > 0) {
        return { done: false, textColumns: new Set([...means.textColumns ?? [], ...textColumns]) };
      }
      return { done: true, table: { ...found, numRows, lineOf: rows.lineOf } };
    },
  };
}

/** Lines → rows of columns: plain lines by their bytes, others by `JSON.parse`. */
export function createJsonRows(
  options: JsonLinesOptions,
  { bad, lines }: { readonly bad: BadRows; readonly lines: LineMap },
  means: Omit<RowMeans, "isJson">,
) {
  let numRows = 0;
  let here = 0;
  // The row being read has no entry of its own yet, so its line is asked for first.
  const lineOf = (row: number) => row >= numRows ? here : lines.lineOf(row);
  const table = createRowColumns(options, lineOf, { ...means, isJson: true });
  const plain = createPlainObjects(table.feed, table.advance);
  const rowLimit = options.limits?.rows ?? Infinity;
  const decode = createLineDecoder();

  function onLine(bytes: Uint8Array, start: number, end: number, line: number): void {
    here = line;
    if (numRows < rowLimit && plain.read(bytes, start, end)) {
      lines.add(numRows++, line);
      return;
    }
    const text = decode(bytes, start, end);
    if (text === undefined) return bad.add(line, "it is not UTF-8 text");
    if (text.trim() === "") return;
    if (numRows >= rowLimit) {
      throw new DataError("E_DATA_LIMIT", `Cannot read more than ${rowLimit} rows`, {
        details: { limit: rowLimit },
      });
    }
    plain.flush();
    if (!readText(text, line)) return;
    plain.learn(bytes, start, end);
    lines.add(numRows++, line);
  }

  /** Whether the line gave a row. */
  function readText(text: string, line: number): boolean {
    try {
      const value: unknown = JSON.parse(text);
      const again = repeatedName(text);
      if (again === undefined) {
        table.add(value as Row);
        return true;
      }
      bad.add(line, `${JSON.stringify(again.name)} occurs twice; write it once`);
    } catch (error) {
      if (!(error instanceof DataError)) {
        const reason = error instanceof Error ? error.message : String(error);
        bad.add(line, `it is not JSON (${reason})`);
      } else {
        if (options.badRows === undefined || options.badRows === "error") throw error;
        bad.add(line, error.message);
      }
    }
    return false;
  }

  return {
    onLine,
    /** Hands plain rows on; before anything is asked of the columns. */
    flush: plain.flush,
    table,
    lineOf,
    numRows: () => numRows,
    /** Begins with rows from 0 again. */
    restart(): void {
      numRows = 0;
      table.restart();
    },
  };
}
