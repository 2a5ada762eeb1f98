/**
 * Typed arrays out of and into little-endian bytes, every array aligned to 8. Reading copies
 * nothing and checks lengths before a view is made.
 *
 * @module
 */
import { type ErrorCode, ModelError } from "../errors.ts";

/** Typed arrays that a model file may hold. */
export type Numbers =
  | Uint8Array
  | Uint16Array
  | Uint32Array
  | Int32Array
  | Float32Array
  | Float64Array;

/**
 * The error of a file that cannot be read, naming the byte where it was noticed.
 *
 * @param more Further details.
 */
export function corrupt(
  offset: number,
  problem: string,
  code: ErrorCode = "E_MODEL_CORRUPT",
  more = {},
): ModelError {
  return new ModelError(code, `Cannot read this model at byte ${offset}: ${problem}`, {
    details: { offset, ...more },
  });
}

/**
 * What `run` makes of what was read at `offset`: whatever it throws is damage there.
 *
 * @param problem Said instead of the error's own message.
 */
export function within<T>(offset: number, run: () => T, problem?: string): T {
  try {
    return run();
  } catch (error) {
    throw corrupt(offset, problem ?? (error as Error).message);
  }
}

/** @throws {ModelError} `E_MODEL_CORRUPT` for padding that is not zero. */
export function proveZeros(bytes: Uint8Array, from: number, to: number): void {
  for (; from < to; from++) if (bytes[from] > 0) throw corrupt(from, "padding is not zero");
}

/** Reads arrays one after the other from a range of a file. */
export interface ByteReader {
  /** Position in the file, for messages. */
  offset(): number;
  /** Bytes that are left. */
  remaining(): number;
  /** Next `count` numbers as a view. */
  u8(count: number): Uint8Array;
  u16(count: number): Uint16Array;
  u32(count: number): Uint32Array;
  i32(count: number): Int32Array;
  f32(count: number): Float32Array;
  f64(count: number): Float64Array;
  /** Refuses bytes that nobody asked for. */
  end(): void;
}

/** Starts reading at `at`, which is a multiple of 8 in a buffer aligned to 8. */
export function createReader(bytes: Uint8Array, at: number, length: number): ByteReader {
  const { buffer, byteOffset } = bytes;
  length += at;

  type View<T> = {
    new (buffer: ArrayBufferLike, at: number, count: number): T;
    readonly BYTES_PER_ELEMENT: number;
  };
  /** The next numbers of a type. Short, since what runs often is compiled anew, as much as it is. */
  function take<T>(Type: View<T>, count: number): T {
    const from = at;
    at += count * Type.BYTES_PER_ELEMENT;
    if (at > length || at & 7) pad(Type, from);
    return new Type(buffer, byteOffset + from, count);
  }

  /** Skips zeros up to a multiple of 8, if what goes before is there. */
  function pad({ BYTES_PER_ELEMENT }: View<unknown>, from: number): void {
    if (at > length) {
      const count = (at - from) / BYTES_PER_ELEMENT;
      throw corrupt(from, `${count} numbers of ${BYTES_PER_ELEMENT} bytes do not fit`);
    }
    proveZeros(bytes, at, at = Math.min(length, at + 7 & -8));
  }

  return {
    offset: () => at,
    remaining: () => length - at,
    u8: (count) => take(Uint8Array, count),
    u16: (count) => take(Uint16Array, count),
    u32: (count) => take(Uint32Array, count),
    i32: (count) => take(Int32Array, count),
    f32: (count) => take(Float32Array, count),
    f64: (count) => take(Float64Array, count),
    end() {
      if (at !== length) throw corrupt(at, `${length - at} bytes too many`);
    },
  };
}

/** Joins arrays, each padded with zeros to a multiple of 8 bytes. */
export function joinArrays(arrays: readonly Numbers[]): Uint8Array {
  let length = 0;
  for (const array of arrays) length += (array.byteLength + 7) & ~7;
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const array of arrays) {
    bytes.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), at);
    at += (array.byteLength + 7) & ~7;
  }
  return bytes;
}
