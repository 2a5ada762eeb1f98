/**
 * Numbers and names as JSON text. What is not finite becomes null: JSON has no NaN.
 *
 * @module
 */

/**
 * One number.
 *
 * V8 keeps what `String()` and templates make of numbers in a cache. Of numbers that hardly come
 * again that is all it does: each text lives until another takes its place, and such survivors make
 * V8's young generation grow. `JSON.stringify` takes the same time and keeps nothing.
 */
export function numberText(value: number): string {
  return JSON.stringify(value);
}

/** `count` numbers from `at` as an array. */
export function numbersText(data: ArrayLike<number>, at: number, count: number): string {
  let text = "[";
  for (let i = 0; i < count; i++) text += (i === 0 ? "" : ",") + numberText(data[at + i]!);
  return text + "]";
}

/** Names as an array. */
export function namesText(names: Iterable<string>): string {
  let text = "[";
  let separator = "";
  for (const name of names) {
    text += separator + JSON.stringify(name);
    separator = ",";
  }
  return text + "]";
}
