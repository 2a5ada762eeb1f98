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
import { findServed, runRequest } from "./scoring.ts";
import { nameSpan } from "./span.ts";

const PREFIX = "/v1/models/";
const SUFFIX = "/predict";
const OPTIONS: EndpointOptions = { route: `${PREFIX}:name${SUFFIX}` };
/** Bytes from which on a body is not made a string. */
const LARGE = 4096;

/** A `fetch` that takes the short way where it can, else `fetch` as it was. */
export function directFetch(server: Server, fetch: Hono["fetch"]): Hono["fetch"] {
  const { registry } = server;
  const { maxBytes } = registry.limits;
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
    const served = findServed(registry, name);
    const length = plainLength(request.headers, maxBytes);
    if (served === undefined || length < 0) {
      return perform(server, OPTIONS, handler, request, () => name, noQuery);
    }
    const exchange = begin(server, OPTIONS.route, request, noQuery, noQuery);
    try {
      admit(server, exchange);
      nameSpan(exchange);
    } catch (error) {
      return fail(server, exchange, error, problemResponse);
    }
    const body = length > LARGE ? request.arrayBuffer() : request.text();
    return body.then(
      (body) => predict(server, exchange, served, body),
      (error) => fail(server, exchange, error, problemResponse),
    );
  };
}

/** Bytes of a JSON body that is not packed and whose answer is to be JSON; else −1. */
function plainLength(headers: Headers, maxBytes: number): number {
  if (headers.get("content-type") !== "application/json") return -1;
  const accept = headers.get("accept");
  if (accept !== null && accept !== "*/*" && accept !== "application/json") return -1;
  const length = headers.get("content-length");
  if (length === null || headers.get("content-encoding") !== null) return -1;
  const bytes = Number(length);
  return bytes <= maxBytes ? bytes : -1;
}

function predict(
  server: Server,
  exchange: Exchange,
  served: Served,
  body: string | ArrayBuffer,
): Response {
  try {
    const content = typeof body === "string" ? body : new Uint8Array(body);
    const scored = runRequest(
      server,
      exchange,
      served,
      (encoder, errors) => batchFromBody(encoder, content, errors),
    );
    const text = answerText(served, scored.batch, scored, DEFAULT_QUERY, undefined, 0);
    return complete(server, exchange, jsonAnswer(exchange, text));
  } catch (error) {
    return fail(server, exchange, error, problemResponse);
  }
}
