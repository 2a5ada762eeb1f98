/**
 * Loads models for whoever has room for better errors than `./predict`, and writes none.
 *
 * @module
 */
import { shownValue } from "../door.ts";
import { ModelError } from "../errors.ts";
import type { DecodeOptions } from "../format/decode.ts";
import type { Model } from "../model/model.ts";
import { loadModel } from "./load_model.ts";

/** As `loadModel` of load_model.ts; errors name the file, and what reads others. */
export async function loadNamed(source: string | URL, options: DecodeOptions = {}): Promise<Model> {
  try {
    return await loadModel(source, options);
  } catch (error) {
    throw error instanceof ModelError ? placed(error, String(source)) : error;
  }
}

/** The error with the name of the file, and with who reads others. */
function placed(error: ModelError, source: string): ModelError {
  const others = error.code === "E_MODEL_MAGIC"
    ? "; importModel() reads models of other libraries, modelFromJson() what modelToJson() wrote"
    : "";
  return new ModelError(error.code, `${error.message} (in ${shownValue(source)})${others}`, {
    details: { ...error.details, source },
    cause: error,
  });
}
