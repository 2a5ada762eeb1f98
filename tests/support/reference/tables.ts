/**
 * The number tables beside reference models: CSV, TSV and LIBSVM, small and trusted.
 *
 * @module
 */

/** Rows of numbers; NaN where a cell is empty. */
export interface Table {
  readonly header: readonly string[];
  readonly rows: readonly Float64Array[];
}

/** Splits CSV text with quotes into cells. */
export function csvCells(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = "";
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (quoted) {
      if (char !== '"') cell += char;
      else if (text[i + 1] === '"') cell += text[++i];
      else quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === ",") (row.push(cell), cell = "");
    else if (char === "\n") {
      row.push(cell);
      rows.push(row);
      row = [], cell = "";
    } else if (char !== "\r") cell += char;
  }
  if (cell !== "" || row.length > 0) (row.push(cell), rows.push(row));
  return rows;
}

/** A cell as a number; empty is missing. */
export function cellToNumber(cell: string): number {
  if (cell === "") return NaN;
  const lower = cell.trim().toLowerCase();
  if (lower === "inf" || lower === "infinity") return Infinity;
  if (lower === "-inf" || lower === "-infinity") return -Infinity;
  return Number(cell);
}

/** Reads numeric CSV with a header line. */
export function readTable(text: string): Table {
  const [header, ...rows] = csvCells(text);
  return { header, rows: rows.map((row) => Float64Array.from(row, cellToNumber)) };
}

/** Reads lines of numbers separated by tabs, spaces or commas; no header. */
export function readLines(text: string): Float64Array[] {
  return text.split(/\r?\n/).filter((line) => line.trim() !== "")
    .map((line) => Float64Array.from(line.trim().split(/[\t, ]+/), cellToNumber));
}

/** Reads LIBSVM (`label index:value …`, 0-based); absent entries are `absent`. */
export function readLibsvm(text: string, numFeatures: number, absent = NaN): Float64Array[] {
  return text.split(/\r?\n/).filter((line) => line.trim() !== "").map((line) => {
    const row = new Float64Array(numFeatures).fill(absent);
    for (const token of line.trim().split(/\s+/)) {
      const at = token.indexOf(":");
      if (at < 0) continue;
      const index = Number(token.slice(0, at));
      if (index < numFeatures) row[index] = Number(token.slice(at + 1));
    }
    return row;
  });
}
