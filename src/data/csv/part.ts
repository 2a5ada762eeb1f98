/**
 * Segments of a file of CSV: one begins behind a newline, which may stand inside quotes, and only the
 * end of the segment before tells. What is read is what one thread would read; what is not plain is a
 * malformed row that is an error, or a number beyond float64.
 *
 * @module
 */
import type { CsvOptions } from "../options.ts";
import {
  createLineNotes,
  createRowMover,
  createSegmentList,
  type Part,
  type PartLevels,
  type PartRows,
  type RangeReader,
  readSegments,
  type Scanned,
} from "../reading/segments.ts";
import { createBody } from "./body.ts";
import type { Head } from "./dialect.ts";
import { CellKind } from "./scan.ts";

/** What all threads know; it goes to them by message. */
export interface PartJob {
  readonly format: "csv";
  readonly head: Head;
  /** Without functions, and without a limit of rows. */
  readonly options: CsvOptions;
  readonly textColumns: ReadonlySet<number>;
  /** Bytes of the file. */
  readonly size: number;
  readonly segmentBytes: number;
  /** Made by {@linkcode createControl}. */
  readonly control: SharedArrayBuffer;
  /** Shared memory for each column that is kept: numbers, or codes where it is text. */
  readonly columns: readonly (SharedArrayBuffer | undefined)[];
}

/** What a thread has read. */
export interface PartReport extends PartRows {
  /** Columns that turned out to be text. */
  readonly demoted: readonly number[];
}

/** Reads segments of a file of CSV; see {@linkcode readSegments}. */
export function readPart(
  job: PartJob,
  file: RangeReader,
): Generator<number, PartReport | undefined, void> {
  const { head: { start }, size, segmentBytes, control } = job;
  const segments = { start, size, segmentBytes, control, isByLine: false };
  return readSegments(segments, file, () => createPart(job, file));
}

function createPart(job: PartJob, file: RangeReader): Part<PartReport> {
  const { head, options, textColumns } = job;
  const numColumns = head.names.length;
  const floats = head.names.map(() => createSegmentList((length) => new Float64Array(length)));
  const ints = head.names.map(() => createSegmentList((length) => new Int32Array(length)));
  let isPlain = true;
  const notes = createLineNotes(options.badRows, () => isPlain = false);
  let hasUnused = options.schema !== undefined;
  const body = createBody(head, options, {
    textColumns,
    part: {
      ...notes.sinks,
      floats: (at) => ({
        ...floats[at],
        // Another thread may have seen numbers in it: text is read in a pass of its own.
        hasNumber: () => true,
      }),
      ints: (at) => ints[at],
    },
  }, new Uint8Array(0));
  const { reader, kinds, demoted } = body;
  const columns = job.columns.map((buffer, at) =>
    buffer && (kinds[at] === CellKind.text ? new Int32Array(buffer) : new Float64Array(buffer))
  );
  const rows = createRowMover(columns);
  let kindsBefore = kinds.slice();
  let demotedBefore: number[] = [];

  function forget(): void {
    body.restart();
    notes.clear();
    for (let at = 0; at < numColumns; at++) {
      floats[at].clear();
      ints[at].clear();
    }
  }

  function scan(from: number, to: number, isLast: boolean): Scanned {
    kindsBefore = kinds.slice();
    demotedBefore = [...demoted];
    isPlain = true;
    if (from >= to && !isLast) return { end: from, rows: 0, lines: 0, isPlain };
    reader.restart(0);
    let left = 0;
    try {
      for (let at = from; at < to;) {
        const room = reader.room();
        const count = file.read(room.subarray(0, Math.min(room.length, to - at)), at);
        if (count === 0) throw new RangeError("the file is shorter than it was");
        reader.filled(count);
        at += count;
      }
      if (isLast) reader.finish();
      else left = reader.settle();
    } catch {
      isPlain = false; // one thread says what it is, if it is so
    }
    return { end: to - left, rows: body.numRows(), lines: reader.line(), isPlain };
  }

  function undo(): void {
    forget();
    kinds.set(kindsBefore);
    demoted.clear();
    for (const column of demotedBefore) demoted.add(column);
    hasUnused = true;
  }

  function keep(row: number, line: number, count: number): void {
    notes.keep(row, line);
    if (count > 0 && demoted.size === 0) {
      const lists = columns.map((column, at) =>
        column && (column instanceof Int32Array ? ints[at] : floats[at]).held()
      );
      rows.move(row, count, lists);
    }
    forget();
  }

  function report(): PartReport {
    const isDone = demoted.size === 0;
    const { spans, late } = rows;
    const { lines, bad } = notes;
    const levels = columns.map((column, at) => {
      if (!(column instanceof Int32Array) || !isDone) return undefined;
      const { texts, codes } = body.levels(at)!.sorted();
      const lateCodes = late.map((one) => one.columns[at] as Int32Array);
      const own = [
        ...spans.map(({ row, count }) => column.subarray(row, row + count)),
        ...lateCodes,
      ];
      return hasUnused || bad.length > 0 ? withRows(texts, codes, own) : { texts, codes };
    });
    reader.release();
    return { demoted: [...demoted], spans, late, lines, bad, levels };
  }

  return { scan, undo, keep, report };
}

/** Levels that some row has. */
function withRows(
  texts: readonly string[],
  codes: Int32Array,
  own: readonly Int32Array[],
): PartLevels {
  const used = new Uint8Array(codes.reduce((most, code) => Math.max(most, code + 1), 0));
  for (const list of own) for (const code of list) if (code >= 0) used[code] = 1;
  return {
    texts: texts.filter((_, i) => used[codes[i]] === 1),
    codes: codes.filter((code) => used[code] === 1),
  };
}
