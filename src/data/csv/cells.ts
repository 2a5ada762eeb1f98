/**
 * Cells → values: missing tokens, text that must be UTF-8, categories.
 *
 * @module
 */
import type { Block } from "./blocks.ts";
import { createDictionary } from "../reading/dictionary.ts";
import { isSpace } from "./number.ts";

/** Decodes cells and says what is wrong with those that are not text. */
export interface CellReader {
  /** Missing tokens. */
  readonly tokens: readonly Uint8Array[];
  /** Whether the cell, without spaces around it, is a missing token. */
  isMissing(bytes: Uint8Array, start: number, end: number): boolean;
  /** Whether the cell is UTF-8 without a NUL. */
  isText(bytes: Uint8Array, start: number, end: number): boolean;
  /** The cell as text; undefined where it holds a NUL or is not UTF-8. */
  text(bytes: Uint8Array, start: number, end: number): string | undefined;
}

/** Turns the cells of one column into codes. */
export interface CategoryReader {
  /** Code of a cell: −1 missing; −2 not text; a new value's as the reader says. */
  code(bytes: Uint8Array, start: number, end: number): number;
  /**
   * Writes the codes of a column's cells in rows `from … to − 1` of a block to the beginning of
   * `out`. Always the same column: the scanner's table knows it by its number.
   *
   * @returns Whether all cells are text or missing.
   */
  codes(block: Block, column: number, from: number, to: number, out: Int32Array): boolean;
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

  function isText(bytes: Uint8Array, start: number, end: number): boolean {
    let p = start;
    while (p < end && bytes[p] > 0 && bytes[p] < 0x80) p++;
    return p === end || text(bytes, start, end) !== undefined;
  }

  return { tokens, isMissing, isText, text };
}

/** The bytes of a cell without spaces around, if they are not wanted. */
export function trimmed(bytes: Uint8Array, start: number, end: number, trim: boolean) {
  if (trim) {
    while (start < end && isSpace(bytes[start])) start++;
    while (end > start && isSpace(bytes[end - 1])) end--;
  }
  return { start, end };
}

/**
 * A reader of one categorical column of a fixed vocabulary; values outside have its length as code.
 *
 * @param categories Values in order of code. They are categories even where they are missing tokens.
 */
export function createCategoryReader(
  cells: CellReader,
  trim: boolean,
  categories: readonly string[],
): CategoryReader {
  const dictionary = createDictionary();
  const codeOf: number[] = [];
  let seen = 0;
  let missed = 0;
  const encoder = new TextEncoder();
  categories.forEach((value, at) => {
    const bytes = encoder.encode(value);
    if (dictionary.find(bytes, 0, bytes.length) >= 0) return;
    dictionary.add(bytes, 0, bytes.length);
    codeOf.push(at);
  });

  function code(bytes: Uint8Array, from: number, to: number): number {
    const { start, end } = trimmed(bytes, from, to, trim);
    const entry = dictionary.find(bytes, start, end);
    if (entry >= 0) return codeOf[entry];
    if (!cells.isMissing(bytes, start, end)) {
      // A file in another encoding is not a file of new values.
      return cells.isText(bytes, start, end) ? categories.length : NOT_TEXT;
    }
    dictionary.add(bytes, start, end);
    codeOf.push(-1);
    return -1;
  }

  function codes(
    { bytes, cells: table, spans, stride }: Block,
    column: number,
    from: number,
    to: number,
    out: Int32Array,
  ): boolean {
    seen += to - from;
    let allText = true;
    // Where most cells are new a table only costs.
    const helps = missed < MANY_MISSED || 2 * missed < seen;
    for (let row = from; row < to; row++) {
      if (table !== undefined && helps) {
        row = table.find(column, row, to);
        if (row === to) break;
        missed++;
      }
      const at = 2 * (column * stride + row);
      const found = code(bytes, spans[at], spans[at + 1]);
      out[row - from] = found;
      if (found === NOT_TEXT) allText = false;
      if (table === undefined || !helps) continue;
      table.codes[row] = found;
      if (found < categories.length && found !== NOT_TEXT) {
        table.keep(column, bytes, spans[at], spans[at + 1], found);
      }
    }
    if (table !== undefined && helps) out.set(table.codes.subarray(from, to));
    return allText;
  }

  return { code, codes };
}
