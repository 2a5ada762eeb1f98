/**
 * A cursor over bytes whose every read is checked against the end: damaged files give an error
 * with an offset, never a read outside or an allocation larger than the file.
 *
 * @module
 */
import { ConversionError } from "../../errors.ts";
import { utf8Fault } from "../../util/utf8.ts";

/** What went wrong where, in the house's form. */
export function syntaxError(what: string, offset: number, found: string): ConversionError {
  return new ConversionError(
    "E_CONVERT_SYNTAX",
    `Cannot read ${what} at byte ${offset}: ${found}`,
    { details: { offset } },
  );
}

/** Reads numbers and strings in order. */
export interface ByteReader {
  /** Where the next read begins. */
  offset: number;
  readonly bytes: Uint8Array;
  readonly view: DataView;
  /** What is being read, for messages. */
  readonly what: string;
}

/** Starts reading at the first byte. */
export function createByteReader(bytes: Uint8Array, what: string): ByteReader {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { offset: 0, bytes, view, what };
}

/** Claims the next `count` bytes and returns where they begin. */
export function take(reader: ByteReader, count: number): number {
  const at = reader.offset;
  const left = reader.bytes.length - at;
  if (!(count >= 0 && count <= left)) {
    throw syntaxError(reader.what, at, `${count} bytes are announced but ${left} are left`);
  }
  reader.offset = at + count;
  return at;
}

/** Unsigned 64-bit number, which must be a length that the rest of the file can hold. */
export function takeLength64(
  reader: ByteReader,
  littleEndian: boolean,
  bytesPerItem: number,
): number {
  const at = take(reader, 8);
  const low = reader.view.getUint32(at + (littleEndian ? 0 : 4), littleEndian);
  const high = reader.view.getUint32(at + (littleEndian ? 4 : 0), littleEndian);
  const length = high * 4294967296 + low;
  if (length * bytesPerItem > reader.bytes.length - reader.offset) {
    throw syntaxError(
      reader.what,
      at,
      `a length of ${length} is announced but ${
        reader.bytes.length - reader.offset
      } bytes are left`,
    );
  }
  return length;
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Bytes as UTF-8 text.
 *
 * @param offset Where the bytes lie in the file.
 * @throws {ConversionError} `E_CONVERT_SYNTAX` with the offset of bytes that are none: two names would
 * become one.
 */
export function decodeText(bytes: Uint8Array, what: string, offset = 0): string {
  const text = decoder.decode(bytes);
  const fault = utf8Fault(bytes, text);
  if (fault >= 0) throw syntaxError(what, offset + fault, "the text is not UTF-8");
  return text;
}

/** UTF-8 text of `length` bytes. Short ASCII (keys, mostly) does not pay for a decoder call. */
export function takeText(reader: ByteReader, length: number): string {
  const at = take(reader, length);
  const { bytes } = reader;
  if (length <= 32) {
    let text = "";
    let i = at;
    for (; i < at + length && bytes[i] < 128; i++) text += String.fromCharCode(bytes[i]);
    if (i === at + length) return text;
  }
  return decodeText(bytes.subarray(at, at + length), reader.what, at);
}
