/**
 * A plain file that is read at any place, by as many threads as open it.
 *
 * @module
 */
import { addressOf, type ByteSource, sourceName } from "./open.ts";
import { openPlainFile, readInto } from "./pieces.ts";

/** A file on a disk. */
export interface FileRange extends Disposable {
  /** Bytes when it was opened. */
  readonly size: number;
  /** Tells it from other files, and from itself after it was written to. */
  readonly stamp: string;
  /** Whether nobody has written to it since it was opened. */
  isUnchanged(): boolean;
  /** Reads bytes from a position on, as many as fit while there are any. Returns their number. */
  read(into: Uint8Array, at: number): number;
}

/**
 * Opens a file on a disk that is not packed; other sources are undefined.
 *
 * @throws {SourceError} `E_IO_NOT_FOUND` or `E_IO_READ`.
 */
export function openRange(source: ByteSource): FileRange | undefined {
  const file = openPlainFile(source);
  if (file === undefined) return undefined;
  const name = sourceName(source);
  let position = 0;
  const { size, stamp } = stateOf(file);
  return {
    size,
    stamp,
    isUnchanged: () => stateOf(file).stamp === stamp,
    read(into, at) {
      if (at !== position) file.seekSync(at, Deno.SeekMode.Start);
      position = at;
      let used = 0;
      while (used < into.length) {
        const count = readInto(file, into.subarray(used), name);
        if (count === 0) break;
        used += count;
        position += count;
      }
      return used;
    },
    [Symbol.dispose]: () => file.close(),
  };
}

function stateOf(file: Deno.FsFile): { readonly size: number; readonly stamp: string } {
  const { size, dev, ino, mtime } = file.statSync();
  return { size, stamp: [dev, ino, size, mtime?.getTime()].join(" ") };
}

/** The path or address of a source as a message can carry it. */
export function sentSource(source: string | URL): string {
  return source instanceof URL ? source.href : addressOf(source)?.href ?? source;
}
