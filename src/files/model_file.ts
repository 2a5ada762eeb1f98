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
 * Reads a `.tlm` file.
 *
 * @param source A path, or an `http:`, `https:`, `file:` or `data:` URL.
 * @throws {SourceError} `E_IO_NOT_FOUND` or `E_IO_READ` if it cannot be read.
 * @throws {ModelError} `E_MODEL_MAGIC` if it is not a `.tlm` file, `E_MODEL_VERSION` if it is too
 * new, `E_MODEL_CORRUPT` if it is damaged, `E_MODEL_LIMIT` if it is larger than `limits` allow.
 * @throws {ParameterError} `E_PARAM_UNKNOWN` or `E_PARAM_RANGE` for a wrong option.
 */
export async function loadModel(
  source: string | URL,
  options: DecodeOptions = {},
): Promise<Model> {
  checkDecoding("loadModel", options);
  return await loadNamed(source, options);
}

/**
 * Writes a `.tlm` file. The file is replaced as a whole: a process that is killed leaves the old file
 * or the new one. Only Deno can write files.
 *
 * @param options `force` replaces an existing file. `inBits` is that of {@linkcode EncodeOptions};
 * `false` makes a file that is read faster.
 * @throws {SourceError} `E_IO_WRITE` if the file exists and `force` is not set, or if it cannot be
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
