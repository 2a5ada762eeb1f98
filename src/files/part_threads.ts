/**
 * Files read by several threads, whatever their format: each opens the file and reads segments of it,
 * the calling thread from the beginning and the others as soon as they have started.
 *
 * @module
 */
import { mergeLevels, rankCodes, type RankTask, wholeColumn } from "../data/reading/join_parts.ts";
import {
  numSegments,
  type PartRows,
  PartWord,
  stopParts,
  wordsOf,
} from "../data/reading/segments.ts";
import type { Table } from "../data/csv/table.ts";
import type { JsonLinesOptions } from "../data/records/json_lines.ts";
import type { LibsvmOptions } from "../data/libsvm/parse.ts";
import type { CsvOptions } from "../data/options.ts";
import { assembleDataset } from "../data/reading/assemble.ts";
import { withSchema } from "../data/reading/roles.ts";
import type { Column, Dataset } from "../data/types.ts";
import { openTasks, type TaskPool } from "../parallel/tasks.ts";
import { type FileRange, openRange, sentSource } from "../runtime/ranges.ts";
import { nextTurn } from "../util/turn.ts";
import {
  type AnyJob,
  type AnyReport,
  READ_WORKER,
  readAnyPart,
  type ReadTask,
} from "./read_parts.ts";

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

/** Options of any format. */
type AnyOptions = CsvOptions | JsonLinesOptions | LibsvmOptions;

/** A file while threads read it. */
export interface Reading<Report> {
  readonly pool: TaskPool<ReadTask, Report | undefined>;
  readonly path: string;
  readonly file: FileRange;
  /** The beginning of the file. */
  readonly sample: Uint8Array;
  readonly segmentBytes: number;
  /** Rows to make room for, as a share of those expected. */
  readonly spare: number;
}

/**
 * Reads a dataset by several threads.
 *
 * @param read Makes a table of the file; its options have an `onWarning` that is heard at the end.
 * @returns Undefined where `read` gives that, the source is packed or no file, it is replaced or
 * written to meanwhile, or there are no threads. Nothing has been said then.
 */
export async function datasetOnThreads<Report, Options extends AnyOptions>(
  source: string | URL,
  options: Options,
  reading: ThreadedReading,
  read: (reading: Reading<Report>, options: Options) => Promise<Table | undefined>,
): Promise<Dataset | undefined> {
  const said: string[] = [];
  const heard = { ...options, onWarning: (message: string) => void said.push(message) };
  const table = await readOnThreads<Report, Table>(source, reading, (all) => read(all, heard));
  if (table === undefined) return undefined;
  for (const message of said) options.onWarning?.(message);
  const { columns, roles, names, lineOf } = table;
  return assembleDataset(columns, roles, withSchema(options, names), lineOf);
}

/** Options for other threads: without functions, and without the limit of rows, which only all know. */
export function forThreads<Options extends AnyOptions>(
  { onWarning: _, limits, ...quiet }: Options,
) {
  const { rows: mostRows = Infinity, ...otherLimits } = limits ?? {};
  return { plain: { ...quiet, limits: otherLimits }, mostRows };
}

/** Opens a file for several threads while `read` makes something of it. */
async function readOnThreads<Report, Found>(
  source: string | URL,
  reading: ThreadedReading,
  read: (reading: Reading<Report>) => Promise<Found | undefined>,
): Promise<Found | undefined> {
  if (typeof Worker === "undefined" || typeof SharedArrayBuffer === "undefined") return undefined;
  using file = openRange(source);
  if (file === undefined) return undefined;
  const beginning = new Uint8Array(reading.sampleBytes ?? SAMPLE_BYTES);
  const sample = beginning.subarray(0, file.read(beginning, 0));
  const pool = openTasks<undefined, ReadTask, Report | undefined>({
    threads: Math.max(1, reading.threads - 1),
    beside: true,
    setup: undefined,
    // Where no worker starts the calling thread reads everything as it is.
    work: () => () => undefined,
    open: reading.open ?? openReader,
  });
  try {
    const { segmentBytes = SEGMENT_BYTES, spare = SPARE } = reading;
    const path = sentSource(source);
    const found = await read({ pool, path, file, sample, segmentBytes, spare });
    return file.isUnchanged() ? found : undefined;
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

/** Memory of a column with or without a width. */
type SharedOf<Width> = Width extends undefined ? undefined : SharedArrayBuffer;

/**
 * Shared memory for so many rows of each column, given the bytes of a value; undefined where there is
 * not enough.
 */
export function shareColumns<Width extends number | undefined>(
  widths: readonly Width[],
  numRows: number,
): readonly SharedOf<Width>[] | undefined {
  try {
    return widths.map((width) =>
      (width === undefined ? undefined : new SharedArrayBuffer(width * numRows)) as SharedOf<Width>
    );
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Lines in most a byte, here and there in a file. */
export function linesPerByte(file: FileRange, rest: Uint8Array): number {
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
export async function readParts<Report extends AnyReport>(
  { pool, path, file }: Reading<Report>,
  job: AnyJob,
): Promise<readonly Report[] | undefined> {
  const words = wordsOf(job.control);
  const start = job.format === "csv" ? job.head.start : 0;
  const last = numSegments({ ...job, start });
  let failed = false;
  const others = Array.from({ length: pool.numThreads }, () => {
    const report = pool.run({ path, stamp: file.stamp, job });
    report.catch(() => {
      failed = true;
      stopParts(job.control);
    });
    return report;
  });
  const steps = readAnyPart(job, file) as Generator<number, Report | undefined, void>;
  let own: Report | undefined;
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
function firstReports<Report>(
  others: readonly Promise<Report | undefined>[],
  count: number,
): Promise<readonly Report[]> {
  const found: Report[] = [];
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
export async function joinColumns<Report extends PartRows>(
  { pool }: Reading<Report>,
  names: readonly string[],
  columns: readonly (SharedArrayBuffer | undefined)[],
  reports: readonly Report[],
  numRows: number,
): Promise<(Column | undefined)[]> {
  const merged = columns.map((_, at) => {
    const parts = reports.map(({ levels }) => levels[at]);
    return parts.every((part) => part === undefined) ? undefined : mergeLevels(parts);
  });
  const tasks = reports.map(({ spans }, thread): RankTask => ({
    spans,
    columns: columns.map((column, at) => merged[at] && column),
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
  return columns.map((buffer, at): Column | undefined => {
    if (buffer === undefined) return undefined;
    const name = names[at];
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
