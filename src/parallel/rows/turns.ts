/**
 * How a piece of work is done by all threads: helpers are woken for it, and the thread that keeps the
 * trees takes part and waits for the last.
 *
 * @module
 */
import { TeamWord, TeamWork } from "../../grow/split_team.ts";

/** Other threads that take part in a piece of work. */
export interface Turns {
  /** Wakes them; the counter and the arrivals are at zero. */
  release(): void;
  /** Waits until all have arrived. @throws {TrainingError} when one has failed. */
  join(): void;
}

/**
 * Has all threads do a piece of work.
 *
 * @param work One of `TeamWork`; what else the work needs stands in the control words already.
 * @param own The part of this thread.
 */
export function together(
  control: Int32Array,
  helpers: Turns,
  work: number,
  own: () => void,
): void {
  control[TeamWord.work] = work;
  helpers.release();
  try {
    own();
  } finally {
    helpers.join();
    control[TeamWord.work] = TeamWork.trees;
  }
}
