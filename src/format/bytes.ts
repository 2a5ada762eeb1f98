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

/** Starts reading at `from`, which is a multiple of 8 in a buffer aligned to 8. */
export function createReader(bytes: Uint8Array, from: number, length: number): ByteReader {
  const end = from + length;
  const { buffer, byteOffset } = bytes;
  let at = from;

  function take(count: number, width: number): number {
    const start = at;
    if (!(count >= 0 && count * width <= end - start)) {
      throw corrupt(start, `${count} numbers of ${width} bytes do not fit`);
    }
    at += count * width;
    while (at < end && (at & 7) !== 0) {
      if (bytes[at] !== 0) throw corrupt(at, "padding is not zero");
      at++;
    }
    return byteOffset + start;
  }

  type View<T> = new (buffer: ArrayBufferLike, at: number, count: number) => T;
  /** Reads arrays of one type. */
  const of = <T>(Type: View<T> & { readonly BYTES_PER_ELEMENT: number }) => (count: number): T =>
    new Type(buffer, take(count, Type.BYTES_PER_ELEMENT), count);

  return {
    offset: () => at,
    remaining: () => end - at,
    u8: of(Uint8Array),
    u16: of(Uint16Array),
    u32: of(Uint32Array),
    i32: of(Int32Array),
    f32: of(Float32Array),
    f64: of(Float64Array),
    end() {
      if (at !== end) throw corrupt(at, `${end - at} bytes too many`);
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
