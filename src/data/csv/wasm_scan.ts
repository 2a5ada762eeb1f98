/**
 * The scanner as WebAssembly: 4 kB of SIMD code over a memory of its own.
 *
 * @module
 */
import {
  blockRows,
  type CellTable,
  createScanner,
  type RowScanner,
  type ScanConfig,
  SLOW_CELLS,
} from "./scan.ts";
import { kernelModule, POWERS_BYTES, TABLE_BYTES, writePowers } from "./wasm_module.ts";

/** The kernel reads vectors of 16 bytes from any byte of the input. */
const PADDING = 64;

const PAGE = 65536;

/** Room for tables of cells. Pages that nothing is written to take no memory. */
const CELLS_BYTES = 1 << 23;

/** Inputs below are read before a memory is set up. */
const SMALL_INPUT = 1 << 15;

/** The fastest scanner here: WebAssembly where it exists and the input is not small. */
export function createFastScanner(config: ScanConfig): RowScanner {
  return config.inputBytes >= SMALL_INPUT && kernelModule() !== null
    ? createWasmScanner(config)
    : createScanner(config);
}

/**
 * A scanner in WebAssembly. It gives what the twin gives, and reads decimals of up to 19 digits
 * itself that the twin reports as slow cells.
 *
 * @throws {TypeError} where there is no WebAssembly with SIMD.
 */
export function createWasmScanner(config: ScanConfig): RowScanner {
  const module = kernelModule();
  if (module === null) throw new TypeError("no WebAssembly with SIMD");
  const { numColumns, inputBytes } = config;
  const rowCapacity = blockRows(numColumns, inputBytes);
  let size = 0;
  const place = (byteLength: number) => {
    const at = size;
    size += Math.ceil(byteLength / 64) * 64;
    return at;
  };
  const configAt = place(64);
  const resultAt = place(16);
  const powersAt = place(POWERS_BYTES);
  const tableAt = place(TABLE_BYTES);
  const kindsAt = place(numColumns);
  const inputAt = place(inputBytes + 2 + PADDING);
  const slowAt = place(16 * (numColumns + SLOW_CELLS));
  const valuesAt = place(8 * numColumns * rowCapacity);
  const codesAt = place(4 * rowCapacity);
  const tablesAt = place(12 * numColumns);
  const arenaAt = place(8);
  const cellsAt = place(CELLS_BYTES);
  const memory = new WebAssembly.Memory({ initial: Math.ceil(size / PAGE) });
  const { buffer } = memory;
  new Uint32Array(buffer, configAt, 13).set([
    inputAt,
    kindsAt,
    valuesAt,
    slowAt,
    resultAt,
    powersAt,
    tableAt,
    numColumns,
    config.delimiter,
    config.decimal,
    config.emptyIsMissing ? 1 : 0,
    rowCapacity,
    SLOW_CELLS,
  ]);
  writePowers(buffer, powersAt, tableAt);
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  const scan = exports.scan as (config: number, from: number, to: number, maxRows: number) => void;
  new Uint32Array(buffer, arenaAt, 2).set([cellsAt, cellsAt + CELLS_BYTES]);
  const findCodes = exports.findCodes as (...args: readonly number[]) => number;
  const keepCode = exports.keepCode as (...args: readonly number[]) => number;
  const cells: CellTable = {
    codes: new Int32Array(buffer, codesAt, rowCapacity),
    find(column, from, to) {
      const spans = valuesAt + 8 * column * rowCapacity;
      return findCodes(tablesAt, column, spans, inputAt, codesAt, from, to);
    },
    keep(column, start, end, code) {
      keepCode(tablesAt, column, inputAt + start, end - start, code, arenaAt);
    },
  };
  const values = new Float64Array(buffer, valuesAt, numColumns * rowCapacity);
  return {
    input: new Uint8Array(buffer, inputAt, inputBytes + 2),
    kinds: new Uint8Array(buffer, kindsAt, numColumns),
    rowCapacity,
    values,
    spans: new Int32Array(buffer, valuesAt, 2 * numColumns * rowCapacity),
    slow: new Int32Array(buffer, slowAt, 4 * (numColumns + SLOW_CELLS)),
    result: new Int32Array(buffer, resultAt, 4),
    cells,
    scan: (from, to, maxRows) => scan(configAt, from, to, maxRows),
  };
}
