/**
 * Models from and to files and addresses.
 *
 * @module
 */
import { checkModel, checkOptions } from "../door.ts";
import { encodeModel, type EncodeOptions } from "../format/binary.ts";
import { checkDecoding, type DecodeOptions } from "../format/decode_checked.ts";
import { loadNamed } from "./load_named.ts";
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
  return await loadNamed(source, options);
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
