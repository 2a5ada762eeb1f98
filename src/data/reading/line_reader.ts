/**
 * Bytes in pieces → lines, for formats of one record a line.
 *
 * @module
 */
import { DataError } from "../../errors.ts";

/** Takes bytes until `finish`. */
export interface LineReader {
  push(bytes: Uint8Array): void;
  finish(): void;
}

/**
 * Takes a line: `bytes[start … end − 1]`, without its ending and a byte order mark, and its number
 * from 1. The byte behind the line can be read and is no digit.
 */
export type OnLine = (bytes: Uint8Array, start: number, end: number, line: number) => void;

const LF = 0x0a;
const CR = 0x0d;

/**
 * Cuts input at LF, CRLF or a lone CR, and drops a byte order mark.
 *
 * @param maxBytes Most bytes in a line; beyond, `E_DATA_LIMIT`.
 * @param firstLine Number of the first line; a byte order mark is dropped from line 1.
 */
export function createLineReader(onLine: OnLine, maxBytes: number, firstLine = 1): LineReader {
  let held = new Uint8Array(0);
  let line = firstLine;

  function emit(bytes: Uint8Array, from: number, end: number): void {
    const mark = line === 1 && end - from >= 3 && bytes[from] === 0xef &&
      bytes[from + 1] === 0xbb && bytes[from + 2] === 0xbf;
    onLine(bytes, mark ? from + 3 : from, end, line++);
  }

  /** Emits whole lines and returns where the rest begins. */
  function cut(bytes: Uint8Array): number {
    let from = 0;
    let lf = bytes.indexOf(LF);
    let cr = bytes.indexOf(CR);
    while (lf >= 0 || cr >= 0) {
      if (cr < 0 || (lf >= 0 && lf < cr)) {
        emit(bytes, from, lf);
        from = lf + 1;
        lf = bytes.indexOf(LF, from);
        continue;
      }
      // The last byte may be half of CRLF.
      if (cr + 1 === bytes.length) break;
      emit(bytes, from, cr);
      from = cr + 1;
      if (lf === from) {
        from++;
        lf = bytes.indexOf(LF, from);
      }
      cr = bytes.indexOf(CR, from);
    }
    return from;
  }

  return {
    push(bytes) {
      let all = bytes;
      if (held.length > 0) {
        // A piece without a newline is only set aside.
        all = new Uint8Array(held.length + bytes.length);
        all.set(held);
        all.set(bytes, held.length);
      }
      const from = cut(all);
      if (all.length - from > maxBytes) throw tooLong(line, maxBytes);
      held = all.slice(from);
    },
    finish() {
      if (held.length === 0) return;
      const last = new Uint8Array(held.length + 1);
      last.set(held);
      // A lone CR at the end is a whole ending.
      last[held.length] = LF;
      held = new Uint8Array(0);
      cut(last);
    },
  };
}

/** The error for a line that passes a limit. */
export function tooLong(line: number, maxBytes: number): DataError {
  return new DataError(
    "E_DATA_LIMIT",
    `Cannot read line ${line}: longer than ${maxBytes} bytes`,
    { details: { line, limit: maxBytes } },
  );
}

/** Decodes lines; undefined for one that is not UTF-8 text. */
export function createLineDecoder(): (
  bytes: Uint8Array,
  start: number,
  end: number,
) => string | undefined {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  return (bytes, start, end) => {
    try {
      return decoder.decode(bytes.subarray(start, end));
    } catch {
      return undefined;
    }
  };
}
