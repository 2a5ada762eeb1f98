/**
 * Which character parts whole numbers from fractions, where nothing says: decimal commas are believed
 * where cells look so and none has a point. Both guesses are told with column, row and line.
 *
 * @module
 */
import type { CsvOptions } from "../options.ts";
import { placeOf } from "../place.ts";
import { createTokens, tokenize } from "./tokenize.ts";

const COMMA = 0x2c;
const POINT = 0x2e;
const SEMICOLON = 0x3b;

/** Bytes in which decimal commas are looked for. */
export const SAMPLE = 1 << 16;

/** Where the data begin, and what their cells are called. */
interface Beginning {
  readonly start: number;
  /** Line of the first row, from 1. */
  readonly line: number;
  readonly delimiter: number;
  readonly names: readonly string[];
}

/** A cell of the first rows. */
interface SampleCell {
  readonly text: string;
  /** Its column, and the row and the line that it stands in, as messages say it. */
  readonly place: () => string;
}

/**
 * The byte of the decimal character.
 *
 * @param final Whether `bytes` is the whole input.
 * @returns Undefined when more bytes are needed.
 */
export function decimalByte(
  bytes: Uint8Array,
  begin: Beginning,
  final: boolean,
  options: CsvOptions,
): number | undefined {
  if (options.decimal !== undefined) return options.decimal.charCodeAt(0);
  if (begin.delimiter === COMMA) return POINT;
  if (!final && bytes.length < SAMPLE) return undefined;
  // A sample without a comma tells of points only; those that part thousands are told of below.
  const sample = bytes.subarray(begin.start, begin.start + SAMPLE);
  if (begin.delimiter !== SEMICOLON && !sample.includes(COMMA)) return POINT;
  const cells = sampleCells(bytes, begin, final);
  const commas = cells.filter(({ text }) => /^\s*[+-]?\d+,\d+\s*$/.test(text));
  const points = cells.some(({ text }) => /^\s*[+-]?\d*\.\d+\s*$/.test(text));
  if (begin.delimiter === SEMICOLON) sayThousands(cells, options);
  // 1,234 alone may be a thousand: at least one must be what no thousand looks like, as 0,123 is.
  const isThousand = ({ text }: SampleCell) => /^\s*[+-]?[1-9]\d{0,2},\d{3}\s*$/.test(text);
  const sure = commas.find((cell) => !isThousand(cell));
  if (points || sure === undefined) return POINT;
  options.onWarning?.(`${sure.place()}: "${sure.text.trim()}" is read with a decimal comma`);
  return COMMA;
}

/** Where semicolons separate cells, points often part thousands. */
function sayThousands(cells: readonly SampleCell[], { onWarning }: CsvOptions): void {
  const pointed = cells.filter(({ text }) => text.includes("."));
  const isThousand = ({ text }: SampleCell) => /^\s*[+-]?[1-9]\d{0,2}(?:\.\d{3})+\s*$/.test(text);
  if (new Set(pointed.map(({ text }) => text)).size < 2 || !pointed.every(isThousand)) return;
  const [first] = pointed;
  onWarning?.(
    `${first.place()}: "${first.text.trim()}" is read with a decimal point; if the points part ` +
      "thousands, write numbers without",
  );
}

/** Cells of the first rows; the last one of a row that the sample cuts is left out. */
function sampleCells(
  bytes: Uint8Array,
  { start, line: first, delimiter, names }: Beginning,
  final: boolean,
): SampleCell[] {
  const cells: SampleCell[] = [];
  const tokens = createTokens();
  const decoder = new TextDecoder("latin1");
  const end = Math.min(bytes.length, start + SAMPLE);
  const isWhole = final && end === bytes.length;
  let line = first;
  let row = 0;
  let isCut = false;
  for (let from = start; from < end && !isCut; from = tokens.next) {
    isCut = !tokenize(bytes, from, end, delimiter, isWhole, tokens);
    const ends = isCut ? tokens.ends.slice(0, -1) : tokens.ends;
    const at = { row, line };
    line += tokens.lines;
    // A blank line is no row.
    if (names.length > 1 && tokens.ends.length === 1 && tokens.ends[0] === 0) continue;
    row++;
    // A byte is a character: one text for the row, cut into cells, is a tenth of the work.
    const all = decoder.decode(tokens.bytes.subarray(0, ends.at(-1) ?? 0));
    ends.forEach((to, column) => {
      const text = all.slice(column === 0 ? 0 : ends[column - 1], to);
      if (!/[.,]/.test(text)) return;
      const name = names[column] ?? `${column + 1}`;
      cells.push({ text, place: () => `Column "${name}" at ${placeOf(at.row, () => at.line)}` });
    });
  }
  return cells;
}
