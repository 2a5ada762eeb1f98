/**
 * XGBoost's UBJSON: by the kernel where the trees are the plain case, else by the general reader.
 *
 * @module
 */
import type { FullLimits } from "../common/limits.ts";
import { readUbjson } from "../wire/ubjson.ts";
import { readXgboostDocument } from "./document.ts";
import { createTreeReader } from "./kernel.ts";
import type { XgboostSource } from "./source.ts";

/**
 * Reads a `.ubj` file.
 *
 * @param smallest Bytes from which on the kernel is worth setting up; the result does not depend on it.
 */
export function readXgboostUbjson(
  bytes: Uint8Array,
  limits: FullLimits,
  smallest?: number,
): XgboostSource {
  const takeTrees = createTreeReader(bytes, limits, smallest);
  const source = readXgboostDocument(readUbjson(bytes, takeTrees), "xgboost-ubj", limits);
  if (source.ready === undefined) return source;
  // What the rest of the file says may not fit the trees: the general reader finds the words for it.
  const fits = source.ready.numFeatures <= source.numFeatures &&
    source.levels.every((levels) => levels === undefined);
  return fits ? source : readXgboostDocument(readUbjson(bytes), "xgboost-ubj", limits);
}
