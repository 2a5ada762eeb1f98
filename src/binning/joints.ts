/**
 * Features of few bins can share a byte of a row and the cells of a histogram even where none has a
 * usual value: a code stands for a combination of their bins, and the sums of a bin of one of them are
 * those of all combinations with it. Columns that say much about each other (a level of education and
 * its number, marriage and relationship) have few combinations. Sums are exact, so the splits are those
 * of features apart; a row of the histogram is added once instead of once for each feature, and a node
 * pays for taking the features apart, so that only many rows gain.
 *
 * @module
 */
import { CELLS8 } from "../kernels/types.ts";
import type { FeatureBins } from "./bins.ts";

/** Features that share a byte by their combinations. */
export interface Joint {
  readonly features: readonly number[];
  /** Of each feature the bin (missing last) that each code stands for. */
  readonly bins: readonly (readonly number[])[];
  readonly numCodes: number;
}

/** Fewer rows cost more to take apart than to add. */
const LEAST_ROWS = 65536;
/** Features of which more codes are seen than this fill a byte by themselves. */
const MOST_CODES = 64;
/** Rows that are looked at before all are. */
const SAMPLE = 4096;

/** Rows spread over all, in no order that data could follow. */
function sampleRows(numRows: number): Int32Array {
  return Int32Array.from({ length: SAMPLE }, (_, i) => (Math.imul(i, 0x9e3779b1) >>> 0) % numRows);
}

/** How many codes some rows have. */
function codesSeen(codes: Uint8Array, rows: Int32Array): number {
  const seen = new Uint8Array(CELLS8);
  for (const row of rows) seen[codes[row]] = 1;
  return seen.reduce((sum, one) => sum + one, 0);
}

/** A group that may still grow. */
interface Open {
  features: number[];
  bins: number[][];
  numCodes: number;
  codes: Uint8Array;
}

/** Makes the numbers of pairs zero again. */
function forget(numbers: Uint16Array, pairs: readonly number[]): void {
  for (const pair of pairs) numbers[pair] = 0;
}

/**
 * Numbers the combinations of two columns of codes.
 *
 * @param numbers Takes the number of each pair (first × 256 + second) plus 1; zeros before, and
 * after where a byte cannot hold the combinations.
 * @param rows Only these.
 * @returns The pairs; `undefined` where a byte cannot hold them.
 */
function numberPairs(
  first: Uint8Array,
  second: Uint8Array,
  numbers: Uint16Array,
  rows?: Int32Array,
): readonly number[] | undefined {
  const pairs: number[] = [];
  const count = rows?.length ?? first.length;
  for (let i = 0; i < count; i++) {
    const row = rows === undefined ? i : rows[i];
    const pair = first[row] * CELLS8 + second[row];
    if (numbers[pair] !== 0) continue;
    if (pairs.length === CELLS8) {
      forget(numbers, pairs);
      return undefined;
    }
    pairs.push(pair);
    numbers[pair] = pairs.length;
  }
  return pairs;
}

/** Adds a feature where the combinations still fit. `numbers` are zeros before and after. */
function join(
  open: Open,
  feature: number,
  codes: Uint8Array,
  sample: Int32Array,
  numbers: Uint16Array,
): boolean {
  const seen = numberPairs(open.codes, codes, numbers, sample);
  if (seen === undefined) return false;
  forget(numbers, seen);
  const pairs = numberPairs(open.codes, codes, numbers);
  if (pairs === undefined) return false;
  // Codes of a single feature are the training's own, those of more are this group's.
  const joined = open.features.length > 1 ? open.codes : new Uint8Array(codes.length);
  for (let row = 0; row < codes.length; row++) {
    joined[row] = numbers[open.codes[row] * CELLS8 + codes[row]] - 1;
  }
  forget(numbers, pairs);
  open.bins = open.bins.map((bins) => pairs.map((pair) => bins[pair >>> 8]));
  open.bins.push(pairs.map((pair) => pair & 255));
  open.features.push(feature);
  open.numCodes = pairs.length;
  open.codes = joined;
  return true;
}

/**
 * Finds groups of two features or more with few combinations, by all rows; those of most codes first.
 *
 * @param codesOf Codes of the rows of a feature of one byte.
 * @param taken Features that share a byte otherwise.
 * @returns Each group with its codes in every row.
 */
export function findJoints(
  bins: readonly FeatureBins[],
  numRows: number,
  codesOf: (feature: number) => Uint8Array,
  taken: ReadonlySet<number>,
): { readonly joint: Joint; readonly codes: Uint8Array }[] {
  if (numRows < LEAST_ROWS) return [];
  const sample = sampleRows(numRows);
  const few = bins.flatMap(({ numBins }, feature) => {
    if (numBins + 1 > CELLS8 || taken.has(feature)) return [];
    const seen = codesSeen(codesOf(feature), sample);
    return seen <= MOST_CODES ? [{ feature, seen }] : [];
  });
  few.sort((a, b) => b.seen - a.seen || a.feature - b.feature);
  const open: Open[] = [];
  // One table for all pairs of features: new ones would be up to 24 MB of garbage for 20 features.
  const numbers = new Uint16Array(CELLS8 * CELLS8);
  for (const { feature } of few) {
    const codes = codesOf(feature);
    if (open.some((one) => join(one, feature, codes, sample, numbers))) continue;
    open.push({
      features: [feature],
      bins: [Array.from({ length: bins[feature].numBins + 1 }, (_, bin) => bin)],
      numCodes: bins[feature].numBins + 1,
      codes,
    });
  }
  return open.filter(({ features }) => features.length > 1).map(({ codes, ...joint }) => ({
    joint,
    codes,
  }));
}
