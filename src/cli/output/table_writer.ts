/**
 * Rows → text, batch by batch: CSV, or one JSON array with a row a line.
 *
 * @module
 */
import type { Cells } from "./score_columns.ts";

/** Turns batches into text. */
export interface TableWriter {
  /** Before the first batch. */
  begin(): string;
  /** Some rows: text columns first, then scores row by row. */
  rows(count: number, kept: readonly (readonly string[])[], cells: Cells): string;
  /** After the last batch. */
  end(): string;
}

/** One line a row, under a header unless there is none; cells are quoted where RFC 4180 asks. */
export function csvWriter(
  kept: readonly string[],
  scored: readonly string[],
  header: boolean,
): TableWriter {
  const line = (names: readonly string[]) => `${names.map(csvCell).join(",")}\n`;
  return {
    begin: () => header ? line([...kept, ...scored]) : "",
    rows(count, texts, cells) {
      const width = scored.length;
      let text = "";
      for (let row = 0; row < count; row++) {
        for (const column of texts) text += `${csvCell(column[row]!)},`;
        for (let k = 0; k < width; k++) {
          const cell = cells[row * width + k]!;
          text += (k === 0 ? "" : ",") + (typeof cell === "number" ? cell : csvCell(cell));
        }
        text += "\n";
      }
      return text;
    },
    end: () => "",
  };
}

/** A JSON array of objects, one a line; numbers that JSON lacks are null. */
export function jsonWriter(kept: readonly string[], scored: readonly string[]): TableWriter {
  const keptKeys = kept.map((name) => `${JSON.stringify(name)}:`);
  const keys = scored.map((name) => `${JSON.stringify(name)}:`);
  let first = true;
  return {
    begin: () => "[",
    rows(count, texts, cells) {
      let text = "";
      for (let row = 0; row < count; row++) {
        const parts = [
          ...texts.map((column, k) => keptKeys[k] + JSON.stringify(column[row])),
          ...keys.map((key, k) => key + JSON.stringify(cells[row * keys.length + k])),
        ];
        text += `${first ? "\n" : ",\n"}{${parts.join(",")}}`;
        first = false;
      }
      return text;
    },
    end: () => "\n]\n",
  };
}

/** A cell as CSV: quoted where it holds a separator, a quote, or an end of line. */
export function csvCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
