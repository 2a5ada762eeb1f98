/**
 * CSV from a path, an address or a stream.
 *
 * @module
 */
import { type CsvOptions, parseCsvPieces, parseCsvStream } from "../data/csv.ts";
import type { Dataset } from "../data/types.ts";
import { type ByteSource, isReopenable, openStream, sizeOf, sourceName } from "../runtime/open.ts";
import { eachPiece } from "../runtime/pieces.ts";

/**
 * Reads CSV (or TSV, by a name that ends in `.tsv`), packed by gzip or not.
 *
 * @param source A path, an address, `-` for standard input, a stream, or bytes.
 * @throws {SourceError} `E_IO_NOT_FOUND` or `E_IO_READ`.
 * @throws {DataError} Naming line and column.
 */
export async function readCsv(source: ByteSource, options: CsvOptions = {}): Promise<Dataset> {
  const all = withExtension(source, options);
  const sizeHint = sizeOf(source);
  const means = sizeHint === undefined ? {} : { sizeHint };
  return isReopenable(source)
    ? await parseCsvPieces((take, direct) => eachPiece(source, take, direct), all, means)
    : await parseCsvStream(await openStream(source), all, means);
}

/** A name that ends in `.tsv` or `.tab` (then perhaps `.gz`) fixes the delimiter. */
export function withExtension(source: ByteSource, options: CsvOptions): CsvOptions {
  if (options.delimiter !== undefined) return options;
  const tabs = /\.(tsv|tab)(\.gz)?([?#].*)?$/i.test(sourceName(source));
  return tabs ? { ...options, delimiter: "\t" } : options;
}
