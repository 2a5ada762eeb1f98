/**
 * JSON as model files really hold it: bare `NaN`, `Infinity` and `-Infinity` are numbers (XGBoost
 * writes them into `split_conditions`). Strict text takes the engine's own parser; only what that
 * refuses is read here, and then errors have an offset. No recursion: nesting costs heap only.
 *
 * @module
 */
import { ConversionError } from "../../errors.ts";

/** A value of a tolerant JSON document. */
export type TolerantJson =
  | null
  | boolean
  | number
  | string
  | TolerantJson[]
  | { [key: string]: TolerantJson };

/**
 * Parses JSON text, bare non-finite numbers included.
 *
 * @throws {ConversionError} `E_CONVERT_SYNTAX` with the offset in UTF-16 units.
 */
export function parseTolerantJson(text: string, what = "JSON"): TolerantJson {
  try {
    return JSON.parse(text) as TolerantJson;
  } catch {
    return parseSlowly(text, what);
  }
}

const NUMBER =
  /-?(?:Infinity|(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)|[+-]?(?:NaN|nan|inf(?:inity)?)/y;
const SPACE = /[ \t\r\n]*/y;

/** One pass with a stack of open containers. */
function parseSlowly(text: string, what: string): TolerantJson {
  let at = 0;
  const fail = (found: string): ConversionError =>
    new ConversionError("E_CONVERT_SYNTAX", `Cannot read ${what} at offset ${at}: ${found}`, {
      details: { offset: at },
    });
  const skip = () => {
    SPACE.lastIndex = at;
    SPACE.test(text);
    at = SPACE.lastIndex;
  };
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found !== undefined) at += found.length;
    return found;
  };
  const string = (): string => {
    if (text[at] !== '"') throw fail("expected a string");
    let end = at;
    do {
      end = text.indexOf('"', end + 1);
      if (end < 0) throw fail("the string does not end");
    } while (isEscaped(text, end));
    try {
      const value = JSON.parse(text.slice(at, end + 1)) as string;
      at = end + 1;
      return value;
    } catch {
      throw fail("the string has a bad escape or a control character");
    }
  };

  const stack: (TolerantJson[] | { [key: string]: TolerantJson })[] = [];
  let key: string | undefined;
  const entry = (): string => {
    const name = string();
    skip();
    if (text[at] !== ":") throw fail(`expected ":" after a key`);
    at++;
    return name;
  };

  for (;;) {
    skip();
    let value: TolerantJson;
    const char = text[at];
    let opened = false;
    if (char === "{" || char === "[") {
      at++;
      value = char === "{" ? Object.create(null) as { [key: string]: TolerantJson } : [];
      opened = true;
    } else if (char === '"') value = string();
    else if (text.startsWith("null", at)) (at += 4, value = null);
    else if (text.startsWith("true", at)) (at += 4, value = true);
    else if (text.startsWith("false", at)) (at += 5, value = false);
    else {
      const token = match(NUMBER);
      if (token === undefined) {
        throw fail(at >= text.length ? "the text ends early" : "expected a value");
      }
      value = toNumber(token);
    }
    const parent = stack.at(-1);
    if (Array.isArray(parent)) parent.push(value);
    else if (parent !== undefined) parent[key!] = value;
    if (opened) {
      stack.push(value as TolerantJson[]);
      skip();
      if (text[at] !== (char === "{" ? "}" : "]")) {
        if (char === "{") key = entry();
        continue;
      }
    }
    // After a value, or at the end of an empty container: close what ends here.
    for (;;) {
      const open = stack.at(-1);
      skip();
      if (open === undefined) {
        if (at < text.length) throw fail("there is text after the document");
        return value;
      }
      const next = text[at];
      if (next === (Array.isArray(open) ? "]" : "}")) {
        at++;
        value = stack.pop()!;
        continue;
      }
      const isEmpty = opened && open === value;
      if (next !== "," || isEmpty) throw fail(`expected "," or the end of a container`);
      at++;
      skip();
      if (!Array.isArray(open)) key = entry();
      break;
    }
  }
}

/** Whether an odd number of backslashes stands before `at`. */
function isEscaped(text: string, at: number): boolean {
  let count = 0;
  while (text[at - 1 - count] === "\\") count++;
  return count % 2 === 1;
}

function toNumber(token: string): number {
  const lower = token.toLowerCase();
  if (lower.endsWith("nan")) return NaN;
  if (lower.includes("inf")) return lower.startsWith("-") ? -Infinity : Infinity;
  return Number(token);
}
