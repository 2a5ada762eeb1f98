// deno-lint-ignore-file no-console
/**
 * A door of the library as one self-contained module: `deno bundle`, then terser, whose names gzip packs
 * 4 % smaller, then functions come into an order in which gzip finds more, and those of a cold start are
 * marked to be compiled ahead.
 *
 * `deno task bundle [FILE]` writes `./predict` for deployment, by default to dist/predict.js.
 *
 * @module
 */
// deno-lint-ignore no-external-import
import { gzipSync } from "node:zlib";
import { compileAhead } from "./ahead.ts";
import { minifiedBundle } from "./minify.ts";
import { inOrder } from "./order.ts";

const root = new URL("../../", import.meta.url);

/**
 * Bundles and minifies an entry point.
 *
 * @param entry Path below the project, `src/predict.ts`.
 */
export async function bundle(entry: string): Promise<Uint8Array<ArrayBuffer>> {
  const ordered = await inOrder(entry, await minifiedBundle(entry));
  return new TextEncoder().encode(await compileAhead(ordered));
}

/** Size of bytes after gzip −9, as servers keep static files; at level 6 where they compress as they send. */
export function gzipLength(bytes: Uint8Array<ArrayBuffer>, level = 9): number {
  return gzipSync(bytes, { level }).byteLength;
}

if (import.meta.main) {
  const file = Deno.args[0] ?? "dist/predict.js";
  const bytes = await bundle("src/predict.ts");
  await Deno.mkdir(new URL("dist/", root), { recursive: true });
  await Deno.writeFile(file, bytes);
  console.log(`${file}: ${bytes.length} bytes, ${gzipLength(bytes)} gzipped`);
}
