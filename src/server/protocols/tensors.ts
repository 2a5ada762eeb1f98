/**
 * Tensors of the Open Inference Protocol: JSON, nested or flat, and Triton's raw little-endian form.
 *
 * @module
 */
import { DataError } from "../../errors.ts";
import { utf8Fault } from "../../util/utf8.ts";
import { quote, shown } from "../body/encoder.ts";

/** One input as the request describes it. */
export interface TensorHead {
  readonly name: string;
  readonly shape: readonly number[];
  readonly datatype: string;
  readonly size: number;
}

/** One input, cell by cell in row-major order. */
export interface Tensor extends TensorHead {
  /**
   * A cell.
   *
   * @throws {DataError} `E_DATA_PARSE` for bytes that are not UTF-8, `E_DATA_TYPE` for whole numbers of
   * 64 bits beyond 2⁵³ − 1.
   */
  readonly at: (index: number) => unknown;
}

/** Bytes of an element; BYTES has its length before it. */
const WIDTHS: { readonly [datatype: string]: number } = {
  BOOL: 1,
  UINT8: 1,
  INT8: 1,
  UINT16: 2,
  INT16: 2,
  FP16: 2,
  BF16: 2,
  UINT32: 4,
  INT32: 4,
  FP32: 4,
  UINT64: 8,
  INT64: 8,
  FP64: 8,
};

/** Least and greatest number of the datatypes that hold whole numbers. */
const WHOLE: { readonly [datatype: string]: readonly [number, number] } = {
  UINT8: [0, 2 ** 8 - 1],
  INT8: [-(2 ** 7), 2 ** 7 - 1],
  UINT16: [0, 2 ** 16 - 1],
  INT16: [-(2 ** 15), 2 ** 15 - 1],
  UINT32: [0, 2 ** 32 - 1],
  INT32: [-(2 ** 31), 2 ** 31 - 1],
  UINT64: [0, 2 ** 64],
  INT64: [-(2 ** 63), 2 ** 63],
};

/**
 * Checks an input's description.
 *
 * @throws {DataError} `E_DATA_SHAPE`.
 */
export function tensorHead(value: unknown, index: number): TensorHead {
  const { name, shape, datatype } = (value ?? {}) as Record<string, unknown>;
  const fail = (what: string): never => {
    throw new DataError("E_DATA_SHAPE", `Cannot read input ${index}: ${what}`, {
      details: { input: index },
    });
  };
  if (typeof name !== "string") return fail("it has no name");
  if (
    !Array.isArray(shape) || shape.length === 0 || shape.length > 8 ||
    !shape.every((n) => Number.isInteger(n) && n >= 0)
  ) return fail(`${quote(name)} has no shape of whole numbers`);
  if (typeof datatype !== "string" || !(datatype === "BYTES" || Object.hasOwn(WIDTHS, datatype))) {
    return fail(`${quote(name)} has an unknown datatype ${shown(datatype)}`);
  }
  const size = shape.reduce((product: number, n: number) => product * n, 1);
  if (size > Number.MAX_SAFE_INTEGER) return fail(`${quote(name)} is too large`);
  return { name, shape, datatype, size };
}

/**
 * A tensor from JSON `data`, flat or nested as the shape says; null is missing, as it is in all of
 * Treeline's JSON.
 *
 * @throws {DataError} `E_DATA_SHAPE` for another number of values, and for lists of other lengths:
 * what is missing in one would be made up by the next. `E_DATA_TYPE` for a number that the datatype
 * cannot hold: other servers would cut it to one that it can.
 */
export function tensorFromJson(head: TensorHead, data: unknown): Tensor {
  if (data === undefined) throw sizeError(head, "no data");
  // Nested arrays are flattened level by level: no recursion, so depth cannot exhaust the stack.
  let level: unknown[] = Array.isArray(data) ? data : [data];
  const lengths = [level.length];
  while (level.length > 0 && lengths.length <= 8 && level.some(Array.isArray)) {
    const width = (level[0] as unknown[])?.length;
    if (!level.every((list) => Array.isArray(list) && list.length === width)) {
      throw sizeError(head, "lists of several lengths");
    }
    lengths.push(width);
    if (level.length * width > head.size) break;
    level = level.flat(1);
  }
  if (level.length !== head.size) throw sizeError(head, `${level.length} values`);
  const long = (shape: readonly number[]) => shape.filter((length) => length !== 1).join();
  if (lengths.length > 1 && long(lengths) !== long(head.shape)) {
    throw sizeError(head, `lists of shape [${lengths}]`);
  }
  const cells = level;
  checkWhole(head, cells);
  return { ...head, at: isLong(head) ? (i) => exactCell(head, cells[i], i) : (i) => cells[i] };
}

function checkWhole({ name, datatype }: TensorHead, cells: readonly unknown[]): void {
  if (!Object.hasOwn(WHOLE, datatype)) return;
  const [least, greatest] = WHOLE[datatype];
  const index = cells.findIndex((cell) =>
    typeof cell === "number" && !(Number.isInteger(cell) && cell >= least && cell <= greatest)
  );
  if (index < 0) return;
  throw new DataError(
    "E_DATA_TYPE",
    `Cannot read input ${quote(name)}, value ${index}: ${
      cells[index]
    } is not of type ${datatype}, ` +
      `which holds whole numbers from ${least} to ${greatest}`,
    { details: { input: name.slice(0, 200), index } },
  );
}

/** A tensor from raw bytes. */
export function tensorFromBytes(head: TensorHead, bytes: Uint8Array): Tensor {
  if (head.datatype === "BYTES") return bytesTensor(head, bytes);
  const width = WIDTHS[head.datatype];
  if (bytes.byteLength !== head.size * width) throw sizeError(head, `${bytes.byteLength} bytes`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const read = READERS[head.datatype];
  const at = (i: number) => read(view, i * width);
  return { ...head, at: isLong(head) ? (i) => exactCell(head, at(i), i) : at };
}

function bytesTensor(head: TensorHead, bytes: Uint8Array): Tensor {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const ends: number[] = [];
  let at = 0;
  while (ends.length < head.size && at + 4 <= bytes.byteLength) {
    const length = view.getUint32(at, true);
    if (at + 4 + length > bytes.byteLength) break;
    ends.push(at += 4 + length);
  }
  if (ends.length !== head.size || at !== bytes.byteLength) {
    throw sizeError(head, `${bytes.byteLength} bytes`);
  }
  const text = (i: number) => bytes.subarray((i === 0 ? 0 : ends[i - 1]) + 4, ends[i]);
  return { ...head, at: (i) => elementText(head, text(i), i) };
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * The text of an element. It is read where it is used: a column that no model asks for may hold
 * anything.
 */
function elementText({ name }: TensorHead, bytes: Uint8Array, index: number): string {
  const text = decoder.decode(bytes);
  const offset = utf8Fault(bytes, text);
  if (offset < 0) return text;
  throw new DataError(
    "E_DATA_PARSE",
    `Cannot read input ${quote(name)}, value ${index}: it is not UTF-8 text at byte ${offset}`,
    { details: { input: name.slice(0, 200), index, offset } },
  );
}

/**
 * A whole number of 64 bits that float64 holds.
 *
 * @throws {DataError} `E_DATA_TYPE` beyond 2⁵³ − 1: one of its neighbours would be scored, and a number
 * of JSON may already be one.
 */
function exactCell({ name, datatype }: TensorHead, cell: unknown, index: number): unknown {
  if (typeof cell !== "number" && typeof cell !== "bigint") return cell;
  if (Number.isSafeInteger(Number(cell))) return Number(cell);
  throw new DataError(
    "E_DATA_TYPE",
    `Cannot read input ${quote(name)}, value ${index}: ${cell} of ${datatype} is beyond ` +
      `${Number.MAX_SAFE_INTEGER}, where models' numbers have gaps; send FP64 if the nearest will do`,
    { details: { input: name.slice(0, 200), index } },
  );
}

function isLong({ datatype }: TensorHead): boolean {
  return datatype === "INT64" || datatype === "UINT64";
}

const READERS: { readonly [datatype: string]: (view: DataView, at: number) => unknown } = {
  BOOL: (view, at) => view.getUint8(at) !== 0,
  UINT8: (view, at) => view.getUint8(at),
  INT8: (view, at) => view.getInt8(at),
  UINT16: (view, at) => view.getUint16(at, true),
  INT16: (view, at) => view.getInt16(at, true),
  FP16: (view, at) => halfToNumber(view.getUint16(at, true)),
  BF16: (view, at) => brainToNumber(view.getUint16(at, true)),
  UINT32: (view, at) => view.getUint32(at, true),
  INT32: (view, at) => view.getInt32(at, true),
  FP32: (view, at) => view.getFloat32(at, true),
  UINT64: (view, at) => view.getBigUint64(at, true),
  INT64: (view, at) => view.getBigInt64(at, true),
  FP64: (view, at) => view.getFloat64(at, true),
};

/** IEEE 754 binary16. */
function halfToNumber(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = bits >> 10 & 31;
  const fraction = bits & 1023;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** bfloat16: the upper half of a float32. */
function brainToNumber(bits: number): number {
  return new Float32Array(new Uint32Array([bits << 16]).buffer)[0];
}

function sizeError(head: TensorHead, found: string): DataError {
  return new DataError(
    "E_DATA_SHAPE",
    `Cannot read input ${quote(head.name)}: found ${found}, expected shape [${head.shape}]`,
    { details: { input: head.name.slice(0, 200), shape: head.shape } },
  );
}

/** An output before it is written. */
export interface OutputTensor {
  readonly name: string;
  readonly datatype: "FP64" | "INT32" | "BYTES";
  readonly shape: readonly number[];
  readonly data: readonly string[] | Float64Array | Int32Array;
}

/** Raw bytes of an output. */
export function tensorToBytes({ data }: OutputTensor): Uint8Array {
  if (data instanceof Float64Array || data instanceof Int32Array) {
    return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  }
  const texts = data.map((text) => new TextEncoder().encode(text));
  const bytes = new Uint8Array(texts.reduce((sum, text) => sum + 4 + text.length, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const text of texts) {
    view.setUint32(at, text.length, true);
    bytes.set(text, at + 4);
    at += 4 + text.length;
  }
  return bytes;
}
