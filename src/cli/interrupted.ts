/**
 * What a run that the user stopped leaves.
 *
 * @module
 */
import { TrainingError } from "../errors.ts";
import { Model } from "../model/model.ts";

/** The best model so far that an interrupted training hands over. */
export function interruptedModel(error: unknown): Model | undefined {
  if (!(error instanceof TrainingError) || error.code !== "E_TRAIN_ABORTED") return undefined;
  const { model } = error.details;
  return model instanceof Model ? model : undefined;
}
