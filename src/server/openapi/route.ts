/**
 * `GET /openapi.json`: the document of all models that are served.
 *
 * @module
 */
import { jsonResponse } from "../answer/json_text.ts";
import { addressOf, publicPath, targetOf } from "../exchange/address.ts";
import { logFailure } from "../exchange/exchange.ts";
import type { Exchange, Server } from "../exchange/types.ts";
import { openapi } from "./document.ts";

/** Every model is loaded for this: its columns are what is described. A damaged one hides no other. */
export async function describe(server: Server, exchange: Exchange): Promise<Response> {
  const { registry } = server;
  const unread: string[] = [];
  const loaded = await Promise.all(
    registry.names().map((name) =>
      registry.get(name).catch((error) => {
        logFailure(server, exchange, error);
        unread.push(name);
      })
    ),
  );
  const models = loaded.filter((one) => one !== undefined);
  // Where the application is mounted, which is before the document's own path.
  const { pathname } = targetOf(exchange.request);
  const mounted = publicPath(server.basePath, pathname).slice(0, -"/openapi.json".length);
  // Relative to where the document is, for a host that is none.
  const url = `${addressOf(exchange.request)?.origin ?? ""}${mounted}` || "/";
  const document = openapi(models, { url, tokens: server.tokens !== undefined });
  const { info } = document as { readonly info: { description: string } };
  if (unread.length > 0) info.description += ` Cannot be loaded: ${unread.sort().join(", ")}.`;
  return jsonResponse(JSON.stringify(document));
}
