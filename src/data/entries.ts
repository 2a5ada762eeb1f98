/**
 * Entries of a sparse matrix, row by row: what LIBSVM holds.
 *
 * @module
 */
import type { GrowingFloats } from "./csv/growing.ts";
import type { SparseRows } from "./libsvm_scan.ts";
import type { NumericColumn } from "./types.ts";

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

/** Entries that are set aside at once. */
const BLOCK = 1 << 14;

/**
 * No entries.
 *
 * @param absent Value of what a row does not name.
 */
export function createEntries(absent: number): Entries {
  const chunks: (Rows | undefined)[] = [];
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
    chunks.push({
      ends: Int32Array.from(blockEnds),
      indices: blockIndices.slice(0, begin),
      values: blockValues.slice(0, begin),
    });
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

  function addRows({ numRows, numColumns, ends, indices, values }: SparseRows): void {
    setAside();
    const count = ends[numRows - 1];
    chunks.push({
      ends: ends.slice(0, numRows),
      indices: indices.slice(0, count),
      values: values.slice(0, count),
    });
    largest = Math.max(largest, numColumns - 1);
  }

  function columns(names: readonly string[], numRows: number): NumericColumn[] {
    setAside();
    const dense = names.map(() => {
      const column = new Float64Array(numRows);
      return absent === 0 ? column : column.fill(absent);
    });
    const total = chunks.reduce((sum, chunk) => sum + chunk!.values.length, 0);
    const isDense = DENSE_SHARE * total >= numRows * names.length;
    const block = new Float64Array(isDense ? Math.max(NEAR, 16 * names.length) : 0);
    let from = 0;
    for (let i = 0; i < chunks.length; i++) {
      const chunk = chunks[i]!;
      if (isDense) writeBlocks(chunk, absent, block, dense, from);
      else writeEntries(chunk, dense, from);
      from += chunk.ends.length;
      chunks[i] = undefined; // may be collected before the next is written
    }
    chunks.length = 0;
    return dense.map((column, i) => ({ kind: "numeric", name: names[i], values: column }));
  }

  return { add, drop: () => used = begin, endRow, addRows, numColumns: () => largest + 1, columns };
}

/** Entries of whole rows. */
interface Rows {
  /** Entries up to the end of each row. */
  readonly ends: Int32Array;
  readonly indices: Int32Array;
  readonly values: Float64Array;
}

/** From one entry in so many cells on, rows are made dense in the nearest cache first. */
const DENSE_SHARE = 16;

/** Values that stay in the nearest caches. */
const NEAR = 1 << 15;

/** Writes entries to rows, from one on, of columns that hold the absent value everywhere. */
function writeEntries(
  { ends, indices, values }: Rows,
  columns: readonly Float64Array[],
  first: number,
): void {
  let next = 0;
  for (let row = 0; row < ends.length; row++) {
    for (const end = ends[row]; next < end; next++) {
      columns[indices[next]][first + row] = values[next];
    }
  }
}

/**
 * The same a block of rows at a time: where most columns of a row are far apart, each entry would
 * wait for memory.
 */
function writeBlocks(
  { ends, indices, values }: Rows,
  absent: number,
  block: Float64Array,
  columns: readonly Float64Array[],
  first: number,
): void {
  const size = Math.min(ends.length, Math.floor(block.length / columns.length));
  let next = 0;
  for (let from = 0; from < ends.length; from += size) {
    const count = Math.min(size, ends.length - from);
    block.fill(absent, 0, size * columns.length);
    for (let row = 0; row < count; row++) {
      for (const end = ends[from + row]; next < end; next++) {
        block[indices[next] * size + row] = values[next];
      }
    }
    for (let at = 0; at < columns.length; at++) {
      const column = columns[at];
      const begin = first + from;
      for (let row = 0; row < count; row++) column[begin + row] = block[at * size + row];
    }
  }
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
