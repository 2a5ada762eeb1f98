/**
 * `decodeModel` for whoever loads more than `./predict`: it names the call and the nearest option, too.
 *
 * @module
 */
import { checkArgument, checkOptions, checkParts } from "../door.ts";
import type { Model } from "../model/model.ts";
import { decodeModel as decode, type DecodeOptions } from "./decode.ts";
import type { Limits } from "./sections.ts";

export type { DecodeOptions } from "./decode.ts";

/**
 * Checks how a file is to be read.
 *
 * @throws {ParameterError} `E_PARAM_UNKNOWN` with the nearest name, or `E_PARAM_RANGE`.
 */
export function checkDecoding(call: string, options: DecodeOptions): void {
  checkOptions<DecodeOptions>(call, options, {
    limits: "object",
    checksum: "flag",
    selfTest: "flag",
  });
  const { limits } = options;
  if (limits !== undefined) checkParts<Limits>(call, "limits", limits, { maxBytes: "number" });
}

/**
 * Makes a model from the bytes of a `.tlm` file. Its arrays are views of `bytes`, which must not
 * change afterwards.
 *
 * @throws {ModelError} `E_MODEL_MAGIC` if it is not a `.tlm` file, `E_MODEL_VERSION` if it is too
 * new, `E_MODEL_CORRUPT` if it is damaged, `E_MODEL_LIMIT` if it is larger than `limits` allow;
 * `details.offset` is the place in the file, counted in bytes from 0.
 * @throws {ParameterError} `E_PARAM_UNKNOWN` or `E_PARAM_RANGE` for a wrong argument or option.
 */
export function decodeModel(bytes: Uint8Array, options: DecodeOptions = {}): Model {
  checkArgument("decodeModel", "bytes", bytes, "bytes");
  checkDecoding("decodeModel", options);
  return decode(bytes, options);
}
