/**
 * The order of labels and categories: by number where all are numbers, else by code point. It
 * depends on the values only, never on the order of rows or on a locale.
 *
 * @module
 */

const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

/** Whether a text is a decimal number as CSV files write it. */
export function isNumberText(text: string): boolean {
  return NUMBER.test(text);
}

/** Compares by Unicode code point: UTF-16 order would put `"\u{1f600}"` before `"\uff5e"`. */
export function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    const xHigh = x >= 0xd800 && x <= 0xdfff;
    const yHigh = y >= 0xd800 && y <= 0xdfff;
    return xHigh === yHigh ? x - y : xHigh ? 1 : -1;
  }
  return a.length - b.length;
}

/**
 * The permutation that sorts distinct labels.
 *
 * @returns `order[i]` is the index of the label that comes `i`th.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(labelOrder(["10", "9"]), [1, 0]);
 * assertEquals(labelOrder(["10", "9", "x"]), [0, 1, 2]);
 * ```
 */
export function labelOrder(labels: readonly string[]): number[] {
  const order = labels.map((_, i) => i);
  if (labels.every(isNumberText)) {
    const values = labels.map(Number);
    return order.sort((a, b) => values[a] - values[b] || compareCodePoints(labels[a], labels[b]));
  }
  return order.sort((a, b) => compareCodePoints(labels[a], labels[b]));
}

/** Sorts a vocabulary and rewrites its codes in place; negative codes stay. */
export function sortVocabulary(labels: readonly string[], codes: Int32Array): string[] {
  const order = labelOrder(labels);
  const rank = new Int32Array(labels.length);
  for (let i = 0; i < order.length; i++) rank[order[i]] = i;
  for (let i = 0; i < codes.length; i++) if (codes[i] >= 0) codes[i] = rank[codes[i]];
  return order.map((i) => labels[i]);
}
