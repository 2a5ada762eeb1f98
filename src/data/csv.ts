/**
 * CSV → dataset: RFC 4180 in full, kinds inferred from all rows, nothing guessed in silence.
 *
 * @module
 */
import { checkArgument, checkedPiece, checkParts } from "../door.ts";
import { assembleDataset } from "./assemble.ts";
import { withSchema } from "./roles.ts";
import { checkReading, CSV_OPTIONS, type CsvOptions } from "./options.ts";
import { createTablePass, type DirectInput, type PassResult, type Table } from "./csv/table.ts";
import type { CreateScanner } from "./csv/scan.ts";
import type { Dataset } from "./types.ts";

export type { ColumnRef, CsvOptions, DataLimits, RoleOptions } from "./options.ts";

/** Bytes of a stream that are kept so that kinds may still change; beyond, they are fixed. */
const KEPT_BYTES = 1 << 28;

/** What reading may be given besides options. */
export interface ParseMeans {
  /**
   * The inner loop, for tests.
   *
   * @internal
   */
  readonly createScanner?: CreateScanner;
  /** Bytes of the input, where that is known: columns are then allocated once. */
  readonly sizeHint?: number;
}

const MEANS = { createScanner: "function", sizeHint: "number" } as const;

/**
 * Reads CSV that is in memory.
 *
 * A column is numeric when every cell that is not missing is a number, else categorical. Numbers
 * are the float64 values that `Number()` gives.
 *
 * @throws {DataError} Naming line and column; see the codes of {@linkcode DataError}.
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

/** What reading a stream may be given besides options. */
export interface StreamMeans extends ParseMeans {
  /** Opens the input again, from its beginning. */
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
 * Reads CSV from a stream, holding no more than its columns.
 *
 * Text behind numbers turns a column categorical, for which the input is read a second time: from
 * `openAgain` if given, else from the first 256 MB of the stream, which are kept; beyond them the
 * kinds are fixed and such text is an error that says so.
 *
 * @throws {DataError} Naming line and column.
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
