/**
 * The short way for what nearly every request is: JSON to `POST /v1/models/:name/predict` without a
 * query, for a model that is loaded. It needs no router and no context, one promise where the body is
 * still to come and none where `Deno.serve` has it; the parts are those of the long way.
 *
 * Shorter still is the way of a body in which there is nothing to notice, where nobody logs: its
 * answer is made without an `Exchange`. Code that did not run is what a request waits for in a
 * server: the processor has just done something else (bench/serving.md).
 *
 * @module
 */
import type { Hono } from "hono";
import { type Arrived, arrivedOf, takeText } from "../../runtime/arrived.ts";
import type { Batch } from "../body/batch.ts";
import {
  admit,
  arrive,
  complete,
  depart,
  exchangeOf,
  fail,
  inPieces,
  jsonAnswer,
  LONG_ANSWER,
  perform,
  PLAIN,
} from "../exchange/exchange.ts";
import type { EndpointOptions, Exchange, Server } from "../exchange/types.ts";
import { answerText, DEFAULT_QUERY, predictNative } from "./predict.ts";
import { batchFromBody, batchFromText } from "../body/json_rows.ts";
import type { Encoder } from "../body/encoder.ts";
import { arrivedText, AT_ONCE, brokenBody, readBytes, tooLong } from "../body/read.ts";
import { forMany, LARGE_BODY } from "../body/for_many.ts";
import { takeTurn } from "../admission/load.ts";
import { problemResponse } from "../answer/problem.ts";
import type { Served } from "../models/types.ts";
import { NOTHING_NOTICED } from "../body/rules.ts";
import { findServed, type Refill, runNow, scorePlain } from "../exchange/scoring.ts";
import { nameSpan } from "../observe/log.ts";

const PREFIX = "/v1/models/";
const SUFFIX = "/predict";
const ROUTE = `${PREFIX}:name${SUFFIX}`;
const OPTIONS: EndpointOptions = { route: ROUTE };
const noQuery = () => undefined;

/** A `fetch` that takes the short way where it can, else `fetch` as it was. */
export function directFetch(server: Server, fetch: Hono["fetch"]): Hono["fetch"] {
  const { registry } = server;
  const { maxBytes } = registry.limits;
  const handler = (exchange: Exchange) => predictNative(server, exchange);
  // Callers mostly ask for the model they asked for before; `revision` is when it was looked up.
  let lastUrl = "";
  let name = "";
  let revision = -1;
  let found: Served | undefined;
  let isShadowed = false;
  return (request, env, context) => {
    const { url } = request;
    if (url !== lastUrl) {
      const asked = nameIn(url);
      if (asked === undefined) return fetch(request, env, context);
      lastUrl = url;
      name = asked;
      revision = -1;
    }
    if (request.method !== "POST") return fetch(request, env, context);
    if (revision !== registry.revision) {
      revision = registry.revision;
      found = findServed(registry, name);
      isShadowed = found !== undefined && registry.versions(found.name).shadow !== undefined;
    }
    const served = found;
    const arrived = arrivedOf(request);
    if (served === undefined || !isPlain(request, arrived, maxBytes, served.encoder)) {
      const asked = name;
      return perform(server, OPTIONS, handler, request, () => asked, noQuery);
    }
    const started = arrive(server);
    let text: string | undefined;
    try {
      admit(server, request, started);
      nameSpan("POST", ROUTE);
      text = arrived && takeText(arrived);
      if (text !== undefined && text.length > maxBytes) throw tooLong(maxBytes);
    } catch (error) {
      return refuse(server, request, started, error);
    }
    const isQuiet = server.log === undefined && !isShadowed;
    if (text !== undefined) {
      return answer(server, request, arrived, served, text, started, isQuiet);
    }
    // The declared length holds unless the body comes in chunks: see `declaredLength`.
    const isChunked = headerOf(request, arrived, "transfer-encoding") !== null;
    const length = Number(headerOf(request, arrived, "content-length"));
    const reading = isChunked || length > AT_ONCE
      ? readBytes(request, maxBytes, server.arriving, started)
      : server.arriving.wait(request.bytes(), started);
    return reading.then(
      (body) => answer(server, request, arrived, served, body, started, isQuiet),
      (error) => refuse(server, request, started, brokenBody(error)),
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
function isPlain(
  request: Request,
  arrived: Arrived | undefined,
  maxBytes: number,
  { knowsMark }: Encoder,
): boolean {
  // What arrives as text may hold the mark for other bytes.
  if (knowsMark) return false;
  if (headerOf(request, arrived, "content-type") !== "application/json") return false;
  if (headerOf(request, arrived, "content-encoding") !== null) return false;
  const accept = headerOf(request, arrived, "accept");
  if (accept !== null && accept !== "*/*" && accept !== "application/json") return false;
  const length = headerOf(request, arrived, "content-length");
  if (length === null || Number(length) > maxBytes) return false;
  return Number(length) < LARGE_BODY || forMany() !== undefined;
}

function headerOf(request: Request, arrived: Arrived | undefined, name: string): string | null {
  return arrived === undefined ? request.headers.get(name) : arrived.header(name);
}

function refuse(server: Server, request: Request, started: number, error: unknown): Response {
  const exchange = exchangeOf(ROUTE, request, started, noQuery, noQuery);
  return fail(server, exchange, error, problemResponse);
}

/** `isQuiet`: nobody logs the request, and no shadow scores it too. */
function answer(
  server: Server,
  request: Request,
  arrived: Arrived | undefined,
  served: Served,
  body: string | Uint8Array,
  started: number,
  isQuiet: boolean,
): Response | Promise<Response> {
  try {
    // The same order as in `runNow`: who has waited too long is not read.
    const { load, inFlight } = server.metrics;
    takeTurn(load, started, inFlight - 1, server.maxWaitMillis);
    const batch = served.encoder.reader.read(body);
    if (batch?.plain && isQuiet && headerOf(request, arrived, "x-request-id") === null) {
      return answerPlain(server, request, served, batch, started);
    }
    return answerAny(server, request, arrived, served, batch, body, started);
  } catch (error) {
    return refuse(server, request, started, error);
  }
}

function answerPlain(
  server: Server,
  request: Request,
  served: Served,
  batch: Batch,
  started: number,
): Response | Promise<Response> {
  const scores = scorePlain(server, served, batch);
  const text = batch.rows === 1 && served.rowText !== undefined
    ? served.rowText(scores)
    : answerText(served, { batch, scores, report: NOTHING_NOTICED }, DEFAULT_QUERY, undefined);
  const response = new Response(text, PLAIN);
  if (text.length >= LONG_ANSWER) {
    const exchange = exchangeOf(ROUTE, request, started, noQuery, noQuery);
    exchange.whole = true;
    return sendLong(server, exchange, response);
  }
  depart(server, ROUTE, started, 200);
  return response;
}

/** Ends an exchange whose answer is sent a piece at a time. */
function sendLong(server: Server, exchange: Exchange, answer: Response): Promise<Response> {
  return inPieces(server, exchange, answer).then(
    (response) => complete(server, exchange, response),
    (error) => fail(server, exchange, error, problemResponse),
  );
}

function answerAny(
  server: Server,
  request: Request,
  arrived: Arrived | undefined,
  served: Served,
  batch: Batch | undefined,
  body: string | Uint8Array,
  started: number,
): Response | Promise<Response> {
  const exchange = exchangeOf(ROUTE, request, started, noQuery, noQuery);
  try {
    // A shadow reads it when the request is closed, and can be asked for its head no more.
    const byteLength = Number(headerOf(request, arrived, "content-length"));
    // The model's own batch has been tried; a shadow reads the body anew.
    let tried = false;
    const refill: Refill = (encoder, errors) => {
      // A plain body needs no such look: names and categories that the model knows have no mark.
      const checked = typeof body === "string" ? arrivedText(body, byteLength) : body;
      if (tried) return batchFromBody(encoder, checked, errors);
      tried = true;
      return batch ?? batchFromText(encoder, checked, errors);
    };
    const scored = runNow(server, exchange, served, refill);
    const text = answerText(served, scored, DEFAULT_QUERY, undefined);
    const response = jsonAnswer(server, exchange, text);
    return exchange.long
      ? sendLong(server, exchange, response)
      : complete(server, exchange, response);
  } catch (error) {
    return fail(server, exchange, error, problemResponse);
  }
}
