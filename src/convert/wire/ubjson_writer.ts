/**
 * Writes UBJSON (draft 12) as XGBoost reads it: typed arrays with counts, 64-bit lengths, numbers
 * big-endian.
 *
 * @module
 */

/** Integers that are written as 64-bit. */
export interface Int64List {
  readonly int64: readonly number[];
}

/** Floats that stay a list of single values, not a typed array. */
export interface Float32List {
  readonly float32: readonly number[];
}

/** A value that can be written. */
export type UbjsonValue =
  | null
  | boolean
  | number
  | string
  | Int64List
  | Float32List
  | Int8Array
  | Uint8Array
  | Int32Array
  | Float32Array
  | readonly UbjsonValue[]
  | { readonly [key: string]: UbjsonValue };

/** Bytes that grow. */
interface Sink {
  bytes: Uint8Array<ArrayBuffer>;
  view: DataView;
  length: number;
}

function reserve(sink: Sink, more: number): number {
  const at = sink.length;
  sink.length += more;
  if (sink.length > sink.bytes.length) {
    const bytes = new Uint8Array(Math.max(sink.length, 2 * sink.bytes.length));
    bytes.set(sink.bytes);
    sink.bytes = bytes;
    sink.view = new DataView(bytes.buffer);
  }
  return at;
}

/** Writes a document. Values are as deep as the caller makes them, which is a handful of levels. */
export function writeUbjson(value: UbjsonValue): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(65536);
  const sink: Sink = { bytes, view: new DataView(bytes.buffer), length: 0 };
  put(sink, value);
  return sink.bytes.slice(0, sink.length);
}

const encoder = new TextEncoder();

function marker(sink: Sink, char: string): void {
  const at = reserve(sink, 1);
  sink.bytes[at] = char.charCodeAt(0);
}

function length(sink: Sink, count: number): void {
  marker(sink, "L");
  const at = reserve(sink, 8);
  sink.view.setUint32(at, Math.floor(count / 4294967296));
  sink.view.setUint32(at + 4, count >>> 0);
}

function text(sink: Sink, value: string): void {
  const bytes = encoder.encode(value);
  length(sink, bytes.length);
  const at = reserve(sink, bytes.length);
  sink.bytes.set(bytes, at);
}

function put(sink: Sink, value: UbjsonValue): void {
  if (value === null) return marker(sink, "Z");
  if (typeof value === "boolean") return marker(sink, value ? "T" : "F");
  if (typeof value === "string") {
    marker(sink, "S");
    return text(sink, value);
  }
  if (typeof value === "number") return number(sink, value);
  if (value instanceof Float32Array) {
    return typed(sink, "d", value.length, 4, (at, i) => sink.view.setFloat32(at, value[i]));
  }
  if (value instanceof Int32Array) {
    return typed(sink, "l", value.length, 4, (at, i) => sink.view.setInt32(at, value[i]));
  }
  if (value instanceof Uint8Array) {
    return typed(sink, "U", value.length, 1, (at, i) => sink.view.setUint8(at, value[i]));
  }
  if (value instanceof Int8Array) {
    return typed(sink, "i", value.length, 1, (at, i) => sink.view.setInt8(at, value[i]));
  }
  if (Array.isArray(value)) {
    marker(sink, "[");
    marker(sink, "#");
    length(sink, value.length);
    for (const item of value) put(sink, item);
    return;
  }
  const fields = value as { readonly [key: string]: UbjsonValue };
  if (Array.isArray(fields.int64)) {
    const list = fields.int64 as readonly number[];
    return typed(sink, "L", list.length, 8, (at, i) => {
      sink.view.setBigInt64(at, BigInt(list[i]));
    });
  }
  if (Array.isArray(fields.float32)) {
    const list = fields.float32 as readonly number[];
    marker(sink, "[");
    marker(sink, "#");
    length(sink, list.length);
    for (const item of list) {
      marker(sink, "d");
      const at = reserve(sink, 4);
      sink.view.setFloat32(at, item);
    }
    return;
  }
  marker(sink, "{");
  for (const [key, item] of Object.entries(fields)) {
    text(sink, key);
    put(sink, item);
  }
  marker(sink, "}");
}

function number(sink: Sink, value: number): void {
  if (Number.isInteger(value) && Math.abs(value) < 2 ** 31) {
    marker(sink, "l");
    const at = reserve(sink, 4);
    sink.view.setInt32(at, value);
    return;
  }
  marker(sink, "d");
  const at = reserve(sink, 4);
  sink.view.setFloat32(at, value);
}

function typed(
  sink: Sink,
  type: string,
  count: number,
  width: number,
  write: (at: number, index: number) => void,
): void {
  marker(sink, "[");
  marker(sink, "$");
  marker(sink, type);
  marker(sink, "#");
  length(sink, count);
  const start = reserve(sink, count * width);
  for (let i = 0; i < count; i++) write(start + i * width, i);
}
