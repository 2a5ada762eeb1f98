/**
 * `{"class": …, "probabilities": {label: …}}` of many rows, with all that is constant made once.
 *
 * @module
 */
import { numberText } from "./json_text.ts";
import { probabilityAt, type Scores } from "./scores.ts";

/** The constant pieces of a model's predictions. */
export interface ClassTexts {
  /** `{"class":"a"` for each class. */
  readonly heads: readonly string[];
  /** `,"probabilities":{"a":` of the first class, `,"b":` of the others. */
  readonly labels: readonly string[];
}

/** Pieces for these classes. */
export function classTexts(classes: readonly string[]): ClassTexts {
  const names = classes.map((label) => JSON.stringify(label));
  return {
    heads: names.map((name) => `{"class":${name}`),
    labels: names.map((name, k) => `${k === 0 ? ',"probabilities":{' : ","}${name}:`),
  };
}

/** Predictions of all rows, separated by commas. */
export function classesText(scores: Scores, pieces: ClassTexts): string {
  let text = classText(scores, pieces, 0);
  for (let row = 1; row < scores.rows; row++) text += "," + classText(scores, pieces, row);
  return text;
}

/** The prediction of one row; only the class where there are no probabilities. */
export function classText(scores: Scores, { heads, labels }: ClassTexts, row: number): string {
  const { value, numOutputs, isProbability } = scores;
  const count = labels.length;
  let text = heads[scores.labels[row]];
  if (!isProbability) return text + "}";
  if (count === 2 && numOutputs === 1) {
    const p = value[row];
    return p - p === 0
      ? text + labels[0] + (1 - p) + labels[1] + p + "}}"
      : text + labels[0] + "null" + labels[1] + "null}}";
  }
  for (let k = 0; k < count; k++) {
    text += labels[k] + numberText(probabilityAt(scores, count, row, k));
  }
  return text + "}}";
}
