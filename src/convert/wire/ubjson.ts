/**
 * Universal Binary JSON, draft 12 (https://ubjson.org): the reader XGBoost's `.ubj` files need.
 * Numbers are big-endian. Typed arrays stay typed arrays. No recursion: nesting costs heap only.
 *
 * @module
 */
import { type ByteReader, createByteReader, syntaxError, take, takeText } from "./bytes.ts";

/** A value of a UBJSON document. Objects have no prototype. */
export type Ubjson =
  | null
  | boolean
  | number
  | string
  | Ubjson[]
  | UbjsonNumbers
  | UbjsonHandle
  | { [key: string]: Ubjson };

/** What an array of one number type becomes. 64-bit integers become doubles. */
export type UbjsonNumbers =
  | Int8Array
  | Uint8Array
  | Int16Array
  | Int32Array
  | Float32Array
  | Float64Array;

const code = (marker: string): number => marker.charCodeAt(0);
const [NULL, NOOP, TRUE, FALSE, CHAR, STRING, HIGH] = [..."ZNTFCSH"].map(code);
const [INT8, UINT8, INT16, INT32, INT64, FLOAT32, FLOAT64] = [..."iUIlLdD"].map(code);
const [ARRAY, ARRAY_END, OBJECT, OBJECT_END, TYPE, COUNT] = [..."[]{}$#"].map(code);

const WIDTH: { readonly [marker: number]: number } = {
  [INT8]: 1,
  [UINT8]: 1,
  [INT16]: 2,
  [INT32]: 4,
  [INT64]: 8,
  [FLOAT32]: 4,
  [FLOAT64]: 8,
};

/** An array or object that is still being filled. */
interface Open {
  readonly value: Ubjson[] | { [key: string]: Ubjson };
  readonly isObject: boolean;
  /** Marker shared by all items, or 0. */
  readonly type: number;
  /** Items still to come, or −1 when a closing marker ends it. */
  left: number;
}

/**
 * Takes over the reading of a counted list of any items.
 *
 * @param key Name of the field that holds it.
 * @param at Offset of the first item.
 * @returns What stands for the list, and the offset behind its last item; undefined to read it here.
 */
export type TakeList = (
  key: string,
  at: number,
  count: number,
) => { readonly value: UbjsonHandle; readonly end: number } | undefined;

/** A list that somebody else has read. */
export interface UbjsonHandle {
  readonly [handle: symbol]: unknown;
}

/**
 * Reads one document.
 *
 * @throws {ConversionError} `E_CONVERT_SYNTAX` with the byte offset. Announced lengths are compared
 * with the bytes that are left before anything is allocated.
 */
export function readUbjson(bytes: Uint8Array, takeList?: TakeList): Ubjson {
  const reader = createByteReader(bytes, "UBJSON");
  const stack: Open[] = [];
  for (;;) {
    const top = stack.at(-1);
    // Containers are attached to their parent when they open, so closing one only pops it.
    if (top !== undefined) {
      if (top.left === 0) {
        stack.pop();
        if (stack.length === 0) return top.value;
        continue;
      }
      if (top.left < 0) {
        const next = peek(reader);
        if (next === NOOP) {
          reader.offset++;
          continue;
        }
        if (next === (top.isObject ? OBJECT_END : ARRAY_END)) {
          reader.offset++;
          top.left = 0;
          continue;
        }
      } else {
        if (!top.isObject && top.type === 0) takeSmallIntegers(reader, top);
        if (top.left === 0) continue;
        top.left--;
      }
    }
    const key = top?.isObject ? takeText(reader, takeCount(reader)) : undefined;
    const marker = top !== undefined && top.type !== 0 ? top.type : takeMarker(reader);
    let value: Ubjson;
    let open: Open | undefined;
    if (marker === ARRAY || marker === OBJECT) {
      const started = openContainer(reader, marker === OBJECT);
      if ("numbers" in started) value = started.numbers;
      else {
        open = started;
        value = open.value;
        if (key !== undefined && started.type === 0 && started.left > 0 && !started.isObject) {
          const taken = takeList?.(key, reader.offset, started.left);
          if (taken !== undefined) {
            reader.offset = taken.end;
            value = taken.value;
            open = undefined;
          }
        }
      }
    } else value = takeScalar(reader, marker);
    if (top === undefined) {
      if (open === undefined) return value;
    } else if (key !== undefined) {
      const object = top.value as { [key: string]: Ubjson };
      // XGBoost takes the first of two, JSON the last.
      if (key in object) {
        throw syntaxError(reader.what, reader.offset, `the key "${key.slice(0, 40)}" occurs twice`);
      }
      object[key] = value;
    } else (top.value as Ubjson[]).push(value);
    if (open !== undefined) stack.push(open);
  }
}

/**
 * Takes the items of a list while they are integers of one or two bytes, each with its marker, as
 * XGBoost writes the outputs and rounds of trees: thousands of them, in a loop of their own.
 */
function takeSmallIntegers(reader: ByteReader, list: Open): void {
  const { bytes } = reader;
  const value = list.value as Ubjson[];
  const last = bytes.length - 3;
  let at = reader.offset;
  let left = list.left;
  for (; left > 0 && at <= last; left--) {
    const marker = bytes[at];
    if (marker === INT8) {
      value.push(bytes[at + 1] << 24 >> 24);
      at += 2;
    } else if (marker === INT16) {
      value.push((bytes[at + 1] << 24 | bytes[at + 2] << 16) >> 16);
      at += 3;
    } else break;
  }
  reader.offset = at;
  list.left = left;
}

function peek(reader: ByteReader): number {
  if (reader.offset >= reader.bytes.length) {
    throw syntaxError(reader.what, reader.offset, "the file ends inside a value");
  }
  return reader.bytes[reader.offset];
}

/** The next marker that is not padding. */
function takeMarker(reader: ByteReader): number {
  let marker = peek(reader);
  while (marker === NOOP) {
    reader.offset++;
    marker = peek(reader);
  }
  reader.offset++;
  return marker;
}

/** Reads `$type` and `#count`; arrays of one number type are read at once. */
function openContainer(
  reader: ByteReader,
  isObject: boolean,
): Open | { readonly numbers: UbjsonNumbers } {
  let type = 0;
  let left = -1;
  if (peek(reader) === TYPE) {
    reader.offset++;
    type = peek(reader);
    reader.offset++;
    if (peek(reader) !== COUNT) {
      throw syntaxError(reader.what, reader.offset, `a typed container needs "#" and a count`);
    }
  }
  if (peek(reader) === COUNT) {
    const at = reader.offset++;
    left = takeCount(reader);
    const width = WIDTH[type];
    const rest = reader.bytes.length - reader.offset;
    if (!isObject && width !== undefined) return { numbers: takeNumbers(reader, type, left) };
    // An untyped item has at least its marker, an entry at least the length of its key. Items of a
    // type without a payload (null, true) would cost nothing in the file, so they are refused.
    const least = (isObject ? 2 : 0) + (type === 0 ? 1 : width ?? (hasPayload(type) ? 1 : 0));
    if (least === 0 || left * least > rest) {
      throw syntaxError(reader.what, at, `${left} items are announced but ${rest} bytes are left`);
    }
  }
  const value = isObject ? Object.create(null) as { [key: string]: Ubjson } : [];
  return { value, isObject, type, left };
}

const hasPayload = (type: number): boolean =>
  type === CHAR || type === STRING || type === HIGH || type === ARRAY || type === OBJECT;

/** An integer with its own marker, used as a length. */
function takeCount(reader: ByteReader): number {
  const at = reader.offset;
  const marker = peek(reader);
  reader.offset++;
  if (marker !== FLOAT32 && marker !== FLOAT64 && WIDTH[marker] !== undefined) {
    const count = takeScalar(reader, marker) as number;
    if (count >= 0) return count;
  }
  throw syntaxError(reader.what, at, "a length must be a non-negative integer");
}

function takeScalar(reader: ByteReader, marker: number): Ubjson {
  const { view } = reader;
  switch (marker) {
    case NULL:
      return null;
    case TRUE:
      return true;
    case FALSE:
      return false;
    case CHAR:
      return takeText(reader, 1);
    case STRING:
      return takeText(reader, takeCount(reader));
    case HIGH:
      return Number(takeText(reader, takeCount(reader)));
    case INT8:
      return view.getInt8(take(reader, 1));
    case UINT8:
      return view.getUint8(take(reader, 1));
    case INT16:
      return view.getInt16(take(reader, 2));
    case INT32:
      return view.getInt32(take(reader, 4));
    case INT64:
      return int64(view, take(reader, 8));
    case FLOAT32:
      return view.getFloat32(take(reader, 4));
    case FLOAT64:
      return view.getFloat64(take(reader, 8));
    default:
      throw syntaxError(
        reader.what,
        reader.offset - 1,
        `0x${marker.toString(16)} is not a type marker`,
      );
  }
}

const int64 = (view: DataView, at: number): number =>
  view.getInt32(at) * 4294967296 + view.getUint32(at + 4);

/** A whole array of one number type. */
function takeNumbers(reader: ByteReader, type: number, count: number): UbjsonNumbers {
  const { view } = reader;
  let at = take(reader, count * WIDTH[type]);
  switch (type) {
    case INT8:
      return Int8Array.from(reader.bytes.subarray(at, at + count), (byte) => byte << 24 >> 24);
    case UINT8:
      return reader.bytes.slice(at, at + count);
    case INT16: {
      const out = new Int16Array(count);
      for (let i = 0; i < count; i++, at += 2) out[i] = view.getInt16(at);
      return out;
    }
    case INT32: {
      const out = new Int32Array(count);
      for (let i = 0; i < count; i++, at += 4) out[i] = view.getInt32(at);
      return out;
    }
    case INT64: {
      const out = new Float64Array(count);
      for (let i = 0; i < count; i++, at += 8) out[i] = int64(view, at);
      return out;
    }
    case FLOAT32: {
      const out = new Float32Array(count);
      for (let i = 0; i < count; i++, at += 4) out[i] = view.getFloat32(at);
      return out;
    }
    default: {
      const out = new Float64Array(count);
      for (let i = 0; i < count; i++, at += 8) out[i] = view.getFloat64(at);
      return out;
    }
  }
}
