/**
 * Segments of a file of JSON lines, where every newline ends a line; see `reading/segments.ts`. A key that
 * nobody knows, or text in a column of numbers, is told: the file is then read again by all threads.
 *
 * @module
 */
import { createJsonRows, type JsonLinesOptions, RECORD_BYTES } from "./json_lines.ts";
import { compareCodePoints } from "../labels.ts";
import { createLineReader } from "../reading/line_reader.ts";
import type { PartColumn } from "./row_columns.ts";
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

/** A key of the file. */
export interface JsonKey {
  readonly key: string;
  /** Whether something occurs under it that is no number. */
  readonly isText: boolean;
}

/** A key as it was found: the row that has it first, and its order among those found. */
export interface FoundKey extends JsonKey {
  readonly row: number;
  readonly at: number;
}

/** What all threads know; it goes to them by message. */
export interface JsonJob {
  readonly format: "jsonl";
  /** Without functions, and without a limit of rows. */
  readonly options: JsonLinesOptions;
  /** In order of appearance. */
  readonly keys: readonly JsonKey[];
  readonly size: number;
  readonly segmentBytes: number;
  readonly control: SharedArrayBuffer;
  /** Shared memory for each key: numbers, or codes where it is text. */
  readonly columns: readonly SharedArrayBuffer[];
}

/** What a thread has read. */
export interface JsonReport extends PartRows {
  /** New keys, and those that turned out to be text. */
  readonly found: readonly FoundKey[];
}

/** Reads segments of a file of JSON lines; see {@linkcode readSegments}. */
export function readJsonPart(
  job: JsonJob,
  file: RangeReader,
): Generator<number, JsonReport | undefined, void> {
  const { size, segmentBytes, control } = job;
  const segments = { start: 0, size, segmentBytes, control, isByLine: true };
  return readSegments(segments, file, () => createJsonPart(job, file));
}

/**
 * Keys of the lines at the beginning of a file, in order of appearance; undefined where something is
 * wrong with them.
 */
export function keysOfSample(
  bytes: Uint8Array,
  options: JsonLinesOptions,
): readonly JsonKey[] | undefined {
  const file: RangeReader = {
    read(into, at) {
      const some = bytes.subarray(at, at + into.length);
      into.set(some);
      return some.length;
    },
  };
  const size = bytes.length;
  const job = { options, keys: [], columns: [], segmentBytes: size };
  const part = createJsonPart(job, file);
  const { isPlain, rows } = part.scan(0, size, true);
  if (!isPlain) return undefined;
  part.keep(0, 0, rows);
  return part.report().found;
}

/** A column while a segment is read. */
interface Held extends PartColumn {
  readonly floatList: ReturnType<typeof floatsOf>;
  readonly intList: ReturnType<typeof intsOf>;
  readonly isText: boolean;
}

function createJsonPart(
  { options, keys, columns: buffers, segmentBytes }: Pick<
    JsonJob,
    "options" | "keys" | "columns" | "segmentBytes"
  >,
  file: RangeReader,
): Part<JsonReport> {
  const maxBytes = options.limits?.recordBytes ?? RECORD_BYTES;
  const found = new Map<string, FoundKey>();
  let isPlain = true;
  const notes = createLineNotes(options.badRows, () => isPlain = false);
  /** Row of the file that the segment at hand begins with is known when it is kept. */
  let foundHere: string[] = [];
  const held = new Map<string, Held>(keys.map(({ key, isText }) => [key, newHeld(key, isText)]));

  function newHeld(key: string, isText: boolean): Held {
    const floatList = floatsOf();
    const intList = intsOf();
    return {
      floats: isText ? undefined : { ...floatList, hasNumber: () => true },
      ints: intList,
      codeOf: new Map(),
      onText: () => note(key, true),
      floatList,
      intList,
      isText,
    };
  }

  function note(key: string, isText: boolean): void {
    const before = found.get(key);
    if (before === undefined) foundHere.push(key);
    found.set(key, {
      key,
      isText,
      row: before?.row ?? rows.table.numRows(),
      at: before?.at ?? found.size,
    });
  }

  const rows = createJsonRows(options, notes.sinks, {
    rowPart: {
      beyond: notes.sinks.beyond,
      column(key) {
        const known = held.get(key);
        if (known !== undefined) return known;
        note(key, false);
        const column = newHeld(key, false);
        held.set(key, column);
        return column;
      },
    },
  });
  const all = keys.map(({ key }) => held.get(key)!);
  const columns = buffers.map((buffer, at) =>
    keys[at].isText ? new Int32Array(buffer) : new Float64Array(buffer)
  );
  const mover = createRowMover(columns);
  let input = new Uint8Array(0);
  let isBroken = false;

  function scan(from: number, to: number): Scanned {
    isPlain = !isBroken && to - from <= maxBytes + segmentBytes;
    let lines = 0;
    // Only the first line of a file may begin with a mark.
    const firstLine = from === 0 ? 1 : 2;
    const reader = createLineReader(
      (bytes, start, end, line) => {
        lines++;
        if (end - start > maxBytes) isPlain = false;
        rows.onLine(bytes, start, end, line - firstLine);
      },
      maxBytes,
      firstLine,
    );
    try {
      if (isPlain && from < to) {
        if (input.length < to - from) input = new Uint8Array(to - from);
        const bytes = input.subarray(0, to - from);
        if (file.read(bytes, from) < bytes.length) {
          throw new RangeError("the file is shorter than it was");
        }
        reader.push(bytes);
        reader.finish();
      }
      rows.flush();
    } catch {
      isPlain = false; // one thread says what it is, if it is so
    }
    return { end: to, rows: rows.numRows(), lines, isPlain };
  }

  function keep(row: number, line: number, count: number): void {
    notes.keep(row, line);
    for (const key of foundHere) {
      const one = found.get(key)!;
      found.set(key, { ...one, row: row + one.row });
    }
    foundHere = [];
    if (count > 0 && found.size === 0) {
      const lists = all.map(({ isText, floatList, intList }) => {
        if (isText) intList.fill(-1, count - intList.length());
        else floatList.fill(NaN, count - floatList.length());
        return isText ? intList.held() : floatList.held();
      });
      mover.move(row, count, lists);
    }
    notes.clear();
    rows.restart();
    for (const { floatList, intList } of held.values()) {
      floatList.clear();
      intList.clear();
    }
  }

  function report(): JsonReport {
    const { spans, late } = mover;
    const { lines, bad } = notes;
    const levels = found.size > 0
      ? []
      : all.map(({ isText, codeOf }) => isText ? sorted(codeOf) : undefined);
    return { found: [...found.values()], spans, late, lines, bad, levels };
  }

  // A segment begins where the one before ends, unless the file has changed.
  return { scan, undo: () => void (isBroken = true), keep, report };
}

const floatsOf = () => createSegmentList((length) => new Float64Array(length));
const intsOf = () => createSegmentList((length) => new Int32Array(length));

function sorted(codeOf: ReadonlyMap<string, number>): PartLevels {
  const texts = [...codeOf.keys()].sort(compareCodePoints);
  return { texts, codes: Int32Array.from(texts, (text) => codeOf.get(text)!) };
}
