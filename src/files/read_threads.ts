/**
 * A large file of CSV read by several threads at once: each opens it and reads segments of it, the
 * calling thread from the beginning and the others as soon as they have started.
 *
 * @module
 */
import { assembleDataset } from "../data/assemble.ts";
import { createBody, type Table } from "../data/csv/body.ts";
import { type Begun, createHeadBuffer } from "../data/csv/head_buffer.ts";
import {
  joinLines,
  mergeLevels,
  rankCodes,
  type RankTask,
  wholeColumn,
} from "../data/csv/join_parts.ts";
import {
  createControl,
  numSegments,
  type PartJob,
  type PartReport,
  PartWord,
  readPart,
  stopParts,
  totalRows,
  wordsOf,
} from "../data/csv/part.ts";
import type { Head } from "../data/csv/dialect.ts";
import { CellKind } from "../data/csv/scan.ts";
import type { CsvOptions } from "../data/options.ts";
import { withSchema } from "../data/roles.ts";
import type { Column, Dataset } from "../data/types.ts";
import { openTasks, type TaskPool } from "../parallel/tasks.ts";
import { type FileRange, openRange, sentSource } from "../runtime/ranges.ts";
import { nextTurn } from "../util/turn.ts";
import { READ_WORKER, type ReadTask } from "./read_parts.ts";

/** Bytes that a thread reads at once: what they hold stays in its cache. */
const SEGMENT_BYTES = 1 << 20;

/** Bytes at the beginning from which the kinds of most columns are known. */
const SAMPLE_BYTES = 1 << 18;

/** Room for more rows than the beginning lets expect; what is not written takes no memory. */
const SPARE = 1.25;

/** Other places where lines are counted, and bytes there. */
const NUM_PLACES = 3;
const PLACE_BYTES = 1 << 16;

/** Segments after which the calling thread hears messages. */
const TURN_SEGMENTS = 16;

/** Looks at whose turn it is before messages are heard: about a tenth of a millisecond. */
const LOOKS = 10_000;

/** How a file is divided. */
export interface ThreadedReading {
  /** Threads, the calling one included. */
  readonly threads: number;
  /** @default 1 MiB */
  readonly segmentBytes?: number;
  /** Bytes at the beginning that tell kinds. @default 256 kB */
  readonly sampleBytes?: number;
  /** Rows to make room for, as a share of those expected. @default 1.25 */
  readonly spare?: number;
  /** Starts a worker. */
  readonly open?: () => Worker;
}

/**
 * Reads a file by several threads.
 *
 * @returns Undefined where one thread has to read it: it is packed or no file, it has one column, its
 * newlines mostly stand in quotes, something in it is wrong, it is replaced or written to meanwhile,
 * or threads have failed. Nothing has been said then.
 */
export async function readCsvOnThreads(
  source: string | URL,
  options: CsvOptions,
  reading: ThreadedReading,
): Promise<Dataset | undefined> {
  if (typeof Worker === "undefined" || typeof SharedArrayBuffer === "undefined") return undefined;
  using file = openRange(source);
  if (file === undefined) return undefined;
  const said: string[] = [];
  const heard = { ...options, onWarning: (message: string) => void said.push(message) };
  const beginning = new Uint8Array(reading.sampleBytes ?? SAMPLE_BYTES);
  const start = begin(beginning.subarray(0, file.read(beginning, 0)), heard);
  if (start === undefined || start.head.names.length < 2) return undefined;
  const pool = openTasks<undefined, ReadTask, PartReport | undefined>({
    threads: Math.max(1, reading.threads - 1),
    beside: true,
    setup: undefined,
    // Where no worker starts the calling thread reads everything as it is.
    work: () => () => undefined,
    open: reading.open ?? openReader,
  });
  try {
    const table = await readAll(pool, sentSource(source), file, start, heard, reading);
    if (table === undefined || !file.isUnchanged()) return undefined;
    for (const message of said) options.onWarning?.(message);
    const { columns, roles, names, lineOf } = table;
    return assembleDataset(columns, roles, withSchema(options, names), lineOf);
  } finally {
    pool.close();
  }
}

function openReader(): Worker {
  return new Worker(new URL("./read_worker.ts", import.meta.url), {
    type: "module",
    name: READ_WORKER,
  });
}

/** The head of a file, unless it is wrong or longer than its beginning. */
function begin(bytes: Uint8Array, options: CsvOptions): Begun | undefined {
  try {
    return createHeadBuffer(options).push(bytes);
  } catch {
    return undefined;
  }
}

/** Reads passes until no column turns out to be text. */
async function readAll(
  pool: TaskPool<ReadTask, PartReport | undefined>,
  path: string,
  file: FileRange,
  { head, rest }: Begun,
  options: CsvOptions,
  reading: ThreadedReading,
): Promise<Table | undefined> {
  const { onWarning: _, limits, ...quiet } = options;
  const { rows: mostRows = Infinity, ...otherLimits } = limits ?? {};
  const plain = { ...quiet, limits: otherLimits };
  const expected = Math.ceil(
    (reading.spare ?? SPARE) * linesPerByte(file, rest) * (file.size - head.start),
  );
  let textColumns = readSample(head, plain, rest);
  if (textColumns === undefined) return undefined;
  for (;;) {
    const { kinds } = createBody(head, plain, { textColumns }, new Uint8Array(0));
    const columns = shareColumns(kinds, expected);
    if (columns === undefined) return undefined;
    const job: PartJob = {
      head,
      options: plain,
      textColumns,
      size: file.size,
      segmentBytes: reading.segmentBytes ?? SEGMENT_BYTES,
      control: createControl(head),
      columns,
    };
    const reports = await readParts(pool, path, file, job);
    if (reports === undefined) return undefined;
    const demoted = reports.flatMap((report) => report.demoted);
    if (demoted.length > 0) {
      textColumns = new Set([...textColumns, ...demoted]);
      continue;
    }
    const numRows = totalRows(job.control);
    if (numRows === 0 || numRows > mostRows) return undefined;
    const { roles, bad, sayAll } = createBody(head, options, { textColumns }, rest);
    const badLines = reports.flatMap((report) => report.bad).sort((a, b) => a - b);
    try {
      for (const line of badLines) bad.add(line, "");
    } catch {
      return undefined; // more than are allowed
    }
    sayAll();
    const whole = await joinColumns(pool, job, reports, numRows).catch(() => undefined);
    if (whole === undefined) return undefined; // a thread has failed
    const { lineOf } = joinLines(reports);
    return { names: head.names, columns: whole, roles, numRows, lineOf };
  }
}

/** Shared memory for so many rows of each column; undefined where there is not enough. */
function shareColumns(
  kinds: Uint8Array,
  numRows: number,
): readonly (SharedArrayBuffer | undefined)[] | undefined {
  try {
    return Array.from(
      kinds,
      (kind) =>
        kind === CellKind.skip
          ? undefined
          : new SharedArrayBuffer((kind === CellKind.text ? 4 : 8) * numRows),
    );
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Columns that the beginning of a file shows to be text; undefined where something is wrong. */
function readSample(
  head: Head,
  options: CsvOptions,
  rest: Uint8Array,
): ReadonlySet<number> | undefined {
  try {
    const { reader, kinds, demoted } = createBody(head, options, {}, new Uint8Array(0));
    reader.push(rest);
    reader.settle();
    reader.release();
    const text = new Set(demoted);
    kinds.forEach((kind, at) => kind === CellKind.text && text.add(at));
    return text;
  } catch {
    return undefined;
  }
}

/** Lines in most a byte, here and there in a file. */
function linesPerByte(file: FileRange, rest: Uint8Array): number {
  const bytes = new Uint8Array(PLACE_BYTES);
  const places = Array.from({ length: NUM_PLACES }, (_, at) => {
    const place = Math.floor(file.size * (at + 1) / (NUM_PLACES + 1));
    return countLines(bytes.subarray(0, file.read(bytes, place)));
  });
  return Math.max(countLines(rest), ...places);
}

function countLines(bytes: Uint8Array): number {
  let count = 0;
  for (const byte of bytes) if (byte === 0x0a) count++;
  return count / Math.max(1, bytes.length);
}

/**
 * Reads all segments, together with the workers that have started.
 *
 * @returns What each thread has read; undefined where they have stopped.
 */
async function readParts(
  pool: TaskPool<ReadTask, PartReport | undefined>,
  path: string,
  file: FileRange,
  job: PartJob,
): Promise<readonly PartReport[] | undefined> {
  const words = wordsOf(job.control);
  const last = numSegments(job);
  let failed = false;
  const others = Array.from({ length: pool.numThreads }, () => {
    const report = pool.run({ path, stamp: file.stamp, job });
    report.catch(() => {
      failed = true;
      stopParts(job.control);
    });
    return report;
  });
  const steps = readPart(job, file);
  let own: PartReport | undefined;
  for (let count = 0;; count++) {
    const { done, value } = steps.next();
    own = done ? value : undefined;
    if (done) break;
    if (value >= 0) await ofTurn(words, value);
    else if (count % TURN_SEGMENTS === 0) await nextTurn();
  }
  const isStopped = () => Atomics.load(words, PartWord.stop) !== 0;
  for (;;) {
    const turn = Atomics.load(words, PartWord.turn);
    if (isStopped()) return undefined;
    if (turn === last) break;
    await ofTurn(words, turn);
  }
  // Those that came too late have read nothing, and are not waited for.
  const readers = Atomics.load(words, PartWord.readers) - (own === undefined ? 0 : 1);
  const found = await firstReports(others, readers).catch(() => undefined);
  if (failed || found === undefined) return undefined;
  return [...(own === undefined ? [] : [own]), ...found];
}

/** The reports of so many threads. */
function firstReports(
  others: readonly Promise<PartReport | undefined>[],
  count: number,
): Promise<readonly PartReport[]> {
  const found: PartReport[] = [];
  if (count === 0) return Promise.resolve(found);
  return new Promise((resolve, reject) => {
    for (const other of others) {
      other.then((report) => {
        if (report !== undefined && found.push(report) === count) resolve(found);
      }, reject);
    }
  });
}

/** Waits while it is a turn, and hears messages meanwhile. */
async function ofTurn(words: Int32Array, turn: number): Promise<void> {
  for (let looks = 0; looks < LOOKS; looks++) {
    if (Atomics.load(words, PartWord.turn) !== turn) return;
  }
  await nextTurn();
}

/** Columns of all rows, with one vocabulary for all threads. */
async function joinColumns(
  pool: TaskPool<ReadTask, PartReport | undefined>,
  job: PartJob,
  reports: readonly PartReport[],
  numRows: number,
): Promise<(Column | undefined)[]> {
  const merged = job.columns.map((_, at) => {
    const parts = reports.map(({ levels }) => levels[at]);
    return parts.every((part) => part === undefined) ? undefined : mergeLevels(parts);
  });
  const tasks = reports.map(({ spans }, thread): RankTask => ({
    spans,
    columns: job.columns.map((column, at) => merged[at] && column),
    ranks: merged.map((levels) => levels?.ranks[thread]),
  }));
  const [own, ...others] = tasks;
  if (merged.some((levels) => levels !== undefined)) {
    const ranked = others.map((task) => pool.run(task));
    rankCodes(own);
    await Promise.all(ranked);
  }
  const late = reports.flatMap((report, thread) =>
    report.late.map((rows) => ({ rows, ranks: tasks[thread].ranks }))
  );
  return job.columns.map((buffer, at): Column | undefined => {
    if (buffer === undefined) return undefined;
    const name = job.head.names[at];
    const levels = merged[at];
    if (levels === undefined) {
      return {
        kind: "numeric",
        name,
        values: wholeColumn(new Float64Array(buffer), at, numRows, late),
      };
    }
    const codes = wholeColumn(new Int32Array(buffer), at, numRows, late);
    return { kind: "categorical", name, codes, categories: levels.texts };
  });
}
