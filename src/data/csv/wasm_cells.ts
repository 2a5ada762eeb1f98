/**
 * Codes of text cells by the hash tables of the kernel; see src/kernels/assembly/csv/cells.ts.
 *
 * @module
 */
import { DataError } from "../../errors.ts";
import type { CellTable, SortedLevels } from "./scan.ts";

const PAGE = 65536;

/** Bytes of a table's record, as in the kernel: slots, how many, taken, next code, bytes of levels. */
export const RECORD_BYTES = 20;

/** Slots are of 32 bytes; a table is widened to at most eight for each cell, after tables a third as large. */
const BYTES_PER_CELL = 8 * 32 * 4 / 3;

/** Cells that come from elsewhere are copied to so many bytes, if they fit. */
export const SCRATCH_BYTES = 4096;

/** Bytes of text that are decoded at once. */
const DECODED_BYTES = 1 << 24;

/** Where things are in the memory of a scanner. */
export interface CellPlaces {
  readonly rowCapacity: number;
  readonly inputAt: number;
  readonly valuesAt: number;
  readonly codesAt: number;
  /** `SCRATCH_BYTES` and 64. */
  readonly scratchAt: number;
  /** `RECORD_BYTES` for each column, zeros. */
  readonly tablesAt: number;
  /** Two numbers: the first free byte of the arena, and its end. */
  readonly arenaAt: number;
}

/** A cell table that makes its own room. */
export interface GrowingCells extends CellTable {
  /** Makes room for the cells of so many rows and bytes. Views of the memory may become invalid. */
  makeRoom(columns: readonly number[], rows: number, bytes: number): void;
}

/**
 * A table of cells in the memory of a scanner.
 *
 * @param onGrow Called when views of the memory must be made anew.
 */
export function createWasmCells(
  memory: WebAssembly.Memory,
  exports: WebAssembly.Exports,
  places: CellPlaces,
  onGrow: () => void,
): GrowingCells {
  const { rowCapacity, inputAt, valuesAt, codesAt, tablesAt, arenaAt, scratchAt } = places;
  const call = exports as { readonly [name: string]: (...args: readonly number[]) => number };
  let codes = new Int32Array(memory.buffer, codesAt, rowCapacity);
  let scratch = new Uint8Array(memory.buffer, scratchAt, SCRATCH_BYTES);
  const record = (column: number) =>
    new Uint32Array(memory.buffer, tablesAt + RECORD_BYTES * column, RECORD_BYTES / 4);
  const spansAt = (column: number) => valuesAt + 8 * column * rowCapacity;

  /** Makes the arena hold so many more bytes. */
  function reserve(bytes: number): void {
    const [free, end] = new Uint32Array(memory.buffer, arenaAt, 2);
    const missing = free + bytes - end;
    if (missing <= 0) return;
    const pages = Math.ceil(missing / PAGE);
    try {
      memory.grow(Math.max(pages, Math.min(1024, end / PAGE)));
    } catch {
      throw new DataError("E_DATA_LIMIT", "Cannot hold the values of text columns: out of memory", {
        details: { bytes: free + bytes },
      });
    }
    new Uint32Array(memory.buffer, arenaAt, 2)[1] = memory.buffer.byteLength;
    codes = new Int32Array(memory.buffer, codesAt, rowCapacity);
    scratch = new Uint8Array(memory.buffer, scratchAt, SCRATCH_BYTES);
    onGrow();
  }

  /** Bytes that a table may take for so many cells more. */
  function tableBytes(column: number, cells: number): number {
    const [, slots, taken] = record(column);
    return 2 * (taken + cells) < slots ? 0 : (taken + cells) * BYTES_PER_CELL + 4096;
  }

  function makeRoom(columns: readonly number[], rows: number, bytes: number): void {
    // A cell that the caller judges may be there twice: as it stands, and without spaces.
    let total = 4 * bytes;
    for (const column of columns) total += tableBytes(column, 2 * rows);
    reserve(total);
  }

  /** The address of some bytes: where they are, or where they are copied to until the next call. */
  function place(bytes: Uint8Array, start: number, end: number): number {
    if (bytes.buffer === memory.buffer) return bytes.byteOffset + start;
    const length = end - start;
    if (length <= SCRATCH_BYTES) {
      for (let i = 0; i < length; i++) scratch[i] = bytes[start + i];
      return scratchAt;
    }
    // A long cell lies at the end of the arena, which is zeros: `clear` makes it so again.
    reserve(length + 64);
    const at = memory.buffer.byteLength - length - 64;
    new Uint8Array(memory.buffer, at, length).set(bytes.subarray(start, end));
    return at;
  }

  function clear(at: number, length: number): void {
    if (at >= new Uint32Array(memory.buffer, arenaAt, 1)[0]) {
      new Uint8Array(memory.buffer, at, length).fill(0);
    }
  }

  function codeOf(column: number, bytes: Uint8Array, start: number, end: number): number {
    const at = place(bytes, start, end);
    const code = call.findCode(tablesAt, column, at, end - start);
    if (end - start > SCRATCH_BYTES) clear(at, end - start);
    return code;
  }

  function keep(
    column: number,
    bytes: Uint8Array,
    start: number,
    end: number,
    code: number,
    alias = false,
  ): void {
    const length = end - start;
    // Cells of the input have their room already, and no view may change meanwhile.
    if (bytes.buffer !== memory.buffer) reserve(tableBytes(column, 1) + 3 * length + 512);
    const at = place(bytes, start, end);
    const kept = call.keepCode(tablesAt, column, at, length, code, alias ? 1 : 0, arenaAt);
    if (length > SCRATCH_BYTES) clear(at, length);
    if (kept === 0) throw new TypeError("no room for a cell");
  }

  function levels(column: number): SortedLevels {
    const [, , taken, , textBytes] = record(column);
    const work = 33 * taken + 1040;
    const text = textBytes + 64;
    const total = 12 * taken + work + text + 64;
    reserve(total);
    const [free] = new Uint32Array(memory.buffer, arenaAt, 1);
    const outAt = Math.ceil(free / 16) * 16;
    const workAt = outAt + 12 * taken + 16 & ~15;
    const textAt = workAt + work + 16 & ~15;
    const count = call.writeLevels(tablesAt, column, workAt, textAt, outAt);
    const out = new Uint32Array(memory.buffer, outAt, 3 * count);
    const bytes = new Uint8Array(memory.buffer, textAt, textBytes);
    const found = {
      texts: decodeLevels(bytes, out),
      codes: Int32Array.from({ length: count }, (_, i) => out[3 * i]),
    };
    new Uint8Array(memory.buffer, free, total).fill(0);
    return found;
  }

  return {
    get codes() {
      return codes;
    },
    find: (column, from, to) =>
      call.findCodes(tablesAt, column, spansAt(column), inputAt, codesAt, from, to),
    take: (column, from, to) =>
      call.takeCodes(tablesAt, column, spansAt(column), inputAt, codesAt, from, to, arenaAt),
    count: (column) => record(column)[3],
    codeOf,
    keep,
    levels,
    makeRoom,
  };
}

/** One string for many levels, cut where each ends: decoding each by itself took ten times as long. */
function decodeLevels(bytes: Uint8Array, out: Uint32Array): string[] {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const texts: string[] = [];
  let from = 0;
  let unitsBefore = 0;
  const count = out.length / 3;
  for (let first = 0; first < count;) {
    let last = first;
    while (last + 1 < count && out[3 * (last + 1) + 1] - from <= DECODED_BYTES) last++;
    const to = out[3 * last + 1];
    const all = decoder.decode(bytes.subarray(from, to));
    let start = 0;
    for (; first <= last; first++) {
      const end = out[3 * first + 2] - unitsBefore;
      texts.push(all.slice(start, end));
      start = end;
    }
    from = to;
    unitsBefore = out[3 * last + 2];
  }
  return texts;
}
