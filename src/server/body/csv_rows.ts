/**
 * CSV bodies → a filled batch. Delimiter, quotes, byte order mark and missing markers are those of
 * `src/data`; columns are matched by the names in the header, or by position where there is none.
 *
 * @module
 */
import { readHead } from "../../data/csv/dialect.ts";
import { createTokens, tokenize, type Tokens } from "../../data/csv/tokenize.ts";
import { withoutSpaces } from "../../data/missing_cells.ts";
import { DataError } from "../../errors.ts";
import { columnOf, type Encoder, putCell } from "./encoder.ts";
import type { Batch } from "./batch.ts";
import { checkRows, tooManyRows } from "./json_rows.ts";
import { fillRows, type RowErrors } from "./partial.ts";

const COMMA = 0x2c;
const LF = 0x0a;

/** Records as text. */
export interface CsvTable {
  readonly names: readonly string[];
  readonly records: readonly (readonly string[])[];
  /** What is wrong with a record, by its index. */
  readonly problems: ReadonlyMap<number, DataError>;
  /** What is wrong with cells that are no text, by record and cell: it matters where they are used. */
  readonly foreign: ReadonlyMap<number, ReadonlyMap<number, string>>;
  readonly decimalComma: boolean;
}

/**
 * Splits a body into records.
 *
 * @param names Names of the columns where the body has no header.
 * @throws {DataError} `E_DATA_EMPTY`, `E_DATA_PARSE`, or `E_DATA_LIMIT` past `maxRows` records.
 */
export function csvTable(
  bytes: Uint8Array,
  maxRows: number,
  names?: readonly string[],
): CsvTable {
  const head = readHead(bytes, true, names === undefined ? {} : { header: false })!;
  const tokens = createTokens();
  const records: string[][] = [];
  const problems = new Map<number, DataError>();
  const foreign = new Map<number, ReadonlyMap<number, string>>();
  let at = head.start;
  let { line } = head;
  while (at < bytes.length) {
    // A body may have millions of blank lines.
    if (bytes[at] === LF && head.names.length > 1) {
      at++;
      line++;
      continue;
    }
    tokenize(bytes, at, bytes.length, head.delimiter, true, tokens);
    const { length } = tokens.ends;
    // Blank in quotes, or by CR.
    if (length === 1 && tokens.ends[0] === 0 && head.names.length > 1) {
      at = tokens.next;
      line += tokens.lines;
      continue;
    }
    // Cells that are too many are counted, not read: a line may have millions.
    const cells = length > head.names.length ? [] : decodeCells(tokens);
    at = tokens.next;
    const row = records.length;
    if (row >= maxRows) {
      throw tooManyRows(maxRows);
    }
    const odd = foreignCells(tokens, cells);
    if (odd !== undefined) foreign.set(row, odd);
    const problem = tokens.problem ??
      (length === head.names.length
        ? undefined
        : `it has ${length} cells, expected ${head.names.length}`);
    if (problem !== undefined) {
      problems.set(
        row,
        new DataError("E_DATA_PARSE", `Cannot read line ${line}: ${problem}`, {
          details: { line, row: row + 1 },
        }),
      );
    }
    records.push(cells);
    line += tokens.lines;
  }
  return {
    names: names ?? head.names,
    records,
    problems,
    foreign,
    decimalComma: head.decimal === COMMA,
  };
}

/** A table as a batch. */
export function batchFromCsv(encoder: Encoder, table: CsvTable, errors?: RowErrors): Batch {
  const { names, records, problems, foreign } = table;
  checkRows(encoder, records.length);
  return fillRows(encoder, records.length, (batch) => {
    const features = names.map((name) => columnOf(encoder, batch, name));
    return (row, at) => {
      const problem = problems.get(row);
      if (problem !== undefined) throw problem;
      checkText(foreign.get(row), names, features, row);
      fillRecord(encoder, batch, at, records[row], features, table.decimalComma);
    };
  }, errors);
}

/** A number with its decimal comma as a point; a point of its own makes it no number, as in files. */
function withPoint(cell: string): string {
  // The reason becomes part of what is shown as no number.
  return cell.includes(".") ? `${cell} (the decimal character is a comma)` : cell.replace(",", ".");
}

/** A file in another encoding is not a file of new values. */
function checkText(
  odd: ReadonlyMap<number, string> | undefined,
  names: readonly string[],
  features: readonly number[],
  row: number,
): void {
  for (const [column, why] of odd ?? []) {
    if (features[column] < 0) continue;
    throw new DataError(
      "E_DATA_PARSE",
      `Cannot read column "${names[column]}" at row ${row + 1}: ${why}`,
      { details: { column: names[column], row: row + 1 } },
    );
  }
}

function fillRecord(
  encoder: Encoder,
  batch: Batch,
  row: number,
  cells: readonly string[],
  features: readonly number[],
  decimalComma: boolean,
): void {
  for (let column = 0; column < cells.length; column++) {
    const feature = features[column];
    if (feature < 0) continue;
    const cell = cells[column];
    const numeric = encoder.codes[feature] === undefined;
    // A marker, spaces around it or not, that is one of the model's own categories is that category.
    const missing = encoder.missing.has(withoutSpaces(cell)) &&
      (numeric || !encoder.codes[feature]!.has(cell));
    const value = missing ? null : decimalComma && numeric ? withPoint(cell) : cell;
    putCell(encoder, batch, row, feature, value);
  }
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Cells of a record. Characters and bytes are the same where there are as many: then one call does. */
function decodeCells({ bytes, ends }: Tokens): string[] {
  const cells: string[] = [];
  const text = decoder.decode(bytes.subarray(0, ends.at(-1) ?? 0));
  const isAscii = text.length === (ends.at(-1) ?? 0);
  let from = 0;
  for (const to of ends) {
    cells.push(isAscii ? text.slice(from, to) : decoder.decode(bytes.subarray(from, to)));
    from = to;
  }
  return cells;
}

const strict = new TextDecoder("utf-8", { fatal: true });

/** Cells that hold a NUL or are not UTF-8, and which of both. */
function foreignCells(
  { bytes, ends }: Tokens,
  cells: readonly string[],
): ReadonlyMap<number, string> | undefined {
  let found: Map<number, string> | undefined;
  cells.forEach((cell, at) => {
    let why: string | undefined;
    if (cell.includes("\0")) why = "it holds a NUL byte";
    else if (cell.includes("\ufffd")) {
      // The mark of a byte that is not UTF-8, unless it was in the file.
      try {
        strict.decode(bytes.subarray(at === 0 ? 0 : ends[at - 1], ends[at]));
      } catch {
        why = "it is not UTF-8 text";
      }
    }
    if (why !== undefined) (found ??= new Map()).set(at, why);
  });
  return found;
}
