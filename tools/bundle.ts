/**
 * One self-contained module for browsers from a door of the library, made by `deno bundle`.
 *
 * @module
 */

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

/** Size of bytes after gzip. */
export async function gzipLength(bytes: Uint8Array<ArrayBuffer>): Promise<number> {
  const zipped = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"));
  return (await new Response(zipped).arrayBuffer()).byteLength;
}
