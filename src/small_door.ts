/**
 * Checks of what a caller hands to what loads and scores: the `./predict` entry point has no room for
 * door.ts.
 *
 * @module
 */
import { DataError, type ErrorCode, type ErrorDetails, ParameterError } from "./errors.ts";

/** What a value is, of any realm: `Null`, `Map`, `Object` … */
export function tagOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice(8, -1);
}

/** A value as an error shows it: short, and never an error itself. */
export function shown(value: unknown): string {
  return typeof value === "string"
    ? JSON.stringify(value.slice(0, 60))
    : Object(value) === value
    ? tagOf(value)
    : String(value);
}

/** @throws {DataError} `E_DATA_SHAPE` unless there are as many as expected. */
export function demand(found: number, expected: number, what: string, column?: string): void {
  if (found === expected) return;
  throw new DataError(
    "E_DATA_SHAPE",
    `Cannot score: found ${found} ${what}, expected ${expected}`,
    { details: { found, expected, column } },
  );
}

/** The error of an argument or an option that is no good. */
export function unusable(
  param: string,
  value: unknown,
  expected: string,
  details: ErrorDetails = { param },
  code: ErrorCode = "E_PARAM_RANGE",
): ParameterError {
  return new ParameterError(
    code,
    `Cannot use ${param} ${shown(value)}: expected ${expected}`,
    { details },
  );
}

/** Options by name, each with the words that it takes or the `typeof` of its values. */
export type OptionKinds<Options> = ReadonlyMap<string & keyof Options, readonly string[] | string>;

/**
 * Checks an object of options; undefined is right for each of them. 10 ns an option.
 *
 * @throws {ParameterError} `E_PARAM_UNKNOWN` or `E_PARAM_RANGE`.
 */
export function checkOptions<Options extends object>(
  options: Options,
  kinds: OptionKinds<Options>,
): void {
  // A number, a function or a map would be options without a name.
  if (tagOf(options) !== "Object") throw unusable("options", options, "an object");
  // deno-lint-ignore guard-for-in -- an inherited option is read like any other
  for (const name in options) {
    const kind = kinds.get(name);
    const value: unknown = options[name];
    const type: string = typeof value;
    if (kind === undefined) {
      const names = [...kinds.keys()].join(", ");
      throw unusable("option", name, `one of ${names}`, { param: name }, "E_PARAM_UNKNOWN");
    }
    const fits = typeof kind === "string" ? type === kind : kind.includes(value as string);
    if (!fits && value !== undefined) throw unusable(name, value, `${kind}`.replace(",", " or "));
  }
}
