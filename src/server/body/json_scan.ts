/**
 * A JSON body looked at once before it is parsed: its first fault, be it of syntax, of depth (no row
 * is deep, and a million brackets cost far more memory than bytes), of a name that comes twice in one
 * object (`JSON.parse` keeps the last without a word, and a score of half of what was sent is a wrong
 * score) or of too many names (half a million different ones in 8 MB cost `JSON.parse` and sets of
 * them two seconds), rows or objects (three million empty ones cost half a second).
 *
 * `JSON.parse` finds faults of syntax too, but V8 keeps the text of each in a script that lives until
 * the next full collection: 100,000 such bodies fill memory with themselves.
 *
 * RFC 8259; and the words `NaN`, `Infinity` and `-Infinity`, which Python's clients write.
 *
 * @module
 */

/** What is wrong first, in UTF-16 units from the start. */
export interface JsonFault {
  readonly kind: "syntax" | "depth" | "repeated" | "names" | "rows" | "parts";
  readonly offset: number;
  /** The name that comes twice; of rows, the member of the text that they are in. */
  readonly name?: string;
}

/** How much a text may hold. */
export interface JsonBounds {
  /** Different names at one depth. @default Infinity */
  readonly maxNames?: number;
  /**
   * Elements of a list whose place is one of rows: the text itself, a member of it, or a member of
   * one of {@linkcode TABLES}. @default Infinity
   */
  readonly maxRows?: number;
  /** Arrays and objects in all. @default Infinity */
  readonly maxParts?: number;
}

/** Members that hold columns, or rows beside other things. */
const TABLES: ReadonlySet<string> = new Set(["columns", "inputs", "dataframe_split"]);

/** What a text holds. */
export interface JsonScan {
  readonly fault: JsonFault | undefined;
  /** Where Python's words are among its values. */
  readonly words: readonly number[];
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const LOWER_CASE = 0x61;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * What may come next: a value; a value or the end of an empty array; a name; a name or the end of an
 * empty object; a colon; or a comma or the end of what is open.
 */
type Next = "value" | "first value" | "name" | "first name" | "colon" | "more";

/**
 * Finds the first fault of a text; where there is none, and no word, `JSON.parse` accepts it.
 */
export function scanJson(text: string, maxDepth: number, bounds: JsonBounds = {}): JsonScan {
  const { maxNames = Infinity, maxRows = Infinity, maxParts = Infinity } = bounds;
  /** What is open, outermost first; and by depth the names so far, each with the last object it was in. */
  const objects: boolean[] = [];
  const names: Map<string, number>[] = [];
  const numbers: number[] = [];
  let numParts = 0;
  /** The member of the text itself that is open, and the depth and length of a list of rows. */
  let member = "";
  let listDepth = 0;
  let rows = 0;
  const words: number[] = [];
  let next: Next = "value";
  let at = 0;
  const faulty = (kind: JsonFault["kind"], offset: number, name?: string): JsonScan => ({
    fault: { kind, offset, ...(name === undefined ? {} : { name }) },
    words,
  });
  while (true) {
    at = skipBlanks(text, at);
    const depth = objects.length;
    if (at >= text.length) {
      const isWhole = next === "more" && depth === 0;
      return isWhole ? { fault: undefined, words } : faulty("syntax", text.length);
    }
    const code = text.charCodeAt(at);
    const inObject = objects[depth - 1];
    const mayClose = next === "more" || next === "first name" || next === "first value";
    let end = at + 1;
    if (mayClose && depth > 0 && code === (inObject ? CLOSE_OBJECT : CLOSE_ARRAY)) {
      objects.pop();
      next = "more";
    } else if (next === "more") {
      if (code !== COMMA || depth === 0) return faulty("syntax", at);
      if (!inObject && depth === listDepth && ++rows > maxRows) {
        return faulty("rows", at, depth > 1 ? member : undefined);
      }
      next = inObject ? "name" : "value";
    } else if (next === "colon") {
      if (code !== COLON) return faulty("syntax", at);
      next = "value";
    } else if (next === "name" || next === "first name") {
      if (code !== QUOTE) return faulty("syntax", at);
      end = stringEnd(text, at);
      if (end < 0) return faulty("syntax", ~end);
      const raw = text.slice(at + 1, end - 1);
      const name = raw.includes("\\") ? JSON.parse(text.slice(at, end)) as string : raw;
      const seen = names[depth - 1];
      const before = seen.get(name);
      if (before === numbers[depth - 1]) return faulty("repeated", at, name);
      if (before === undefined && seen.size >= maxNames) return faulty("names", at);
      seen.set(name, numbers[depth - 1]);
      if (depth === 1) member = name;
      next = "colon";
    } else if (code === OPEN_ARRAY || code === OPEN_OBJECT) {
      if (depth === maxDepth) return faulty("depth", at);
      if (numParts === maxParts) return faulty("parts", at);
      if (code === OPEN_ARRAY && depth < 3) {
        const ofRows = depth === 0 ||
          (objects[0] && (depth === 1 || (objects[1] && TABLES.has(member))));
        listDepth = ofRows ? depth + 1 : listDepth === depth + 1 ? 0 : listDepth;
        if (ofRows) rows = 1;
      }
      objects.push(code === OPEN_OBJECT);
      if (names.length === depth) names.push(new Map());
      numbers[depth] = numParts++;
      next = code === OPEN_OBJECT ? "first name" : "first value";
    } else {
      const isNumber = isDigit(code) || (code === MINUS && text[at + 1] !== "I");
      end = code === QUOTE
        ? stringEnd(text, at)
        : isNumber
        ? numberEnd(text, at)
        : wordEnd(text, at);
      if (end < 0) return faulty("syntax", ~end);
      // JSON's own words are in lower case.
      if (code !== QUOTE && !isNumber && code < LOWER_CASE) words.push(at);
      next = "more";
    }
    at = end;
  }
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) break;
    at++;
  }
  return at;
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= 0x39; // false for NaN, behind the end
}

/** The place behind a string, or the complement of the place where it goes wrong. */
function stringEnd(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    if (code < 0x20) return ~at;
    if (code !== BACKSLASH) continue;
    ESCAPE.lastIndex = ++at;
    if (!ESCAPE.test(text)) return ~at;
  }
  return ~text.length;
}

/** What may follow a backslash. */
const ESCAPE = /["\\/bfnrt]|u[\dA-Fa-f]{4}/y;

/** The place behind a number, or the complement of the place where it goes wrong. */
function numberEnd(text: string, from: number): number {
  let at = from;
  if (text.charCodeAt(at) === MINUS) at++;
  const first = text.charCodeAt(at);
  if (!isDigit(first)) return ~at;
  at = first === ZERO ? at + 1 : digitsEnd(text, at);
  if (text.charCodeAt(at) === POINT) {
    if (!isDigit(text.charCodeAt(at + 1))) return ~(at + 1);
    at = digitsEnd(text, at + 1);
  }
  const letter = text.charCodeAt(at);
  if (letter === 0x65 || letter === 0x45) {
    const sign = text.charCodeAt(++at);
    if (sign === 0x2b || sign === MINUS) at++;
    if (!isDigit(text.charCodeAt(at))) return ~at;
    at = digitsEnd(text, at);
  }
  return at;
}

function digitsEnd(text: string, from: number): number {
  let at = from;
  while (isDigit(text.charCodeAt(at))) at++;
  return at;
}

const WORDS = ["null", "true", "false", "NaN", "Infinity", "-Infinity"];

/** The place behind a word, or the complement of its own place where it is none. */
function wordEnd(text: string, at: number): number {
  const word = WORDS.find((word) => text.startsWith(word, at));
  return word === undefined ? ~at : at + word.length;
}
