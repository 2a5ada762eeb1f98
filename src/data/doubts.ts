/**
 * Columns that were read as categories and hardly are: numbers with a few words among them, dates,
 * amounts with separators. Nothing is changed; whoever reads the data is told.
 *
 * @module
 */
import { DataError } from "../errors.ts";
import type { RoleOptions } from "./options.ts";
import type { CategoricalColumn, Column } from "./types.ts";

const NUMBER = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/i;
const DATE = /^\d{4}-\d{1,2}-\d{1,2}(?:[T ].*)?$|^\d{1,2}([/.-])\d{1,2}\1\d{2,4}(?: .*)?$/;
const AMOUNT = /^[+-]?[$€£¥]?\s?\d{1,3}(?:[,' ]\d{3})*(?:[.,]\d+)?\s?[%$€£¥]?$/;

/** Below so many values nothing is doubted: few levels are categories, whatever they look like. */
const MANY_LEVELS = 10;
/** Values that are looked at of a larger vocabulary, evenly spread. */
const LOOKED_AT = 1000;
/** Share of values from which on a column is what most of them are. */
const MOST = 0.9;

/** Says what is doubtful about the kinds of columns; `types` and a model's schema are no guesses. */
export function sayDoubts(columns: readonly Column[], options: RoleOptions): void {
  const { onWarning, schema, types = {} } = options;
  if (onWarning === undefined || schema !== undefined) return;
  for (const column of columns) {
    if (column.kind === "numeric" || Object.hasOwn(types, column.name)) continue;
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

/** How many of the values that are there are words, where they are few, and the first word. */
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
  if (count === 0 || count > (1 - MOST) * present) return undefined;
  return { count, present, first: JSON.stringify(categories[isWord.indexOf(1)].slice(0, 40)) };
}
