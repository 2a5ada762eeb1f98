/**
 * The short way for what nearly every request is: JSON to `POST /v1/models/:name/predict` without a
 * query, for a model that is loaded. It needs no router, no context and one promise; the parts are
 * those of the long way.
 *
 * @module
 */
import type { Hono } from "hono";
import {
  admit,
  begin,
  complete,
  type EndpointOptions,
  type Exchange,
  fail,
  jsonAnswer,
  perform,
  type Server,
} from "./exchange.ts";
import { answerText, DEFAULT_QUERY, predictNative } from "./native.ts";
import { batchFromBody } from "./json_rows.ts";
import { problemResponse } from "./problem.ts";
import type { Served } from "./registry.ts";
import { findServed, runNow } from "./scoring.ts";
import { nameSpan } from "./span.ts";

const PREFIX = "/v1/models/";
const SUFFIX = "/predict";
const OPTIONS: EndpointOptions = { route: `${PREFIX}:name${SUFFIX}` };

/** A `fetch` that takes the short way where it can, else `fetch` as it was. */
export function directFetch(server: Server, fetch: Hono["fetch"]): Hono["fetch"] {
  const { registry } = server;
  const { maxBytes } = registry.limits;
  const handler = (exchange: Exchange) => predictNative(server, exchange);
  const noQuery = () => undefined;
  // Callers mostly ask for the model they asked for before.
  let lastUrl = "";
  let name = "";
  return (request, ...rest) => {
    const { url } = request;
    if (url !== lastUrl) {
      const found = nameIn(url);
      if (found === undefined) return fetch(request, ...rest);
      lastUrl = url;
      name = found;
    }
    if (request.method !== "POST") return fetch(request, ...rest);
    const served = findServed(registry, name);
    if (served === undefined || !isPlain(request.headers, maxBytes)) {
      const asked = name;
      return perform(server, OPTIONS, handler, request, () => asked, noQuery);
    }
    const exchange = begin(server, OPTIONS.route, request, noQuery, noQuery);
    try {
      admit(server, exchange);
      nameSpan(exchange);
    } catch (error) {
      return fail(server, exchange, error, problemResponse);
    }
    return request.bytes().then(
      (body) => predict(server, exchange, served, body),
      (error) => fail(server, exchange, error, problemResponse),
    );
  };
}

/** The model that an address names, where it is one that the short way is for. */
function nameIn(url: string): string | undefined {
  if (!url.endsWith(SUFFIX)) return undefined;
  const at = url.indexOf("/", 8);
  if (!url.startsWith(PREFIX, at)) return undefined;
  const name = url.slice(at + PREFIX.length, -SUFFIX.length);
  return /^[\w.@-]+$/.test(name) ? name : undefined;
}

/** Whether a body is JSON of a known length, not packed, and its answer is to be JSON too. */
function isPlain(headers: Headers, maxBytes: number): boolean {
  if (headers.get("content-type") !== "application/json") return false;
  const accept = headers.get("accept");
  if (accept !== null && accept !== "*/*" && accept !== "application/json") return false;
  const length = headers.get("content-length");
  return length !== null && Number(length) <= maxBytes && headers.get("content-encoding") === null;
}

function predict(
  server: Server,
  exchange: Exchange,
  served: Served,
  body: Uint8Array,
): Response {
  try {
    const scored = runNow(
      server,
      exchange,
      served,
      (encoder, errors) => batchFromBody(encoder, body, errors),
    );
    const text = answerText(served, scored, DEFAULT_QUERY, undefined, 0);
    return complete(server, exchange, jsonAnswer(server, exchange, text));
  } catch (error) {
    return fail(server, exchange, error, problemResponse);
  }
}
