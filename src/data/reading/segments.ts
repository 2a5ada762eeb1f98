/**
 * A file in segments, read by several threads at once into columns that they share.
 *
 * Threads take the segments one by one, and take turns to say where theirs ends and how many rows
 * there are so far: so each knows where its rows belong. Where only the end of the segment before
 * tells where a record begins, a segment that began elsewhere is read again from there. Whatever is
 * not plain stops all of them: one thread then reads everything, and says what is wrong.
 *
 * @module
 */
import type { BeyondNotes } from "./beyond.ts";
import type { BadRows } from "./bad_rows.ts";
import type { LineMap } from "./lines.ts";

/** Reads a file at any place. */
export interface RangeReader {
  /** Reads bytes from a position on, as many as fit while there are any. Returns their number. */
  read(into: Uint8Array, at: number): number;
}

/** How a file is divided. */
export interface Segments {
  /** Where records begin. */
  readonly start: number;
  /** Bytes of the file. */
  readonly size: number;
  readonly segmentBytes: number;
  /** Made by {@linkcode createControl}. */
  readonly control: SharedArrayBuffer;
  /** Whether every newline ends a record, so that none is cut. */
  readonly isByLine: boolean;
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

/** Levels that rows of a thread have, sorted by code point. */
export interface PartLevels {
  readonly texts: readonly string[];
  readonly codes: Int32Array;
}

/** What a thread has read, whatever the format. */
export interface PartRows {
  readonly spans: readonly Span[];
  readonly late: readonly LateRows[];
  /** Rows and the lines that they stand on, where these do not run in step. */
  readonly lines: readonly { readonly row: number; readonly line: number }[];
  /** Lines of malformed rows that were left out; ascending. */
  readonly bad: readonly number[];
  /** Vocabularies of the thread's own codes, by column. */
  readonly levels: readonly (PartLevels | undefined)[];
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

/** Number of segments of a file. */
export function numSegments(
  { start, size, segmentBytes }: Pick<Segments, "start" | "size" | "segmentBytes">,
): number {
  return Math.ceil((size - start) / segmentBytes);
}

/** Shared numbers at the beginning of a file. */
export function createControl(
  { start, line }: { readonly start: number; readonly line: number },
): SharedArrayBuffer {
  const control = new SharedArrayBuffer(CONTROL_BYTES);
  new Float64Array(control, PLACES_AT).set([start, 0, line]);
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

/** Rows of a whole input that was read. */
export function totalRows(control: SharedArrayBuffer): number {
  return new Float64Array(control, PLACES_AT)[1];
}

/** A segment that was scanned. */
export interface Scanned {
  /** Where the next record begins. */
  readonly end: number;
  readonly rows: number;
  readonly lines: number;
  readonly isPlain: boolean;
}

/** The rows of one segment at a time, and what is kept of all. */
export interface Part<Report> {
  scan(from: number, to: number, isLast: boolean): Scanned;
  /** Leaves out what was scanned last: it began at no record. */
  undo(): void;
  /** Moves the rows of a segment to their place. */
  keep(row: number, line: number, count: number): void;
  report(): Report;
}

/**
 * Reads segments until none is left.
 *
 * @param createPart Called before the first segment.
 * @returns A generator that gives the turn that it waits for while that is another's, −1 after a
 * segment, and at last a report; none where it had no segment, or all have stopped.
 */
export function* readSegments<Report>(
  { start, size, segmentBytes, control, isByLine }: Segments,
  file: RangeReader,
  createPart: () => Part<Report>,
): Generator<number, Report | undefined, void> {
  const words = wordsOf(control);
  const places = new Float64Array(control, PLACES_AT);
  const last = numSegments({ start, size, segmentBytes }) - 1;
  let part: Part<Report> | undefined;

  const isStopped = () => Atomics.load(words, PartWord.stop) !== 0;
  const boundary = (segment: number) =>
    segment === 0 ? start : segment > last ? size : behindNewline(
      file,
      start + segment * segmentBytes - 1,
      isByLine ? size : Math.min(size, start + (segment + 1) * segmentBytes),
    );

  for (;;) {
    const segment = Atomics.add(words, PartWord.next, 1);
    if (segment > last || isStopped()) break;
    if (part === undefined) Atomics.add(words, PartWord.readers, 1);
    part ??= createPart();
    let from = boundary(segment);
    const to = boundary(segment + 1);
    let scanned = part.scan(from, to, segment === last);
    while (Atomics.load(words, PartWord.turn) !== segment) {
      if (isStopped()) return undefined;
      yield Atomics.load(words, PartWord.turn);
    }
    if (places[0] !== from) {
      if (Atomics.add(words, PartWord.again, 1) >= MOST_AGAIN + last / 16) stopParts(control);
      part.undo();
      from = places[0];
      scanned = part.scan(from, to, segment === last);
    }
    if (!scanned.isPlain || isStopped()) {
      stopParts(control);
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

/** Values of one segment, whose room is used again for the next. */
export interface SegmentList<T extends Float64Array | Int32Array> {
  readonly length: () => number;
  reserve(total: number): void;
  append(values: T, from: number, to: number): void;
  fill(value: number, count: number): void;
  take(): T;
  /** What the list holds, until the next value. */
  held(): T;
  clear(): void;
}

/** An empty list. */
export function createSegmentList<T extends Float64Array | Int32Array>(
  make: (length: number) => T,
): SegmentList<T> {
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
    take: () => list.slice(0, used) as T,
    held: () => list.subarray(0, used) as T,
    clear: () => void (used = 0),
  };
}

/** Moves rows of a segment to shared columns, and keeps those for which there is no room. */
export function createRowMover(columns: readonly (Float64Array | Int32Array | undefined)[]) {
  const spans: Span[] = [];
  const late: LateRows[] = [];
  return {
    spans,
    late,
    move(row: number, count: number, lists: readonly (Float64Array | Int32Array | undefined)[]) {
      const hasRoom = columns.every((column) =>
        column === undefined || row + count <= column.length
      );
      if (hasRoom) {
        spans.push({ row, count });
        columns.forEach((column, at) => column?.set(lists[at]!, row));
      } else late.push({ row, count, columns: lists.map((list) => list?.slice()) });
    },
  };
}

/**
 * Where rows and lines of a segment run out of step, and its malformed lines; then of all.
 *
 * @param onUnplain Hears of what one thread has to say: more malformed rows than `badRows` leaves out,
 * and numbers beyond float64.
 */
export function createLineNotes(badRows: string | undefined, onUnplain: () => void) {
  const lines: { row: number; line: number }[] = [];
  const bad: number[] = [];
  const mostBad = Number(/^skip:(\d+)$/.exec(badRows ?? "")?.[1] ?? 0);
  let linesHere: { row: number; line: number }[] = [];
  let badHere: number[] = [];
  const sinks: { bad: BadRows; beyond: BeyondNotes; lines: LineMap } = {
    bad: {
      add(line) {
        if (badHere.push(line) > mostBad) onUnplain();
      },
      report() {},
    },
    beyond: { add: onUnplain, report() {} },
    lines: {
      /** Blocks of a row each are no reason to keep a line for each. */
      add(row, line) {
        const last = linesHere.at(-1);
        if (last === undefined || line - row !== last.line - last.row) {
          linesHere.push({ row, line });
        }
      },
      lineOf: (row) => row,
    },
  };
  return {
    lines,
    bad,
    /** For the reader of a segment. */
    sinks,
    /** The segment begins at this row and line. */
    keep(row: number, line: number): void {
      for (const at of badHere) bad.push(line + at);
      for (const at of linesHere) lines.push({ row: row + at.row, line: line + at.line });
    },
    clear(): void {
      badHere = [];
      linesHere = [];
    },
  };
}
