/**
 * Lines of LIBSVM in WebAssembly: plain ones a block at a time, others one by one as bytes.
 *
 * @module
 */
import type { DirectInput } from "../csv/table.ts";
import { lendKernel, returnKernel } from "../reading/wasm_memory.ts";
import { FREE_AT, kernelModule } from "../reading/wasm_module.ts";
import { createLineReader, type LineReader, type OnLine, tooLong } from "../reading/line_reader.ts";

/** Whole rows; valid until the receiver returns. */
export interface SparseRows {
  readonly numRows: number;
  /** Line of the first; each is on a line of its own. */
  readonly line: number;
  readonly labels: Float64Array;
  /** Entries up to the end of each row. */
  readonly ends: Int32Array;
  readonly indices: Int32Array;
  readonly values: Float64Array;
  /** One more than the largest index. */
  readonly numColumns: number;
  /** Whether all values are 1. */
  readonly allOnes: boolean;
}

/** What is read, and who hears of it. */
export interface SparseConfig {
  /** Indices from here on make a line that is not plain. */
  readonly columnLimit: number;
  /** Most bytes in a line; beyond, `E_DATA_LIMIT`. */
  readonly maxBytes: number;
  readonly onRows: (rows: SparseRows) => void;
  readonly onLine: OnLine;
}

/** Room for input; a line that does not fit makes it grow. */
const INPUT_BYTES = 1 << 18;
/** Inputs below are read line by line. */
const FEW_BYTES = 1 << 12;
const MOST_ROWS = 1 << 14;
const PADDING = 64;

/** Why a scan ended, as in the kernel. */
const ODD = 2;

const LF = 0x0a;
const CR = 0x0d;

/** A reader of lines that takes bytes in its own memory too. */
export interface SparseReader extends LineReader {
  readonly direct: DirectInput;
}

/** A reader of lines; without WebAssembly, or where they are few, all lines go to `onLine`. */
export function createSparseReader(config: SparseConfig): SparseReader {
  const module = kernelModule();
  let reader = module === null ? createLineReader(config.onLine, config.maxBytes) : undefined;
  let kernel: SparseReader | undefined;
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  const hand = (to: LineReader) => {
    reader = to;
    held.forEach(to.push);
    held = [];
  };
  return {
    push(bytes) {
      if (reader !== undefined) return reader.push(bytes);
      heldBytes += bytes.length;
      held.push(heldBytes < FEW_BYTES ? bytes.slice() : bytes);
      // Memory takes its time to set up.
      if (heldBytes >= FEW_BYTES) hand(kernel = createKernelReader(module!, config));
    },
    finish() {
      if (reader === undefined) hand(createLineReader(config.onLine, config.maxBytes));
      reader!.finish();
    },
    direct: {
      room: () => kernel?.direct.room(),
      filled: (count) => kernel!.direct.filled(count),
    },
  };
}

function createKernelReader(module: WebAssembly.Module, config: SparseConfig): SparseReader {
  let scanner = createScanner(module, INPUT_BYTES, config.columnLimit);
  let fill = 0;
  let line = 1;
  let begun = false;

  function push(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;) {
      const count = Math.min(bytes.length - at, scanner.capacity - fill);
      scanner.input.set(bytes.subarray(at, at + count), fill);
      at += count;
      filled(count);
    }
  }

  function filled(count: number): void {
    fill += count;
    consume(false);
    if (fill === scanner.capacity) grow();
  }

  function finish(): void {
    // A lone CR at the end becomes CRLF: a whole ending too.
    if (fill > 0 && scanner.input[fill - 1] !== LF) {
      if (fill === scanner.capacity) grow();
      scanner.input[fill++] = LF;
    }
    consume(true);
    scanner.release();
  }

  function consume(final: boolean): void {
    let from = 0;
    if (!begun) {
      if (fill < 3 && !final) return;
      const [a, b, c] = scanner.input;
      if (fill >= 3 && a === 0xef && b === 0xbb && c === 0xbf) from = 3;
      begun = true;
    }
    for (;;) {
      scanner.scan(from, fill);
      const [numRows, position, numColumns, stop, allOnes] = scanner.result;
      if (numRows > 0) {
        config.onRows({ ...scanner.rows, numRows, line, numColumns, allOnes: allOnes === 1 });
      }
      line += numRows;
      from = position;
      if (stop === ODD) {
        const next = oddLine(from, final);
        if (next < 0) break;
        from = next;
      } else if (stop === 0) break;
    }
    scanner.input.copyWithin(0, from, fill);
    fill -= from;
    if (fill > config.maxBytes) throw tooLong(line, config.maxBytes);
  }

  /** Hands on a line; returns where the next begins, or −1 where it is not whole. */
  function oddLine(from: number, final: boolean): number {
    const { input } = scanner;
    let end = from;
    while (end < fill && input[end] !== LF && input[end] !== CR) end++;
    if (end === fill) return -1;
    if (input[end] === LF) {
      config.onLine(input, from, end, line++);
      return end + 1;
    }
    // The last byte may be half of CRLF.
    if (end + 1 === fill && !final) return -1;
    config.onLine(input, from, end, line++);
    return end + (input[end + 1] === LF && end + 1 < fill ? 2 : 1);
  }

  function grow(): void {
    const { input, capacity } = scanner;
    scanner = createScanner(module, 2 * capacity, config.columnLimit);
    scanner.input.set(input.subarray(0, fill));
  }

  // There is always room: a full input grows at once.
  const room = () => scanner.input.subarray(fill, scanner.capacity);
  return { push, finish, direct: { room, filled } };
}

/** The kernel over a memory with room for so many bytes. */
function createScanner(module: WebAssembly.Module, capacity: number, columnLimit: number) {
  // An entry takes four bytes or more: " 1:1".
  const mostEntries = (capacity >> 2) + 1;
  let size = FREE_AT;
  const place = (byteLength: number) => {
    const at = size;
    size += Math.ceil(byteLength / 64) * 64;
    return at;
  };
  const configAt = place(64);
  const resultAt = place(20);
  const inputAt = place(capacity + 2 + PADDING);
  const labelsAt = place(8 * MOST_ROWS);
  const endsAt = place(4 * MOST_ROWS);
  const indicesAt = place(4 * mostEntries);
  const valuesAt = place(8 * mostEntries);
  const kernel = lendKernel(module, size, size);
  const { buffer } = kernel.memory;
  new Uint32Array(buffer, configAt, 9).set([
    inputAt,
    labelsAt,
    endsAt,
    indicesAt,
    valuesAt,
    resultAt,
    Math.min(columnLimit, 2 ** 31),
    MOST_ROWS,
    mostEntries,
  ]);
  const scan = kernel.exports.scanLines as (config: number, from: number, to: number) => void;
  return {
    capacity,
    input: new Uint8Array(buffer, inputAt, capacity + 2),
    result: new Int32Array(buffer, resultAt, 5),
    rows: {
      labels: new Float64Array(buffer, labelsAt, MOST_ROWS),
      ends: new Int32Array(buffer, endsAt, MOST_ROWS),
      indices: new Int32Array(buffer, indicesAt, mostEntries),
      values: new Float64Array(buffer, valuesAt, mostEntries),
    },
    scan: (from: number, to: number) => scan(configAt, from, to),
    release: () => returnKernel(kernel, size),
  };
}
