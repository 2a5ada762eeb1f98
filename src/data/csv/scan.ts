/**
 * The inner loop of reading CSV: bytes of plain records → numbers and cell spans, a block of rows
 * at a time. What is not plain (quotes with escapes or newlines, ragged or blank lines) is left to
 * `tokenize.ts`; what is not a short decimal is left to `number.ts`.
 *
 * This file is the specification; `wasm_scan.ts` does the same in WebAssembly.
 *
 * @module
 */

/** What a column's cells are scanned as: the values of `ScanConfig.kinds`. */
export const CellKind = {
  /** Parsed to a number. */
  number: 0,
  /** Reported as a span of bytes. */
  text: 1,
  /** Passed over. */
  skip: 2,
} as const;

/** Why a scan ended: the fourth entry of `RowScanner.result`. */
export const ScanStop = {
  /** The input ended inside a record (or exactly behind one). */
  end: 0,
  /** The block is full. */
  full: 1,
  /** The record at the position is not plain. */
  odd: 2,
} as const;

/** What a scanner is made for. */
export interface ScanConfig {
  readonly numColumns: number;
  /** Byte between cells. */
  readonly delimiter: number;
  /** Byte before the fraction: `.` or `,`. */
  readonly decimal: number;
  /** Whether an empty cell of a number column is missing (NaN); otherwise it is reported as slow. */
  readonly emptyIsMissing: boolean;
  /** Room for input, in bytes. */
  readonly inputBytes: number;
}

/** Reads blocks of plain records. Its arrays are reused by every call. */
export interface RowScanner {
  /** `inputBytes + 2` bytes; the caller fills it. */
  readonly input: Uint8Array;
  /** A `CellKind` for each column; the caller may change it between calls. */
  readonly kinds: Uint8Array;
  /** Most rows in a block. */
  readonly rowCapacity: number;
  /** Numbers, column-major: entry `column × rowCapacity + row`. */
  readonly values: Float64Array;
  /** The same memory: start and end of text cells at `2 × (column × rowCapacity + row)`. */
  readonly spans: Int32Array;
  /** Number cells left to the caller: row, column, start, end. */
  readonly slow: Int32Array;
  /** Rows, position behind the last whole record, number of slow cells, a `ScanStop`. */
  readonly result: Int32Array;
  /** Codes of cells by a table, where the scanner has one. */
  readonly cells?: CellTable;
  /** Scans `input` from a byte up to another, at most `maxRows` rows. */
  scan(from: number, to: number, maxRows: number): void;
  /** Gives its memory to the next scanner; nothing of this one may be used again. */
  release?(): void;
}

/** The levels of a column, sorted by code point. */
export interface SortedLevels {
  readonly texts: string[];
  /** Code of each. */
  readonly codes: Int32Array;
}

/**
 * The codes of text cells, a table for each column. It gives what `reading/dictionary.ts` gives, which is
 * used where a scanner has none.
 */
export interface CellTable {
  /** Codes by row that the last `find` or `take` wrote. */
  readonly codes: Int32Array;
  /**
   * Writes the codes of a column's text cells in rows `from … to − 1` of the last scan.
   *
   * @returns The first row whose cell has none, or `to`.
   */
  find(column: number, from: number, to: number): number;
  /**
   * The same, but cells without a code get the next.
   *
   * @returns The first row whose cell is for the caller to judge (spaces around, not text), or `to`.
   */
  take(column: number, from: number, to: number): number;
  /** The next code of a column. */
  count(column: number): number;
  /** The code of a cell of any origin, or −3. */
  codeOf(column: number, bytes: Uint8Array, start: number, end: number): number;
  /**
   * Gives a cell of any origin, which has none, a code.
   *
   * @param alias Whether it is another spelling of the level of that code.
   */
  keep(
    column: number,
    bytes: Uint8Array,
    start: number,
    end: number,
    code: number,
    alias?: boolean,
  ): void;
  /** The levels of a column: cells with a code of 0 or more that are no aliases. */
  levels(column: number): SortedLevels;
}

/** Makes a scanner: the twin below, or the kernel. */
export type CreateScanner = (config: ScanConfig) => RowScanner;

/** Numbers in a block: 2 MB, so that it stays in the second-level cache. */
const BLOCK_VALUES = 1 << 18;

/** Most rows of a block with so many columns, for input of so many bytes. */
export function blockRows(numColumns: number, inputBytes: number): number {
  const most = Math.min(4096, Math.floor(BLOCK_VALUES / numColumns));
  // An odd number of cache lines from one column to the next: the cells of a row, which are written
  // together, would else all want the same few lines of the cache.
  const fits = 8 * ((Math.floor(most / 8) - 1) | 1);
  // A record has a byte or more for each cell.
  return Math.max(16, Math.min(fits, Math.ceil(inputBytes / numColumns)));
}

/** Slow cells that a block has room for, beyond one record. */
export const SLOW_CELLS = 8192;

const QUOTE = 0x22;
const LF = 0x0a;
const CR = 0x0d;

/** 10⁰ … 10²², each exact in float64. */
const POWERS = Float64Array.from({ length: 23 }, (_, k) => Number(`1e${k}`));

/** Below this every whole number is exact in float64. */
const EXACT = 2 ** 53;

/**
 * A scanner in plain TypeScript.
 *
 * A decimal `m · 10^e` with `m < 2⁵³` and `|e| ≤ 22` is one multiplication or division of two exact
 * numbers, hence rounded once, hence what `Number()` gives. All others are slow cells.
 */
export function createScanner(config: ScanConfig): RowScanner {
  const { numColumns, delimiter, decimal, emptyIsMissing } = config;
  const input = new Uint8Array(config.inputBytes + 2);
  const kinds = new Uint8Array(numColumns);
  const rowCapacity = blockRows(numColumns, config.inputBytes);
  const values = new Float64Array(numColumns * rowCapacity);
  const spans = new Int32Array(values.buffer);
  const slow = new Int32Array(4 * (numColumns + SLOW_CELLS));
  const result = new Int32Array(4);

  function scan(from: number, to: number, maxRows: number): void {
    // A newline behind the input ends every loop; a record that consumes it is not whole.
    input[to] = LF;
    let position = from;
    let rows = 0;
    let numSlow = 0;
    let stop: number = ScanStop.full;
    const lastRow = Math.min(maxRows, rowCapacity);
    while (rows < lastRow && numSlow <= SLOW_CELLS) {
      if (position >= to) {
        stop = ScanStop.end;
        break;
      }
      let p = position;
      let column = 0;
      let pending = numSlow;
      let ch = input[p];
      if (ch === LF || ch === CR) {
        stop = ScanStop.odd;
        break;
      }
      let odd = false;
      for (;;) {
        const kind = kinds[column];
        let start = p;
        let end = -1;
        if (ch === QUOTE) {
          start = ++p;
          while ((ch = input[p]) !== QUOTE && ch !== LF && ch !== CR) p++;
          end = p;
          if (ch === QUOTE) ch = input[++p];
          else odd = true;
          if (ch !== delimiter && ch !== LF && ch !== CR) odd = true;
          if (odd) break;
        } else if (kind === CellKind.number) {
          let negative = false;
          if (ch === 0x2d) {
            negative = true;
            ch = input[++p];
          }
          let mantissa = 0;
          let exponent = 0;
          let digits = p;
          let digit = ch - 48;
          while (digit >= 0 && digit < 10) {
            mantissa = mantissa * 10 + digit;
            digit = (ch = input[++p]) - 48;
          }
          digits = p - digits;
          if (ch === decimal) {
            const point = p + 1;
            digit = (ch = input[++p]) - 48;
            while (digit >= 0 && digit < 10) {
              mantissa = mantissa * 10 + digit;
              digit = (ch = input[++p]) - 48;
            }
            exponent = point - p;
            digits -= exponent;
          }
          if (digits > 0 && (ch === 0x65 || ch === 0x45)) {
            let sign = 1;
            ch = input[++p];
            if (ch === 0x2d) {
              sign = -1;
              ch = input[++p];
            } else if (ch === 0x2b) ch = input[++p];
            const first = p;
            let power = 0;
            digit = ch - 48;
            while (digit >= 0 && digit < 10) {
              if (power < 10000) power = power * 10 + digit;
              digit = (ch = input[++p]) - 48;
            }
            exponent += sign * power;
            if (p === first) digits = 0;
          }
          if (ch === delimiter || ch === LF || ch === CR) {
            if (digits > 0 && mantissa < EXACT && exponent >= -22 && exponent <= 22) {
              const value = exponent < 0
                ? mantissa / POWERS[-exponent]
                : mantissa * POWERS[exponent];
              values[column * rowCapacity + rows] = negative ? -value : value;
              start = -1;
            } else if (p === start && emptyIsMissing) {
              values[column * rowCapacity + rows] = NaN;
              start = -1;
            } else end = p;
          }
        }
        if (end < 0 && start >= 0) {
          while (ch !== delimiter && ch !== LF && ch !== CR) {
            if (ch === QUOTE) odd = true;
            ch = input[++p];
          }
          if (odd) break;
          end = p;
        }
        if (kind === CellKind.text) {
          const at = 2 * (column * rowCapacity + rows);
          spans[at] = start;
          spans[at + 1] = end;
        } else if (kind === CellKind.number && start >= 0) {
          const at = 4 * pending++;
          slow[at] = rows;
          slow[at + 1] = column;
          slow[at + 2] = start;
          slow[at + 3] = end;
        }
        column++;
        if (ch !== delimiter) break;
        if (column === numColumns) {
          odd = true;
          break;
        }
        ch = input[++p];
      }
      if (!odd) {
        if (ch === CR && input[p + 1] === LF) p++;
        p++;
        if (p > to) {
          stop = ScanStop.end;
          break;
        }
        odd = column !== numColumns;
      }
      if (odd) {
        stop = ScanStop.odd;
        break;
      }
      position = p;
      numSlow = pending;
      rows++;
    }
    result[0] = rows;
    result[1] = position;
    result[2] = numSlow;
    result[3] = stop;
  }

  return { input, kinds, rowCapacity, values, spans, slow, result, scan };
}
