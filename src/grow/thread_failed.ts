/**
 * What a thread throws that stops because another has failed: whoever knows the reason tells that
 * instead.
 *
 * @module
 */
import { TrainingError } from "../errors.ts";

const MADE = new WeakSet<object>();

/** The error without a reason. */
export function threadFailed(): TrainingError {
  const error = new TrainingError(
    "E_TRAIN_NUMERIC",
    "Cannot continue: a training thread has failed",
  );
  MADE.add(error);
  return error;
}

/** Whether an error only says that another thread has failed. */
export function isThreadFailed(error: unknown): boolean {
  return typeof error === "object" && error !== null && MADE.has(error);
}
