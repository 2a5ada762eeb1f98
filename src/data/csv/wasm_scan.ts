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
import { WASM_BASE64 } from "./wasm_bytes.ts";

/** Powers of ten in the table, as in the kernel. */
const LOW_POWER = -65;
const HIGH_POWER = 40;

/** The kernel reads vectors of 16 bytes from any byte of the input. */
const PADDING = 64;

const PAGE = 65536;

/** Room for tables of cells. Pages that nothing is written to take no memory. */
const TABLE_BYTES = 1 << 23;

/** Inputs below are read before a memory is set up. */
const SMALL_INPUT = 1 << 15;

let compiled: WebAssembly.Module | null | undefined;

/** The module, or null where the engine has no WebAssembly with SIMD. */
function kernelModule(): WebAssembly.Module | null {
  if (compiled === undefined) {
    try {
      const bytes = Uint8Array.from(atob(WASM_BASE64), (char) => char.charCodeAt(0));
      compiled = new WebAssembly.Module(bytes);
    } catch {
      compiled = null;
    }
  }
  return compiled;
}

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
  const powersAt = place((23 + 9) * 8);
  const tableAt = place((HIGH_POWER - LOW_POWER + 1) * 16);
  const kindsAt = place(numColumns);
  const inputAt = place(inputBytes + 2 + PADDING);
  const slowAt = place(16 * (numColumns + SLOW_CELLS));
  const valuesAt = place(8 * numColumns * rowCapacity);
  const codesAt = place(4 * rowCapacity);
  const tablesAt = place(12 * numColumns);
  const arenaAt = place(8);
  const tableBytesAt = place(TABLE_BYTES);
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
  new Float64Array(buffer, powersAt, 23).set(
    Array.from({ length: 23 }, (_, k) => Number(`1e${k}`)),
  );
  new BigUint64Array(buffer, powersAt + 23 * 8, 9).set(
    Array.from({ length: 9 }, (_, k) => 10n ** BigInt(k)),
  );
  new BigUint64Array(buffer, tableAt, 2 * (HIGH_POWER - LOW_POWER + 1)).set(powerTable());
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  const scan = exports.scan as (config: number, from: number, to: number, maxRows: number) => void;
  new Uint32Array(buffer, arenaAt, 2).set([tableBytesAt, tableBytesAt + TABLE_BYTES]);
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

let table: BigUint64Array<ArrayBuffer> | undefined;

/**
 * 5^q for q = −65 … 40, scaled to 128 bits: truncated for q ≥ 0, the reciprocal rounded up for
 * q < 0; high half, low half (Lemire 2021, as in his fast_float).
 */
function powerTable(): BigUint64Array<ArrayBuffer> {
  if (table !== undefined) return table;
  table = new BigUint64Array(2 * (HIGH_POWER - LOW_POWER + 1));
  for (let q = LOW_POWER; q <= HIGH_POWER; q++) {
    const power = 5n ** BigInt(Math.abs(q));
    const bits = BigInt(power.toString(2).length);
    let scaled: bigint;
    if (q >= 0) scaled = bits <= 128n ? power << (128n - bits) : power >> (bits - 128n);
    else {
      // z is the least with 2^z ≥ 5^−q; no power of five but 1 is a power of two.
      scaled = (1n << (q >= -27 ? bits + 127n : 2n * bits + 128n)) / power + 1n;
      while (scaled >= 1n << 128n) scaled >>= 1n;
    }
    const at = 2 * (q - LOW_POWER);
    table[at] = scaled >> 64n;
    table[at + 1] = scaled & 0xffff_ffff_ffff_ffffn;
  }
  return table;
}
