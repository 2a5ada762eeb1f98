/**
 * The scanner as WebAssembly: 29 kB of SIMD code over a memory of its own.
 *
 * @module
 */
import { blockRows, createScanner, type RowScanner, type ScanConfig, SLOW_CELLS } from "./scan.ts";
import { createWasmCells, RECORD_BYTES, SCRATCH_BYTES } from "./wasm_cells.ts";
import { lendKernel, returnKernel } from "../reading/wasm_memory.ts";
import { FREE_AT, kernelModule } from "../reading/wasm_module.ts";

/** The kernel reads vectors of 16 bytes from any byte of the input. */
const PADDING = 64;

/** First room for tables of cells, which grows. */
const CELLS_BYTES = 1 << 16;

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
  let size = FREE_AT;
  const place = (byteLength: number) => {
    const at = size;
    size += Math.ceil(byteLength / 64) * 64;
    return at;
  };
  const configAt = place(64);
  const resultAt = place(16);
  const kindsAt = place(numColumns);
  const inputAt = place(inputBytes + 2 + PADDING);
  const slowAt = place(16 * (numColumns + SLOW_CELLS));
  const runsAt = place(numColumns);
  // Cells in a row are written up to eight at once.
  const valuesAt = place(8 * (numColumns + 7) * rowCapacity);
  const codesAt = place(4 * rowCapacity);
  const scratchAt = place(SCRATCH_BYTES + 64);
  const arenaAt = place(8);
  const tablesAt = place(RECORD_BYTES * numColumns);
  const cellsAt = place(CELLS_BYTES);
  const kernel = lendKernel(module, size, tablesAt);
  const { memory, exports } = kernel;
  const { buffer } = memory;
  new Uint32Array(buffer, configAt, 12).set([
    inputAt,
    kindsAt,
    valuesAt,
    slowAt,
    resultAt,
    numColumns,
    config.delimiter,
    config.decimal,
    config.emptyIsMissing ? 1 : 0,
    rowCapacity,
    SLOW_CELLS,
    runsAt,
  ]);
  new Uint32Array(buffer, arenaAt, 2).set([cellsAt, buffer.byteLength]);
  const scan = exports.scan as (config: number, from: number, to: number, maxRows: number) => void;
  const places = {
    numColumns,
    rowCapacity,
    inputAt,
    valuesAt,
    codesAt,
    scratchAt,
    tablesAt,
    arenaAt,
  };
  const cells = createWasmCells(memory, exports, places, () => Object.assign(scanner, views()));

  function views() {
    const { buffer } = memory;
    return {
      input: new Uint8Array(buffer, inputAt, inputBytes + 2),
      kinds: new Uint8Array(buffer, kindsAt, numColumns),
      values: new Float64Array(buffer, valuesAt, numColumns * rowCapacity),
      spans: new Int32Array(buffer, valuesAt, 2 * numColumns * rowCapacity),
      slow: new Int32Array(buffer, slowAt, 4 * (numColumns + SLOW_CELLS)),
      result: new Int32Array(buffer, resultAt, 4),
    };
  }

  const scanner: RowScanner = {
    ...views(),
    rowCapacity,
    cells,
    scan(from, to, maxRows) {
      // What the cells of these rows may take must be there: nothing may move while they are read.
      const rows = Math.min(maxRows, rowCapacity, Math.ceil((to - from) / numColumns));
      cells.makeRoom(scanner.kinds, rows, to - from);
      scan(configAt, from, to, maxRows);
    },
    release: () => returnKernel(kernel, cells.written()),
  };
  return scanner;
}
