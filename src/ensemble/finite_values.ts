/**
 * Numbers of a run that must be finite: the score it starts at and the values of its trees.
 *
 * @module
 */
import { TrainingError } from "../errors.ts";

/** @throws {TrainingError} `E_TRAIN_NUMERIC` where the score without trees is not finite. */
export function requireFiniteStart(baseScore: Float64Array): void {
  const found = baseScore.find((value) => !Number.isFinite(value));
  if (found === undefined) return;
  throw new TrainingError(
    "E_TRAIN_NUMERIC",
    `Cannot train: the score to start at is ${found}, expected a finite number (another ` +
      "baseScore, or labels and weights in another unit)",
  );
}

/** @throws {TrainingError} `E_TRAIN_NUMERIC` where a tree of the round has a value that is not finite. */
export function requireFiniteLeaves(values: ArrayLike<number>, round: number): void {
  for (let i = 0; i < values.length; i++) {
    if (Number.isFinite(values[i])) continue;
    throw new TrainingError(
      "E_TRAIN_NUMERIC",
      `Cannot continue in round ${round}: a leaf has the value ${
        values[i]
      }, expected finite numbers ` +
        "(lambda or minChildWeight above 0, maxDeltaStep, or labels and weights in another unit)",
      { details: { round } },
    );
  }
}
