/**
 * Numbers and names as JSON text. What is not finite becomes null: JSON has no NaN.
 *
 * @module
 */

/** One number. */
export function numberText(value: number): string {
  return value - value === 0 ? `${value}` : "null"; // NaN and infinities differ from themselves
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
