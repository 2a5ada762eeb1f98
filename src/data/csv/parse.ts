/**
 * CSV → dataset: RFC 4180 in full, kinds inferred from all rows, nothing guessed in silence.
 *
 * @module
 */
import { checkArgument, checkedPiece, checkParts } from "../../door.ts";
import { assembleDataset } from "../reading/assemble.ts";
import { withSchema } from "../reading/roles.ts";
import { checkReading, CSV_OPTIONS, type CsvOptions } from "../options.ts";
import { createTablePass, type DirectInput, type PassResult, type Table } from "./table.ts";
import type { CreateScanner } from "./scan.ts";
import type { Dataset } from "../types.ts";

export type { ColumnRef, CsvOptions, DataLimits, RoleOptions } from "../options.ts";

/** Bytes of a stream that are kept so that kinds may still change; beyond, they are fixed. */
const KEPT_BYTES = 1 << 28;

/** What a reader of text in memory accepts besides options. */
export interface ParseMeans {
  /**
   * The inner loop, for tests.
   *
   * @internal
   */
  readonly createScanner?: CreateScanner;
  /** Size of the input in bytes, if it is known: columns are then allocated once. */
  readonly sizeHint?: number;
}

const MEANS = { createScanner: "function", sizeHint: "number" } as const;

/**
 * Reads CSV text that is in memory (RFC 4180; docs/data.md has the rules in full).
 *
 * A column is numeric if every cell that is not missing is a number, and categorical otherwise.
 * Numbers are the float64 values that `Number()` gives.
 *
 * @param input Text, or its bytes in UTF-8.
 * @throws {DataError} `E_DATA_PARSE` with line and column for malformed CSV or a cell of the wrong
 * kind, `E_DATA_SHAPE` for names that repeat or a column that does not exist, `E_DATA_TYPE` for a
 * weight, query or offset that cannot be used, `E_DATA_TARGET`, `E_DATA_EMPTY` without rows,
 * `E_DATA_LIMIT` beyond `limits`.
 * @throws {ParameterError} `E_PARAM_UNKNOWN` or `E_PARAM_RANGE` for a wrong option,
 * `E_PARAM_CONFLICT` for a column with two roles.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const data = parseCsv("size,colour,price\n1.5,red,10\n?,blue,20\n", { target: "price" });
 * assertEquals(data.features.map((column) => column.kind), ["numeric", "categorical"]);
 * assertEquals(data.target?.name, "price");
 * ```
 */
export function parseCsv(
  input: string | Uint8Array,
  options: CsvOptions = {},
  means: ParseMeans = {},
): Dataset {
  checkArgument("parseCsv", "input", input, "input");
  checkReading<CsvOptions>("parseCsv", options, CSV_OPTIONS);
  checkParts<ParseMeans>("parseCsv", "means", means, MEANS);
  return toDataset(parseTable(input, options, means), options);
}

/** Reads CSV that is in memory into columns, without giving them roles. */
export function parseTable(
  input: string | Uint8Array,
  options: CsvOptions = {},
  means: ParseMeans = {},
): Table {
  const bytes = typeof input === "string" ? new TextEncoder().encode(input) : input;
  const given = { ...means, sizeHint: bytes.length };
  const all = sayOnce(options);
  let pass = createTablePass(all, given);
  for (;;) {
    pass.push(bytes);
    const result = pass.finish();
    if (result.done) return result.table;
    pass = createTablePass(all, { ...given, textColumns: result.textColumns });
  }
}

/** What a reader of a stream accepts besides options. */
export interface StreamMeans extends ParseMeans {
  /** Opens the same input again, from its beginning. */
  readonly openAgain?: () => Promise<ReadableStream<Uint8Array>>;
}

/**
 * Hands on an input from its beginning to its end, as often as it is called; perhaps by writing it
 * to where `direct` says.
 */
export type EachPiece = (
  take: (piece: Uint8Array) => void,
  direct?: DirectInput,
) => Promise<void>;

/**
 * Reads CSV from an input that can be read again, holding no more than its columns. Text behind
 * numbers turns a column categorical, for which the input is read a second time.
 *
 * @throws {DataError} Naming line and column.
 */
export async function parseCsvPieces(
  eachPiece: EachPiece,
  options: CsvOptions = {},
  means: ParseMeans = {},
): Promise<Dataset> {
  const all = sayOnce(options);
  let pass = createTablePass(all, means);
  for (;;) {
    await eachPiece(pass.push, pass.direct);
    const result = pass.finish();
    if (result.done) return toDataset(result.table, options);
    pass = createTablePass(all, { ...means, textColumns: result.textColumns });
  }
}

/**
 * Reads CSV from a stream.
 *
 * If text follows numbers in a column, the column becomes categorical and the input is read a second
 * time. It comes from `openAgain` if that is given. Otherwise the first 256 MiB of the stream are
 * kept in memory for this; in a longer stream the kinds of columns are then fixed, and text in a
 * numeric column is an error that says so.
 *
 * @throws {DataError} As {@linkcode parseCsv}.
 * @throws {ParameterError} As {@linkcode parseCsv}.
 */
export async function parseCsvStream(
  stream: ReadableStream<Uint8Array>,
  options: CsvOptions = {},
  means: StreamMeans = {},
): Promise<Dataset> {
  checkArgument("parseCsvStream", "stream", stream, "stream");
  checkReading<CsvOptions>("parseCsvStream", options, CSV_OPTIONS);
  checkParts<StreamMeans>("parseCsvStream", "means", means, { ...MEANS, openAgain: "function" });
  return await parseOpenCsv(stream, options, means);
}

/** As {@linkcode parseCsvStream}, of options that were looked at. */
export async function parseOpenCsv(
  stream: ReadableStream<Uint8Array>,
  options: CsvOptions,
  means: StreamMeans,
): Promise<Dataset> {
  const { openAgain, ...parse } = means;
  const all = sayOnce(options);
  const pass = createTablePass(all, parse);
  let kept: Uint8Array[] = [];
  let keptBytes = 0;
  for await (const piece of stream) {
    pass.push(checkedPiece("parseCsvStream", piece));
    if (openAgain !== undefined || keptBytes > KEPT_BYTES) continue;
    kept.push(piece);
    keptBytes += piece.length;
    if (keptBytes > KEPT_BYTES) {
      kept = [];
      pass.fixKinds();
    }
  }
  const first = pass.finish();
  if (first.done) return toDataset(first.table, options);
  const second = createTablePass(all, { ...parse, textColumns: first.textColumns });
  if (openAgain === undefined) { for (const piece of kept) second.push(piece); }
  else for await (const piece of await openAgain()) second.push(piece);
  return toDataset(tableOf(second.finish()), options);
}

/** What a second pass notices once more is not said again. */
function sayOnce(options: CsvOptions): CsvOptions {
  const { onWarning } = options;
  if (onWarning === undefined) return options;
  const said = new Set<string>();
  return {
    ...options,
    onWarning(message) {
      if (!said.has(message)) onWarning(message);
      said.add(message);
    },
  };
}

function tableOf(result: PassResult): Table {
  if (result.done) return result.table;
  throw new TypeError("the input changed between two readings");
}

function toDataset(table: Table, options: CsvOptions): Dataset {
  return assembleDataset(
    table.columns,
    table.roles,
    withSchema(options, table.names),
    table.lineOf,
  );
}
