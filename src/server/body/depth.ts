/**
 * How deep a JSON body is nested, found before it is parsed: no row is deep, and a million brackets
 * cost far more memory than bytes.
 *
 * @module
 */
import { DataError } from "../../errors.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Refuses text whose arrays and objects are nested deeper than `maxDepth`. It need not be JSON.
 *
 * @throws {DataError} `E_DATA_LIMIT`.
 */
export function checkDepth(text: string, maxDepth: number): void {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at++;
      while (at < text.length && text.charCodeAt(at) !== QUOTE) {
        at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
      }
    } else if (code === OPEN_ARRAY || code === OPEN_OBJECT) {
      if (++depth > maxDepth) throw tooDeep(maxDepth, at);
    } else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) depth--;
  }
}

function tooDeep(maxDepth: number, offset: number): DataError {
  return new DataError(
    "E_DATA_LIMIT",
    `Cannot read the body: it is nested deeper than ${maxDepth} at character ${offset}`,
    { details: { limit: "maxDepth", value: maxDepth, offset } },
  );
}
