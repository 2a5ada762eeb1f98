/**
 * A task of a split team as each of its threads sees it.
 *
 * @module
 */

/** A task as a thread does it. */
export interface Task {
  /** There is one item a step, which the thread that grows does by itself. */
  readonly isSmall?: boolean;
  /** Takes items of a step until none is left; `arg` is the step's own. */
  run(step: number, next: () => number, arg: number): void;
}
