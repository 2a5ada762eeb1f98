/**
 * A file of CSV in segments, read by several threads at once into columns that they share.
 *
 * A segment begins behind a newline, which may stand inside quotes: only the end of the segment
 * before tells. So threads take turns to say where theirs ends and how many rows there are so far; a
 * segment that began elsewhere than the one before ended is read again from there. What is read is
 * therefore what one thread would read. Whatever is not plain (a malformed row that is an error, a
 * number beyond float64) stops all of them: one thread then reads everything, and says what is wrong.
 *
 * @module
 */
import type { CsvOptions } from "../options.ts";
import type { BadRows } from "./bad_rows.ts";
import { createBody } from "./body.ts";
import type { Head } from "./dialect.ts";
import { CellKind } from "./scan.ts";

/** Reads a file at any place. */
export interface RangeReader {
  /** Reads bytes from a position on, as many as fit while there are any. Returns their number. */
  read(into: Uint8Array, at: number): number;
}

/** What all threads know; it goes to them by message. */
export interface PartJob {
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

/** Rows that lie side by side. */
export interface Span {
  readonly row: number;
  readonly count: number;
}

/** Rows for which the shared columns have no room. */
export interface LateRows extends Span {
  readonly columns: readonly (Float64Array | Int32Array | undefined)[];
}

/** What a thread has read. */
export interface PartReport {
  /** Columns that turned out to be text. */
  readonly demoted: readonly number[];
  readonly spans: readonly Span[];
  readonly late: readonly LateRows[];
  /** Rows and the lines that they stand on, where these do not run in step. */
  readonly lines: readonly { readonly row: number; readonly line: number }[];
  /** Lines of malformed rows that were left out; ascending. */
  readonly bad: readonly number[];
  /** Vocabularies of the thread's own codes, by column. */
  readonly levels: readonly (PartLevels | undefined)[];
}

/** Levels that rows of a thread have, sorted by code point. */
export interface PartLevels {
  readonly texts: readonly string[];
  readonly codes: Int32Array;
}

/** Numbers that threads share. */
export const PartWord = {
  /** The next segment that nobody has. */
  next: 0,
  /** The segment whose end is to be told. */
  turn: 1,
  /** Whether all stop. */
  stop: 2,
  /** Segments that were read again. */
  again: 3,
  /** Threads that have read a segment. */
  readers: 4,
} as const;

/** How many these are. */
const NUM_WORDS = 5;

/** Behind them, as float64: where the segment of this turn begins, its first row, and its line. */
const PLACES_AT = 24;

/** Bytes of the shared numbers. */
const CONTROL_BYTES = 48;

/** Bytes that are looked through at once for the end of a line. */
const PROBE_BYTES = 4096;

/** So many segments may be read again before one thread alone is as fast. */
const MOST_AGAIN = 4;

/** Number of segments of a job. */
export function numSegments({ head, size, segmentBytes }: PartJob): number {
  return Math.ceil((size - head.start) / segmentBytes);
}

/** Shared numbers at the beginning of a file. */
export function createControl(head: Head): SharedArrayBuffer {
  const control = new SharedArrayBuffer(CONTROL_BYTES);
  new Float64Array(control, PLACES_AT).set([head.start, 0, head.line]);
  return control;
}

/** Its whole numbers, see {@linkcode PartWord}. */
export function wordsOf(control: SharedArrayBuffer): Int32Array {
  return new Int32Array(control, 0, NUM_WORDS);
}

/** Ends the work of all threads. */
export function stopParts(control: SharedArrayBuffer): void {
  const words = wordsOf(control);
  Atomics.store(words, PartWord.stop, 1);
  Atomics.notify(words, PartWord.turn);
}

/** Rows and lines of a whole input that was read. */
export function totalRows(control: SharedArrayBuffer): number {
  return new Float64Array(control, PLACES_AT)[1];
}

/** A segment that was scanned. */
interface Scanned {
  /** Where the next record begins. */
  readonly end: number;
  readonly rows: number;
  readonly lines: number;
  readonly isPlain: boolean;
}

/**
 * Reads segments until none is left.
 *
 * @returns A generator that gives the turn that it waits for while that is another's, −1 after a
 * segment, and at last a report; none where it had no segment, or all have stopped.
 */
export function* readPart(
  job: PartJob,
  file: RangeReader,
): Generator<number, PartReport | undefined, void> {
  const { head, size, segmentBytes } = job;
  const words = wordsOf(job.control);
  const places = new Float64Array(job.control, PLACES_AT);
  const last = numSegments(job) - 1;
  let part: ReturnType<typeof createPart> | undefined;

  const isStopped = () => Atomics.load(words, PartWord.stop) !== 0;
  const boundary = (segment: number) =>
    segment === 0 ? head.start : segment > last ? size : behindNewline(
      file,
      head.start + segment * segmentBytes - 1,
      Math.min(size, head.start + (segment + 1) * segmentBytes),
    );

  for (;;) {
    const segment = Atomics.add(words, PartWord.next, 1);
    if (segment > last || isStopped()) break;
    if (part === undefined) Atomics.add(words, PartWord.readers, 1);
    part ??= createPart(job, file);
    let from = boundary(segment);
    const to = boundary(segment + 1);
    let scanned = part.scan(from, to, segment === last);
    while (Atomics.load(words, PartWord.turn) !== segment) {
      if (isStopped()) return undefined;
      yield Atomics.load(words, PartWord.turn);
    }
    if (places[0] !== from) {
      if (Atomics.add(words, PartWord.again, 1) >= MOST_AGAIN + last / 16) stopParts(job.control);
      part.undo();
      from = places[0];
      scanned = part.scan(from, to, segment === last);
    }
    if (!scanned.isPlain || isStopped()) {
      stopParts(job.control);
      return undefined;
    }
    const [, row, line] = places;
    places[0] = scanned.end;
    places[1] += scanned.rows;
    places[2] += scanned.lines;
    Atomics.store(words, PartWord.turn, segment + 1);
    Atomics.notify(words, PartWord.turn);
    part.keep(row, line, scanned.rows);
    yield -1;
  }
  return isStopped() ? undefined : part?.report();
}

/** The first place behind a newline from a byte on, or `most` where there is none before. */
function behindNewline(file: RangeReader, from: number, most: number): number {
  const probe = new Uint8Array(PROBE_BYTES);
  for (let at = from; at < most;) {
    const count = file.read(probe, at);
    if (count === 0) break;
    const found = probe.subarray(0, count).indexOf(0x0a);
    if (found >= 0) return Math.min(most, at + found + 1);
    at += count;
  }
  return most;
}

/** The rows of one segment at a time, and what is kept of all. */
function createPart(job: PartJob, file: RangeReader) {
  const { head, options, textColumns } = job;
  const numColumns = head.names.length;
  const floats = head.names.map(() => createSegmentList((length) => new Float64Array(length)));
  const ints = head.names.map(() => createSegmentList((length) => new Int32Array(length)));
  const mostBad = Number(/^skip:(\d+)$/.exec(options.badRows ?? "")?.[1] ?? 0);
  const spans: Span[] = [];
  const late: LateRows[] = [];
  const lines: { row: number; line: number }[] = [];
  const bad: number[] = [];
  let isPlain = true;
  let hasUnused = options.schema !== undefined;
  /** Of the segment at hand: lines of malformed rows, and where rows and lines run out of step. */
  let badHere: number[] = [];
  let linesHere: { row: number; line: number }[] = [];
  const badRows: BadRows = {
    add(line) {
      badHere.push(line);
      hasUnused = true;
      if (badHere.length > mostBad) isPlain = false;
    },
    report() {},
  };
  /** Blocks of a row each are no reason to keep a line for each. */
  function addLine(row: number, line: number): void {
    const last = linesHere.at(-1);
    if (last === undefined || line - row !== last.line - last.row) linesHere.push({ row, line });
  }
  const body = createBody(head, options, {
    textColumns,
    part: {
      bad: badRows,
      beyond: { add: () => isPlain = false, report() {} },
      lines: { add: addLine, lineOf: (row) => row },
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
  let kindsBefore = kinds.slice();
  let demotedBefore: number[] = [];

  function forget(): void {
    body.restart();
    badHere = [];
    linesHere = [];
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

  /** Leaves out what was scanned last: it began at no record. */
  function undo(): void {
    forget();
    kinds.set(kindsBefore);
    demoted.clear();
    for (const column of demotedBefore) demoted.add(column);
    hasUnused = true;
  }

  /** Moves the rows of a segment to their place. */
  function keep(row: number, line: number, count: number): void {
    for (const at of badHere) bad.push(line + at);
    for (const at of linesHere) lines.push({ row: row + at.row, line: line + at.line });
    if (count > 0 && demoted.size === 0) {
      const lists = columns.map((column, at) =>
        column && (column instanceof Int32Array ? ints[at] : floats[at]).held()
      );
      const hasRoom = columns.every((column) =>
        column === undefined || row + count <= column.length
      );
      if (hasRoom) {
        spans.push({ row, count });
        columns.forEach((column, at) => column?.set(lists[at]!, row));
      } else late.push({ row, count, columns: lists.map((list) => list?.slice()) });
    }
    forget();
  }

  function report(): PartReport {
    const isDone = demoted.size === 0;
    const levels = columns.map((column, at) => {
      if (!(column instanceof Int32Array) || !isDone) return undefined;
      const { texts, codes } = body.levels(at)!.sorted();
      const lateCodes = late.map((rows) => rows.columns[at] as Int32Array);
      const own = [
        ...spans.map(({ row, count }) => column.subarray(row, row + count)),
        ...lateCodes,
      ];
      return hasUnused ? withRows(texts, codes, own) : { texts, codes };
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

/** Values of one segment, whose room is used again for the next. */
function createSegmentList<T extends Float64Array | Int32Array>(make: (length: number) => T) {
  let list = make(0);
  let used = 0;

  function room(count: number): void {
    if (used + count <= list.length) return;
    const longer = make(Math.max(1024, 2 * (used + count)));
    longer.set(list.subarray(0, used));
    list = longer;
  }

  return {
    length: () => used,
    reserve: () => {},
    append(values: T, from: number, to: number): void {
      room(to - from);
      list.set(values.subarray(from, to), used);
      used += to - from;
    },
    fill(value: number, count: number): void {
      room(count);
      list.fill(value, used, used + count);
      used += count;
    },
    hasNumber: () => true,
    take: () => list.slice(0, used) as T,
    /** What the list holds, until the next value. */
    held: () => list.subarray(0, used) as T,
    clear: () => void (used = 0),
  };
}
