/**
 * One self-contained module for browsers from a door of the library, made by `deno bundle`.
 *
 * @module
 */
// deno-lint-ignore no-external-import
import { gzipSync } from "node:zlib";

const root = new URL("../", import.meta.url);

/**
 * Bundles and minifies an entry point.
 *
 * @param entry Path below the project, `src/predict.ts`.
 */
export async function bundle(entry: string): Promise<Uint8Array<ArrayBuffer>> {
  const out = await Deno.makeTempFile({ suffix: ".js" });
  try {
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["bundle", "--quiet", "--minify", "--platform", "browser", "-o", out, entry],
      cwd: root,
    }).output();
    if (!success) throw new Error(`deno bundle ${entry}: ${new TextDecoder().decode(stderr)}`);
    return await Deno.readFile(out);
  } finally {
    await Deno.remove(out);
  }
}

/** Size of bytes after gzip −9, as servers keep static files. */
export function gzipLength(bytes: Uint8Array<ArrayBuffer>): number {
  return gzipSync(bytes, { level: 9 }).byteLength;
}
