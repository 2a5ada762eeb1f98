/**
 * The little of Java's object streams that a booster of SynapseML needs: the numbers of the outermost
 * object, and strings by how they begin.
 *
 * Java Object Serialization Specification, version 6.0, section 6.4.
 *
 * @module
 */
import { ConversionError } from "../../errors.ts";

const TC_NULL = 0x70;
const TC_REFERENCE = 0x71;
const TC_CLASSDESC = 0x72;
const TC_OBJECT = 0x73;
const TC_STRING = 0x74;
const TC_ENDBLOCKDATA = 0x78;
const TC_LONGSTRING = 0x7c;

/** Bytes of each primitive type. */
const WIDTHS: { readonly [type: string]: number } = {
  B: 1,
  C: 2,
  D: 8,
  F: 4,
  I: 4,
  J: 8,
  S: 2,
  Z: 1,
};

function fail(offset: number, expected: string): ConversionError {
  return new ConversionError(
    "E_CONVERT_SYNTAX",
    `Cannot read a Java object at byte ${offset}: expected ${expected}`,
    { details: { offset } },
  );
}

/** The outermost object of a stream: its class, and its fields of type int by name. */
export function shapeOfJava(
  bytes: Uint8Array,
): { readonly name: string; readonly fields: ReadonlyMap<string, number> } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const need = (count: number): number => {
    if (at + count > bytes.length) throw fail(at, `${count} bytes more`);
    at += count;
    return at - count;
  };
  const byte = (): number => bytes[need(1)];
  const expect = (value: number, what: string): void => {
    if (byte() !== value) throw fail(at - 1, what);
  };
  const short = (): number => view.getUint16(need(2));
  const text = (): string => {
    const length = short();
    const from = need(length);
    return new TextDecoder().decode(bytes.subarray(from, from + length));
  };
  if (short() !== 0xaced || short() !== 5) throw fail(0, "a stream of version 5");
  expect(TC_OBJECT, "an object");
  expect(TC_CLASSDESC, "a class description");
  const name = text();
  need(9); // serialVersionUID, flags
  const numFields = short();
  const primitives: { readonly name: string; readonly type: string }[] = [];
  for (let i = 0; i < numFields; i++) {
    const type = String.fromCharCode(byte());
    const field = text();
    if (WIDTHS[type] !== undefined) primitives.push({ name: field, type });
    else if (type === "L" || type === "[") {
      const kind = byte();
      if (kind === TC_STRING) text();
      else if (kind === TC_REFERENCE) need(4);
      else throw fail(at - 1, "the name of a type");
    } else throw fail(at, "the type of a field");
  }
  expect(TC_ENDBLOCKDATA, "the end of a class description");
  expect(TC_NULL, "a class without a superclass");
  const fields = new Map<string, number>();
  for (const field of primitives) {
    const from = need(WIDTHS[field.type]);
    if (field.type === "I") fields.set(field.name, view.getInt32(from));
  }
  return { name, fields };
}

/**
 * Bytes of the strings that begin so, wherever they are in the stream.
 *
 * @throws {ConversionError} `E_CONVERT_UNSUPPORTED` where a string has letters that Java writes otherwise
 * than UTF-8 does.
 */
export function stringsOfJava(bytes: Uint8Array, start: string): readonly Uint8Array[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const head = new TextEncoder().encode(start);
  const found: Uint8Array[] = [];
  for (let at = bytes.indexOf(head[0]); at >= 0; at = bytes.indexOf(head[0], at + 1)) {
    if (!head.every((byte, i) => bytes[at + i] === byte)) continue;
    let length = -1;
    if (at >= 3 && bytes[at - 3] === TC_STRING) length = view.getUint16(at - 2);
    else if (at >= 9 && bytes[at - 9] === TC_LONGSTRING) length = Number(view.getBigUint64(at - 8));
    if (length < head.length || at + length > bytes.length) continue;
    const string = bytes.subarray(at, at + length);
    checkUtf8(string);
    found.push(string);
    at += length - 1;
  }
  return found;
}

/** Java writes U+0000 as two bytes and letters beyond the basic plane as two surrogates. */
function checkUtf8(string: Uint8Array): void {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(string);
  } catch {
    throw new ConversionError(
      "E_CONVERT_UNSUPPORTED",
      "Cannot read a string of a Java object: it has letters that Java writes in its own way; " +
        "expected names within Unicode's basic plane",
    );
  }
}
