/**
 * The JSON of bodies, looked over before it is parsed: what `JSON.parse` takes may be far more than a
 * request may hold, or say two things of one column.
 *
 * @module
 */
import { DataError } from "../../errors.ts";
import { DEFAULT_LIMITS, type Limits } from "../admission/limits.ts";
import type { Encoder } from "./encoder.ts";
import { type JsonBounds, type JsonFault, scanJson } from "./json_scan.ts";

/**
 * Parses JSON. `NaN` and `Infinity`, which Python's clients write although JSON has no such words,
 * are read as missing and as the infinities.
 *
 * @throws {DataError} `E_DATA_PARSE` without repeating what was sent; `E_DATA_SHAPE` when an object
 * has one name twice; `E_DATA_LIMIT` when it is nested deeper than `maxDepth`, or has more than
 * {@linkcode NAMES} times as many names as a request may have columns, or far more rows or lists than
 * it may.
 */
export function parseJson(text: string, encoder?: Pick<Encoder, "limits" | "schema">): unknown {
  const limits = encoder?.limits ?? DEFAULT_LIMITS;
  const width = encoder?.schema.features.length ?? 0;
  // Tensors and names of columns are lists, too. A few rows too many are counted by who reads them.
  const longest = Math.max(limits.maxRows, limits.maxColumns + width);
  const bounds = {
    maxNames: NAMES * (limits.maxColumns + width),
    maxRows: 2 * longest,
    maxParts: (PARTS + width) * longest,
  };
  const { fault, words } = scanJson(text, limits.maxDepth, bounds);
  if (fault !== undefined) throw faultError(text, fault, limits, bounds);
  return JSON.parse(words.length === 0 ? text : withoutWords(text, words));
}

/**
 * Different names at one depth of a body for each column that it may have: unknown columns are counted
 * where they are read, and objects within them may have names of their own.
 */
const NAMES = 4;

/**
 * Arrays and objects for each row that there may be, besides one for each of its columns, which is how
 * TensorFlow Serving's clients write tensors: unknown columns may hold objects of their own.
 */
const PARTS = 16;

/** Python's words and what stands for them in JSON. */
const WORDS = [["NaN", "null"], ["Infinity", "1e999"], ["-Infinity", "-1e999"]] as const;

/**
 * The text with Python's words, which begin at some places, in JSON's own. A pattern that passes over
 * strings would overflow the stack at one of 16 million letters.
 */
function withoutWords(text: string, places: readonly number[]): string {
  const parts: string[] = [];
  let from = 0;
  for (const at of places) {
    const [word, json] = WORDS.find(([word]) => text.startsWith(word, at))!;
    parts.push(text.slice(from, at), json);
    from = at + word.length;
  }
  parts.push(text.slice(from));
  return parts.join("");
}

function clipped(name: string): string {
  return name.length > 60 ? `${name.slice(0, 60)}…` : name;
}

function faultError(
  text: string,
  { kind, offset, name }: JsonFault,
  { maxDepth, maxColumns, maxRows }: Limits,
  { maxNames, maxParts }: JsonBounds,
): DataError {
  if (kind === "rows") {
    return new DataError(
      "E_DATA_LIMIT",
      `Cannot score more than ${maxRows} rows in one request: ` +
        `${
          name === undefined ? "there are" : `${JSON.stringify(clipped(name))} holds a list of`
        } ` +
        `at least twice as many up to character ${offset}`,
      { details: { limit: "maxRows", value: maxRows, offset } },
    );
  }
  if (kind === "parts") {
    return new DataError(
      "E_DATA_LIMIT",
      `Cannot read more than ${maxParts} lists and objects in one request: ` +
        `one more is at character ${offset}`,
      { details: { limit: "maxRows", value: maxRows, offset } },
    );
  }
  if (kind === "names") {
    return new DataError(
      "E_DATA_LIMIT",
      `Cannot read more than ${maxNames} different names in one request: ` +
        `one more is at character ${offset}`,
      { details: { limit: "maxColumns", value: maxColumns, offset } },
    );
  }
  if (kind === "depth") {
    return new DataError(
      "E_DATA_LIMIT",
      `Cannot read the body: it is nested deeper than ${maxDepth} at character ${offset}`,
      { details: { limit: "maxDepth", value: maxDepth, offset } },
    );
  }
  if (kind === "repeated") {
    const column = clipped(name!);
    return new DataError(
      "E_DATA_SHAPE",
      `Cannot read the body: ${JSON.stringify(column)} occurs twice in one object, ` +
        `again at character ${offset}; send it once`,
      { details: { column, offset } },
    );
  }
  const where = text.trim() === ""
    ? "it is empty"
    : offset === text.length
    ? `it ends too soon, after character ${offset}`
    : `syntax error at character ${offset}`;
  return new DataError("E_DATA_PARSE", `Cannot read the body as JSON: ${where}`, {
    details: { offset },
  });
}
