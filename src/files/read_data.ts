/**
 * Data of any format from a path, an address or a stream: the format is the name's or the caller's,
 * never guessed from a byte in a cell.
 *
 * @module
 */
import {
  JSON_LINES_OPTIONS,
  type JsonLinesOptions,
  parseJsonLinesPieces,
} from "../data/records/json_lines.ts";
import {
  LIBSVM_OPTIONS,
  type LibsvmOptions,
  parseFeatureMap,
  parseLibsvmPieces,
  parseNumberList,
} from "../data/libsvm/parse.ts";
import { checkReading, CSV_OPTIONS, type CsvOptions } from "../data/options.ts";
import type { Dataset } from "../data/types.ts";
import { DataError, ParameterError } from "../errors.ts";
import { type ByteSource, openBytes, sourceName } from "../runtime/open.ts";
import { eachPiece } from "../runtime/pieces.ts";
import { utf8Fault } from "../util/utf8.ts";
import { onThreads, readAsCsv, type ReadRun } from "./read_csv.ts";

/** Formats of data files. */
export type DataFormat = "csv" | "jsonl" | "libsvm";

/** Options of all formats, and the format itself. @default by the file name's extension, else CSV */
export type DataOptions = CsvOptions & LibsvmOptions & { readonly format?: DataFormat };

/** Kinds of {@linkcode DataOptions}. */
export const DATA_OPTIONS = {
  ...CSV_OPTIONS,
  ...LIBSVM_OPTIONS,
  format: ["csv", "jsonl", "libsvm"],
} as const;

/** The format that a name's extension says; CSV where it says nothing. */
export function formatOf(source: ByteSource): DataFormat {
  const name = sourceName(source).replace(/[?#].*$/, "").replace(/\.gz$/i, "");
  if (/\.(jsonl|ndjson)$/i.test(name)) return "jsonl";
  return /\.(libsvm|svm|svmlight)$/i.test(name) ? "libsvm" : "csv";
}

/**
 * Reads a file of any format, compressed with gzip or not. The format is `format`, or follows from
 * the name: `.jsonl` and `.ndjson` are JSON lines, `.libsvm`, `.svm` and `.svmlight` are LIBSVM, and
 * everything else is CSV.
 *
 * @param source A path, a URL, `-` for standard input, a stream, or bytes.
 * @throws {SourceError} `E_IO_NOT_FOUND` or `E_IO_READ`.
 * @throws {DataError} As {@linkcode parseCsv}, {@linkcode parseJsonLines} or {@linkcode parseLibsvm}.
 * @throws {ParameterError} As these; `E_PARAM_CONFLICT` for roles other than the target in LIBSVM.
 */
export async function readData(
  source: ByteSource,
  options: DataOptions & ReadRun = {},
): Promise<Dataset> {
  checkReading<DataOptions & ReadRun>("readData", options, { ...DATA_OPTIONS, threads: "any" });
  const format = options.format ?? formatOf(source);
  if (format === "jsonl") return await readAsJsonLines(source, options);
  if (format === "csv") return await readAsCsv(source, options);
  return await readAsLibsvm(source, libsvmOptions(options));
}

/** Roles that columns of other formats may have. */
export const TABLE_ROLES = ["weight", "group", "offset", "drop"] as const;

/**
 * Labels of LIBSVM have no name of their own: the target's is given to them.
 *
 * @throws {ParameterError} `E_PARAM_CONFLICT` for roles that its columns do not have.
 */
export function libsvmOptions(options: DataOptions): DataOptions {
  const role = TABLE_ROLES.find((name) => options[name] !== undefined);
  if (role !== undefined || Object.values(options.types ?? {}).includes("categorical")) {
    throw new ParameterError(
      "E_PARAM_CONFLICT",
      role === undefined
        ? "Cannot read LIBSVM with categorical types: its columns are numbers"
        : `Cannot read LIBSVM with ${role}: every column is a feature; weights and queries are ` +
          "given with the labels",
      { details: { param: role ?? "types" } },
    );
  }
  const { target } = options;
  return { ...options, ...(typeof target === "string" && { targetName: target }) };
}

/**
 * Reads a file of JSON lines, compressed with gzip or not; see {@linkcode parseJsonLines}.
 *
 * @throws {SourceError} `E_IO_NOT_FOUND` or `E_IO_READ`.
 * @throws {DataError} As {@linkcode parseJsonLines}.
 */
export async function readJsonLines(
  source: ByteSource,
  options: JsonLinesOptions & ReadRun = {},
): Promise<Dataset> {
  checkReading<JsonLinesOptions & ReadRun>("readJsonLines", options, {
    ...JSON_LINES_OPTIONS,
    threads: "any",
  });
  return await readAsJsonLines(source, options);
}

async function readAsJsonLines(
  source: ByteSource,
  options: JsonLinesOptions & ReadRun,
): Promise<Dataset> {
  const { threads: wanted, ...given } = options;
  const data = await onThreads(source, wanted, async (path, run) => {
    const { readJsonOnThreads } = await import("./json_threads.ts");
    return await readJsonOnThreads(path, given, run);
  });
  return data ?? await parseJsonLinesPieces((take) => eachPiece(source, take), given);
}

/**
 * Reads a LIBSVM file, compressed with gzip or not; see {@linkcode parseLibsvm}.
 *
 * @throws {SourceError} `E_IO_NOT_FOUND` or `E_IO_READ`.
 * @throws {DataError} As {@linkcode parseLibsvm}.
 */
export async function readLibsvm(
  source: ByteSource,
  options: LibsvmOptions & ReadRun,
): Promise<Dataset> {
  checkReading<LibsvmOptions & ReadRun>("readLibsvm", options, {
    ...LIBSVM_OPTIONS,
    threads: "any",
  });
  return await readAsLibsvm(source, options);
}

async function readAsLibsvm(
  source: ByteSource,
  options: LibsvmOptions & ReadRun,
): Promise<Dataset> {
  const { threads: wanted, ...given } = options;
  const data = await onThreads(source, wanted, async (path, run) => {
    const { readLibsvmOnThreads } = await import("./libsvm_threads.ts");
    return await readLibsvmOnThreads(path, given, run);
  });
  return data ?? await parseLibsvmPieces(
    (take, direct) => eachPiece(source, take, direct),
    given,
  );
}

/**
 * Reads the file of a feature map of XGBoost: names of columns by index; see
 * {@linkcode parseFeatureMap}.
 *
 * @throws {SourceError} `E_IO_NOT_FOUND` or `E_IO_READ`.
 * @throws {DataError} `E_DATA_PARSE` with the line.
 */
export async function readFeatureMap(source: ByteSource): Promise<Map<number, string>> {
  return parseFeatureMap(await readText(source));
}

/**
 * Reads a file of numbers, one in each line: weights, or the number of rows in each query.
 *
 * @throws {SourceError} `E_IO_NOT_FOUND` or `E_IO_READ`.
 * @throws {DataError} `E_DATA_PARSE` with the line.
 */
export async function readNumberList(source: ByteSource): Promise<Float64Array> {
  return parseNumberList(await readText(source));
}

async function readText(source: ByteSource): Promise<string> {
  const bytes = await openBytes(source);
  const text = new TextDecoder().decode(bytes);
  const offset = utf8Fault(bytes, text);
  if (offset < 0) return text;
  throw new DataError(
    "E_DATA_PARSE",
    `Cannot read "${sourceName(source)}": it is not UTF-8 text at byte ${offset}`,
    { details: { offset } },
  );
}
