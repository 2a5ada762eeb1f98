/**
 * Cells → values: missing tokens, text that must be UTF-8, categories.
 *
 * @module
 */
import type { Block } from "./blocks.ts";
import { createDictionary } from "./dictionary.ts";
import { isSpace } from "./number.ts";

/** Decodes cells and says what is wrong with those that are not text. */
export interface CellReader {
  /** Whether the cell, without spaces around it, is a missing token. */
  isMissing(bytes: Uint8Array, start: number, end: number): boolean;
  /** The cell as text; undefined where it holds a NUL or is not UTF-8. */
  text(bytes: Uint8Array, start: number, end: number): string | undefined;
}

/** Turns the cells of one column into codes. */
export interface CategoryReader {
  /**
   * Code of a cell: −1 missing; −2 not text. New values get the next code, or, in a fixed
   * vocabulary, its length.
   */
  code(bytes: Uint8Array, start: number, end: number): number;
  /**
   * Writes the codes of a column's cells in rows `from … to − 1` of a block to the beginning of
   * `out`. Always the same column: the scanner's table knows it by its number.
   *
   * @returns Whether all cells are text or missing.
   */
  codes(block: Block, column: number, from: number, to: number, out: Int32Array): boolean;
  /** Values in order of code. */
  values(): readonly string[];
}

/** Code of a cell that is not text. */
export const NOT_TEXT = -2;

/** Cells that a table must have missed before it may be given up. */
const MANY_MISSED = 4096;

/** A reader for a set of missing tokens. */
export function createCellReader(missing: readonly string[]): CellReader {
  const encoder = new TextEncoder();
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const tokens = missing.map((token) => encoder.encode(token.trim()));
  const longest = Math.max(0, ...tokens.map((token) => token.length));
  const none = tokens.length === 0;

  function isMissing(bytes: Uint8Array, start: number, end: number): boolean {
    if (none) return false;
    while (start < end && isSpace(bytes[start])) start++;
    while (end > start && isSpace(bytes[end - 1])) end--;
    const length = end - start;
    if (length > longest) return false;
    for (const token of tokens) {
      if (token.length !== length) continue;
      let at = 0;
      while (at < length && token[at] === bytes[start + at]) at++;
      if (at === length) return true;
    }
    return false;
  }

  function text(bytes: Uint8Array, start: number, end: number): string | undefined {
    for (let p = start; p < end; p++) if (bytes[p] === 0) return undefined;
    try {
      return decoder.decode(bytes.subarray(start, end));
    } catch {
      return undefined;
    }
  }

  return { isMissing, text };
}

/** What a category reader knows beforehand. */
export interface Vocabulary {
  /** Values that are categories even where they are missing tokens, in order of code. */
  readonly known?: readonly string[];
  /** Whether other values are outside the vocabulary; otherwise they get the next codes. */
  readonly fixed?: boolean;
}

/** A reader of one categorical column. */
export function createCategoryReader(
  cells: CellReader,
  trim: boolean,
  vocabulary: Vocabulary = {},
): CategoryReader {
  const dictionary = createDictionary();
  const codeOf: number[] = [];
  const values: string[] = [];
  let seen = 0;
  let missed = 0;
  const encoder = new TextEncoder();
  for (const value of vocabulary.known ?? []) {
    const bytes = encoder.encode(value);
    if (dictionary.find(bytes, 0, bytes.length) < 0) {
      dictionary.add(bytes, 0, bytes.length);
      codeOf.push(values.length);
    }
    values.push(value);
  }

  function code(bytes: Uint8Array, start: number, end: number): number {
    if (trim) {
      while (start < end && isSpace(bytes[start])) start++;
      while (end > start && isSpace(bytes[end - 1])) end--;
    }
    const entry = dictionary.find(bytes, start, end);
    if (entry >= 0) return codeOf[entry];
    if (cells.isMissing(bytes, start, end)) {
      dictionary.add(bytes, start, end);
      codeOf.push(-1);
      return -1;
    }
    if (vocabulary.fixed === true) return values.length;
    const value = cells.text(bytes, start, end);
    if (value === undefined) return NOT_TEXT;
    dictionary.add(bytes, start, end);
    codeOf.push(values.length);
    values.push(value);
    return values.length - 1;
  }

  function codes(
    { bytes, cells: table, spans, stride }: Block,
    column: number,
    from: number,
    to: number,
    out: Int32Array,
  ): boolean {
    let allText = true;
    seen += to - from;
    // Where most cells are new a table only costs.
    const helps = missed < MANY_MISSED || 2 * missed < seen;
    for (let row = from; row < to; row++) {
      if (table !== undefined && helps) {
        row = table.find(column, row, to);
        if (row === to) break;
        missed++;
      }
      const at = 2 * (column * stride + row);
      const start = spans[at];
      const end = spans[at + 1];
      const found = code(bytes, start, end);
      out[row - from] = found;
      if (found === NOT_TEXT) allText = false;
      if (table === undefined || !helps) continue;
      table.codes[row] = found;
      if (found !== NOT_TEXT && found < values.length) table.keep(column, start, end, found);
    }
    if (table !== undefined && helps) out.set(table.codes.subarray(from, to));
    return allText;
  }

  return { code, codes, values: () => values };
}
