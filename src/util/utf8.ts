/**
 * Which bytes are not UTF-8. A decoder that refuses them takes three to five times as long as one that
 * puts U+FFFD in their place, so a text is decoded first, and only where that mark is in it are its
 * bytes looked at: the mark may have been there before.
 *
 * The Unicode Standard 15.0, table 3-7 "Well-Formed UTF-8 Byte Sequences".
 *
 * @module
 */

/** What a decoder puts in the place of bytes that are not UTF-8. */
export const MARK = "\ufffd";

/**
 * Finds bytes that are not UTF-8.
 *
 * @param text What a decoder that does not refuse them made of the bytes.
 * @returns The place of the first one, or of the sequence that it breaks; −1 where there is none.
 *
 * @example The second byte of a text in Latin-1
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const bytes = Uint8Array.of(0x67, 0xe4, 0x62);
 * assertEquals(utf8Fault(bytes, new TextDecoder().decode(bytes)), 1);
 * ```
 */
export function utf8Fault(bytes: Uint8Array, text: string): number {
  if (!text.includes(MARK)) return -1;
  let at = 0;
  while (at < bytes.length) {
    const length = bytes[at] < 0x80 ? 1 : sequenceLength(bytes, at);
    if (length === 0) return at;
    at += length;
  }
  return -1;
}

/** Bytes of the character that begins at `at` with a byte above 0x7f; 0 where none does. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const lead = bytes[at];
  if (lead < 0xc2 || lead > 0xf4) return 0;
  const length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  // No longer form than needed, no surrogates, nothing above U+10FFFF.
  const least = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  const most = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  // Behind the end is undefined, which no comparison holds for.
  if (!(bytes[at + 1] >= least && bytes[at + 1] <= most)) return 0;
  for (let k = 2; k < length; k++) if (!(bytes[at + k] >= 0x80 && bytes[at + k] <= 0xbf)) return 0;
  return length;
}
