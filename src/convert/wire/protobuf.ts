/**
 * Just enough of the protobuf wire format (https://protobuf.dev/programming-guides/encoding/): an
 * iterator over the fields of a message, and readers of packed and unpacked numbers.
 *
 * @module
 */
import { type ByteReader, createByteReader, decodeText, syntaxError, take } from "./bytes.ts";

/** One field of a message. Exactly one of the values is meaningful, by `wire`. */
export interface Field {
  readonly number: number;
  /** 0 varint, 1 eight bytes, 2 bytes, 5 four bytes. */
  readonly wire: number;
  /** Where the field begins in the message, for messages to people. */
  readonly offset: number;
  /** Varints as signed 64-bit where they fit a double exactly. */
  readonly integer: number;
  readonly bytes: Uint8Array;
  readonly float: number;
}

const NOTHING = new Uint8Array(0);

/** Calls `visit` for each field of a message in order. */
export function eachField(
  message: Uint8Array,
  what: string,
  visit: (field: Field) => void,
): void {
  const reader = createByteReader(message, what);
  while (reader.offset < message.length) {
    const offset = reader.offset;
    const key = takeVarint(reader);
    const number = Math.floor(key / 8);
    const wire = key % 8;
    let integer = 0;
    let bytes: Uint8Array = NOTHING;
    let float = 0;
    switch (wire) {
      case 0:
        integer = takeVarint(reader);
        break;
      case 1:
        float = reader.view.getFloat64(take(reader, 8), true);
        break;
      case 2: {
        const length = takeVarint(reader);
        const at = take(reader, length);
        bytes = message.subarray(at, at + length);
        break;
      }
      case 5:
        float = reader.view.getFloat32(take(reader, 4), true);
        break;
      default:
        throw syntaxError(what, offset, `wire type ${wire} is not known`);
    }
    if (number === 0) throw syntaxError(what, offset, "field number 0 is not allowed");
    visit({ number, wire, offset, integer, bytes, float });
  }
}

/** A varint as a signed 64-bit integer; beyond 2^53 the nearest double. */
function takeVarint(reader: ByteReader): number {
  let low = 0; // 28 bits
  let middle = 0; // 28 bits
  let high = 0; // 8 bits
  for (let i = 0; i < 10; i++) {
    const byte = reader.bytes[take(reader, 1)];
    const part = byte & 127;
    if (i < 4) low |= part << (7 * i);
    else if (i < 8) middle |= part << (7 * (i - 4));
    else high |= part << (7 * (i - 8));
    if (byte < 128) {
      const value = (high & 255) * 2 ** 56 + middle * 2 ** 28 + low;
      // The top bit of 64 makes it negative.
      return high & 128
        ? -(((~high & 127) * 2 ** 56) + (~middle & 0xfffffff) * 2 ** 28 + (~low & 0xfffffff) + 1)
        : value;
    }
  }
  throw syntaxError(reader.what, reader.offset, "a varint is longer than 10 bytes");
}

/** Appends the integers of a field, packed or single. */
export function pushIntegers(field: Field, what: string, out: number[]): void {
  if (field.wire === 0) {
    out.push(field.integer);
    return;
  }
  if (field.wire !== 2) throw syntaxError(what, field.offset, "expected integers");
  const reader = createByteReader(field.bytes, what);
  while (reader.offset < field.bytes.length) out.push(takeVarint(reader));
}

/** Appends the floats of a field, packed or single; `width` 4 or 8 bytes. */
export function pushFloats(field: Field, what: string, width: 4 | 8, out: number[]): void {
  if (field.wire === (width === 4 ? 5 : 1)) {
    out.push(field.float);
    return;
  }
  if (field.wire !== 2 || field.bytes.length % width !== 0) {
    throw syntaxError(what, field.offset, `expected floats of ${width} bytes`);
  }
  const { bytes } = field;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < bytes.length; at += width) {
    out.push(width === 4 ? view.getFloat32(at, true) : view.getFloat64(at, true));
  }
}

/** A field's bytes as UTF-8; the offset of an error is the field's in its message. */
export function fieldText(field: Field): string {
  return decodeText(field.bytes, "an ONNX text", field.offset);
}
