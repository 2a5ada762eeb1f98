/**
 * The whole answer to one row, for models of two classes with probabilities: three pieces made once, and
 * the two numbers between them. It is what `answerText` of native.ts writes
 * (tests/property/server_direct_test.ts).
 *
 * @module
 */
import { NOTHING_NOTICED } from "../body/rules.ts";
import type { ClassTexts } from "./class_text.ts";
import { reportText } from "./report_text.ts";
import type { Scores } from "./scores.ts";

/**
 * Makes the writer of a model's answers in which there is nothing to notice.
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
    // Two numbers a request, as class_text.ts writes them: `numberText` is for answers of many.
    return p - p === 0
      ? begins[labels[0]] + (1 - p) + between + p + end
      : begins[labels[0]] + "null" + between + "null" + end;
  };
}
