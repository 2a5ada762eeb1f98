/**
 * A metric as work that threads can take: steps of items, each of which writes to a place of its own.
 * Blocks of rows have a size that depends on the number of rows alone and their sums are added in
 * their order, so the number is the same on any number of threads; on one the items are done in turn.
 *
 * @module
 */
import type { MakeJob, Metric, MetricJob, Place } from "./types.ts";

/** Memory of this thread. */
export const HERE: Place = {
  floats: (length) => new Float64Array(length),
  ints: (length) => new Int32Array(length),
};

/** A metric that is computed by a job. */
export function jobMetric(name: string, higherIsBetter: boolean, job: MakeJob): Metric {
  return {
    name,
    higherIsBetter,
    job,
    value: (labels, predictions) => runJob(job(labels, predictions, HERE)),
  };
}

/** Runs a job on this thread. */
export function runJob({ steps, value }: MetricJob): number {
  for (const { items, run } of steps) for (let item = 0; item < items; item++) run(item);
  return value();
}

const LEAST_ROWS = 4096;
const MOST_BLOCKS = 128;

/** Blocks of rows, whatever the number of threads. */
export interface Blocks {
  readonly count: number;
  /** First row of a block; that of block `count` is the number of rows. */
  start(block: number): number;
}

/** Divides rows into blocks: 4096 rows each, or 128 blocks where there are more rows. */
export function blocksOf(numRows: number, leastRows: number = LEAST_ROWS): Blocks {
  const size = Math.max(leastRows, Math.ceil(numRows / MOST_BLOCKS / 1024) * 1024);
  return {
    count: Math.max(1, Math.ceil(numRows / size)),
    start: (block) => Math.min(numRows, block * size),
  };
}
