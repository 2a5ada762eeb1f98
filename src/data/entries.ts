/**
 * Entries of a sparse matrix, row by row: what LIBSVM holds.
 *
 * @module
 */
import { createFloats, createInts } from "./csv/growing.ts";

/** Entries while they are read. */
export interface Entries {
  /** Adds an entry to the row at hand. */
  add(index: number, value: number): void;
  /** Forgets the entries of the row at hand. */
  drop(): void;
  /** The row at hand is whole; the next begins. */
  endRow(): void;
  /** One more than the largest index. */
  numColumns(): number;
  /** Writes the entries to columns by index, and forgets them. */
  scatter(columns: readonly Float64Array[]): void;
}

/** Entries that are set aside at once. */
const BLOCK = 1 << 14;

/** No entries. */
export function createEntries(): Entries {
  const ends = createInts();
  const indices = createInts();
  const values = createFloats();
  let blockIndices = new Int32Array(BLOCK);
  let blockValues = new Float64Array(BLOCK);
  let used = 0;
  /** Where the row at hand begins in the block. */
  let begin = 0;
  let largest = -1;

  function add(index: number, value: number): void {
    if (used === blockIndices.length) makeRoom();
    blockIndices[used] = index;
    blockValues[used++] = value;
  }

  /** Sets whole rows aside; a row longer than the block makes it longer. */
  function makeRoom(): void {
    setAside();
    if (2 * used < blockIndices.length) return;
    const longerIndices = new Int32Array(2 * blockIndices.length);
    const longerValues = new Float64Array(2 * blockIndices.length);
    longerIndices.set(blockIndices);
    longerValues.set(blockValues);
    blockIndices = longerIndices;
    blockValues = longerValues;
  }

  function setAside(): void {
    indices.append(blockIndices, 0, begin);
    values.append(blockValues, 0, begin);
    blockIndices.copyWithin(0, begin, used);
    blockValues.copyWithin(0, begin, used);
    used -= begin;
    begin = 0;
  }

  function endRow(): void {
    for (let at = begin; at < used; at++) {
      if (blockIndices[at] > largest) largest = blockIndices[at];
    }
    begin = used;
    ends.fill(indices.length() + used, 1);
  }

  function scatter(columns: readonly Float64Array[]): void {
    setAside();
    const rowEnds = ends.take();
    const at = indices.take();
    const cells = values.take();
    let next = 0;
    for (let row = 0; row < rowEnds.length; row++) {
      for (const end = rowEnds[row]; next < end; next++) columns[at[next]][row] = cells[next];
    }
  }

  return { add, drop: () => used = begin, endRow, numColumns: () => largest + 1, scatter };
}
