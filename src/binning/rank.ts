/**
 * Ranks of one column: of numbers, the distinct values and the place of each row's value among them;
 * of categories, their codes with a place for missing ones.
 *
 * @module
 */
import { type ClassicSpace, createClassicSpace } from "../kernels/classic.ts";

/** Ranked numbers. */
export interface Ranks {
  /** Place of each row's value; `values.length` where it is missing. */
  readonly codes: Int32Array;
  /** Distinct values, ascending; −0 and 0 are one, written 0. */
  readonly values: Float64Array;
  readonly hasMissing: boolean;
}

/** Ranks columns of one length. */
export interface Ranker {
  values(from: ArrayLike<number>): Ranks;
  levels(from: Int32Array, numCategories: number): LevelRanks;
}

/** Codes of categories: K for values outside the vocabulary, K + 1 for missing ones. */
export type LevelRanks = Pick<Ranks, "codes" | "hasMissing">;

/** Below this the kernel's tables cost more than they save. */
const FEW_ROWS = 4096;

/** A ranker of columns of up to `numRows` rows, by the wasm kernel where it pays. */
export function createRanker(numRows: number): Ranker {
  const space = numRows < FEW_ROWS || numRows > 2 ** 26 ? undefined : createClassicSpace();
  if (space === undefined) return { values: rankPlainly, levels: rankLevelsPlainly };
  const places = placesFor(space, numRows);
  return {
    values: (from) => rankByKernel(space, places, from) ?? rankPlainly(from),
    levels: (from, numCategories) => rankLevelsByKernel(space, places, from, numCategories),
  };
}

/** Addresses of the kernel's arguments. */
interface Places {
  readonly values: number;
  readonly codes: number;
  readonly distinct: number;
  readonly records: number;
  readonly spare: number;
  readonly tables: number;
}

function placesFor({ arena }: ClassicSpace, numRows: number): Places {
  return {
    values: arena.alloc(8 * numRows),
    codes: arena.alloc(4 * numRows),
    distinct: arena.alloc(8 * numRows),
    records: arena.alloc(8 * numRows),
    spare: arena.alloc(8 * numRows),
    tables: arena.alloc(3 * 8192),
  };
}

function rankByKernel(
  { kernels, memory }: ClassicSpace,
  { values, codes, distinct, records, spare, tables }: Places,
  from: ArrayLike<number>,
): Ranks | undefined {
  const n = from.length;
  memory.f64.set(from, values >>> 3);
  const count = kernels.rankValues(values, n, codes, distinct, records, spare, tables);
  if (count < 0) return undefined;
  const ranks = memory.i32.slice(codes >>> 2, (codes >>> 2) + n);
  return {
    codes: ranks,
    values: memory.f64.slice(distinct >>> 3, (distinct >>> 3) + count),
    hasMissing: ranks.includes(count),
  };
}

function rankLevelsByKernel(
  { kernels, memory }: ClassicSpace,
  { codes }: Places,
  from: Int32Array,
  numCategories: number,
): LevelRanks {
  const at = codes >>> 2;
  memory.i32.set(from, at);
  const hasMissing = kernels.rankLevels(codes, from.length, numCategories + 1) === 1;
  return { codes: memory.i32.slice(at, at + from.length), hasMissing };
}

/** The specification of ranks of categories. */
export function rankLevelsPlainly(from: Int32Array, numCategories: number): LevelRanks {
  const codes = new Int32Array(from.length);
  let hasMissing = false;
  for (let row = 0; row < from.length; row++) {
    const code = from[row];
    if (code < 0) hasMissing = true;
    codes[row] = code < 0 ? numCategories + 1 : Math.min(code, numCategories);
  }
  return { codes, hasMissing };
}

/** The specification, and what runs where there is no kernel or it gives up. */
export function rankPlainly(from: ArrayLike<number>): Ranks {
  const n = from.length;
  const sorted = Float64Array.from(from).sort(); // NaN last
  let known = n;
  while (known > 0 && sorted[known - 1] !== sorted[known - 1]) known--;
  let numCodes = 0;
  for (let i = 0; i < known; i++) {
    // −0 and 0 are one value.
    if (i === 0 || sorted[i] !== sorted[i - 1]) sorted[numCodes++] = sorted[i] + 0;
  }
  const values = sorted.slice(0, numCodes);
  const codes = new Int32Array(n);
  for (let row = 0; row < n; row++) {
    codes[row] = from[row] === from[row] ? rankOf(values, from[row]) : numCodes;
  }
  return { codes, values, hasMissing: known < n };
}

/** Number of values below `value`, which for a member of the list is its place. */
export function rankOf(values: Float64Array, value: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
