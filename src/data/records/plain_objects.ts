/**
 * Lines of JSON like the ones before → columns, straight from bytes: the same keys in the same
 * order, numbers, text without escapes, `null`, `true` and `false`. All other lines, right or
 * wrong, are for `JSON.parse`, which is the specification.
 *
 * @module
 */
import { createDecimalReader } from "../reading/decimal.ts";
import { createDictionary, type Dictionary } from "../reading/dictionary.ts";
import { createLineDecoder } from "../reading/line_reader.ts";
import type { ColumnFeed } from "./row_columns.ts";

/** Reads plain lines; their rows are set aside until `flush`. */
export interface PlainObjects {
  /** Reads a line, if it is plain. A line that is not leaves no trace. */
  read(bytes: Uint8Array, start: number, end: number): boolean;
  /** Hears of every line that was not plain, once its row was added: the next may be like it. */
  learn(bytes: Uint8Array, start: number, end: number): void;
  /** Hands the rows on. It must come before anything else adds a row. */
  flush(): void;
}

/** A key and its column. */
interface Field {
  /** The key as it stands in the line, with its quotes. */
  readonly key: Uint8Array;
  readonly feed: ColumnFeed;
  readonly numbers: Float64Array;
  readonly codes: Int32Array;
  readonly dictionary: Dictionary;
  /** Codes of the entries of the dictionary. */
  readonly codeOf: number[];
  /** Whether the column holds numbers alone so far. */
  numeric: boolean;
  /** Whether it holds true or false. */
  boolean: boolean;
}

/** A value whose code is asked for when its line is known to be plain. */
interface Pending {
  readonly field: Field;
  readonly value: string | boolean;
  readonly start: number;
  readonly end: number;
}

/** Rows that are set aside at once. */
const ROWS = 1024;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/**
 * A reader that knows no keys yet.
 *
 * @param feedOf The column of a key, which exists.
 * @param advance Says that so many rows were handed to all columns.
 */
export function createPlainObjects(
  feedOf: (key: string) => ColumnFeed,
  advance: (count: number) => void,
): PlainObjects {
  const decimal = createDecimalReader();
  const decode = createLineDecoder();
  const known = new Map<string, Field>();
  let fields: Field[] = [];
  let rows = 0;
  let taken = 0;
  let learnt = 0;
  let pending: Pending[] = [];

  function read(bytes: Uint8Array, start: number, end: number): boolean {
    if (fields.length === 0) return false;
    if (pending.length > 0) pending = [];
    let p = afterSpace(bytes, start);
    if (bytes[p] !== OPEN) return false;
    p = afterSpace(bytes, p + 1);
    let next = 0;
    if (bytes[p] === CLOSE) p++;
    else {
      for (;;) {
        while (next < fields.length && !startsWith(bytes, p, fields[next].key)) {
          setMissing(fields[next++]);
        }
        if (next === fields.length) return false;
        const field = fields[next++];
        p = afterSpace(bytes, p + field.key.length);
        if (bytes[p] !== COLON) return false;
        p = readValue(bytes, afterSpace(bytes, p + 1), field);
        if (p < 0) return false;
        p = afterSpace(bytes, p);
        const byte = bytes[p++];
        if (byte === CLOSE) break;
        if (byte !== COMMA) return false;
        p = afterSpace(bytes, p);
      }
    }
    if (afterSpace(bytes, p) !== end) return false;
    while (next < fields.length) setMissing(fields[next++]);
    for (const one of pending) settle(bytes, one);
    taken++;
    if (++rows === ROWS) flush();
    return true;
  }

  /** The place behind a value, or −1. */
  function readValue(bytes: Uint8Array, p: number, field: Field): number {
    switch (bytes[p]) {
      case QUOTE:
        return field.numeric ? -1 : readText(bytes, p + 1, field);
      case 0x6e: // null
        if (!isWord(bytes, p, "null")) return -1;
        setMissing(field);
        return p + 4;
      case 0x74: // true
        if (!field.boolean || !isWord(bytes, p, "true")) return -1;
        pending.push({ field, value: true, start: 0, end: 0 });
        return p + 4;
      case 0x66: // false
        if (!field.boolean || !isWord(bytes, p, "false")) return -1;
        pending.push({ field, value: false, start: 0, end: 0 });
        return p + 5;
      default:
        if (!field.numeric) return -1;
        p = decimal.read(bytes, p, true);
        field.numbers[rows] = decimal.value;
        // A number beyond float64 is told by the long way.
        return decimal.value - decimal.value === 0 ? p : -1;
    }
  }

  function readText(bytes: Uint8Array, start: number, field: Field): number {
    let p = start;
    let byte = bytes[p];
    // A newline ends every line and is not in one.
    while (byte !== QUOTE && byte !== BACKSLASH && byte >= 0x20) byte = bytes[++p];
    if (byte !== QUOTE) return -1;
    const entry = field.dictionary.find(bytes, start, p);
    if (entry >= 0) field.codes[rows] = field.codeOf[entry];
    else {
      const value = decode(bytes, start, p);
      if (value === undefined) return -1;
      pending.push({ field, value, start, end: p });
    }
    return p + 1;
  }

  function settle(bytes: Uint8Array, { field, value, start, end }: Pending): void {
    const code = field.feed.codeOf(value);
    field.codes[rows] = code;
    if (typeof value === "boolean" || field.dictionary.find(bytes, start, end) >= 0) return;
    field.dictionary.add(bytes, start, end);
    field.codeOf.push(code);
  }

  function setMissing(field: Field): void {
    if (field.numeric) field.numbers[rows] = NaN;
    else field.codes[rows] = -1;
  }

  function flush(): void {
    if (rows === 0) return;
    for (const { feed, numeric, numbers, codes } of fields) {
      if (numeric) feed.appendNumbers(numbers, rows);
      else feed.appendCodes(codes, rows);
    }
    advance(rows);
    rows = 0;
  }

  function learn(bytes: Uint8Array, start: number, end: number): void {
    for (const field of fields) refresh(field);
    // Where hardly a line is like the one before there is nothing to learn.
    if (learnt > 100 + taken) return;
    learnt++;
    const keys = keysOf(bytes, start, end);
    const texts = keys?.map((key) => decode(key, 1, key.length - 1) ?? "");
    if (keys === undefined || texts === undefined || new Set(texts).size < texts.length) return;
    fields = texts.map((text, at) => {
      let field = known.get(text);
      if (field === undefined) {
        field = {
          key: keys[at],
          feed: feedOf(text),
          numbers: new Float64Array(ROWS),
          codes: new Int32Array(ROWS),
          dictionary: createDictionary(),
          codeOf: [],
          numeric: true,
          boolean: false,
        };
        known.set(text, field);
      }
      refresh(field);
      return field;
    });
  }

  function refresh(field: Field): void {
    field.numeric = field.feed.isNumeric();
    field.boolean = field.feed.hasBoolean();
  }

  return { read, learn, flush };
}

/** Keys of an object as they stand in a line of JSON; undefined where one has escapes. */
function keysOf(bytes: Uint8Array, start: number, end: number): Uint8Array[] | undefined {
  const keys: Uint8Array[] = [];
  let p = afterSpace(bytes, start) + 1;
  for (;;) {
    p = afterSpace(bytes, p);
    if (bytes[p] !== QUOTE) return undefined;
    const from = p;
    p = behindText(bytes, p, end);
    const key = bytes.slice(from, p);
    if (key.includes(BACKSLASH)) return undefined;
    keys.push(key);
    p = afterSpace(bytes, afterSpace(bytes, p) + 1);
    if (bytes[p] === QUOTE) p = behindText(bytes, p, end);
    while (p < end && bytes[p] !== COMMA && bytes[p] !== CLOSE) p++;
    if (p >= end) return undefined;
    if (bytes[p++] === CLOSE) return keys;
  }
}

function behindText(bytes: Uint8Array, start: number, end: number): number {
  let p = start + 1;
  for (; p < end && bytes[p] !== QUOTE; p++) if (bytes[p] === BACKSLASH) p++;
  return p + 1;
}

function afterSpace(bytes: Uint8Array, p: number): number {
  while (bytes[p] === 0x20 || bytes[p] === 0x09) p++;
  return p;
}

function startsWith(bytes: Uint8Array, p: number, key: Uint8Array): boolean {
  for (let i = 0; i < key.length; i++) if (bytes[p + i] !== key[i]) return false;
  return true;
}

function isWord(bytes: Uint8Array, p: number, word: string): boolean {
  for (let i = 0; i < word.length; i++) if (bytes[p + i] !== word.charCodeAt(i)) return false;
  return true;
}
