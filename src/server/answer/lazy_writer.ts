/**
 * When answers are written by a kernel, which writer.ts is.
 *
 * @module
 */
import { forMany } from "../body/for_many.ts";
import type { ClassTexts } from "./json_text.ts";
import type { Scores } from "./scores.ts";

/** Writes the answers of one model. */
export interface AnswerWriter {
  /**
   * `head`, `,"predictions":[…]` of the rows, `rest`; undefined where there is no kernel, or where it does
   * not reach.
   */
  write(head: string, scores: Scores, rest: string): string | undefined;
}

/** Rows from which on the kernel pays. */
export const LEAST_ROWS = 8;

/** How a row's prediction is put together. */
export interface RowForm {
  /** What it begins with, by label; of one for all rows. */
  readonly heads: readonly string[];
  /** What is before each number. */
  readonly before: readonly string[];
  readonly tail: string;
  /** Whether the numbers are 1 − value and value. */
  readonly isPair: boolean;
}

/**
 * Makes the writer of a model, once it is needed and what makes it is loaded.
 *
 * @param pieces Of the model's classes; none for models without classes.
 */
export function lazyWriter(pieces: ClassTexts): AnswerWriter {
  let writer: AnswerWriter | undefined | null = null;
  return {
    write(head, scores, rest) {
      if (writer === null) {
        const many = forMany();
        if (many === undefined) return undefined;
        const form = rowForm(pieces, scores);
        writer = form && many.createWriter(form, scores.numOutputs);
      }
      return writer?.write(head, scores, rest);
    },
  };
}

function rowForm(
  { heads, labels }: ClassTexts,
  { numOutputs, isProbability }: Scores,
): RowForm | undefined {
  const count = labels.length;
  if (count === 0) {
    return numOutputs === 1 ? { heads: [""], before: [""], tail: "", isPair: false } : {
      heads: ["["],
      before: ["", ...Array(numOutputs - 1).fill(",")],
      tail: "]",
      isPair: false,
    };
  }
  if (!isProbability) return { heads, before: [], tail: "}", isPair: false };
  const isPair = count === 2 && numOutputs === 1;
  if (!isPair && (count === 1 || count !== numOutputs)) return undefined;
  return { heads, before: labels, tail: "}}", isPair };
}
