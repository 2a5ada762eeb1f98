/**
 * A source handed on piece by piece: plain files without a thread hop or a new buffer for each
 * piece, everything else by its stream.
 *
 * @module
 */
import {
  addressOf,
  type ByteSource,
  openError,
  openStream,
  readError,
  sourceName,
} from "./open.ts";

/** Bytes read at once: they stay in the second-level cache until they are copied. */
const PIECE_BYTES = 1 << 18;

/** Other work (signals, timers) gets its turn after so many bytes, a tenth of a second. */
const TURN_BYTES = 1 << 26;

/** Takes bytes that are written to its own memory. */
export interface DirectTaker {
  /** Where the next bytes may go, never empty; undefined while they must be handed on. */
  room(): Uint8Array | undefined;
  /** Says how many bytes were written to the beginning of `room`. */
  filled(count: number): void;
}

/**
 * Reads a source to its end, unpacking gzip.
 *
 * @param take Takes a piece, whose bytes are only there until it returns.
 * @param direct Where plain files may be read to instead, without a copy.
 * @throws {SourceError} `E_IO_NOT_FOUND` or `E_IO_READ`; what `take` throws is passed on.
 */
export async function eachPiece(
  source: ByteSource,
  take: (piece: Uint8Array) => void,
  direct?: DirectTaker,
): Promise<void> {
  const file = openPlainFile(source);
  if (file === undefined) {
    for await (const piece of await openStream(source)) take(piece);
    return;
  }
  try {
    const buffer = new Uint8Array(PIECE_BYTES);
    let turn = 0;
    for (;;) {
      const room = direct?.room();
      const count = readInto(file, room ?? buffer, sourceName(source));
      if (count === 0) return;
      if (room !== undefined) direct!.filled(count);
      else take(buffer.subarray(0, count));
      turn += count;
      if (turn < TURN_BYTES) continue;
      turn = 0;
      await new Promise((go) => setTimeout(go, 0));
    }
  } finally {
    file.close();
  }
}

/** A file on a disk that is not packed, at its beginning; undefined for all other sources. */
export function openPlainFile(source: ByteSource): Deno.FsFile | undefined {
  if (source instanceof ReadableStream || source instanceof Uint8Array || source === "-") {
    return undefined;
  }
  const url = addressOf(source);
  if (url !== undefined && url.protocol !== "file:") return undefined;
  const name = sourceName(source);
  let file: Deno.FsFile | undefined;
  try {
    // Pipes and devices may make their reader wait, which only a stream can do; opening a pipe
    // also takes what is in it, so it is asked first.
    if (!Deno.statSync(url ?? source).isFile) return undefined;
    file = Deno.openSync(url ?? source, { read: true });
    const magic = new Uint8Array(2);
    const packed = file.readSync(magic) === 2 && magic[0] === 0x1f && magic[1] === 0x8b;
    if (!packed) {
      file.seekSync(0, Deno.SeekMode.Start);
      return file;
    }
    file.close();
    return undefined;
  } catch (error) {
    file?.close();
    throw openError(name, error);
  }
}

/** Reads what comes next, as far as it fits. Returns the number of bytes, 0 at the end. */
export function readInto(file: Deno.FsFile, buffer: Uint8Array, name: string): number {
  try {
    return file.readSync(buffer) ?? 0;
  } catch (error) {
    throw readError(name, error);
  }
}
