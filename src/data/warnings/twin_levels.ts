/**
 * Values of a column that a person would take for one: they differ in spaces around them or in letter
 * case. Both count, in training and when scoring; whoever reads the data is told.
 *
 * @module
 */
import type { RoleOptions } from "../options.ts";
import { type LineOf, placeOf } from "../place.ts";
import type { CategoricalColumn, Column } from "../types.ts";

/** Larger vocabularies are not looked through. */
const MOST_LEVELS = 65_536;
/** Longer values are cut where they are shown. */
const SHOWN = 40;

/** Says which columns have spaces around text, and which have values that differ in letter case only. */
export function sayTwins(
  columns: readonly Column[],
  { onWarning, schema }: RoleOptions,
  lineOf?: LineOf,
): void {
  if (onWarning === undefined || schema !== undefined) return;
  for (const column of columns) {
    if (column.kind === "numeric" || column.categories.length > MOST_LEVELS) continue;
    const show = (code: number) => JSON.stringify(column.categories[code].slice(0, SHOWN));
    const spaced = column.categories.findIndex(isSpacedWord);
    if (spaced >= 0) {
      const place = placeOf(column.codes.indexOf(spaced), lineOf);
      onWarning(
        `Column "${column.name}": spaces around values such as ${show(spaced)} at ${place} are ` +
          "part of them; CSV is read without them by trim (--trim)",
      );
      continue;
    }
    const twins = twinsIn(column);
    if (twins === undefined) continue;
    const place = placeOf(column.codes.indexOf(twins[1]), lineOf);
    onWarning(
      `Column "${column.name}": ${show(twins[0])} and ${show(twins[1])} at ${place} differ in ` +
        "letter case and are two values; write them alike where they are one",
    );
  }
}

/** Whether a word has spaces around it; of numbers, which may have them, other warnings speak. */
function isSpacedWord(text: string): boolean {
  return /^\s|\s$/.test(text) && /\p{L}/u.test(text);
}

/** The first two values that are one in lower case. */
function twinsIn({ categories }: CategoricalColumn): readonly [number, number] | undefined {
  const seen = new Map<string, number>();
  for (let code = 0; code < categories.length; code++) {
    const lower = categories[code].toLowerCase();
    const first = seen.get(lower);
    if (first !== undefined) return [first, code];
    seen.set(lower, code);
  }
  return undefined;
}
