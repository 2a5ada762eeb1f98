/**
 * Serves models over HTTP: `deno serve -A server.ts` or `deno run -A server.ts`.
 *
 * `TREELINE_MODELS` names files, folders and addresses, separated by commas (default `models`);
 * `deno run` takes them as arguments too. `PORT` and `HOST` say where `deno run` listens;
 * docs/http.md lists the other variables.
 *
 * @module
 */
import { startServer } from "./src/server/process/start.ts";

const { fetch, onListen } = await startServer({ isMain: import.meta.main, args: Deno.args });

/** What `deno serve` takes. */
export default { fetch, onListen } satisfies Deno.ServeDefaultExport;
