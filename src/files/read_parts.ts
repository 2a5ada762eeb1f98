/**
 * What a thread does when a file is read by several: it reads parts, and later puts its
 * rows in order: ranks codes, or writes entries to columns.
 *
 * @module
 */
import { rankCodes, type RankTask } from "../data/reading/join_parts.ts";
import { type PartJob, type PartReport, readPart } from "../data/csv/part.ts";
import { type JsonJob, type JsonReport, readJsonPart } from "../data/records/json_part.ts";
import {
  type LibsvmJob,
  type LibsvmReport,
  readLibsvmPart,
  writeSegments,
  type WriteTask,
} from "../data/libsvm/part.ts";
import { PartWord, type RangeReader, wordsOf } from "../data/reading/segments.ts";
import { type FileRange, openRange } from "../runtime/ranges.ts";

/** Name of the worker. */
export const READ_WORKER = "treeline-read";

/** How parts of a file are read, by its format. */
export type AnyJob = PartJob | JsonJob | LibsvmJob;

/** What comes of it. */
export type AnyReport = PartReport | JsonReport | LibsvmReport;

/** To read parts of a file. */
export interface PartTask {
  readonly path: string;
  /** The file that the calling thread has opened: another may stand at its path by now. */
  readonly stamp: string;
  readonly job: AnyJob;
}

/** To put in order what a thread has read, when all have read theirs. */
export type JoinTask = RankTask | WriteTask;

/** What a worker is asked. */
export type ReadTask = PartTask | JoinTask;

/** Longest wait before a thread looks again whether all have stopped. */
const WAIT_MS = 500;

/** Reads segments of a file of any format. */
export function readAnyPart(
  job: AnyJob,
  file: RangeReader,
): Generator<number, AnyReport | undefined, void> {
  if (job.format === "csv") return readPart(job, file);
  return job.format === "jsonl" ? readJsonPart(job, file) : readLibsvmPart(job, file);
}

/** Puts rows of a thread in order. */
export function joinPart(task: JoinTask): void {
  if ("segments" in task) writeSegments(task);
  else rankCodes(task);
}

/** Carries out tasks in a worker, which may wait for its turn. */
export function readWork(): (task: ReadTask) => AnyReport | undefined {
  return (task) => {
    if (!("job" in task)) return void joinPart(task);
    const { job } = task;
    const words = wordsOf(job.control);
    using file = openPart(task);
    const steps = readAnyPart(job, file);
    for (;;) {
      const { done, value } = steps.next();
      if (done) return value;
      // The calling thread stops all of them when it gives up, perhaps just before a wait begins.
      if (value >= 0) Atomics.wait(words, PartWord.turn, value, WAIT_MS);
    }
  };
}

/**
 * Opens the file of a task.
 *
 * @throws {SourceError} `E_IO_NOT_FOUND` or `E_IO_READ`.
 * @throws {TypeError} Where it is another one.
 */
export function openPart({ path, stamp }: PartTask): FileRange {
  const file = openRange(path);
  if (file?.stamp === stamp) return file;
  file?.[Symbol.dispose]();
  throw new TypeError("the file is no longer there");
}
