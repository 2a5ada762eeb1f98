/**
 * The first lines of a CSV file: byte order mark, delimiter, decimal character, column names.
 *
 * @module
 */
import { DataError, ParameterError } from "../../errors.ts";
import type { CsvOptions } from "../options.ts";
import { normaliseNames } from "../names.ts";
import { decimalByte, SAMPLE } from "./decimal_comma.ts";
import { declaredDelimiter, findDelimiter, mostColumns } from "./delimiter.ts";
import { createTokens, tokenize, type Tokens } from "./tokenize.ts";

/** What the beginning of a file says. */
export interface Head {
  readonly delimiter: number;
  readonly decimal: number;
  readonly names: readonly string[];
  /** Where the data begin. */
  readonly start: number;
  /** Line that the data begin on, from 1. */
  readonly line: number;
}

/**
 * Reads the head of a file.
 *
 * @param final Whether `bytes` is the whole input.
 * @returns Undefined when more bytes are needed.
 * @throws {DataError} `E_DATA_EMPTY`, `E_DATA_PARSE`, `E_DATA_SHAPE` or `E_DATA_LIMIT`.
 */
export function readHead(
  bytes: Uint8Array,
  final: boolean,
  options: CsvOptions,
): Head | undefined {
  // Of a large input the beginning is enough, unless a record is as long.
  const found = bytes.length > 2 * SAMPLE
    ? headOf(bytes.subarray(0, 2 * SAMPLE), false, options)
    : undefined;
  if (found !== undefined) return found;
  // The first two records tell; more than both may have is not looked at.
  const limit = options.limits?.recordBytes ?? 1 << 24;
  const most = 2 * limit + 2 * SAMPLE;
  if (bytes.length <= most) return headOf(bytes, final, options);
  const whole = headOf(bytes.subarray(0, most), false, options);
  if (whole !== undefined) return whole;
  throw new DataError(
    "E_DATA_LIMIT",
    `Cannot read the first lines: one is longer than ${limit} bytes; a quote may not be closed`,
    { details: { line: 1, limit } },
  );
}

function headOf(bytes: Uint8Array, final: boolean, options: CsvOptions): Head | undefined {
  if (!final && bytes.length < 4) return undefined;
  checkEncoding(bytes);
  const marked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  const declared = declaredDelimiter(bytes, marked, final);
  if (declared === undefined) return undefined;
  let start = declared.next;
  let line = declared.lines + 1;
  for (; start < bytes.length; start++) {
    if (bytes[start] === 0x0a) line++;
    else if (bytes[start] === 0x0d) line += bytes[start + 1] === 0x0a ? 0 : 1;
    else break;
  }
  if (start >= bytes.length) {
    if (!final) return undefined;
    throw new DataError("E_DATA_EMPTY", "Cannot read data: it is empty");
  }
  const limit = mostColumns(options);
  const delimiter = findDelimiter(bytes, start, line, final, declared.byte, options);
  if (delimiter === undefined) return undefined;
  const tokens = createTokens(limit);
  if (!tokenize(bytes, start, bytes.length, delimiter, final, tokens)) return undefined;
  if (tokens.problem !== undefined) {
    throw new DataError("E_DATA_PARSE", `Cannot read line ${line}: ${tokens.problem}`, {
      details: { line, column: tokens.problemCell + 1 },
    });
  }
  if (tokens.more > 0) {
    const columns = tokens.ends.length + tokens.more;
    throw new DataError("E_DATA_LIMIT", `Cannot read ${columns} columns: the limit is ${limit}`, {
      details: { columns, limit },
    });
  }
  const header = options.header !== false;
  const cells = header ? decodeCells(tokens, line) : undefined;
  const names = columnNames(cells, tokens.ends.length, line, options);
  const after = header ? tokens.next : start;
  const firstLine = header ? line + tokens.lines : line;
  const begin = { start: after, line: firstLine, delimiter, names };
  const decimal = decimalByte(bytes, begin, final, options);
  if (decimal === undefined) return undefined;
  if (decimal === delimiter) {
    throw new ParameterError(
      "E_PARAM_CONFLICT",
      "Cannot use the same character as delimiter and decimal",
    );
  }
  if (declared.byte !== undefined) sayDeclared(declared.byte, delimiter, options);
  return {
    delimiter,
    decimal,
    names,
    start: after,
    line: firstLine,
  };
}

/** Says what the first line decided, or that something else did. */
function sayDeclared(byte: number, used: number, { onWarning }: CsvOptions): void {
  const [says, is] = [byte, used].map((one) => JSON.stringify(String.fromCharCode(one)));
  onWarning?.(
    byte === used
      ? `Line 1 says that ${says} separates cells; it is not a row`
      : `Line 1 says that ${says} separates cells; the delimiter ${is} was given and is used`,
  );
}

/** Stands for any byte. */
const ANY = -1;

const ORC = "ORC as CSV: export it first";
const JSON_TEXT = "JSON as CSV: export it first (lines of JSON are trained on by --format jsonl)";

function letters(text: string): number[] {
  return Array.from(text, (letter) => letter.charCodeAt(0));
}

/** First bytes of files that are no plain text in UTF-8, what they are, and what would be right. */
const FOREIGN: readonly (readonly [readonly number[], string])[] = [
  [[0xff, 0xfe, 0, 0], "data in UTF-32: save it as UTF-8"],
  [[0, 0, 0xfe, 0xff], "data in UTF-32: save it as UTF-8"],
  [[0xff, 0xfe], "data in UTF-16: save it as UTF-8"],
  [[0xfe, 0xff], "data in UTF-16: save it as UTF-8"],
  [
    [0x50, 0x4b, 3, 4],
    "a zip archive or an Excel workbook as CSV: unpack or export it first",
  ],
  [[0xd0, 0xcf, 0x11, 0xe0], "an Excel workbook as CSV: export it first"],
  [[0x50, 0x41, 0x52, 0x31, 0x15], "Parquet as CSV: export it first"],
  [[0x41, 0x52, 0x52, 0x4f, 0x57, 0x31, 0, 0], "an Arrow file as CSV: export it first"],
  [[0xff, 0xff, 0xff, 0xff, ANY, ANY, 0, 0], "a stream of Arrow as CSV: export it first"],
  [letters("FEA1\0\0\0\0"), "a Feather file as CSV: export it first"],
  [letters("Obj\x01"), "Avro as CSV: export it first"],
  // A field of protobuf follows; a header may be "ORC" and a line's end, but no row begins so.
  [[...letters("ORC"), 8], ORC],
  [[...letters("ORC\n"), 6], ORC],
  [[...letters("ORC\n"), 4], ORC],
  [letters("SQLite format 3\0"), "a SQLite database as CSV: export it first"],
  [letters("\x89HDF\r\n\x1a\n"), "HDF5 as CSV: export it first"],
  [letters("\x93NUMPY"), "an array of NumPy as CSV: export it first"],
  // Protocols 2 to 5, which begin with their number, and a frame or an opcode behind it.
  ...[2, 3, 4, 5].map((protocol): [number[], string] => [
    [0x80, protocol],
    "a pickle of Python as CSV: export it first",
  ]),
  [letters("%PDF-"), "PDF as CSV: export it first"],
  [
    letters("version https://git-lfs.github.com/"),
    "a pointer of Git LFS as CSV: fetch the file first",
  ],
  [letters("r\x02\x01\0"), "a file of Stata as CSV: export it first"],
  [letters("<stata_dta>"), "a file of Stata as CSV: export it first"],
  [letters("$FL2@(#)"), "a file of SPSS as CSV: export it first"],
  [letters("RDX3\n"), "a file of R as CSV: export it first"],
  [letters("\x7fELF"), "a program as CSV"],
  // No header begins so: a quote within an unquoted cell is refused anyway.
  [[0x7b, 0x22], JSON_TEXT],
  [[0x5b, 0x7b, 0x22], JSON_TEXT],
  [[0x28, 0xb5, 0x2f, 0xfd], "Zstandard as CSV: unpack it first (gzip is unpacked here)"],
  [
    [0x42, 0x5a, 0x68, ANY, 0x31, 0x41, 0x59],
    "bzip2 as CSV: unpack it first (gzip is unpacked here)",
  ],
  [[0xfd, 0x37, 0x7a, 0x58, 0x5a], "xz as CSV: unpack it first (gzip is unpacked here)"],
];

/** Refuses what no reader of CSV in UTF-8 could read. */
function checkEncoding(bytes: Uint8Array): void {
  const found = FOREIGN.find(([first]) =>
    first.every((byte, at) => byte === ANY || bytes[at] === byte)
  );
  const what = found?.[1] ??
    (isPage(bytes)
      ? "a web page (HTML) or XML as CSV: fetch the file that it links to"
      : undefined) ??
    // Every other byte of plain text in UTF-16 is zero.
    (bytes.length >= 4 && bytes[0] + bytes[1] > 0 && bytes[0] * bytes[1] === 0 &&
        (bytes[0] === 0 ? bytes[2] === 0 : bytes[3] === 0)
      ? "data in UTF-16: save it as UTF-8"
      : undefined);
  if (what === undefined) return;
  throw new DataError("E_DATA_PARSE", `Cannot read ${what}`, { details: { line: 1, offset: 0 } });
}

/** Whether text begins as HTML and XML do: `<`, and before the line's end the name of a tag. */
function isPage(bytes: Uint8Array): boolean {
  const text = String.fromCharCode(...bytes.subarray(0, 64)).replace(/^\xef\xbb\xbf/, "");
  return /^\s*<(?:!doctype\b|!--|\?xml\b|html\b|head\b|table\b|body\b)/i.test(text);
}

function decodeCells(tokens: Tokens, line: number): string[] {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let from = 0;
  return tokens.ends.map((end, at) => {
    try {
      const text = decoder.decode(tokens.bytes.subarray(from, end));
      if (text.includes("\0")) throw new TypeError("a NUL byte");
      from = end;
      return text;
    } catch (cause) {
      throw new DataError(
        "E_DATA_PARSE",
        `Cannot read the name of column ${at + 1} at line ${line}: it is not UTF-8 text`,
        { details: { line, column: at + 1 }, cause },
      );
    }
  });
}

function columnNames(
  header: readonly string[] | undefined,
  count: number,
  line: number,
  options: CsvOptions,
): string[] {
  const { names } = options;
  if (names !== undefined) {
    if (names.length !== count) {
      throw new DataError(
        "E_DATA_SHAPE",
        `Cannot give ${names.length} names to ${count} columns`,
        { details: { names: names.length, columns: count } },
      );
    }
    return normaliseNames(names);
  }
  if (header === undefined) return Array.from({ length: count }, (_, at) => `f${at}`);
  const numeric = header.every((name) =>
    /^\s*[+-]?(\d+(\.\d+)?|\.\d+)(e[+-]?\d+)?\s*$/i.test(name)
  );
  if (numeric) {
    options.onWarning?.(
      `The first line holds only numbers and was taken for column names; if the file has no ` +
        `header, set header: false (--header false)`,
    );
  }
  const found = normaliseNames(options.trim === true ? header.map((name) => name.trim()) : header);
  const unnamed = found.indexOf("");
  if (unnamed >= 0) {
    options.onWarning?.(
      `Column ${unnamed + 1} has no name at line ${line}: if it numbers the rows, leave it out ` +
        `by its position (drop, --drop ${unnamed})`,
    );
  }
  return found;
}
