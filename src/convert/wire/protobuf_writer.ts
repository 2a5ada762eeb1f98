/**
 * Writes the protobuf wire format: messages as lists of fields.
 *
 * @module
 */

/** Bytes of a message; nested messages are fields of bytes. */
export type Message = Uint8Array<ArrayBuffer>;

const encoder = new TextEncoder();

/** Joins fields into a message. */
export function message(...fields: readonly Uint8Array[]): Message {
  return messageOf(fields);
}

/** Joins any number of fields into a message; a call takes some 100,000 arguments at most. */
export function messageOf(fields: readonly Uint8Array[]): Message {
  const bytes = new Uint8Array(fields.reduce((sum, field) => sum + field.length, 0));
  let at = 0;
  for (const field of fields) {
    bytes.set(field, at);
    at += field.length;
  }
  return bytes;
}

function varint(value: number): number[] {
  const out: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  do {
    const part = Number(rest & 127n);
    rest >>= 7n;
    out.push(rest === 0n ? part : part | 128);
  } while (rest !== 0n);
  return out;
}

/** A field of a nested message, of raw bytes or of text. */
export function bytesField(number: number, value: Uint8Array | string): Message {
  const bytes = typeof value === "string" ? encoder.encode(value) : value;
  return message(Uint8Array.from([...varint(number * 8 + 2), ...varint(bytes.length)]), bytes);
}

/** An integer field. */
export function integerField(number: number, value: number): Message {
  return Uint8Array.from([...varint(number * 8), ...varint(value)]);
}

/** Integers, packed. */
export function integersField(number: number, values: ArrayLike<number>): Message {
  const out: number[] = [];
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (value >= 0 && value < 128) out.push(value);
    else for (const byte of varint(value)) out.push(byte);
  }
  return bytesField(number, Uint8Array.from(out));
}

/** Floats of 4 or 8 bytes, packed. */
export function floatsField(number: number, values: ArrayLike<number>, width: 4 | 8): Message {
  const bytes = new Uint8Array(values.length * width);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < values.length; i++) {
    if (width === 4) view.setFloat32(4 * i, values[i], true);
    else view.setFloat64(8 * i, values[i], true);
  }
  return bytesField(number, bytes);
}
