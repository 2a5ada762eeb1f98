/**
 * Columns whose cells begin with zeros, as postal codes and account numbers do: read as numbers,
 * `01234` and `1234` are one. Nothing is changed; whoever reads the data is told.
 *
 * @module
 */
import type { Head } from "./dialect.ts";
import { createTokens, tokenize } from "./tokenize.ts";

/** A cell that begins with zeros. */
export interface PaddedCell {
  readonly text: string;
  /** Line of its row. */
  readonly line: number;
}

/** Rows that are looked at. */
const ROWS = 100;

const PADDED = /^0\d+$/;

/**
 * Looks at the first rows.
 *
 * @param bytes The data, from the first row on.
 * @returns The longest cell that begins with zeros, by position of its column.
 */
export function leadingZeros(bytes: Uint8Array, head: Head): Map<number, PaddedCell> {
  const found = new Map<number, PaddedCell>();
  const tokens = createTokens();
  const decoder = new TextDecoder();
  let from = 0;
  let line = head.line;
  for (let row = 0; row < ROWS && from < bytes.length; row++) {
    if (!tokenize(bytes, from, bytes.length, head.delimiter, false, tokens)) break;
    from = tokens.next;
    const at = line;
    line += tokens.lines;
    if (tokens.problem !== undefined || tokens.ends.length !== head.names.length) continue;
    let start = 0;
    tokens.ends.forEach((end, column) => {
      const longest = found.get(column)?.text.length ?? 1;
      if (tokens.bytes[start] === 0x30 && end - start < 60 && end - start > longest) {
        const text = decoder.decode(tokens.bytes.subarray(start, end));
        if (PADDED.test(text)) found.set(column, { text, line: at });
      }
      start = end;
    });
  }
  return found;
}
