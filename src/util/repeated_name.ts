/**
 * Names that come twice in one JSON object. `JSON.parse` keeps the last of them without a word, and
 * a score of half of what was sent is a wrong score.
 *
 * @module
 */

/** A name and where it comes again, in UTF-16 units from the start. */
export interface Repeated {
  readonly name: string;
  readonly offset: number;
}

const QUOTE = 0x22;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** The first repeated name of a text that `JSON.parse` accepts. */
export function repeatedName(text: string): Repeated | undefined {
  /** Names of the open objects, outermost first; sets are used again. */
  const names: Set<string>[] = [];
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === OPEN) {
      if (depth === names.length) names.push(new Set());
      names[depth++].clear();
    } else if (code === CLOSE) depth--;
    else if (code === QUOTE) {
      const start = at;
      at = closingQuote(text, start);
      if (!isName(text, at + 1)) continue;
      const raw = text.slice(start + 1, at);
      const name = raw.includes("\\") ? JSON.parse(text.slice(start, at + 1)) as string : raw;
      const seen = names[depth - 1];
      if (seen.has(name)) return { name, offset: start };
      seen.add(name);
    }
  }
  return undefined;
}

/** Place of the quote that ends the string begun at `start`. */
function closingQuote(text: string, start: number): number {
  let at = start;
  while (true) {
    at = text.indexOf('"', at + 1);
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return at;
  }
}

/** Whether a colon follows, so that the string before is a name and no value. */
function isName(text: string, at: number): boolean {
  while (text.charCodeAt(at) <= 0x20) at++;
  return text.charCodeAt(at) === COLON;
}
