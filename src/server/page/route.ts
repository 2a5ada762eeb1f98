/**
 * `GET /` and `POST /`: the playground. The form is sent as a form, so it works without JavaScript
 * and values never stand in an address.
 *
 * @module
 */
import "../../format/explain.ts"; // models that ./predict read can give their covers, too
import { publicPath, targetOf } from "../exchange/address.ts";
import { readText } from "../body/read.ts";
import { logFailure } from "../exchange/exchange.ts";
import type { Exchange, Server } from "../exchange/types.ts";
import type { Served } from "../models/types.ts";
import { defaultServed, getServed } from "../exchange/scoring.ts";
import { page } from "./page.ts";
import { viewOf } from "./view.ts";

/** Answers the page, filled with what the form sent. */
export async function playground(server: Server, exchange: Exchange): Promise<Response> {
  const { registry } = server;
  const url = targetOf(exchange.request);
  const form = new Map<string, string>(url.searchParams);
  if (exchange.request.method === "POST") {
    const text = await readText(
      exchange.request,
      Math.min(1 << 20, registry.limits.maxBytes),
      server.arriving,
    );
    for (const [name, value] of new URLSearchParams(text)) form.set(name, value);
  }
  const names = registry.names();
  const wanted = form.get("model");
  const served =
    await (wanted !== undefined
      ? getServed(registry, wanted)
      : names.length > 1
      ? firstServed(server, exchange, names)
      : defaultServed(server));
  exchange.model = served.name;
  exchange.version = served.version;
  const nonce = newNonce();
  const view = viewOf(served, names, form, server.maxMillis);
  const path = publicPath(server.basePath, url.pathname);
  const html = await page({ view, nonce, path });
  return new Response(`<!doctype html>\n${html}`, { headers: pageHeaders(nonce) });
}

/** The first model that can be loaded: a damaged one does not hide the page, which links to all. */
async function firstServed(
  server: Server,
  exchange: Exchange,
  [name, ...others]: readonly string[],
): Promise<Served> {
  try {
    return await server.registry.get(name);
  } catch (error) {
    if (others.length === 0) throw error;
    logFailure(server, exchange, error);
    return await firstServed(server, exchange, others);
  }
}

/** Nothing from elsewhere, nothing inline without the nonce, nobody may frame it. */
function pageHeaders(nonce: string): Record<string, string> {
  return {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy":
      `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; ` +
      "img-src data:; connect-src 'self'; form-action 'self'; base-uri 'none'; " +
      "frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
  };
}

function newNonce(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return btoa(String.fromCharCode(...bytes));
}
