/**
 * Text from strangers as it can be shown: names in files may hold what moves a terminal's cursor,
 * breaks lines or turns the order of letters.
 *
 * @module
 */

/** Characters that cannot be seen, break lines or turn their order, but for joiners within words. */
const UNSEEN = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029\ufffe\uffff]/gu;

/** Whether all of a text can be seen as it is. */
export function isVisible(text: string): boolean {
  return text.search(UNSEEN) < 0;
}

/** The text with JSON's escapes in place of characters that cannot be seen. */
export function visible(text: string): string {
  return text.replaceAll(UNSEEN, (mark) =>
    Array.from(
      { length: mark.length },
      (_, i) => `\\u${mark.charCodeAt(i).toString(16).padStart(4, "0")}`,
    ).join(""));
}

/** As {@linkcode visible}, but lines stay lines. */
export function visibleLines(text: string): string {
  return text.split("\n").map(visible).join("\n");
}
