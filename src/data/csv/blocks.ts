/**
 * Bytes in pieces of any size → blocks of rows: plain records by the scanner, odd ones one by one.
 *
 * @module
 */
import { DataError } from "../../errors.ts";
import { CellKind, type CellTable, type CreateScanner, ScanStop } from "./scan.ts";
import { createTokens, tokenize, type Tokens } from "./tokenize.ts";

/** Rows as they were scanned; valid until the receiver returns. */
export interface Block {
  readonly numRows: number;
  /** Bytes that the rows take in the input. */
  readonly byteLength: number;
  /** Line of the first row; each row is on a line of its own. */
  readonly line: number;
  /** Holds the cells of `spans` and `slow`. */
  readonly bytes: Uint8Array;
  /** Rows from one column to the next in `values` and `spans`. */
  readonly stride: number;
  /** Numbers, column-major: entry `column × stride + row`. */
  readonly values: Float64Array;
  /** Start and end of text cells at `2 × (column × stride + row)`. */
  readonly spans: Int32Array;
  /** Number cells that are not plain decimals: row, column, start, end. */
  readonly slow: Int32Array;
  readonly numSlow: number;
  /** Codes of the text cells of `spans`, where there are any. */
  readonly cells?: CellTable | undefined;
}

/** What a block reader is made for. */
export interface BlockConfig {
  readonly numColumns: number;
  readonly delimiter: number;
  readonly decimal: number;
  readonly emptyIsMissing: boolean;
  /** Line that the data begin on. */
  readonly line: number;
  /** Most bytes in one record. */
  readonly recordBytes: number;
  /** Bytes to come, as far as that is known: a small input needs small buffers. More may come. */
  readonly sizeHint: number | undefined;
  readonly createScanner: CreateScanner;
  /** A `CellKind` for each column; the receiver may change it before it asks for a block again. */
  readonly kinds: Uint8Array;
  /** Takes a block; false asks for the same rows again, after kinds have changed. */
  readonly onBlock: (block: Block) => boolean;
  /** Hears of a record that is not CSV, or has another number of cells. */
  readonly onBad: (line: number, problem: string, column?: number) => void;
}

/** Takes bytes until `finish`. */
export interface BlockReader {
  push(bytes: Uint8Array): void;
  /** Where the next bytes may be written to, instead of pushing them; never empty. */
  room(): Uint8Array;
  /** Says that so many bytes were written to the beginning of `room`. */
  filled(count: number): void;
  finish(): void;
  /** Begins anew at a line: what was pushed before is left out. */
  restart(line: number): void;
  /** Hands on all rows that are whole, and says how many bytes are left. */
  settle(): number;
  /** Line of the next record. */
  readonly line: () => number;
  /** Says that nothing that was handed on is used any more, cell tables included. */
  release(): void;
}

/** Room for input; a record that does not fit makes it grow. */
const INPUT_BYTES = 1 << 18;

/** A record that is not whole after so many bytes is looked at again only when it has doubled. */
const LONG_RECORD = 1 << 14;

/** Rows of the first block: enough to see most kinds before many rows are scanned twice. */
const FIRST_ROWS = 64;

const LF = 0x0a;
const CR = 0x0d;

/** A reader at the beginning of the data. */
export function createBlockReader(config: BlockConfig): BlockReader {
  const { numColumns, delimiter, kinds, onBlock, onBad } = config;
  const make = (inputBytes: number) => config.createScanner({ ...config, inputBytes });
  let capacity = Math.min(INPUT_BYTES, Math.max(1024, config.sizeHint ?? INPUT_BYTES));
  let scanner = make(capacity);
  let fill = 0;
  let seen = 0;
  let line = config.line;
  let maxRows = FIRST_ROWS;
  let blankLines: number[] = [];
  let waitFor = 0;
  const tokens = createTokens();
  const odd = createOddBlock(numColumns);

  function push(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;) {
      const count = Math.min(bytes.length - at, capacity - fill);
      scanner.input.set(bytes.subarray(at, at + count), fill);
      at += count;
      filled(count);
    }
  }

  function filled(count: number): void {
    fill += count;
    seen += count;
    if (fill >= waitFor || fill === capacity) consume(false);
    if (fill === capacity) grow();
    // More than was known of: from now on as for any large input.
    if (capacity < INPUT_BYTES && seen > (config.sizeHint ?? 0)) makeRoom(INPUT_BYTES);
  }

  function finish(): void {
    if (fill > 0 && scanner.input[fill - 1] !== LF) {
      if (fill === capacity) grow();
      scanner.input[fill++] = LF;
    }
    consume(true);
    // Blank lines at the end of one column are the end of the file, not missing values.
    blankLines = [];
  }

  function consume(final: boolean): void {
    let from = 0;
    for (;;) {
      scanner.kinds.set(kinds);
      scanner.scan(from, fill, maxRows);
      const [rows, position, numSlow, stop] = scanner.result;
      if (rows > 0) {
        flushBlank();
        const block: Block = {
          numRows: rows,
          byteLength: position - from,
          line,
          bytes: scanner.input,
          stride: scanner.rowCapacity,
          values: scanner.values,
          spans: scanner.spans,
          slow: scanner.slow,
          numSlow,
          cells: scanner.cells,
        };
        if (!onBlock(block)) continue;
        maxRows = scanner.rowCapacity;
        line += rows;
        from = position;
      }
      if (stop === ScanStop.odd) {
        const next = readOdd(from, final);
        if (next < 0) break;
        from = next;
      } else if (stop === ScanStop.end) break;
    }
    scanner.input.copyWithin(0, from, fill);
    fill -= from;
    waitFor = fill > LONG_RECORD ? Math.min(2 * fill, capacity) : 0;
  }

  /** Reads one record that is not plain. Returns where the next begins, or −1 for "not whole". */
  function readOdd(from: number, final: boolean): number {
    const { input } = scanner;
    if (input[from] === LF || input[from] === CR) {
      if (input[from] === CR && from + 1 >= fill && !final) return -1;
      const pair = input[from] === CR && from + 1 < fill && input[from + 1] === LF;
      if (numColumns === 1) blankLines.push(line);
      line++;
      return from + (pair ? 2 : 1);
    }
    if (!tokenize(input, from, fill, delimiter, final, tokens)) return -1;
    flushBlank();
    const cells = tokens.ends.length;
    if (tokens.problem !== undefined) onBad(line, tokens.problem, tokens.problemCell);
    else if (cells !== numColumns) {
      const all = numColumns === 1 ? "1 cell" : `${numColumns} cells`;
      onBad(line, `expected ${all}, found ${cells}`);
    } else emitOdd(line);
    line += tokens.lines;
    return tokens.next;
  }

  function emitOdd(at: number): void {
    do {
      odd.fillFrom(tokens, kinds, at);
    } while (!onBlock(odd.block));
  }

  /** Blank lines of a single column are missing values, once a value follows. */
  function flushBlank(): void {
    if (blankLines.length === 0) return;
    const held = blankLines;
    blankLines = [];
    const empty: Tokens = { ...createTokens(), ends: [0] };
    for (const at of held) {
      do {
        odd.fillFrom(empty, kinds, at);
      } while (!onBlock(odd.block));
    }
  }

  function grow(): void {
    if (capacity >= Math.max(config.recordBytes, INPUT_BYTES)) {
      throw new DataError(
        "E_DATA_LIMIT",
        `Cannot read the record at line ${line}: it is longer than ${config.recordBytes} bytes; ` +
          `a quote may not be closed`,
        { details: { line, limit: config.recordBytes } },
      );
    }
    makeRoom(2 * capacity);
    waitFor = capacity;
  }

  function makeRoom(bytes: number): void {
    const { input } = scanner;
    capacity = bytes;
    scanner = make(capacity);
    scanner.input.set(input.subarray(0, fill));
  }

  return {
    push,
    room: () => scanner.input.subarray(fill, capacity),
    filled,
    finish,
    restart(at) {
      fill = 0;
      waitFor = 0;
      blankLines = [];
      line = at;
    },
    settle() {
      consume(false);
      return fill;
    },
    line: () => line,
    release: () => scanner.release?.(),
  };
}

/** A block of one row from the cells of a record. */
function createOddBlock(numColumns: number) {
  const values = new Float64Array(numColumns);
  const spans = new Int32Array(values.buffer);
  const slow = new Int32Array(4 * numColumns);
  const block = {
    numRows: 1,
    byteLength: 0,
    line: 0,
    bytes: new Uint8Array(0) as Uint8Array,
    stride: 1,
    values,
    spans,
    slow,
    numSlow: 0,
  };
  function fillFrom(tokens: Tokens, kinds: Uint8Array, line: number): void {
    let start = 0;
    block.numSlow = 0;
    block.line = line;
    block.bytes = tokens.bytes;
    for (let column = 0; column < numColumns; column++) {
      const end = tokens.ends[column];
      if (kinds[column] === CellKind.text) {
        spans[2 * column] = start;
        spans[2 * column + 1] = end;
      } else if (kinds[column] === CellKind.number) {
        slow.set([0, column, start, end], 4 * block.numSlow++);
      }
      start = end;
    }
  }
  return { block: block as Block, fillFrom };
}
