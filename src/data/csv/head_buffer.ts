/**
 * The beginning of an input that comes in pieces, until it says how the rest is to be read.
 *
 * @module
 */
import type { CsvOptions } from "../options.ts";
import { type Head, readHead } from "./dialect.ts";

/** What the beginning says, and the bytes behind the header that came with it. */
export interface Begun {
  readonly head: Head;
  /** Valid until the next piece. */
  readonly rest: Uint8Array;
}

/** Holds pieces until the head is whole. */
export interface HeadBuffer {
  /** @throws {DataError} `E_DATA_LIMIT` for a header beyond the limit of a record, and as `readHead`. */
  push(piece: Uint8Array): Begun | undefined;
  /** What the input says when no more comes; undefined where it is empty. */
  finish(): Begun | undefined;
  /** Bytes that are held. */
  readonly length: () => number;
}

/** Beyond so many bytes a head that is not whole is looked at again only when it has doubled. */
const LONG_HEAD = 1 << 16;

/** A buffer without bytes. */
export function createHeadBuffer(options: CsvOptions): HeadBuffer {
  let held = new Uint8Array(0);
  let used = 0;
  let waitFor = 0;

  function begin(bytes: Uint8Array, final: boolean): Begun | undefined {
    const head = readHead(bytes, final, options);
    return head && { head, rest: bytes.subarray(head.start) };
  }

  function hold(piece: Uint8Array): void {
    if (used + piece.length > held.length) {
      const longer = new Uint8Array(2 * (used + piece.length));
      longer.set(held.subarray(0, used));
      held = longer;
    }
    held.set(piece, used);
    used += piece.length;
  }

  return {
    length: () => used,
    push(piece) {
      if (used === 0) {
        // An input in one piece is not copied.
        const begun = begin(piece, false);
        if (begun !== undefined) return begun;
        hold(piece);
        waitFor = 2 * used;
        return undefined;
      }
      hold(piece);
      if (used > LONG_HEAD && used < waitFor) return undefined;
      waitFor = 2 * used;
      return begin(held.subarray(0, used), false);
    },
    finish: () => used === 0 ? undefined : begin(held.subarray(0, used), true),
  };
}
