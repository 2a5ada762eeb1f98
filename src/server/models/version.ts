/**
 * A model's version: the same 16 digits for the same model, wherever and whenever it is served.
 *
 * @module
 */
import { modelSections, sourceBytes } from "../../format/binary.ts";
import { writeDigestedAsync } from "../../format/digest.ts";
import type { Model } from "../../model/model.ts";

/** First 16 hexadecimal digits of the SHA-256 of the model's file. */
export async function versionOf(model: Model): Promise<string> {
  const source = sourceBytes(model);
  const file = source === undefined
    ? await writeDigestedAsync(modelSections(model))
    : new Uint8Array(source); // not in shared memory
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", file));
  return Array.from(digest.subarray(0, 8), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
