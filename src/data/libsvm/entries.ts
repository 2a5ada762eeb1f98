/**
 * Entries of a sparse matrix, row by row: what LIBSVM holds.
 *
 * @module
 */
import type { GrowingFloats } from "../reading/growing.ts";
import type { SparseRows } from "./scan.ts";
import type { NumericColumn } from "../types.ts";
import { type MakeBuffer, ownBuffer } from "../../util/buffers.ts";

/** Entries while they are read. */
export interface Entries {
  /** Adds an entry to the row at hand. */
  add(index: number, value: number): void;
  /** Forgets the entries of the row at hand. */
  drop(): void;
  /** The row at hand is whole; the next begins. */
  endRow(): void;
  /** Adds whole rows; the row at hand must have no entries. */
  addRows(rows: SparseRows): void;
  /** One more than the largest index. */
  numColumns(): number;
  /** The columns of such names, in order of their indices; the entries are forgotten. */
  columns(names: readonly string[], numRows: number): NumericColumn[];
}

/** Entries that are kept until all rows are there. */
export interface KeptEntries extends Entries {
  /** The entries of whole rows, which are forgotten. */
  take(): readonly EntryChunk[];
}

/** Entries that are set aside at once. */
const BLOCK = 1 << 14;

/**
 * No entries.
 *
 * @param absent Value of what a row does not name.
 * @param memory Where entries are kept.
 */
export function createEntries(
  absent: number,
  memory: MakeBuffer = ownBuffer,
): KeptEntries {
  let chunks: EntryChunk[] = [];
  let blockIndices = new Int32Array(BLOCK);
  let blockValues = new Float64Array(BLOCK);
  let blockEnds: number[] = [];
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
    if (blockEnds.length === 0) return;
    const rows = { ends: blockEnds, indices: blockIndices, values: blockValues, allOnes: false };
    chunks.push(byColumn(rows, blockEnds.length, largest + 1, memory));
    blockIndices.copyWithin(0, begin, used);
    blockValues.copyWithin(0, begin, used);
    blockEnds = [];
    used -= begin;
    begin = 0;
  }

  function endRow(): void {
    for (let at = begin; at < used; at++) {
      if (blockIndices[at] > largest) largest = blockIndices[at];
    }
    begin = used;
    if (blockEnds.push(used) === BLOCK) setAside();
  }

  function addRows(rows: SparseRows): void {
    setAside();
    chunks.push(byColumn(rows, rows.numRows, rows.numColumns, memory));
    largest = Math.max(largest, rows.numColumns - 1);
  }

  function take(): readonly EntryChunk[] {
    setAside();
    const taken = chunks;
    chunks = [];
    return taken;
  }

  function columns(names: readonly string[], numRows: number): NumericColumn[] {
    const all = take();
    return names.map((name, index): NumericColumn => {
      const values = new Float64Array(numRows);
      if (absent !== 0) values.fill(absent);
      writeEntries(all, index, values, 0);
      return { kind: "numeric", name, values };
    });
  }

  const drop = () => void (used = begin);
  return { add, drop, endRow, addRows, numColumns: () => largest + 1, take, columns };
}

/** Entries of whole rows. */
interface Rows {
  /** Entries up to the end of each row. */
  readonly ends: ArrayLike<number>;
  readonly indices: Int32Array;
  readonly values: Float64Array;
  readonly allOnes: boolean;
}

/** Entries of whole rows, column by column: each column is then written while it is in the cache. */
export interface EntryChunk {
  readonly numRows: number;
  /** Entries of the columns before each, and of all. */
  readonly starts: Int32Array;
  /** Row of each entry, from 0; absent where every row has every column. */
  readonly rows: Uint16Array | undefined;
  /** Value of each entry, or of all of them, as in indicators. */
  readonly values: Float64Array | number;
}

/** Sorts entries by their columns. */
function byColumn(all: Rows, numRows: number, numColumns: number, memory: MakeBuffer): EntryChunk {
  const count = all.ends[numRows - 1];
  // No row names a column twice.
  if (count === numRows * numColumns) return densely(all, numRows, numColumns, memory);
  const { ends, indices, values, allOnes } = all;
  const starts = new Int32Array(memory(4 * (numColumns + 1)));
  for (let at = 0; at < count; at++) starts[indices[at] + 1]++;
  for (let column = 0; column < numColumns; column++) starts[column + 1] += starts[column];
  const next = starts.slice();
  const rows = new Uint16Array(memory(2 * count));
  if (allOnes) {
    let at = 0;
    for (let row = 0; row < numRows; row++) {
      for (const end = ends[row]; at < end; at++) rows[next[indices[at]]++] = row;
    }
    return { numRows, starts, rows, values: 1 };
  }
  const sorted = new Float64Array(memory(8 * count));
  let at = 0;
  for (let row = 0; row < numRows; row++) {
    for (const end = ends[row]; at < end; at++) {
      const place = next[indices[at]]++;
      sorted[place] = values[at];
      rows[place] = row;
    }
  }
  return { numRows, starts, rows, values: sorted };
}

/** The same where every row has every column: in rising order, if it is in that of the lines. */
function densely(
  { indices, values }: Rows,
  numRows: number,
  numColumns: number,
  memory: MakeBuffer,
): EntryChunk {
  const starts = new Int32Array(memory(4 * (numColumns + 1)));
  for (let column = 0; column <= numColumns; column++) starts[column] = column * numRows;
  const sorted = new Float64Array(memory(8 * numRows * numColumns));
  let at = 0;
  for (let row = 0; row < numRows; row++) {
    for (let column = 0; column < numColumns; column++, at++) {
      sorted[indices[at] * numRows + row] = values[at];
    }
  }
  return { numRows, starts, rows: undefined, values: sorted };
}

/**
 * Writes the entries of a column to rows that hold the absent value.
 *
 * @param chunks Rows that lie side by side.
 * @param row The first of them.
 */
export function writeEntries(
  chunks: readonly EntryChunk[],
  column: number,
  out: Float64Array,
  row: number,
): void {
  let first = row;
  for (const chunk of chunks) {
    writeColumn(chunk, column, out, first);
    first += chunk.numRows;
  }
}

function writeColumn(
  { numRows, starts, rows, values }: EntryChunk,
  column: number,
  out: Float64Array,
  first: number,
): void {
  const from = starts[column] ?? 0;
  const to = starts[column + 1] ?? 0;
  if (typeof values === "number") {
    for (let at = from; at < to; at++) out[first + rows![at]] = values;
    return;
  }
  // No row names a column twice.
  if (rows === undefined || to - from === numRows) out.set(values.subarray(from, to), first);
  else for (let at = from; at < to; at++) out[first + rows[at]] = values[at];
}

/** Values that are handed on together. */
const DENSE = 1 << 18;

/** Most rows that are handed on together. */
const DENSE_ROWS = 4096;

/**
 * Entries that are not kept: rows are made dense a few at a time and handed on.
 *
 * @param createFeature Takes the values of a column, given its index.
 */
export function createPassedEntries(
  absent: number,
  createFeature: (at: number) => GrowingFloats,
): Entries {
  const features: GrowingFloats[] = [];
  let indices = new Int32Array(BLOCK);
  let values = new Float64Array(BLOCK);
  const ends = new Int32Array(DENSE_ROWS);
  let used = 0;
  let begin = 0;
  let rows = 0;
  let passed = 0;
  let largest = -1;

  function add(index: number, value: number): void {
    if (used === indices.length) {
      const [more, moreValues] = [new Int32Array(2 * used), new Float64Array(2 * used)];
      more.set(indices);
      moreValues.set(values);
      [indices, values] = [more, moreValues];
    }
    indices[used] = index;
    values[used++] = value;
  }

  function endRow(): void {
    for (let at = begin; at < used; at++) if (indices[at] > largest) largest = indices[at];
    begin = used;
    ends[rows++] = used;
    if (rows === DENSE_ROWS || rows * (largest + 1) >= DENSE) handOn();
  }

  function addRows(rows: SparseRows): void {
    let at = 0;
    for (let row = 0; row < rows.numRows; row++) {
      for (const end = rows.ends[row]; at < end; at++) add(rows.indices[at], rows.values[at]);
      endRow();
    }
  }

  function handOn(): void {
    // A column that no row named before had the absent value in all of them.
    while (features.length <= largest) addFeature();
    const dense = new Float64Array(rows * features.length).fill(absent);
    let at = 0;
    for (let row = 0; row < rows; row++) {
      for (; at < ends[row]; at++) dense[indices[at] * rows + row] = values[at];
    }
    features.forEach((feature, index) => {
      feature.append(dense, index * rows, (index + 1) * rows);
    });
    passed += rows;
    rows = 0;
    // Entries of a row that is not whole yet stay.
    indices.copyWithin(0, begin, used);
    values.copyWithin(0, begin, used);
    used -= begin;
    begin = 0;
  }

  function addFeature(): void {
    const feature = createFeature(features.length);
    feature.fill(absent, passed);
    features.push(feature);
  }

  function columns(names: readonly string[]): NumericColumn[] {
    handOn();
    while (features.length < names.length) addFeature();
    return features.map((feature, at) =>
      feature.column?.(names[at]) ??
        { kind: "numeric", name: names[at], values: feature.take() }
    );
  }

  return { add, drop: () => used = begin, endRow, addRows, numColumns: () => largest + 1, columns };
}
