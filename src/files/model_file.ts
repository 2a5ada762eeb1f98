/**
 * Models from and to files and addresses.
 *
 * @module
 */
import { checkModel, checkOptions, shownValue } from "../door.ts";
import { ModelError } from "../errors.ts";
import { encodeModel, type EncodeOptions } from "../format/binary.ts";
import { checkDecoding, type DecodeOptions } from "../format/decode_checked.ts";
import { loadModel as load } from "./load_model.ts";
import type { Model } from "../model/model.ts";
import { writeBytes, type WriteOptions } from "../runtime/write.ts";

/**
 * Reads a `.tlm` file from a path or URL.
 *
 * @throws {SourceError} when it cannot be read.
 * @throws {ModelError} when it is no model, damaged or too new.
 * @throws {ParameterError} for an unknown or wrong option.
 */
export async function loadModel(
  source: string | URL,
  options: DecodeOptions = {},
): Promise<Model> {
  checkDecoding("loadModel", options);
  try {
    return await load(source, options);
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

/**
 * Writes a `.tlm` file; a killed process leaves the old file or the new one.
 *
 * @param options `inBits` as in {@linkcode EncodeOptions}: `false` where the file must be read fast.
 * @throws {SourceError} `E_IO_WRITE` when the file exists and `force` is not set, or cannot be
 * written.
 */
export async function saveModel(
  model: Model,
  path: string | URL,
  options: WriteOptions & Pick<EncodeOptions, "inBits"> = {},
): Promise<void> {
  checkModel("saveModel", model);
  checkOptions<NonNullable<typeof options>>("saveModel", options, {
    force: "flag",
    late: "flag",
    inBits: "flag",
  });
  const { inBits, ...rest } = options;
  await writeBytes(path, encodeModel(model, { ...(inBits !== undefined && { inBits }) }), rest);
}
