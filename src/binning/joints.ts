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
import type { CodeSpace } from "./code_space.ts";

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
  const rows = new Int32Array(SAMPLE);
  for (let i = 0; i < SAMPLE; i++) rows[i] = (Math.imul(i, 0x9e3779b1) >>> 0) % numRows;
  return rows;
}

/** The codes of some rows. */
function codesOf(codes: Uint8Array, rows: Int32Array, out: Uint8Array): Uint8Array {
  for (let i = 0; i < rows.length; i++) out[i] = codes[rows[i]];
  return out;
}

/** How many codes some rows have; those of many are not all looked at, for each misses the cache. */
function codesSeen(codes: Uint8Array, rows: Int32Array): number {
  const seen = new Uint8Array(CELLS8);
  let count = 0;
  for (let i = 0; i < rows.length && count <= MOST_CODES; i++) {
    const code = codes[rows[i]];
    count += 1 - seen[code];
    seen[code] = 1;
  }
  return count;
}

/** Codes of all rows and of the sample, by address. */
interface Codes {
  readonly at: number;
  readonly sample: number;
}

/** A group that may still grow. */
interface Open {
  features: number[];
  bins: number[][];
  numCodes: number;
  codes: Codes;
}

/**
 * Finds groups of two features or more with few combinations, by all rows; those of most codes first.
 *
 * @param addressOf Where the codes of the rows of a feature of one byte are.
 * @param taken Features that share a byte otherwise.
 * @returns Each group, and where its codes of every row are.
 */
export function findJoints(
  space: CodeSpace,
  bins: readonly FeatureBins[],
  numRows: number,
  addressOf: (feature: number) => number,
  taken: ReadonlySet<number>,
): { readonly joint: Joint; readonly at: number }[] {
  if (numRows < LEAST_ROWS) return [];
  const { arena, kernels } = space;
  const { memory } = arena;
  const rows = sampleRows(numRows);
  const few = bins.flatMap(({ numBins }, feature) => {
    if (numBins + 1 > CELLS8 || taken.has(feature)) return [];
    const codes = memory.u8.subarray(addressOf(feature));
    const seen = codesSeen(codes, rows);
    if (seen > MOST_CODES) return [];
    return [{ feature, seen, sample: codesOf(codes, rows, new Uint8Array(SAMPLE)) }];
  });
  if (few.length < 2) return [];
  few.sort((a, b) => b.seen - a.seen || a.feature - b.feature);
  const mark = arena.mark();
  const numbers = arena.alloc(2 * CELLS8 * CELLS8);
  memory.u8.fill(0, numbers, numbers + 2 * CELLS8 * CELLS8);
  const pairsAt = arena.alloc(2 * CELLS8);
  const place = (): Codes => ({ at: arena.alloc(numRows), sample: arena.alloc(SAMPLE) });
  const tried = arena.alloc(SAMPLE);
  /** Where the next joined codes go; made when they are first needed. */
  let spare: Codes | undefined;

  /** Adds a feature where the combinations still fit. */
  function join(open: Open, feature: number, codes: Codes): boolean {
    const { at, sample } = open.codes;
    if (kernels.numberPairs(sample, codes.sample, SAMPLE, numbers, pairsAt, tried) < 0) {
      return false;
    }
    const to = spare ??= place();
    const count = kernels.numberPairs(at, codes.at, numRows, numbers, pairsAt, to.at);
    if (count < 0) return false;
    codesOf(memory.u8.subarray(to.at), rows, memory.u8.subarray(to.sample));
    // Codes of a single feature are the training's own; those of more become the next place.
    spare = open.features.length > 1 ? open.codes : undefined;
    const pairs = Array.from(memory.u16.subarray(pairsAt >>> 1, (pairsAt >>> 1) + count));
    open.bins = open.bins.map((bins) => pairs.map((pair) => bins[pair >>> 8]));
    open.bins.push(pairs.map((pair) => pair & 255));
    open.features.push(feature);
    open.numCodes = count;
    open.codes = to;
    return true;
  }

  const groups: Open[] = [];
  for (const { feature, sample } of few) {
    const codes = { at: addressOf(feature), sample: arena.alloc(SAMPLE) };
    memory.u8.set(sample, codes.sample);
    if (groups.some((open) => join(open, feature, codes))) continue;
    groups.push({
      features: [feature],
      bins: [Array.from({ length: bins[feature].numBins + 1 }, (_, bin) => bin)],
      numCodes: bins[feature].numBins + 1,
      codes,
    });
  }
  const joints = groups.filter(({ features }) => features.length > 1);
  if (joints.length === 0) arena.release(mark);
  return joints.map(({ codes: { at }, ...joint }) => ({ joint, at }));
}
