/**
 * CSV from a path, an address or a stream.
 *
 * @module
 */
import { type CsvOptions, parseCsvPieces, parseOpenCsv } from "../data/csv/parse.ts";
import { checkReading, CSV_OPTIONS } from "../data/options.ts";
import type { Dataset } from "../data/types.ts";
import { type ByteSource, isReopenable, openStream, sizeOf, sourceName } from "../runtime/open.ts";
import { threadsOf } from "../parallel/tasks.ts";
import { eachPiece } from "../runtime/pieces.ts";

/** How files are read. */
export interface ReadRun {
  /**
   * Threads for uncompressed files of 128 MiB and more; their columns are then views of shared
   * memory. The values do not depend on it. @default 1
   */
  readonly threads?: number;
}

/** Bytes below which one thread is done before another has started (bench/ingest.md). */
const LEAST_BYTES = 1 << 27;

/**
 * Reads a large file by several threads.
 *
 * @param read Gives undefined where one thread has to read the file.
 * @returns Undefined where it does, and for other sources.
 * @throws {ParameterError} `E_PARAM_RANGE` unless `wanted` is a whole number of 1 or more.
 */
export async function onThreads<Found>(
  source: ByteSource,
  wanted: number | undefined,
  read: (path: string | URL, run: { readonly threads: number }) => Promise<Found | undefined>,
): Promise<Found | undefined> {
  const threads = wanted === undefined ? 1 : threadsOf(wanted);
  if (threads === 1 || !isPath(source) || (sizeOf(source) ?? 0) < LEAST_BYTES) return undefined;
  return await read(source, { threads });
}

function isPath(source: ByteSource): source is string | URL {
  return typeof source === "string" || source instanceof URL;
}

/**
 * Reads a CSV file, compressed with gzip or not. If the name ends in `.tsv` or `.tab`, the delimiter
 * is the tab.
 *
 * @param source A path, a URL, `-` for standard input, a stream, or bytes.
 * @throws {SourceError} `E_IO_NOT_FOUND` or `E_IO_READ`.
 * @throws {DataError} As {@linkcode parseCsv}, with line and column.
 * @throws {ParameterError} As {@linkcode parseCsv}; `E_PARAM_RANGE` for wrong `threads`.
 */
export async function readCsv(
  source: ByteSource,
  options: CsvOptions & ReadRun = {},
): Promise<Dataset> {
  checkReading<CsvOptions & ReadRun>("readCsv", options, { ...CSV_OPTIONS, threads: "any" });
  return await readAsCsv(source, options);
}

/** As {@linkcode readCsv}, of options that were looked at; those of other formats are let be. */
export async function readAsCsv(
  source: ByteSource,
  options: CsvOptions & ReadRun,
): Promise<Dataset> {
  const { threads: wanted, ...given } = options;
  const all = withExtension(source, given);
  const data = await onThreads(source, wanted, async (path, run) => {
    const { readCsvOnThreads } = await import("./read_threads.ts");
    return await readCsvOnThreads(path, all, run);
  });
  if (data !== undefined) return data;
  const sizeHint = sizeOf(source);
  const means = sizeHint === undefined ? {} : { sizeHint };
  return isReopenable(source)
    ? await parseCsvPieces((take, direct) => eachPiece(source, take, direct), all, means)
    : await parseOpenCsv(await openStream(source), all, means);
}

/** A name that ends in `.tsv` or `.tab` (then perhaps `.gz`) fixes the delimiter. */
export function withExtension(source: ByteSource, options: CsvOptions): CsvOptions {
  if (options.delimiter !== undefined) return options;
  const tabs = /\.(tsv|tab)(\.gz)?([?#].*)?$/i.test(sourceName(source));
  return tabs ? { ...options, delimiter: "\t" } : options;
}
