/**
 * Columns that were read as categories and hardly are: numbers with a few words among them, dates,
 * amounts with separators. Nothing is changed; whoever reads the data is told.
 *
 * @module
 */
import { DataError } from "../../errors.ts";
import type { RoleOptions } from "../options.ts";
import { type LineOf, placeOf } from "../place.ts";
import type { CategoricalColumn, Column, Target } from "../types.ts";

const NUMBER = /^[ \t]*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?[ \t]*$/i;
const DATE = /^\d{4}-\d{1,2}-\d{1,2}(?:[T ].*)?$|^\d{1,2}([/.-])\d{1,2}\1\d{2,4}(?: .*)?$/;
/** `1,234.5`, `1.234,5`, `$ 5`, `7 %`, `(12.5)`, `−3`; spaces may be no-break ones. */
const AMOUNT =
  /^\(?[+\-\u2212]?[$€£¥]?\s?[+-]?(?:\d{1,3}(?:[,'’.\s]\d{3})+|\d+)(?:[.,]\d+)?\s?[%$€£¥]?\)?\s*$/;

/** An amount that no decimal character makes a number. */
const DRESSED = new RegExp(`^(?![ \\t]*[+-]?\\d+,\\d+[ \\t]*$)${AMOUNT.source}`);

/** `1,5`, and `1,234`, which may be a thousand. */
const DECIMAL_COMMA = /^[ \t]*[+-]?\d+,\d+[ \t]*$/;
const THOUSAND = /^[ \t]*[+-]?\d{1,3}(?:,\d{3})+[ \t]*$/;
/** Numbers of other languages than the one of CSV: `0x1f`, `1_000`, `1d5`, and errors of sheets. */
const ODD_NUMBER =
  /^[+-]?(?:0x[\da-f]+|\d+(?:_\d+)+|\d*\.?\d+d[+-]?\d+)$|^#(?:N\/A|DIV\/0!|VALUE!|REF!|NAME\?|NUM!|NULL!)$/i;

/** Among fewer values words are levels: few numbers beside them are names, whatever they look like. */
const MANY_LEVELS = 10;
/** Values that are looked at of a larger vocabulary, evenly spread. */
const LOOKED_AT = 1000;
/** Share of values from which on a column is what most of them are. */
const MOST = 0.9;
/** So many different words or fewer are hardly levels beside many numbers, in however many rows. */
const FEW_WORDS = 3;

/** Says what is doubtful about the kinds of columns; `types` and a model's schema are no guesses. */
export function sayDoubts(
  columns: readonly Column[],
  options: RoleOptions,
  lineOf?: LineOf,
): void {
  const { onWarning, schema, types = {} } = options;
  if (onWarning === undefined || schema !== undefined) return;
  for (const column of columns) {
    if (Object.hasOwn(types, column.name)) continue;
    if (column.kind === "numeric") continue;
    const doubt = doubtAbout(column, lineOf);
    if (doubt !== undefined) onWarning(`Column "${column.name}" is read as categories: ${doubt}`);
  }
}

/**
 * A target that is numbers with a few words among them, amounts with signs or separators, or dates
 * could be amounts or classes.
 *
 * @throws {DataError} `E_DATA_TARGET` where neither `task` nor a kind nor a schema says which.
 */
export function checkTargetKind(
  column: Column,
  { task, types = {}, schema }: RoleOptions,
  lineOf?: LineOf,
): void {
  if (column.kind === "numeric" || task !== undefined || schema !== undefined) return;
  if (Object.hasOwn(types, column.name) || column.categories.length < MANY_LEVELS) return;
  const words = wordsAmongNumbers(column);
  const look = lookAt(column, lineOf);
  const values = look.share(DATE) >= look.most
    ? `dates ${look.example(DATE)}: make numbers of them to predict`
    : amountsIn(look);
  if (words === undefined && values === undefined) return;
  const why = words === undefined
    ? `the values of "${column.name}" are ${values}; if they`
    : `${words.count} of ${words.present} values of "${column.name}" are not numbers, ` +
      `${words.first} for one at ${placeOf(words.row, lineOf)}. If they mean missing, say so ` +
      "(missing, --missing); if the values";
  throw new DataError(
    "E_DATA_TARGET",
    `Cannot tell what to predict: ${why} are classes, say so (task, --task classification)`,
    { details: { column: column.name, ...(words !== undefined && { words: words.count }) } },
  );
}

/** Says which columns hold numbers so large that neighbours cannot be told apart. */
export function sayInexact(columns: readonly Column[], options: RoleOptions): void {
  const { onWarning, schema, types = {} } = options;
  if (onWarning === undefined || schema !== undefined) return;
  for (const column of columns) {
    if (column.kind !== "numeric" || column.binned !== undefined) continue;
    if (Object.hasOwn(types, column.name) || !areBeyondExact(column.values)) continue;
    onWarning(
      `Column "${column.name}" holds whole numbers beyond 2^53, where neighbours are one number: ` +
        "if they are names of something, mark it (types, --categorical)",
    );
  }
}

/**
 * Says which columns hold `True` and `False` as pandas writes them: JSON and scripts say `true`, which
 * is another category.
 */
export function sayBooleans(columns: readonly Column[], options: RoleOptions): void {
  const { onWarning, schema, types = {} } = options;
  if (onWarning === undefined || schema !== undefined) return;
  for (const column of columns) {
    if (column.kind === "numeric" || Object.hasOwn(types, column.name)) continue;
    const { categories } = column;
    const isOne = (text: string) => /^(true|false)$/i.test(text) && text !== text.toLowerCase();
    if (categories.length === 0 || !categories.every(isOne)) continue;
    onWarning(
      `Column "${column.name}" holds the text ${
        JSON.stringify(categories[0])
      }: true and false of ` +
        "JSON and scripts are other categories; score text, or write these in lower case",
    );
  }
}

/** Below so many rows a class of one or two is nothing to wonder at. */
const MANY_ROWS = 100;
/** Rows of a class that are hardly enough to learn it by. */
const FEW_ROWS = 2;
/** Classes that are named at most. */
const MOST_NAMED = 10;

/** Says which classes have one row or two: most of them a typo, or too rare to be learnt. */
export function sayRareClasses(target: Target | undefined, options: RoleOptions): void {
  const { onWarning, schema } = options;
  if (onWarning === undefined || schema !== undefined) return;
  if (target?.kind !== "classification" || target.codes.length < MANY_ROWS) return;
  const counts = new Int32Array(target.classes.length);
  for (const code of target.codes) counts[code]++;
  const rare = target.classes.filter((_, code) => counts[code] <= FEW_ROWS);
  if (rare.length === 0) return;
  const names = rare.slice(0, MOST_NAMED).map((name) => JSON.stringify(name)).join(", ");
  const more = rare.length > MOST_NAMED ? ` and ${rare.length - MOST_NAMED} more` : "";
  onWarning(
    `Of ${target.codes.length} rows ${FEW_ROWS} or fewer are of ${
      rare.length === 1 ? "class" : "each of the classes"
    } ${names}${more} of "${target.name}": too few to learn by, and to measure with`,
  );
}

/** Whether the values that are looked at are all whole and too large to be told apart. */
function areBeyondExact(values: ArrayLike<number>): boolean {
  const step = Math.max(1, values.length / LOOKED_AT);
  let found = false;
  for (let at = 0; at < values.length; at += step) {
    const value = values[Math.floor(at)];
    if (Number.isNaN(value)) continue;
    // Whole numbers of more than twenty digits are amounts in scientific notation.
    if (Math.abs(value) < 2 ** 53 || Math.abs(value) > 1e20) return false;
    found = true;
  }
  return found;
}

function doubtAbout(column: CategoricalColumn, lineOf: LineOf | undefined): string | undefined {
  const { categories } = column;
  if (categories.length < 2) return undefined;
  const look = lookAt(column, lineOf);
  if (categories.length >= MANY_LEVELS && look.share(NUMBER) > 0.5 && look.share(NUMBER) < 1) {
    const words = doubtOfNumbers(column, lineOf);
    if (words !== undefined) return words;
  }
  if (look.share(DATE) >= look.most) {
    return `dates ${look.example(DATE)} say nothing of other dates; drop it, or make numbers of it`;
  }
  return amountsIn(look);
}

/** Whether most values are amounts or dates, of which the reader has said what to do about them. */
export function isDoubtful(column: CategoricalColumn): boolean {
  const { most, share } = lookAt(column, undefined);
  return share(DATE) >= most || share(AMOUNT) >= most && share(NUMBER) < most;
}

/** What amounts that are no plain numbers are, and what to do about them. */
function amountsIn({ most, share, example }: Look): string | undefined {
  if (share(NUMBER) === 1) {
    return `numbers ${example(NUMBER)}, where the decimal character is another: set it (decimal, ` +
      '--decimal ".")';
  }
  const [comma, thousand] = [example(DECIMAL_COMMA), example(THOUSAND)];
  if (
    comma !== undefined && share(DECIMAL_COMMA, NUMBER) >= most && share(THOUSAND, NUMBER) < most
  ) {
    return `numbers with a decimal comma ${comma}: set it (decimal, --decimal ,) ` +
      "where another character separates cells, else write points";
  }
  if (thousand !== undefined && share(THOUSAND, NUMBER) >= most) {
    return `amounts ${thousand}: if the comma is the decimal character, set it (decimal, ` +
      "--decimal ,); if it separates thousands, write numbers without it";
  }
  if (share(AMOUNT, ODD_NUMBER, NUMBER) < most) return undefined;
  const [odd] = [ODD_NUMBER, DRESSED, AMOUNT].flatMap((pattern) => example(pattern) ?? []);
  if (odd === undefined) return undefined; // words beside numbers
  return `amounts ${odd}, which are not plain numbers: write them as in -1234.5, without ` +
    "currencies, percent signs and separators of thousands";
}

/** The values of a column, or some evenly spread ones. */
interface Look {
  /** Share of values from which on a column is what most of them are. */
  readonly most: number;
  /** Share of values that are like one of some patterns. */
  readonly share: (...patterns: RegExp[]) => number;
  /** A value like a pattern that is no plain number, if it can be, and where it stands first. */
  readonly example: (pattern: RegExp) => string | undefined;
}

function lookAt({ categories, codes }: CategoricalColumn, lineOf: LineOf | undefined): Look {
  const step = Math.max(1, categories.length / LOOKED_AT);
  const some: string[] = [];
  for (let at = 0; at < categories.length; at += step) some.push(categories[Math.floor(at)]);
  return {
    // Of few levels all must look so: they may be names.
    most: categories.length < MANY_LEVELS ? 1 : MOST,
    share: (...patterns) =>
      some.filter((text) => patterns.some((pattern) => pattern.test(text))).length / some.length,
    example(pattern) {
      const isOne = (text: string) =>
        pattern.test(text) && (pattern === NUMBER || !NUMBER.test(text));
      const code = categories.findIndex(isOne);
      if (code < 0) return undefined;
      const place = placeOf(codes.indexOf(code), lineOf);
      return `such as ${JSON.stringify(categories[code].slice(0, 40))} at ${place}`;
    },
  };
}

/** Numbers in most rows, and words in a few. */
function doubtOfNumbers(
  column: CategoricalColumn,
  lineOf: LineOf | undefined,
): string | undefined {
  const words = wordsAmongNumbers(column);
  return words &&
    `${words.count} of ${words.present} values are not numbers, ${words.first} for one at ` +
      `${placeOf(words.row, lineOf)}; if they mean missing, say so (missing, --missing), or mark ` +
      "the column (types, --numeric, --categorical)";
}

/** Words among numbers. */
interface Words {
  readonly count: number;
  /** Values that are not missing. */
  readonly present: number;
  /** One word, in quotes, and the first row that has it. */
  readonly first: string;
  readonly row: number;
}

/**
 * How many of the values that are there are words, where they or their rows are few, and the first
 * word.
 */
function wordsAmongNumbers(
  { codes, categories }: CategoricalColumn,
): Words | undefined {
  const isWord = Uint8Array.from(categories, (text) => NUMBER.test(text) ? 0 : 1);
  let count = 0;
  let present = 0;
  for (const code of codes) {
    if (code < 0 || code >= categories.length) continue;
    present++;
    count += isWord[code];
  }
  const words = isWord.reduce((sum, one) => sum + one, 0);
  const few = words <= Math.min(FEW_WORDS, (1 - MOST) * categories.length);
  if (count === 0 || (count > (1 - MOST) * present && !few)) return undefined;
  const word = isWord.indexOf(1);
  const first = JSON.stringify(categories[word].slice(0, 40));
  return { count, present, first, row: codes.indexOf(word) };
}
