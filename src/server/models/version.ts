/**
 * A model's version: the same 16 digits for the same model, wherever and whenever it is served; and the
 * headers that tell it.
 *
 * @module
 */
import { sourceBytes } from "../../format/decode.ts";
import type { Model } from "../../model/model.ts";
import { hexOf } from "../../util/hex.ts";
import type { Served } from "./types.ts";

/** First 16 hexadecimal digits of the SHA-256 of the model's file, or of the file that it would be written to. */
export async function versionOf(model: Model): Promise<string> {
  const file = fixed(sourceBytes(model)) ?? await written(model);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", file));
  return hexOf(digest.subarray(0, 8));
}

/** The bytes as Web Crypto takes them: not in shared memory. */
function fixed(bytes: Uint8Array | undefined): Uint8Array<ArrayBuffer> | undefined {
  return bytes?.buffer instanceof ArrayBuffer
    ? bytes as Uint8Array<ArrayBuffer>
    : bytes && new Uint8Array(bytes);
}

/** The file of a model that was read from none. What writes it is loaded for such models alone. */
async function written(model: Model): Promise<Uint8Array<ArrayBuffer>> {
  const [{ modelSections }, { writeDigestedAsync }] = await Promise.all([
    import("../../format/binary.ts"),
    import("../../format/digest.ts"),
  ]);
  return await writeDigestedAsync(modelSections(model));
}

/** Which model answers, for answers whose form has no place for it. */
export function modelHeaders(
  { name, version }: Pick<Served, "name" | "version">,
): Record<string, string> {
  return { "treeline-model": encodeURIComponent(name), "treeline-version": version };
}
