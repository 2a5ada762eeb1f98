/**
 * Checks of what a caller hands to a public function. Types do it for TypeScript; a script, or a value of
 * type `any`, gets an error that says which argument or option is wrong and what would be right.
 *
 * @module
 */
import { ParameterError } from "./errors.ts";
import { nearest } from "./util/nearest.ts";

/** A kind of value: what is expected, in words, and whether a value is that. */
type Kind = readonly [expected: string, is: (value: unknown) => boolean];

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === "string";

const KINDS = {
  flag: ["true or false", (value) => typeof value === "boolean"],
  text: ["text", isText],
  list: ["a list", isList],
  texts: ["a list of texts", (value) => isList(value) && everyPlace(value, isText)],
  number: ["a number", (value) => typeof value === "number" && value === value],
  numbers: [
    "a list of numbers",
    (value) => isList(value) && everyPlace(value, (one) => typeof one === "number"),
  ],
  /** Large enough for any purpose, small enough that counting to it ends. */
  count: [
    "a whole number from 1 to 1e9",
    (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 1e9,
  ],
  whole: ["a whole number", Number.isSafeInteger],
  function: ["a function", (value) => typeof value === "function"],
  signal: [
    "an AbortSignal",
    (value) => typeof value === "object" && value !== null && "aborted" in value,
  ],
  bytes: ["a Uint8Array", (value) => tagOf(value) === "Uint8Array"],
  rows: ["an Int32Array of row numbers", (value) => tagOf(value) === "Int32Array"],
  input: ["text or a Uint8Array", (value) => isText(value) || tagOf(value) === "Uint8Array"],
  stream: [
    "a ReadableStream",
    (value) => typeof value === "object" && value !== null && Symbol.asyncIterator in value,
  ],
  column: ["a column's name, or its position from 0", isColumn],
  columns: [
    "a list of columns, by name or by position from 0",
    (value) => isList(value) && everyPlace(value, isColumn),
  ],
  key: ["a CryptoKey", (value) => Object.prototype.toString.call(value) === "[object CryptoKey]"],
  map: ["a Map", (value) => Object.prototype.toString.call(value) === "[object Map]"],
  object: ["an object", isObject],
  /** Judged by the function itself. */
  any: ["", () => true],
} as const satisfies { readonly [name: string]: Kind };

/** Kind of an option, or the words that it may be. */
export type OptionKind = keyof typeof KINDS | readonly string[];

function isColumn(value: unknown): boolean {
  return isText(value) || Number.isSafeInteger(value) && Number(value) >= 0;
}

/** Holes count: `every` passes over them. */
function everyPlace(list: readonly unknown[], is: (value: unknown) => boolean): boolean {
  for (let i = 0; i < list.length; i++) if (!is(list[i])) return false;
  return true;
}

/** Name of a typed array's type, of any realm. */
export function tagOf(value: unknown): string | undefined {
  return ArrayBuffer.isView(value)
    ? (value as unknown as { readonly [Symbol.toStringTag]?: string })[Symbol.toStringTag]
    : undefined;
}

/** An object of named parts (a module is one): no list, no bytes, no map, no date. */
export function isObject(value: unknown): value is { readonly [name: string]: unknown } {
  return /^\[object (Object|Module)\]$/.test(Object.prototype.toString.call(value)) &&
    typeof (value as { readonly then?: unknown }).then !== "function";
}

/** Details of errors are plain data. */
function isPlain(value: unknown): boolean {
  return value === null || ["number", "string", "boolean"].includes(typeof value);
}

/** A value as an error shows it: short, and never an error itself. */
export function shownValue(value: unknown): string {
  if (typeof value === "string") {
    return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  }
  if (Object.is(value, -0)) return "-0";
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value !== "object" && typeof value !== "function") return String(value);
  if (value === null) return "null";
  if (typeof value === "function") return "a function";
  if (Array.isArray(value)) return `a list of ${value.length}`;
  const { length } = value as { readonly length?: unknown };
  const name = Object.prototype.toString.call(value).slice(8, -1);
  return typeof length === "number"
    ? `${name} of ${length}`
    : name === "Object"
    ? "an object"
    : name;
}

function refusal(call: string, name: string, value: unknown, expected: string): ParameterError {
  return new ParameterError(
    "E_PARAM_RANGE",
    `Cannot use ${name} ${shownValue(value)} in ${call}(): expected ${expected}`,
    { details: { param: name, ...(isPlain(value) && { value }) } },
  );
}

/** Checks one argument. @throws {ParameterError} `E_PARAM_RANGE` */
export function checkArgument(
  call: string,
  name: string,
  value: unknown,
  kind: OptionKind,
  expected?: string,
): void {
  const isWords = typeof kind !== "string";
  const [words, is] = isWords
    ? [`one of ${kind.join(", ")}`, (one: unknown) => isText(one) && kind.includes(one)] as const
    : KINDS[kind] as Kind;
  if (!is(value)) throw refusal(call, name, value, expected ?? words);
}

/** A piece of a stream, refused where it is no bytes. @throws {ParameterError} `E_PARAM_RANGE` */
export function checkedPiece(call: string, piece: Uint8Array): Uint8Array {
  checkArgument(
    call,
    "stream",
    piece,
    "bytes",
    "pieces of Uint8Array (pipe text through a TextEncoderStream)",
  );
  return piece;
}

/** What is right instead of a name that is none of the options, though one might think so. */
type Instead = { readonly [name: string]: string };

/**
 * Checks an object of options: that it is one, that no name is unknown, and the kind of each value.
 *
 * @param kinds Every option of the type.
 * @throws {ParameterError} `E_PARAM_UNKNOWN` with the nearest name, or `E_PARAM_RANGE`.
 */
export function checkOptions<Options extends object>(
  call: string,
  options: Options,
  kinds: { readonly [Name in keyof Required<Options>]: OptionKind },
  instead: Instead = {},
): void {
  checkParts(call, "options", options, kinds, instead);
}

/** As {@linkcode checkOptions}, of an option that is an object of options: `limits`. */
export function checkParts<Options extends object>(
  call: string,
  of: string,
  options: Options,
  kinds: { readonly [Name in keyof Required<Options>]: OptionKind },
  instead: Instead = {},
): void {
  checkArgument(call, of, options, "object");
  const prefix = of === "options" ? "" : `${of}.`;
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(kinds, name)) {
      const known = Object.keys(kinds);
      const right = nearest(name, known);
      throw new ParameterError(
        "E_PARAM_UNKNOWN",
        `Cannot use option ${shownValue(prefix + name)} in ${call}(): ${
          Object.hasOwn(instead, name)
            ? instead[name]
            : right === undefined
            ? `expected one of ${known.join(", ")}`
            : `did you mean "${prefix}${right}"?`
        }`,
        { details: { param: prefix + name, nearest: right } },
      );
    }
    const kind = kinds[name as keyof Options];
    if (value !== undefined) checkArgument(call, prefix + name, value, kind);
  }
}

/** Checks that an argument is a model. @throws {ParameterError} `E_PARAM_RANGE` */
export function checkModel(call: string, model: unknown): void {
  // By its parts: a model of another copy of the library is one, too.
  const { predictRaw, schema } = (model ?? {}) as { predictRaw?: unknown; schema?: unknown };
  if (typeof predictRaw === "function" && isObject(schema)) return;
  throw refusal(call, "model", model, "a Model, as train() and loadModel() give it");
}
