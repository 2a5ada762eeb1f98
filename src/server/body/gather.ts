/**
 * Pieces of a body → one run of bytes, copied as they come.
 *
 * A piece of a stream may be a view of far more memory than its own length: Deno reads into buffers of
 * 64 kB, and a caller who sends a byte at a time would make the server hold one for each.
 *
 * @module
 */

/** Bytes that have come so far. */
export interface Gather {
  /** How many. */
  readonly length: number;
  add(piece: Uint8Array): void;
  /** All of them; the next piece begins anew. */
  take(): Uint8Array<ArrayBuffer>;
}

const FIRST = 1 << 12;
/** Shared: V8 takes each empty array of its own for long-lived, and lets its heap grow for them. */
const NOTHING = new Uint8Array(0);

/** An empty one. */
export function createGather(): Gather {
  let bytes = NOTHING;
  let length = 0;
  return {
    get length() {
      return length;
    },
    add(piece) {
      const needed = length + piece.length;
      if (needed > bytes.length) {
        const larger = new Uint8Array(Math.max(FIRST, needed, 2 * bytes.length));
        larger.set(bytes.subarray(0, length));
        bytes = larger;
      }
      bytes.set(piece, length);
      length = needed;
    },
    take() {
      const taken = bytes.subarray(0, length);
      bytes = NOTHING;
      length = 0;
      return taken;
    },
  };
}
