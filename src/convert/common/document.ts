/**
 * Typed access to parsed documents whose shape nobody promised: every getter says which field is
 * missing or of the wrong type.
 *
 * @module
 */
import { ConversionError } from "../../errors.ts";

/** A JSON-like object from a foreign file. */
export type Fields = { readonly [key: string]: unknown };

/** A foreign array of numbers. */
export type NumberArray = ArrayLike<number>;

/** The error of a field that is not what it has to be. */
export function fieldError(path: string, found: unknown, expected: string): ConversionError {
  return new ConversionError(
    "E_CONVERT_SYNTAX",
    `Cannot read "${path}": found ${describe(found)}, expected ${expected}`,
    { details: { path } },
  );
}

function describe(value: unknown): string {
  if (value === undefined) return "nothing";
  if (typeof value === "string") return `"${value.slice(0, 40)}"`;
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (ArrayBuffer.isView(value)) return "numbers";
  return typeof value === "object" && value !== null ? "an object" : String(value);
}

/** A field's value, or undefined. Names like `constructor` are only found where the file has them. */
export function optional(fields: Fields, key: string): unknown {
  return Object.hasOwn(fields, key) ? fields[key] : undefined;
}

/** The value itself when it is an object. */
export function asFields(value: unknown, path: string): Fields {
  if (
    typeof value === "object" && value !== null && !Array.isArray(value) &&
    !ArrayBuffer.isView(value)
  ) return value as Fields;
  throw fieldError(path, value, "an object");
}

/** A field that is an object. */
export function objectAt(fields: Fields, key: string): Fields {
  return asFields(optional(fields, key), key);
}

/** A field that is a list of anything. */
export function listAt(fields: Fields, key: string): readonly unknown[] {
  const value = optional(fields, key);
  if (Array.isArray(value)) return value;
  if (ArrayBuffer.isView(value)) return Array.from(value as unknown as NumberArray);
  throw fieldError(key, value, "a list");
}

/** A field that is text. */
export function textAt(fields: Fields, key: string): string {
  const value = optional(fields, key);
  if (typeof value === "string") return value;
  throw fieldError(key, value, "text");
}

/** A field that is a list of texts; nothing when it is absent. */
export function textsAt(fields: Fields, key: string): readonly string[] {
  const value = optional(fields, key);
  if (value === undefined || value === null) return [];
  if (ArrayBuffer.isView(value) && (value as Uint8Array).length === 0) return [];
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value;
  throw fieldError(key, value, "a list of texts");
}

/** No blanks, no other bases: C++ reads `0x10` as 0 or 16, by the function. */
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** A number, also one written as text ("3", "5E-1"), as XGBoost and CatBoost do. */
export function toNumber(value: unknown, path: string): number {
  if (typeof value === "number") return value;
  if (typeof value === "string") {
    if (DECIMAL.test(value)) return Number(value);
    if (/^[+-]?nan$/i.test(value)) return NaN;
    if (/^[+-]?inf(inity)?$/i.test(value)) return value.startsWith("-") ? -Infinity : Infinity;
  }
  throw fieldError(path, value, "a number");
}

/** A field that is a number. */
export function numberAt(fields: Fields, key: string, fallback?: number): number {
  const value = optional(fields, key);
  if (value === undefined && fallback !== undefined) return fallback;
  return toNumber(value, key);
}

/** A field that is an integer. */
export function integerAt(fields: Fields, key: string, fallback?: number): number {
  const value = numberAt(fields, key, fallback);
  const found = optional(fields, key);
  const isText = typeof found === "string";
  if (Number.isSafeInteger(value) && !(isText && !/^[+-]?\d+$/.test(found))) return value;
  throw fieldError(key, value, "an integer");
}

/**
 * A field that is a list of numbers; booleans count as 0 and 1.
 *
 * @param length Required length, when known.
 */
export function numbersAt(fields: Fields, key: string, length?: number): NumberArray {
  const value = optional(fields, key);
  let numbers: NumberArray;
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) {
    numbers = value as unknown as NumberArray;
  } else if (Array.isArray(value)) numbers = checkNumbers(value, key);
  else throw fieldError(key, value, "a list of numbers");
  if (length !== undefined && numbers.length !== length) {
    throw fieldError(key, value, `${length} numbers`);
  }
  return numbers;
}

function checkNumbers(list: unknown[], path: string): NumberArray {
  for (let i = 0; i < list.length; i++) {
    const item = list[i];
    if (typeof item === "number") continue;
    if (typeof item === "boolean") list[i] = item ? 1 : 0;
    else throw fieldError(`${path}[${i}]`, item, "a number");
  }
  return list as number[];
}
