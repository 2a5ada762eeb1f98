/**
 * Models from files and addresses.
 *
 * @module
 */
import { decodeModel, type DecodeOptions } from "../format/decode.ts";
import { roomFor } from "../format/prover.ts";
import type { Model } from "../model/model.ts";
import { readBytes } from "../runtime/read_bytes.ts";

/**
 * Reads a `.tlm` file. In Deno, a file of 16 KiB to 4 MiB whose name ends in `.tlm` is read
 * synchronously.
 *
 * @param source A path, or an `http:`, `https:`, `file:` or `data:` URL.
 * @throws {SourceError} `E_IO_NOT_FOUND` or `E_IO_READ` if it cannot be read.
 * @throws {ModelError} `E_MODEL_MAGIC` if it is not a `.tlm` file, `E_MODEL_VERSION` if it is too
 * new, `E_MODEL_CORRUPT` if it is damaged, `E_MODEL_LIMIT` if it is larger than `limits` allow.
 * @throws {ParameterError} For a wrong option, or a source that is not a path or URL.
 */
export async function loadModel(
  source: string | URL,
  options: DecodeOptions = {},
): Promise<Model> {
  return decodeModel(await readBytes(source, roomFor), options);
}
