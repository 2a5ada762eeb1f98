/**
 * Bytes → lines of text, as they arrive.
 *
 * @module
 */
import { DataError } from "../../errors.ts";
import { MARK, utf8Fault } from "../../util/utf8.ts";
import { brokenBody, createGather, type Gather } from "./read.ts";
import type { Arriving } from "../admission/load.ts";

/** A line's text, or the place in it of a byte that is not UTF-8. */
export type TextLine = string | number;

const LF = 0x0a;
/** Drops a byte order mark. */
const leading = new TextDecoder();
const inner = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * The lines of some bytes; blank ones are passed over.
 *
 * @param isFirst Whether a byte order mark may be before them. @default true
 */
export function textLines(bytes: Uint8Array, isFirst: boolean = true): TextLine[] {
  const text = (isFirst ? leading : inner).decode(bytes);
  const lines: readonly TextLine[] = text.includes(MARK)
    ? checkedLines(bytes, isFirst)
    : text.split("\n");
  return lines.filter((line) => typeof line === "number" || line.trim() !== "");
}

/** The byte of a newline is in no other character, nor does a broken one take it along. */
function checkedLines(bytes: Uint8Array, isFirst: boolean): TextLine[] {
  const lines: TextLine[] = [];
  for (let from = 0; from < bytes.length;) {
    const at = bytes.indexOf(LF, from);
    const end = at < 0 ? bytes.length : at;
    const line = bytes.subarray(from, end);
    const text = (isFirst && from === 0 ? leading : inner).decode(line);
    const fault = utf8Fault(line, text);
    lines.push(fault < 0 ? text : fault);
    from = end + 1;
  }
  return lines;
}

/**
 * Whole lines as they arrive.
 *
 * @param arriving Where it is among those that are waited for.
 * @throws {DataError} `E_DATA_LIMIT` for a line, or blank lines in a row, longer than `maxBytes`;
 * {@linkcode RequestError} as `brokenBody`, `Arriving.wait` and `Arriving.keep` say.
 */
export async function* arrivingLines(
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
  arriving?: Arriving,
): AsyncGenerator<TextLine[], void, undefined> {
  const held = createGather();
  let isFirst = true;
  /** Bytes of blank lines since the last other one. */
  let blank = 0;
  let kept = 0;
  try {
    for await (const piece of arriving === undefined ? body : waited(body, arriving)) {
      const end = piece.lastIndexOf(LF) + 1;
      if (end > 0) {
        const whole = afterHeld(held, piece.subarray(0, end));
        arriving?.drop(kept);
        kept = 0;
        const lines = textLines(whole, isFirst);
        isFirst = false;
        blank = lines.length > 0 ? 0 : blank + whole.length;
        // Some kilobytes of gzip may hold gigabytes of them, and nobody has to read an answer to these.
        if (blank > maxBytes) throw tooLong("blank lines", maxBytes);
        yield lines;
      }
      if (end === piece.length) continue;
      const rest = piece.subarray(end);
      if (held.length + rest.length > maxBytes) throw tooLong("a line", maxBytes);
      arriving?.keep(rest.length);
      kept += rest.length;
      held.add(rest);
    }
  } catch (error) {
    throw brokenBody(error);
  } finally {
    arriving?.drop(kept);
  }
  if (held.length > 0) yield textLines(held.take(), isFirst);
}

function tooLong(what: string, maxBytes: number): DataError {
  return new DataError("E_DATA_LIMIT", `Cannot read ${what} longer than ${maxBytes} bytes`, {
    details: { limit: "maxBytes", value: maxBytes },
  });
}

/** Bytes of a stream that are progress: who sends them is not the one that has been arriving longest. */
const PROGRESS = 1024;

/** Pieces of a stream that is among those that are waited for. */
async function* waited(
  body: ReadableStream<Uint8Array>,
  arriving: Arriving,
): AsyncGenerator<Uint8Array, void, undefined> {
  const pieces = body[Symbol.asyncIterator]();
  let since = performance.now();
  let length = 0;
  try {
    for (;;) {
      const { value, done } = await arriving.wait(pieces.next(), since);
      if (done) return;
      length += value.length;
      if (length >= PROGRESS) {
        since = performance.now();
        length = 0;
      }
      yield value;
    }
  } finally {
    // Not waited for: it would wait in its turn for a piece that was given up.
    pieces.return?.().catch(() => {});
  }
}

/** What is held of a line and the piece that ends it; most pieces end what they begin. */
function afterHeld(held: Gather, piece: Uint8Array): Uint8Array {
  if (held.length === 0) return piece;
  held.add(piece);
  return held.take();
}
