/**
 * Columns that were read as categories and hardly are: numbers with a few words among them, dates,
 * amounts with separators. Nothing is changed; whoever reads the data is told.
 *
 * @module
 */
import { DataError } from "../errors.ts";
import type { RoleOptions } from "./options.ts";
import type { CategoricalColumn, Column } from "./types.ts";

const NUMBER = /^[ \t]*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?[ \t]*$/i;
const DATE = /^\d{4}-\d{1,2}-\d{1,2}(?:[T ].*)?$|^\d{1,2}([/.-])\d{1,2}\1\d{2,4}(?: .*)?$/;
/** `1,234.5`, `1.234,5`, `$ 5`, `7 %`, `(12.5)`, `−3`; spaces may be no-break ones. */
const AMOUNT =
  /^\(?[+\-\u2212]?[$€£¥]?\s?[+-]?(?:\d{1,3}(?:[,'’.\s]\d{3})+|\d+)(?:[.,]\d+)?\s?[%$€£¥]?\)?\s*$/;

/** Below so many values nothing is doubted: few levels are categories, whatever they look like. */
const MANY_LEVELS = 10;
/** Values that are looked at of a larger vocabulary, evenly spread. */
const LOOKED_AT = 1000;
/** Share of values from which on a column is what most of them are. */
const MOST = 0.9;
/** So many different words or fewer are hardly levels beside many numbers, in however many rows. */
const FEW_WORDS = 3;

/** Says what is doubtful about the kinds of columns; `types` and a model's schema are no guesses. */
export function sayDoubts(columns: readonly Column[], options: RoleOptions): void {
  const { onWarning, schema, types = {} } = options;
  if (onWarning === undefined || schema !== undefined) return;
  for (const column of columns) {
    if (Object.hasOwn(types, column.name)) continue;
    if (column.kind === "numeric") continue;
    const doubt = doubtAbout(column);
    if (doubt !== undefined) onWarning(`Column "${column.name}" is read as categories: ${doubt}`);
  }
}

/**
 * A target that is numbers with a few words among them could be amounts or classes.
 *
 * @throws {DataError} `E_DATA_TARGET` where neither `task` nor a kind nor a schema says which.
 */
export function checkTargetKind(column: Column, { task, types = {}, schema }: RoleOptions): void {
  if (column.kind === "numeric" || task !== undefined || schema !== undefined) return;
  if (Object.hasOwn(types, column.name) || column.categories.length < MANY_LEVELS) return;
  const words = wordsAmongNumbers(column);
  if (words === undefined) return;
  const { count, present, first } = words;
  throw new DataError(
    "E_DATA_TARGET",
    `Cannot tell what to predict: ${count} of ${present} values of "${column.name}" are no ` +
      `numbers, ${first} for one. If they mean missing, say so (missing, --missing); if the values ` +
      "are classes, say so (task, --task classification)",
    { details: { column: column.name, words: count } },
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

function doubtAbout(column: CategoricalColumn): string | undefined {
  const { categories } = column;
  if (categories.length < MANY_LEVELS) return undefined;
  const step = Math.max(1, categories.length / LOOKED_AT);
  const some: string[] = [];
  for (let at = 0; at < categories.length; at += step) some.push(categories[Math.floor(at)]);
  const share = (pattern: RegExp) => some.filter((text) => pattern.test(text)).length / some.length;
  if (share(NUMBER) > 0.5) return doubtOfNumbers(column);
  const shown = JSON.stringify(some[0].slice(0, 40));
  if (share(DATE) >= MOST) {
    return `dates such as ${shown} say nothing of other dates; drop it, or make numbers of it`;
  }
  if (share(AMOUNT) >= MOST) {
    return `amounts such as ${shown} are no plain numbers; write them without signs and separators`;
  }
  return undefined;
}

/** Numbers in most rows, and words in a few. */
function doubtOfNumbers(column: CategoricalColumn): string | undefined {
  const words = wordsAmongNumbers(column);
  return words &&
    `${words.count} of ${words.present} values are no numbers, ${words.first} for one; if they ` +
      "mean missing, say so (missing, --missing), or mark the column (types, --numeric, --categorical)";
}

/** How many of the values that are there are words, where they or their rows are few, and the first word. */
function wordsAmongNumbers(
  { codes, categories }: CategoricalColumn,
): { readonly count: number; readonly present: number; readonly first: string } | undefined {
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
  return { count, present, first: JSON.stringify(categories[isWord.indexOf(1)].slice(0, 40)) };
}
