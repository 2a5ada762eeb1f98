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
/** Rows that are looked at before all are, and before those. */
const SAMPLE = 4096;
const FEW_ROWS = 256;

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
  const mark = arena.mark();
  // By kernels, since loops that run once run before a compiler has seen them.
  const rows = arena.alloc(4 * SAMPLE);
  kernels.spreadRows(numRows, SAMPLE, rows);
  let next = arena.alloc(SAMPLE);
  const few = bins.flatMap(({ numBins }, feature) => {
    if (numBins + 1 > CELLS8 || taken.has(feature)) return [];
    const sample = next;
    const codesOf = (count: number) => {
      kernels.gather8(addressOf(feature), rows, count, sample);
      return kernels.codesSeen(sample, count);
    };
    if (codesOf(FEW_ROWS) > MOST_CODES) return [];
    const seen = codesOf(SAMPLE);
    if (seen > MOST_CODES) return [];
    next = arena.alloc(SAMPLE);
    return [{ feature, seen, sample }];
  });
  if (few.length < 2) {
    arena.release(mark);
    return [];
  }
  few.sort((a, b) => b.seen - a.seen || a.feature - b.feature);
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
    kernels.gather8(to.at, rows, SAMPLE, to.sample);
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
    const codes = { at: addressOf(feature), sample };
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
