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
 * Reads a `.tlm` file from a path or URL. In Deno one of 16 KiB to 4 MiB, of that name, is read at once:
 * nothing else runs meanwhile.
 *
 * @throws {SourceError} when it cannot be read.
 * @throws {ModelError} when it is no model, damaged or too new.
 */
export async function loadModel(
  source: string | URL,
  options: DecodeOptions = {},
): Promise<Model> {
  return decodeModel(await readBytes(source, roomFor), options);
}
