/**
 * Rows → lines: they run in step except behind quoted newlines, blank lines and rows left out.
 *
 * @module
 */

/** Where rows stood. */
export interface LineMap {
  /** Says that the rows from `row` on stand on the lines from `line` on. */
  add(row: number, line: number): void;
  /** Line of a row. */
  lineOf(row: number): number;
}

/** An empty map. */
export function createLineMap(): LineMap {
  const rows: number[] = [];
  const lines: number[] = [];
  return {
    add(row, line) {
      const last = rows.length - 1;
      if (last >= 0 && line - row === lines[last] - rows[last]) return;
      rows.push(row);
      lines.push(line);
    },
    lineOf(row) {
      let low = 0;
      let high = rows.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (rows[middle] <= row) low = middle;
        else high = middle - 1;
      }
      return rows.length === 0 ? row + 1 : lines[low] + row - rows[low];
    },
  };
}
