/**
 * Bodies as text. Bytes that are not UTF-8 are refused: what a decoder puts in their place would be a
 * category or a name that nobody sent.
 *
 * @module
 */
import { DataError } from "../../errors.ts";
import { MARK, utf8Fault } from "../../util/utf8.ts";

const decoder = new TextDecoder();

/**
 * The text of a body, without a byte order mark.
 *
 * @throws {DataError} `E_DATA_PARSE` naming the byte for what is not UTF-8.
 */
export function bodyText(bytes: Uint8Array): string {
  const text = decoder.decode(bytes);
  const fault = utf8Fault(bytes, text);
  if (fault >= 0) throw notUtf8("the body", fault);
  return text;
}

/**
 * The text of a body that was decoded where it arrived, without a byte order mark. Its bytes are gone,
 * but their number is known: characters that are really U+FFFD have three of them, and those in whose
 * place a decoder put it have fewer.
 *
 * The one exception is the beginning of a character of four bytes that lacks only the last: it passes
 * as U+FFFD. It can be no name or category of the model, since bodies for models that know the mark
 * are not read this way (`Encoder.knowsMark`), and so is noticed as unknown or ignored.
 *
 * @param byteLength Bytes of the body.
 * @throws {DataError} `E_DATA_PARSE` naming the byte for what was not UTF-8.
 */
export function arrivedText(text: string, byteLength: number): string {
  if (text.includes(MARK)) checkMarks(text, byteLength);
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

function checkMarks(text: string, byteLength: number): void {
  const encoder = new TextEncoder();
  const extra = encoder.encode(text).length - byteLength;
  if (extra === 0) return;
  const offset = encoder.encode(text.slice(0, text.indexOf(MARK))).length;
  // A mark stands for one byte at least, so it makes a body two bytes longer at most.
  const others = text.split(MARK).length - 2;
  throw notUtf8("the body", offset, extra > 2 * others ? "" : " or later");
}

/** The error for bytes that are not UTF-8. */
export function notUtf8(what: string, offset: number, later: string = ""): DataError {
  return new DataError(
    "E_DATA_PARSE",
    `Cannot read ${what}: it is not UTF-8 text at byte ${offset}${later}`,
    { details: { offset } },
  );
}
