/**
 * The levels of a text column that nobody named beforehand: numbered in order of appearance while
 * they are read, and sorted at the end. No cell becomes a string; each level does, once.
 *
 * They are held by the scanner's table where it has one, else by a dictionary, and move along when
 * the scanner is replaced.
 *
 * @module
 */
import { compareCodePoints, isNumberText, labelOrder } from "../labels.ts";
import type { Block } from "./blocks.ts";
import { type CategoryReader, type CellReader, NOT_TEXT, trimmed } from "./cells.ts";
import { createDictionary } from "../reading/dictionary.ts";
import type { CellTable, SortedLevels } from "./scan.ts";

/** A reader of a column whose new values get the next codes. */
export interface LevelReader extends CategoryReader {
  /**
   * The vocabulary, sorted, without values that no row has. Rewrites the codes of all rows to its
   * order; negative ones stay.
   *
   * @param allRows Whether no row that was read is missing in `codes`. @default false
   */
  finish(codes: Int32Array, allRows?: boolean): string[];
  /** The levels so far, sorted by code point, and their codes. */
  sorted(): SortedLevels;
}

/** A code that a store has not. */
const NONE = -3;

/** Cells and their codes. */
interface Store {
  codeOf(bytes: Uint8Array, start: number, end: number): number;
  /** `text` is that of a level; an alias and a missing token have none. */
  keep(bytes: Uint8Array, start: number, end: number, code: number, text?: string): void;
  levels(): SortedLevels;
}

/**
 * A reader of one column.
 *
 * @param known Values that are levels even where they are missing tokens.
 */
export function createLevelReader(
  cells: CellReader,
  trim: boolean,
  known: readonly string[] = [],
): LevelReader {
  const encoder = new TextEncoder();
  let table: CellTable | undefined;
  let store: Store = createDictionaryStore();
  let next = 0;
  // With `trim` no cell is a value that has spaces around.
  keepTexts(store, known.filter((text) => !trim || !/^[ \t]|[ \t]$/.test(text)));
  const hasKnown = next > 0;

  function keepTexts(to: Store, texts: readonly string[]): void {
    for (const text of texts) {
      const bytes = encoder.encode(text);
      if (to.codeOf(bytes, 0, bytes.length) === NONE) {
        to.keep(bytes, 0, bytes.length, next, text);
        next++;
      }
    }
  }

  /** Moves to another scanner's table. */
  function moveTo(to: CellTable, column: number): void {
    const { texts, codes } = store.levels();
    const inOrder = new Array<string>(texts.length);
    texts.forEach((text, i) => inOrder[codes[i]] = text);
    table = to;
    store = {
      codeOf: (bytes, start, end) => to.codeOf(column, bytes, start, end),
      keep: (bytes, start, end, code, text) =>
        to.keep(column, bytes, start, end, code, text === undefined),
      levels: () => to.levels(column),
    };
    next = 0;
    keepTexts(store, inOrder);
    for (const token of cells.tokens) {
      if (store.codeOf(token, 0, token.length) === NONE) {
        store.keep(token, 0, token.length, -1);
      }
    }
  }

  function code(bytes: Uint8Array, from: number, to: number): number {
    const held = store.codeOf(bytes, from, to);
    if (held !== NONE) return held;
    const { start, end } = trimmed(bytes, from, to, trim);
    const shorter = end - start < to - from;
    let found = shorter ? store.codeOf(bytes, start, end) : NONE;
    if (found === NONE) {
      if (cells.isMissing(bytes, start, end)) found = -1;
      else {
        const text = cells.text(bytes, start, end);
        if (text === undefined) return NOT_TEXT;
        found = next++;
        store.keep(bytes, start, end, found, text);
        if (!shorter) return found;
      }
    }
    store.keep(bytes, from, to, found);
    return found;
  }

  function codes(
    { bytes, cells: given, spans, stride }: Block,
    column: number,
    from: number,
    to: number,
    out: Int32Array,
  ): boolean {
    if (given !== undefined && given !== table) moveTo(given, column);
    let allText = true;
    for (let row = from; row < to; row++) {
      if (given !== undefined) {
        row = given.take(column, row, to);
        if (row === to) break;
        next = given.count(column);
      }
      const at = 2 * (column * stride + row);
      const found = code(bytes, spans[at], spans[at + 1]);
      if (found === NOT_TEXT) allText = false;
      if (given !== undefined) given.codes[row] = found;
      else out[row - from] = found;
    }
    if (given !== undefined) {
      next = given.count(column);
      out.set(given.codes.subarray(from, to));
    }
    return allText;
  }

  function finish(rows: Int32Array, allRows = false): string[] {
    const { texts, codes } = store.levels();
    const used = new Uint8Array(next);
    let unused = allRows && !hasKnown ? 0 : next;
    for (let row = 0; row < rows.length && unused > 0; row++) {
      const code = rows[row];
      if (code < 0 || used[code] === 1) continue;
      used[code] = 1;
      unused--;
    }
    const kept = unused === 0 ? codes : codes.filter((code) => used[code] === 1);
    const labels = unused === 0 ? texts : texts.filter((_, i) => used[codes[i]] === 1);
    const rank = new Int32Array(next);
    const order = labels.every(isNumberText) ? labelOrder(labels) : undefined;
    for (let i = 0; i < kept.length; i++) rank[kept[order?.[i] ?? i]] = i;
    for (let row = 0; row < rows.length; row++) if (rows[row] >= 0) rows[row] = rank[rows[row]];
    return order?.map((i) => labels[i]) ?? labels;
  }

  return { code, codes, finish, sorted: () => store.levels() };
}

function createDictionaryStore(): Store {
  const dictionary = createDictionary();
  /** Code of each entry, and text of each code. */
  const codes: number[] = [];
  const texts: string[] = [];
  return {
    codeOf(bytes, start, end) {
      const entry = dictionary.find(bytes, start, end);
      return entry < 0 ? NONE : codes[entry];
    },
    keep(bytes, start, end, code, text) {
      dictionary.find(bytes, start, end);
      dictionary.add(bytes, start, end);
      codes.push(code);
      if (text !== undefined) texts[code] = text;
    },
    levels() {
      const order = Int32Array.from(texts.keys())
        .sort((a, b) => compareCodePoints(texts[a], texts[b]));
      return { texts: Array.from(order, (code) => texts[code]), codes: order };
    },
  };
}
