/**
 * Which character separates cells: the one that is given, that the first line declares (`sep=;`, as
 * Excel reads and writes it), or that cuts the first two records alike.
 *
 * @module
 */
import { DataError, ParameterError } from "../../errors.ts";
import type { CsvOptions } from "../options.ts";
import { createTokens, tokenize } from "./tokenize.ts";

const DELIMITERS = [",", ";", "\t", "|"];

const COMMA = 0x2c;

/** What the first line says about delimiters. */
export interface Declaration {
  /** The delimiter; undefined where the first line is no declaration. */
  readonly byte: number | undefined;
  /** Where the line behind it begins, or where the input does. */
  readonly next: number;
  /** Lines that the declaration takes: 0 or 1. */
  readonly lines: number;
}

/**
 * Reads a first line `sep=;` (or any other delimiter, perhaps in quotes).
 *
 * @returns Undefined when more bytes are needed.
 */
export function declaredDelimiter(
  bytes: Uint8Array,
  start: number,
  final: boolean,
): Declaration | undefined {
  const none = { byte: undefined, next: start, lines: 0 };
  const text = new TextDecoder("latin1").decode(bytes.subarray(start, start + 9));
  const match = /^("?)sep=([^\r\n])\1(\r\n?|\n|$)/i.exec(text);
  if (match === null) {
    const mayBe = !final && /^"?(s(e(p(=("|.)?)?)?)?)?$/i.test(text);
    return mayBe ? undefined : none;
  }
  const [line, , delimiter, ending] = match;
  if (!isDelimiter(delimiter)) return none;
  const next = start + line.length;
  // More of the line may come, or the other half of its end.
  if (!final && (ending === "" || (ending === "\r" && next === bytes.length))) return undefined;
  return { byte: delimiter.charCodeAt(0), next, lines: ending === "" ? 0 : 1 };
}

/**
 * The delimiter of an input whose first record begins at `start`.
 *
 * @returns Undefined when more bytes are needed.
 * @throws {ParameterError} `E_PARAM_RANGE` for a delimiter that is none.
 * @throws {DataError} `E_DATA_PARSE` where the first line declares one that the others do not have.
 */
export function findDelimiter(
  bytes: Uint8Array,
  start: number,
  line: number,
  final: boolean,
  declared: number | undefined,
  options: CsvOptions,
): number | undefined {
  if (options.delimiter !== undefined) return delimiterByte(options.delimiter);
  const most = mostColumns(options);
  const sniffed = sniffDelimiter(bytes, start, final, most);
  if (declared === undefined) return sniffed?.byte;
  const cuts = cutsOf(bytes, start, final, declared, most);
  if (sniffed === undefined || cuts === undefined) return undefined;
  if (cuts.cells === 1 && sniffed.cells > 1) {
    const [says, has] = [declared, sniffed.byte].map((one) =>
      JSON.stringify(String.fromCharCode(one))
    );
    throw new DataError(
      "E_DATA_PARSE",
      `Cannot read line ${line}: line 1 says that ${says} separates cells, but here ${has} does; ` +
        `remove line 1 or set delimiter to ${has} (--delimiter)`,
      { details: { line, declared: String.fromCharCode(declared) } },
    );
  }
  return declared;
}

/** Columns that a table may have. */
export function mostColumns({ limits }: CsvOptions): number {
  return limits?.columns ?? 100_000;
}

/** The byte of a delimiter. */
export function delimiterByte(delimiter: string): number {
  if (delimiter === "\\t") return 9;
  if (delimiter.length === 1 && isDelimiter(delimiter)) return delimiter.charCodeAt(0);
  throw new ParameterError(
    "E_PARAM_RANGE",
    `Cannot use delimiter "${delimiter}": expected one ASCII character such as , ; | or a tab`,
    { details: { param: "delimiter", value: delimiter } },
  );
}

/** Whether a character may separate cells. */
function isDelimiter(character: string): boolean {
  const byte = character.charCodeAt(0);
  return byte <= 126 && byte !== 0 && !/["\r\n0-9A-Za-z.+-]/.test(character);
}

/** How a candidate cuts the first two records. */
interface Cuts {
  readonly byte: number;
  /** Cells of the first. */
  readonly cells: number;
  /** Whether the second has as many, or there is none. */
  readonly agrees: boolean;
  /** Whether commas occur in its cells as decimal commas only. */
  readonly decimalCommas: boolean;
}

/**
 * The candidate that cuts the first record into most cells and the second into as many; the first
 * record decides where no candidate does both. None at all means one column. The comma gives way
 * where all commas are decimal commas between the delimiters of another candidate, as in `1,5;2,7`.
 */
function sniffDelimiter(
  bytes: Uint8Array,
  start: number,
  final: boolean,
  most: number,
): Cuts | undefined {
  let best: Cuts = { byte: COMMA, cells: 1, agrees: false, decimalCommas: false };
  for (const candidate of DELIMITERS) {
    const cuts = cutsOf(bytes, start, final, candidate.charCodeAt(0), most);
    if (cuts === undefined) return undefined;
    if (cuts.cells < 2) continue;
    const giveWay = best.byte === COMMA && best.agrees && cuts.agrees && cuts.decimalCommas;
    if (giveWay || (cuts.agrees === best.agrees ? cuts.cells > best.cells : cuts.agrees)) {
      best = cuts;
    }
  }
  return best;
}

/** Undefined when more bytes are needed. */
function cutsOf(
  bytes: Uint8Array,
  start: number,
  final: boolean,
  byte: number,
  most: number,
): Cuts | undefined {
  const tokens = createTokens(most);
  if (!tokenize(bytes, start, bytes.length, byte, final, tokens)) return undefined;
  if (tokens.problem !== undefined) return { byte, cells: 1, agrees: false, decimalCommas: false };
  const cells = tokens.ends.length + tokens.more;
  let decimalCommas = hasDecimalCommas(bytes, start, tokens.next, byte);
  const { next } = tokens;
  if (next >= bytes.length) {
    return final ? { byte, cells, agrees: true, decimalCommas } : undefined;
  }
  if (!tokenize(bytes, next, bytes.length, byte, final, tokens)) return undefined;
  const agrees = tokens.problem === undefined && tokens.ends.length + tokens.more === cells;
  decimalCommas &&= hasDecimalCommas(bytes, next, tokens.next, byte);
  return { byte, cells, agrees, decimalCommas };
}

/** Whether every cell of a record that has a comma is a number with a decimal comma, and one has. */
function hasDecimalCommas(
  bytes: Uint8Array,
  start: number,
  end: number,
  delimiter: number,
): boolean {
  if (delimiter === COMMA) return false;
  const record = new TextDecoder("latin1").decode(bytes.subarray(start, end)).trimEnd();
  const cells = record.split(String.fromCharCode(delimiter)).filter((cell) => cell.includes(","));
  return cells.length > 0 && cells.every((cell) => /^\s*[+-]?\d+,\d+\s*$/.test(cell));
}
