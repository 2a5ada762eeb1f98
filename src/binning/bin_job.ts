/**
 * Work on columns that threads share: sorting a column and finding where its bins close; mapping
 * its values to codes; turning codes column by column into rows. A job is 64 bytes of addresses and
 * counts in the memory of the run.
 *
 * @module
 */
import type { Memory } from "../kernels/memory.ts";
import { type Kernels, TABLE_BYTES } from "../kernels/types.ts";

/** Bytes of a job. */
export const JOB_BYTES = 64;

/** 32-bit fields of a job. */
export const JobField = {
  /** Float64 values of the column, and how many. */
  values: 0,
  numRows: 1,
  /** Working space of `quantilePairs`. */
  scratch: 2,
  tables: 3,
  maxBins: 4,
  /** Address for pairs of neighbours; how many there are. */
  pairs: 5,
  numPairs: 6,
  /** How many values are missing. */
  numMissing: 7,
  /** Padded cuts and the size of their table, a power of two. */
  cuts: 8,
  size: 9,
  /** Codes of the column. */
  codes: 10,
  wide: 11,
  missing: 12,
  /** Float32 values to be widened first (0: the values are there). */
  narrow: 13,
} as const;

/** Rows of one item of mapping. */
export const MAP_ROWS = 65536;

/** Finds the pairs of a job's column. */
export function quantileJob(memory: Memory, kernels: Kernels, job: number): void {
  const { u32 } = memory;
  const at = job >>> 2;
  const tables = u32[at + JobField.tables];
  u32[at + JobField.numPairs] = kernels.quantilePairs(
    u32[at + JobField.values],
    u32[at + JobField.numRows],
    u32[at + JobField.maxBins],
    u32[at + JobField.scratch],
    tables,
    u32[at + JobField.pairs],
  );
  u32[at + JobField.numMissing] = u32[tables >>> 2];
}

/** Finds the pairs of a job's column and codes it; `space` is {@linkcode codeSpaceBytes}. */
export function codeJob(memory: Memory, kernels: Kernels, job: number, space: number): void {
  const { u32 } = memory;
  const at = job >>> 2;
  const numRows = u32[at + JobField.numRows];
  const narrow = u32[at + JobField.narrow];
  const values = narrow > 0 ? space : u32[at + JobField.values];
  const scratch = space + 8 * numRows;
  const tables = scratch + scratchBytes(numRows);
  const rest = [
    numRows,
    u32[at + JobField.maxBins],
    scratch,
    tables,
    u32[at + JobField.pairs],
    u32[at + JobField.codes],
  ] as const;
  let pairs = narrow > 0
    ? kernels.wholeCodes32(narrow, ...rest)
    : kernels.wholeCodes64(values, ...rest);
  if (pairs < 0) {
    if (narrow > 0) kernels.widen(narrow, numRows, values);
    pairs = kernels.quantileCodes(values, ...rest);
  }
  u32[at + JobField.numPairs] = pairs;
  u32[at + JobField.numMissing] = u32[tables >>> 2];
}

/** Working space of `quantilePairs` besides its tables. */
function scratchBytes(numRows: number): number {
  return Math.max(65536, 16 * numRows);
}

/** What {@linkcode codeJob} works in: values, and the working space of `quantileCodes`. */
export function codeSpaceBytes(numRows: number): number {
  return Math.ceil((8 * numRows + scratchBytes(numRows) + TABLE_BYTES) / 64) * 64;
}

/** Widens one stretch of {@linkcode MAP_ROWS} rows of a job's float32 column. */
export function widenJob(memory: Memory, kernels: Kernels, job: number, stretch: number): void {
  const { u32 } = memory;
  const at = job >>> 2;
  const from = stretch * MAP_ROWS;
  const n = Math.min(MAP_ROWS, u32[at + JobField.numRows] - from);
  const narrow = u32[at + JobField.narrow];
  if (n > 0 && narrow > 0) {
    kernels.widen(narrow + 4 * from, n, u32[at + JobField.values] + 8 * from);
  }
}

/**
 * Maps one stretch of {@linkcode MAP_ROWS} rows of a job's column.
 *
 * @param tables Working space of the thread.
 */
export function mapJob(
  memory: Memory,
  kernels: Kernels,
  job: number,
  stretch: number,
  tables: number,
): void {
  const { u32 } = memory;
  const at = job >>> 2;
  const from = stretch * MAP_ROWS;
  const n = Math.min(MAP_ROWS, u32[at + JobField.numRows] - from);
  if (n <= 0) return;
  const values = u32[at + JobField.values] + 8 * from;
  const { [at + JobField.cuts]: cuts, [at + JobField.size]: size } = u32;
  const { [at + JobField.codes]: codes, [at + JobField.missing]: missing } = u32;
  if (u32[at + JobField.wide] === 1) {
    kernels.mapValues16(values, n, cuts, size, missing, codes + 2 * from);
  } else kernels.mapValues8(values, n, cuts, size, missing, tables, codes + from);
}

/** What {@linkcode rowsJob} works on. */
export const RowsField = {
  /** Addresses of the columns of each width, and how many. */
  columns8: 0,
  features8: 1,
  columns16: 2,
  features16: 3,
  rows8: 4,
  stride8: 5,
  rows16: 6,
  stride16: 7,
  numRows: 8,
} as const;

const ROWS = 1024; // as many rows as the nearest cache holds

/** Writes one stretch of row-major codes. */
export function rowsJob(memory: Memory, kernels: Kernels, job: number, stretch: number): void {
  const { u32 } = memory;
  const at = job >>> 2;
  const field = (name: number) => u32[at + name];
  const end = Math.min(field(RowsField.numRows), (stretch + 1) * MAP_ROWS);
  const stride8 = field(RowsField.stride8);
  const stride16 = field(RowsField.stride16);
  for (let from = stretch * MAP_ROWS; from < end; from += ROWS) {
    const n = Math.min(ROWS, end - from);
    kernels.rowsOf8(
      field(RowsField.columns8),
      field(RowsField.features8),
      from,
      n,
      stride8,
      field(RowsField.rows8) + from * stride8,
    );
    if (stride16 === 0) continue;
    kernels.rowsOf16(
      field(RowsField.columns16),
      field(RowsField.features16),
      from,
      n,
      stride16,
      field(RowsField.rows16) + from * stride16,
    );
  }
}
