/**
 * A model's version: the same 16 digits for the same model, wherever and whenever it is served.
 *
 * @module
 */
import { sourceBytes } from "../../format/source_bytes.ts";
import type { Model } from "../../model/model.ts";
import { hexOf } from "../../util/hex.ts";

/**
 * First 16 hexadecimal digits of the SHA-256 of the model's file; where the file is not known, of the file that
 * the model would be written to. The two differ only for files that another version wrote or that are signed, and
 * only if `./predict` read the model before this module was loaded, by an `import()` later on.
 */
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
