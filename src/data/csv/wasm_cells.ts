/**
 * Codes of text cells by the hash tables of the kernel; see src/kernels/assembly/csv/cells.ts.
 *
 * @module
 */
import { DataError } from "../../errors.ts";
import { CellKind, type CellTable, type SortedLevels } from "./scan.ts";

const PAGE = 65536;

/** Bytes of a table's record, as in the kernel, and which of its numbers is what. */
export const RECORD_BYTES = 28;
const SLOTS = 1;
const TAKEN = 2;
const NEXT_CODE = 3;
const TEXT_BYTES = 4;

/** A cell has 32 bytes and 16 of padding. */
const CELL_BYTES = 48;

/** Slots have 4 bytes; a table has at most 11 for each cell, after tables of a seventh of that. */
const SLOT_BYTES = 4 * 11 * 8 / 7;

/** Cells that come from elsewhere are copied to so many bytes, if they fit. */
export const SCRATCH_BYTES = 4096;

/** Bytes of text that are decoded at once. */
const DECODED_BYTES = 1 << 24;

/** Where things are in the memory of a scanner. */
export interface CellPlaces {
  readonly numColumns: number;
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
  /**
   * Makes room for the text cells of so many rows and bytes, given a `CellKind` for each column.
   * Views of the memory may become invalid.
   */
  makeRoom(kinds: Uint8Array, rows: number, bytes: number): void;
  /** From here on the memory holds zeros. */
  written(): number;
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
  const { numColumns, rowCapacity, inputAt, valuesAt, codesAt, tablesAt, arenaAt, scratchAt } =
    places;
  const call = exports as { readonly [name: string]: (...args: readonly number[]) => number };
  let codes = new Int32Array(memory.buffer, codesAt, rowCapacity);
  let scratch = new Uint8Array(memory.buffer, scratchAt, SCRATCH_BYTES);
  let tables = new Uint32Array(memory.buffer, tablesAt, (RECORD_BYTES / 4) * numColumns);
  let arena = new Uint32Array(memory.buffer, arenaAt, 2);
  const field = (column: number, at: number) => tables[(RECORD_BYTES / 4) * column + at];
  const spansAt = (column: number) => valuesAt + 8 * column * rowCapacity;

  /** The arena holds zeros from here on: levels leave theirs behind its end. */
  let zerosFrom = 0;

  /** Makes the arena hold so many more bytes, which are zeros if cells come there. */
  function reserve(bytes: number, zeros = true): void {
    const [free, end] = arena;
    if (zeros && zerosFrom > free) {
      new Uint8Array(memory.buffer, free, zerosFrom - free).fill(0);
      zerosFrom = 0;
    }
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
    tables = new Uint32Array(memory.buffer, tablesAt, (RECORD_BYTES / 4) * numColumns);
    arena = new Uint32Array(memory.buffer, arenaAt, 2);
    arena[1] = memory.buffer.byteLength;
    codes = new Int32Array(memory.buffer, codesAt, rowCapacity);
    scratch = new Uint8Array(memory.buffer, scratchAt, SCRATCH_BYTES);
    onGrow();
  }

  /** Bytes that a table may take for so many cells more. */
  function tableBytes(column: number, cells: number): number {
    const taken = field(column, TAKEN) + cells;
    const wider = 4 * taken < 3 * field(column, SLOTS) ? 0 : taken * SLOT_BYTES + 4096;
    return wider + cells * CELL_BYTES;
  }

  function makeRoom(kinds: Uint8Array, rows: number, bytes: number): void {
    // A cell that the caller judges may be there twice: as it stands, and without spaces.
    let total = 2 * bytes;
    for (let column = 0; column < kinds.length; column++) {
      if (kinds[column] === CellKind.text) total += tableBytes(column, 2 * rows);
    }
    if (total > 2 * bytes) reserve(total);
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
    if (at >= arena[0]) {
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
    const taken = field(column, TAKEN);
    const textBytes = field(column, TEXT_BYTES);
    const work = 33 * taken + 50_000;
    const text = textBytes + 64;
    const total = 12 * taken + work + text + 64;
    reserve(total, false);
    const free = arena[0];
    const outAt = Math.ceil(free / 16) * 16;
    const workAt = outAt + 12 * taken + 16 & ~15;
    const textAt = workAt + work + 16 & ~15;
    const count = call.writeLevels(tablesAt, column, workAt, textAt, outAt);
    const out = new Uint32Array(memory.buffer, outAt, 3 * count);
    const bytes = new Uint8Array(memory.buffer, textAt, textBytes);
    const codes = new Int32Array(count);
    for (let i = 0; i < count; i++) codes[i] = out[3 * i];
    zerosFrom = Math.max(zerosFrom, free + total);
    return { texts: decodeLevels(bytes, out), codes };
  }

  return {
    get codes() {
      return codes;
    },
    find: (column, from, to) =>
      call.findCodes(tablesAt, column, spansAt(column), inputAt, codesAt, from, to),
    take: (column, from, to) =>
      call.takeCodes(
        tablesAt,
        column,
        spansAt(column),
        inputAt,
        codesAt,
        from,
        to,
        arenaAt,
        scratchAt,
      ),
    count: (column) => field(column, NEXT_CODE),
    codeOf,
    keep,
    levels,
    makeRoom,
    written: () => Math.max(zerosFrom, arena[0]),
  };
}

/** One string for many levels, cut where each ends: decoding each by itself took ten times as long. */
function decodeLevels(bytes: Uint8Array, out: Uint32Array): string[] {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const texts = new Array<string>(out.length / 3);
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
      texts[first] = all.slice(start, end);
      start = end;
    }
    from = to;
    unitsBefore = out[3 * last + 2];
  }
  return texts;
}
