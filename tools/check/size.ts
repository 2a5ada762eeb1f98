// deno-lint-ignore-file no-console
/**
 * Measures what each door costs in a browser and fails when one passes its budget.
 *
 * @module
 */
import { bundle, gzipLength } from "../build/bundle.ts";
import { plainBundle } from "../build/minify.ts";

/** Door → largest number of bytes, minified and by gzip -9. */
const BUDGETS: { readonly [entry: string]: number } = {
  "src/predict.ts": 24_000,
};

let over = false;
for (const [entry, budget] of Object.entries(BUDGETS)) {
  const bytes = await bundle(entry);
  const zipped = gzipLength(bytes);
  over ||= zipped > budget;
  const verdict = zipped > budget ? "TOO LARGE" : "ok";
  console.log(
    `${entry}: ${bytes.length} bytes minified, ${zipped} by gzip -9, budget ${budget}: ${verdict}` +
      ` (${gzipLength(bytes, 6)} by gzip -6, \`deno bundle\` alone: ${
        gzipLength(await plainBundle(entry))
      })`,
  );
}
if (over) Deno.exit(1);
