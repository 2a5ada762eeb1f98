/**
 * The workers of this folder: one module, whose name says what it does.
 *
 * @module
 */

/** Names of the workers, by which they know what they are. */
export const EVALUATE_WORKERS = {
  fold: "treeline-fold",
  shuffle: "treeline-shuffle",
  evaluate: "treeline-evaluate",
} as const;

/** Starts one. */
export function openEvaluateWorker(
  name: typeof EVALUATE_WORKERS[keyof typeof EVALUATE_WORKERS],
): Worker {
  return new Worker(new URL("./evaluate_worker.ts", import.meta.url), { type: "module", name });
}
