/**
 * The short way for what nearly every request is: `POST /v1/models/:name/predict` without a query.
 * It needs no router and no context; the handler is the same one.
 *
 * @module
 */
import type { Hono } from "hono";
import { type EndpointOptions, type Exchange, perform, type Server } from "./exchange.ts";
import { predictNative } from "./native.ts";

const PREFIX = "/v1/models/";
const SUFFIX = "/predict";
const OPTIONS: EndpointOptions = { route: `${PREFIX}:name${SUFFIX}` };

/** A `fetch` that takes the short way where it can, else `fetch` as it was. */
export function directFetch(server: Server, fetch: Hono["fetch"]): Hono["fetch"] {
  const handler = (exchange: Exchange) => predictNative(server, exchange);
  const noQuery = () => undefined;
  return (request, ...rest) => {
    const { url } = request;
    if (!url.endsWith(SUFFIX) || request.method !== "POST") return fetch(request, ...rest);
    const at = url.indexOf("/", 8);
    const name = url.slice(at + PREFIX.length, -SUFFIX.length);
    if (!url.startsWith(PREFIX, at) || /[^\w.@-]/.test(name) || name === "") {
      return fetch(request, ...rest);
    }
    return perform(server, OPTIONS, handler, request, () => name, noQuery);
  };
}
