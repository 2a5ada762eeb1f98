/**
 * Numbers, names, classes and what was noticed as JSON text, with all that is constant made once. What
 * is not finite becomes null: JSON has no NaN.
 *
 * @module
 */
import type { InputReport } from "../../data/types.ts";
import { probabilityAt, type Scores } from "./scores.ts";
import { NOTHING_NOTICED } from "../body/rules.ts";

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

/** The four lists of what was noticed, each after a comma. */
export function reportText(report: InputReport): string {
  if (report.missing.size + report.unknown.size + report.ignored.length === 0) {
    return ',"missing":[],"unknown":[],"absent":[],"ignored":[]';
  }
  return `,"missing":${namesText(report.missing.keys())},"unknown":${
    namesText(report.unknown.keys())
  },"absent":${namesText(report.absent)},"ignored":${namesText(report.ignored)}`;
}

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

/**
 * Makes the writer of a model's answers to one row in which there is nothing to notice, for models of two
 * classes with probabilities: three pieces made once, and the two numbers between them. It writes what
 * `answerText` of native/predict.ts does (tests/property/server/direct_test.ts).
 *
 * @param head How every answer of the model begins.
 * @param form Scores of one row of the model.
 * @returns undefined where answers have another form.
 */
export function pairText(
  head: string,
  { heads, labels }: ClassTexts,
  form: Scores,
): ((scores: Scores) => string) | undefined {
  if (labels.length !== 2 || form.numOutputs !== 1 || !form.isProbability) return undefined;
  // `join` makes flat strings: those that `+` makes are put together anew for every answer.
  const begins = heads.map((text) => [head, ',"predictions":[', text, labels[0]].join(""));
  const between = labels[1];
  const end = ["}}]", reportText(NOTHING_NOTICED), "}"].join("");
  return ({ value, labels }) => {
    const p = value[0];
    // Two numbers a request, as `classText` writes them: `numberText` is for answers of many.
    return p - p === 0
      ? begins[labels[0]] + (1 - p) + between + p + end
      : begins[labels[0]] + "null" + between + "null" + end;
  };
}

/** A JSON answer. */
export function jsonResponse(text: string, status = 200): Response {
  return new Response(text, { status, headers: { "content-type": "application/json" } });
}
