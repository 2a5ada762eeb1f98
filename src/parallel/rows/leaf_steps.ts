/**
 * Adds the steps of new trees to the scores of the rows that they grew on, and of those that were not
 * drawn, as a task of several threads.
 *
 * @module
 */
import { blocksOf } from "../../metric/job.ts";
import type { Task } from "./task.ts";

/** What all threads see. */
export interface LeafSteps {
  /** Number of each row (`tree_rows.ts`), and the step that a number stands for. */
  readonly numberOf: Int32Array;
  readonly values: Float64Array;
  /** Scores, and steps that wait until all trees of a round have grown: output-major. */
  readonly raw: Float64Array;
  readonly steps: Float64Array;
}

/** Steps of the task; the first two are told their output. */
export const LeafStep = {
  /** Adds the steps of a tree to the scores. */
  add: 0,
  /** Keeps them. */
  keep: 1,
  /** Adds those that were kept, of all outputs. */
  addKept: 2,
} as const;

/** Makes the task. */
export function leafStepTask({ numberOf, values, raw, steps }: LeafSteps): Task {
  const numRows = numberOf.length;
  const { count, start } = blocksOf(numRows);
  return {
    isSmall: count === 1,
    run(step, next, output) {
      for (let block = next(); block < count; block = next()) {
        const from = start(block);
        const to = start(block + 1);
        const at = output * numRows;
        if (step === LeafStep.add) {
          for (let row = from; row < to; row++) raw[at + row] += values[numberOf[row]];
        } else if (step === LeafStep.keep) {
          for (let row = from; row < to; row++) steps[at + row] = values[numberOf[row]];
        } else {
          for (let k = 0; k < raw.length; k += numRows) {
            for (let row = k + from; row < k + to; row++) raw[row] += steps[row];
          }
        }
      }
    },
  };
}
