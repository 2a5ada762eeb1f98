/**
 * Bins of numeric columns without weights whose codes take a byte: each thread takes a column, finds where
 * its bins close and codes it at once.
 *
 * @module
 */
import { type NumericBins, numericBins } from "../../binning/bins.ts";
import { codeSpaceBytes, JOB_BYTES, JobField } from "../../binning/bin_job.ts";
import { thresholdBetween } from "../../binning/cuts.ts";
import type { FloatArray } from "../../data/types.ts";
import { Control } from "../../grow/histogram/workspace/control.ts";
import { Op } from "../../grow/histogram/workspace/op.ts";
import type { Crew } from "../../grow/histogram/workspace/team.ts";
import type { Arena } from "../../kernels/memory.ts";
import { CELLS8 } from "../../kernels/types.ts";

/** A column and where its codes go. */
export interface CodedNumbers {
  readonly values: FloatArray;
  readonly codes: number;
}

/** Largest number of bins with which codes take a byte: one is for missing values. */
export const MOST_CODED = CELLS8 - 1;

/** Columns of a batch for each thread, and rows of all of them for more than one. */
const BATCH = 8;
const BATCH_ROWS = 2 ** 20;

/** Writes the codes of columns; returns their bins. */
export function binNumbers(
  crew: Crew,
  arena: Arena,
  numRows: number,
  maxBins: number,
  columns: readonly CodedNumbers[],
): NumericBins[] {
  const { memory } = arena;
  // Threads wait for each other at the end of a batch.
  const perThread = crew.numThreads === 1
    ? 1
    : Math.max(1, Math.min(BATCH, Math.floor(BATCH_ROWS / numRows)));
  const size = Math.min(columns.length, perThread * crew.numThreads);
  const jobs = arena.alloc(size * JOB_BYTES);
  const slots = Array.from({ length: size }, () => ({
    narrow: 0,
    values: 0,
    pairs: arena.alloc(16 * (maxBins + 1)),
  }));
  const spaceBytes = codeSpaceBytes(numRows);
  const space = arena.alloc(spaceBytes * crew.numThreads);
  const bins: NumericBins[] = [];
  /** Bins of the batch before. */
  let rest = () => {};

  function writeJob({ values, codes }: CodedNumbers, slot: number): void {
    const place = slots[slot];
    const isNarrow = values instanceof Float32Array;
    if (isNarrow) place.narrow ||= arena.alloc(4 * numRows);
    else place.values ||= arena.alloc(8 * numRows);
    const job = (jobs + slot * JOB_BYTES) >>> 2;
    memory.u32[job + JobField.narrow] = isNarrow ? place.narrow : 0;
    memory.u32[job + JobField.values] = place.values;
    memory.u32[job + JobField.numRows] = numRows;
    memory.u32[job + JobField.maxBins] = maxBins;
    memory.u32[job + JobField.pairs] = place.pairs;
    memory.u32[job + JobField.codes] = codes;
  }

  function copyValues({ values }: CodedNumbers, slot: number): void {
    const { narrow, values: at } = slots[slot];
    if (values instanceof Float32Array) {
      new Float32Array(memory.u8.buffer, narrow, numRows).set(values);
    } else memory.f64.set(values, at >>> 3);
  }

  /** Says that so many columns of a batch may be coded. */
  function tellReady(count: number): void {
    Atomics.store(memory.i32, Control.ready >>> 2, count);
    Atomics.notify(memory.i32, Control.ready >>> 2);
  }

  for (let first = 0; first < columns.length;) {
    // Threads that are still starting take part from the next batch on.
    const areHere = Atomics.load(memory.i32, Control.present >>> 2) + 1 >= crew.numThreads;
    const batch = columns.slice(first, first + (areHere ? size : 1));
    first += batch.length;
    batch.forEach(writeJob);
    memory.f64.set([jobs, batch.length, space, spaceBytes], Control.args >>> 3);
    tellReady(0);
    // Other threads begin with the first column while the next is copied.
    crew.run(Op.codeColumns, () => {
      try {
        batch.forEach((column, slot) => {
          copyValues(column, slot);
          tellReady(slot + 1);
        });
        rest();
      } finally {
        tellReady(batch.length); // nobody waits for ever
      }
    });
    const found = batch.map((_, slot) => {
      const job = (jobs + slot * JOB_BYTES) >>> 2;
      const at = slots[slot].pairs >>> 3;
      return {
        pairs: memory.f64.slice(at, at + 2 * memory.u32[job + JobField.numPairs]),
        hasMissing: memory.u32[job + JobField.numMissing] > 0,
      };
    });
    rest = () => {
      for (const { pairs, hasMissing } of found) bins.push(numericBins(cutsOf(pairs), hasMissing));
    };
  }
  rest();
  return bins;
}

/** Cuts between pairs of neighbours. */
function cutsOf(pairs: Float64Array): Float64Array {
  const cuts = new Float64Array(pairs.length / 2);
  for (let i = 0; i < cuts.length; i++) cuts[i] = thresholdBetween(pairs[2 * i], pairs[2 * i + 1]);
  return cuts;
}
