/**
 * Scores of a batch, from which answers of every form are made.
 *
 * @module
 */

/** Scores of a batch: raw, and after link and calibration. */
export interface Scores {
  readonly rows: number;
  readonly numOutputs: number;
  /** Row-major `rows × numOutputs`. */
  readonly raw: Float64Array;
  /** Row-major `rows × numOutputs`. */
  readonly value: Float64Array;
  /** Index of the most probable class of each row; empty where there are no classes. */
  readonly labels: Int32Array;
  /** Whether `value` holds probabilities of the classes. */
  readonly isProbability: boolean;
}

/** Probability of class `k` at `row`. */
export function probabilityAt(scores: Scores, numClasses: number, row: number, k: number): number {
  const { value, numOutputs } = scores;
  if (numOutputs === numClasses && numClasses > 1) return value[row * numOutputs + k];
  if (numClasses === 1) return 1;
  return k === 0 ? 1 - value[row] : value[row];
}
