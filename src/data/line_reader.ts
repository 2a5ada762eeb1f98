/**
 * Bytes in pieces → lines of text, for formats of one record a line.
 *
 * @module
 */
import { DataError } from "../errors.ts";

/** Takes bytes until `finish`. */
export interface LineReader {
  push(bytes: Uint8Array): void;
  finish(): void;
}

const LF = 0x0a;
const CR = 0x0d;

/**
 * Cuts input at LF, CRLF or a lone CR, and drops a byte order mark.
 *
 * @param onLine Takes a line, without its ending, and its number from 1; `undefined` stands for one
 * that is not UTF-8 text.
 * @param maxBytes Most bytes in a line; beyond, `E_DATA_LIMIT`.
 */
export function createLineReader(
  onLine: (text: string | undefined, line: number) => void,
  maxBytes: number,
): LineReader {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let held = new Uint8Array(0);
  let line = 1;

  function emit(bytes: Uint8Array): void {
    const start = line === 1 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
    let text: string | undefined;
    try {
      text = decoder.decode(bytes.subarray(start));
    } catch {
      text = undefined;
    }
    onLine(text, line++);
  }

  /** Emits whole lines and returns where the rest begins. */
  function cut(bytes: Uint8Array, final: boolean): number {
    let from = 0;
    for (let p = 0; p < bytes.length; p++) {
      const byte = bytes[p];
      if (byte !== LF && byte !== CR) continue;
      if (byte === CR && p + 1 === bytes.length && !final) break;
      emit(bytes.subarray(from, p));
      if (byte === CR && bytes[p + 1] === LF) p++;
      from = p + 1;
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
      const from = cut(all, false);
      if (all.length - from > maxBytes) {
        throw new DataError(
          "E_DATA_LIMIT",
          `Cannot read line ${line}: longer than ${maxBytes} bytes`,
          {
            details: { line, limit: maxBytes },
          },
        );
      }
      held = all.slice(from);
    },
    finish() {
      const from = cut(held, true);
      if (from < held.length) emit(held.subarray(from));
      held = new Uint8Array(0);
    },
  };
}
