/**
 * Segments of a file of LIBSVM, where every newline ends a line; see `reading/segments.ts`. How many columns
 * and rows there are is known when all are read: until then each thread keeps the entries of its
 * segments in shared memory, and afterwards writes them to the columns.
 *
 * @module
 */
import { createEntries, type EntryChunk, writeEntries } from "./entries.ts";
import { createLibsvmRows, type LibsvmRowOptions, sparseLimits } from "./rows.ts";
import { createSparseReader } from "./scan.ts";
import type { CsvOptions } from "../options.ts";
import {
  createLineNotes,
  createSegmentList,
  type Part,
  type PartRows,
  type RangeReader,
  readSegments,
  type Scanned,
} from "../reading/segments.ts";
import { sharedBuffer } from "../../util/buffers.ts";

/** What all threads know; it goes to them by message. */
export interface LibsvmJob {
  readonly format: "libsvm";
  /** Without a limit of rows. */
  readonly options: Pick<LibsvmRowOptions & CsvOptions, "badRows" | "limits">;
  readonly size: number;
  readonly segmentBytes: number;
  readonly control: SharedArrayBuffer;
}

/** Rows of a segment, in shared memory. */
export interface LibsvmSegment {
  /** Row of the file that it begins with. */
  readonly row: number;
  readonly labels: Float64Array;
  readonly weights: Float64Array;
  readonly queries: Float64Array;
  readonly chunks: readonly EntryChunk[];
}

/** What a thread has read. */
export interface LibsvmReport extends Pick<PartRows, "lines" | "bad"> {
  readonly segments: readonly LibsvmSegment[];
  /** One more than the largest index. */
  readonly numColumns: number;
  readonly hasWeight: boolean;
  readonly hasQuery: boolean;
}

/** Segments that are written to columns of all rows, which hold zeros. */
export interface WriteTask {
  readonly segments: readonly LibsvmSegment[];
  /** Value of what a row does not name. */
  readonly absent: number;
  /** By index. */
  readonly features: readonly SharedArrayBuffer[];
  readonly labels: SharedArrayBuffer;
  readonly weights?: SharedArrayBuffer | undefined;
  readonly queries?: SharedArrayBuffer | undefined;
}

/** Reads segments of a file of LIBSVM; see {@linkcode readSegments}. */
export function readLibsvmPart(
  job: LibsvmJob,
  file: RangeReader,
): Generator<number, LibsvmReport | undefined, void> {
  const { size, segmentBytes, control } = job;
  const segments = { start: 0, size, segmentBytes, control, isByLine: true };
  return readSegments(segments, file, () => createLibsvmPart(job, file));
}

/** Bytes that are read at once until the scanner has memory of its own. */
const FIRST_BYTES = 1 << 16;

function createLibsvmPart({ options }: LibsvmJob, file: RangeReader): Part<LibsvmReport> {
  const { columnLimit, maxBytes } = sparseLimits(options);
  const entries = createEntries(NaN, sharedBuffer);
  const lists = { labels: listOf(), weights: listOf(), queries: listOf() };
  const segments: LibsvmSegment[] = [];
  const buffer = new Uint8Array(FIRST_BYTES);
  let isPlain = true;
  let isBroken = false;
  const notes = createLineNotes(options.badRows, () => isPlain = false);
  const rows = createLibsvmRows(options, { ...notes.sinks, entries, ...lists });

  function scan(from: number, to: number): Scanned {
    // In a longer segment a line may be beyond the limit: one thread says so, if it is.
    isPlain = !isBroken && to - from <= maxBytes;
    let lines = 0;
    // A mark that a line begins with is a space like others, so that any segment may drop one.
    const reader = createSparseReader({
      columnLimit,
      maxBytes,
      onRows(some) {
        lines += some.numRows;
        rows.onRows({ ...some, line: some.line - 1 });
      },
      onLine(bytes, start, end, line) {
        lines++;
        rows.onLine(bytes, start, end, line - 1);
      },
    });
    try {
      for (let at = from; isPlain && at < to;) {
        const room = reader.direct.room();
        const into = (room ?? buffer).subarray(0, to - at);
        if (file.read(into, at) < into.length) {
          throw new RangeError("the file is shorter than it was");
        }
        if (room === undefined) reader.push(into);
        else reader.direct.filled(into.length);
        at += into.length;
      }
      reader.finish();
    } catch {
      isPlain = false; // one thread says what it is, if it is so
    }
    return { end: to, rows: lists.labels.length(), lines, isPlain };
  }

  function keep(row: number, line: number): void {
    notes.keep(row, line);
    notes.clear();
    const [labels, weights, queries] = Object.values(lists).map((list) => {
      const shared = sharedCopy(list.held());
      list.clear();
      return shared;
    });
    segments.push({ row, labels, weights, queries, chunks: entries.take() });
  }

  function report(): LibsvmReport {
    const { lines, bad } = notes;
    return {
      lines,
      bad,
      segments,
      numColumns: entries.numColumns(),
      hasWeight: rows.hasWeight(),
      hasQuery: rows.hasQuery(),
    };
  }

  // A segment begins where the one before ends, unless the file has changed.
  return { scan, undo: () => void (isBroken = true), keep, report };
}

const listOf = () => createSegmentList((length) => new Float64Array(length));

function sharedCopy(values: Float64Array): Float64Array {
  const shared = new Float64Array(new SharedArrayBuffer(values.byteLength));
  shared.set(values);
  return shared;
}

/** Writes segments to the columns of all rows. */
export function writeSegments({ segments, absent, features, ...lists }: WriteTask): void {
  features.forEach((buffer, index) => {
    const column = new Float64Array(buffer);
    for (const { row, labels, chunks } of segments) {
      if (absent !== 0) column.fill(absent, row, row + labels.length);
      writeEntries(chunks, index, column, row);
    }
  });
  for (const role of ["labels", "weights", "queries"] as const) {
    const buffer = lists[role];
    if (buffer === undefined) continue;
    const column = new Float64Array(buffer);
    for (const segment of segments) column.set(segment[role], segment.row);
  }
}
