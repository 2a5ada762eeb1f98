/**
 * Models from and to files and addresses.
 *
 * @module
 */
import { decodeModel, type DecodeOptions, encodeModel } from "../format/binary.ts";
import type { Model } from "../model/model.ts";
import { readBytes } from "../runtime/read_bytes.ts";
import { writeBytes, type WriteOptions } from "../runtime/write.ts";

/**
 * Reads a `.tlm` file from a path or URL.
 *
 * @throws {SourceError} when it cannot be read.
 * @throws {ModelError} when it is no model, damaged or too new.
 */
export async function loadModel(
  source: string | URL,
  options: DecodeOptions = {},
): Promise<Model> {
  return decodeModel(await readBytes(source), options);
}

/**
 * Writes a `.tlm` file; a killed process leaves the old file or the new one.
 *
 * @throws {SourceError} `E_IO_WRITE` when the file exists and `force` is not set, or cannot be
 * written.
 */
export async function saveModel(
  model: Model,
  path: string | URL,
  options: WriteOptions = {},
): Promise<void> {
  await writeBytes(path, encodeModel(model), options);
}
