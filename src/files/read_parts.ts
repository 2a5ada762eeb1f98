/**
 * What a thread does when a file is read by several: it reads parts, and later ranks its codes.
 *
 * @module
 */
import { rankCodes, type RankTask } from "../data/csv/join_parts.ts";
import { type PartJob, type PartReport, PartWord, readPart, wordsOf } from "../data/csv/part.ts";
import { openRange } from "../runtime/ranges.ts";

/** Name of the worker. */
export const READ_WORKER = "treeline-read";

/** What a worker is asked: to read, or to rank codes. */
export type ReadTask = { readonly path: string; readonly job: PartJob } | RankTask;

/** Longest wait before a thread looks again whether all have stopped. */
const WAIT_MS = 500;

/** Carries out tasks in a worker, which may wait for its turn. */
export function readWork(): (task: ReadTask) => PartReport | undefined {
  return (task) => {
    if (!("job" in task)) return void rankCodes(task);
    const { path, job } = task;
    const words = wordsOf(job.control);
    using file = openRange(path);
    if (file === undefined) throw new TypeError("the file is no longer there");
    const steps = readPart(job, file);
    for (;;) {
      const { done, value } = steps.next();
      if (done) return value;
      // The calling thread stops all of them when it gives up, perhaps just before a wait begins.
      if (value >= 0) Atomics.wait(words, PartWord.turn, value, WAIT_MS);
    }
  };
}
