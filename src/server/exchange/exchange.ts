/**
 * What happens around every handler: admission, error answers, counting, logging.
 *
 * @module
 */
import type { Context } from "hono";
import { once } from "../../util/once.ts";
import { RequestError, TreelineError } from "../../errors.ts";
import { checkWait, noteArrival, noteEnd } from "../admission/load.ts";
import { checkToken } from "../admission/auth.ts";
import { failureLine, givenId, idOf, logLine, nameSpan } from "../observe/log.ts";
import { countError, countRequest } from "../observe/metrics.ts";
import { problemOf, problemResponse } from "../answer/problem.ts";
import { addReportHeaders } from "../answer/report_header.ts";
import type { EndpointOptions, ErrorStyle, Exchange, ExchangeHandler, Server } from "./types.ts";

/** Ends an exchange whose answer went on; it may have ended before its head was made, and is ended once. */
export function endStream(exchange: Exchange): void {
  exchange.streaming = false;
  const { end } = exchange;
  exchange.end = undefined;
  end?.();
}

/** Wraps a handler into a Hono handler. */
export function endpoint(
  server: Server,
  options: EndpointOptions,
  handler: ExchangeHandler,
): (c: Context) => Promise<Response> {
  return (c) =>
    perform(
      server,
      options,
      handler,
      c.req.raw,
      (name) => c.req.param(name),
      (name) => c.req.query(name),
    );
}

/** Counts a request that has just come as one in flight until `finish`; says when it came. */
export function arrive({ metrics }: Server): number {
  const started = performance.now();
  noteArrival(metrics.load, started);
  metrics.inFlight++;
  return started;
}

/** A request on its way; it has been counted by `arrive`. */
export function exchangeOf(
  route: string,
  request: Request,
  started: number,
  param: Exchange["param"],
  query: Exchange["query"],
): Exchange {
  return {
    request,
    param,
    query,
    method: request.method,
    route,
    requestId: givenId(request),
    started,
    model: undefined,
    version: undefined,
    rows: 0,
    code: undefined,
    features: undefined,
    report: undefined,
    long: false,
    whole: false,
    streaming: false,
    end: undefined,
    done: false,
  };
}

/** Runs a handler with everything around it. */
export async function perform(
  server: Server,
  options: EndpointOptions,
  handler: ExchangeHandler,
  request: Request,
  param: Exchange["param"],
  query: Exchange["query"],
): Promise<Response> {
  const exchange = exchangeOf(options.route, request, arrive(server), param, query);
  let response: Response;
  try {
    if (options.open !== true) admit(server, request, exchange.started);
    nameSpan(exchange.method, options.route);
    response = await handler(exchange);
    if (exchange.long && !exchange.streaming && exchange.method !== "HEAD") {
      response = await inPieces(server, exchange, response);
    }
  } catch (error) {
    const answer = fail(server, exchange, error, options.errors ?? problemResponse);
    return exchange.method === "HEAD" ? headOf(answer) : answer;
  }
  const answer = complete(server, exchange, response);
  return exchange.method === "HEAD" ? headOf(answer) : answer;
}

/**
 * The answer without its body but with the length that it would have, where Deno tells 0 (RFC 9110,
 * 8.6).
 */
async function headOf({ status, headers, body }: Response): Promise<Response> {
  const { byteLength } = await new Response(body).arrayBuffer();
  headers.set("content-length", String(byteLength));
  return new Response(null, { status, headers });
}

/** Characters, or bytes, from which on an answer is sent a piece at a time. */
export const LONG_ANSWER = 1 << 18;

/** Numbers of an answer from which on its length is looked at. */
const MANY_NUMBERS = 64;

/** Notes how many numbers the answer will hold at least. */
export function noteLength(exchange: Exchange, numbers: number): void {
  if (numbers >= MANY_NUMBERS) exchange.long = true;
}

/** What sends a long answer is loaded with the first of them. */
const loadLong = once(() => import("./long_answer.ts"));

/**
 * An answer that may be long: from {@linkcode LONG_ANSWER} on a piece at a time, in flight until it is read.
 *
 * @throws {RequestError} `E_HTTP_BUSY` where too many bytes wait already.
 */
export async function inPieces(
  server: Server,
  exchange: Exchange,
  answer: Response,
): Promise<Response> {
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const { status, headers } = answer;
  if (bytes.length < LONG_ANSWER) return new Response(bytes, { status, headers });
  const { piecesOf } = await loadLong();
  const body = piecesOf(bytes, server, exchange, () => endStream(exchange));
  exchange.streaming = true;
  headers.set("content-length", String(bytes.length));
  return new Response(body, { status, headers });
}

/** Ends an exchange with the answer to an error. */
export function fail(
  server: Server,
  exchange: Exchange,
  error: unknown,
  errors: ErrorStyle,
): Response {
  exchange.streaming = false;
  return complete(
    server,
    exchange,
    errorResponse(server, exchange, shownError(server, error), errors),
  );
}

/** Ends an exchange, or lets its stream end it. */
export function complete(server: Server, exchange: Exchange, response: Response): Response {
  // Headers of a response that has been touched cost more than all others: see jsonAnswer.
  if (!exchange.whole) {
    response.headers.set("x-request-id", idOf(exchange));
    for (const [name, value] of SECURITY) {
      if (!response.headers.has(name)) response.headers.set(name, value);
    }
    if (exchange.report !== undefined && response.ok) {
      addReportHeaders(exchange.request, exchange.report, response.headers);
    }
  }
  if (exchange.streaming) {
    exchange.end = () => finish(server, exchange, response.status);
  } else finish(server, exchange, response.status);
  return response;
}

/**
 * On every answer: it is what its type says, and nobody needs to know where it was asked for. The
 * page sets more.
 */
const SECURITY: readonly (readonly [string, string])[] = [
  ["x-content-type-options", "nosniff"],
  ["referrer-policy", "no-referrer"],
];

/**
 * A JSON answer to a POST, made with all its headers at once.
 *
 * A second header costs 1.5 µs, a tenth of a request, so there is one where one says all: the request
 * is named to callers that named it themselves or that a log knows, and `nosniff` is about answers
 * that a page can load as script or style, which are those to GET.
 */
export function jsonAnswer(server: Server, exchange: Exchange, text: string): Response {
  exchange.whole = true;
  exchange.long = text.length >= LONG_ANSWER;
  return exchange.requestId === "" && server.log === undefined
    ? new Response(text, PLAIN)
    : new Response(text, {
      headers: {
        "content-type": "application/json",
        "x-content-type-options": "nosniff",
        "x-request-id": idOf(exchange),
      },
    });
}

/** How an answer that says nothing but JSON begins. */
export const PLAIN: ResponseInit = { headers: { "content-type": "application/json" } };

/** Refuses early what cannot be served: that costs next to nothing, queueing costs everyone. */
export function admit(server: Server, request: Request, started: number): void {
  const { metrics } = server;
  if (server.draining) throw stopping();
  if (metrics.inFlight > server.maxConcurrent && !server.arriving.giveUpOne(started)) {
    metrics.load.shed++;
    throw new RequestError("E_HTTP_BUSY", "Cannot answer now: the server is full, try again", {
      details: { retryAfterSeconds: 1 },
    });
  }
  checkWait(metrics.load, started, metrics.inFlight - 1, server.maxWaitMillis);
  if (server.tokens !== undefined) checkToken(server.tokens, request);
  server.takeToken?.(request, started);
}

/** The error for who comes, or is still sending, while the process ends. */
function stopping(cause?: unknown): RequestError {
  return new RequestError("E_HTTP_BUSY", "Cannot answer any more: the server is stopping", {
    details: { retryAfterSeconds: 1 },
    cause,
  });
}

/**
 * The error as the caller should see it. `deno serve` of Deno 2.8 and later takes away the bodies
 * that are still arriving as soon as it is told to stop (denoland/deno#32862): such a request was not
 * looked at, and may be sent again elsewhere.
 */
export function shownError(server: Server, error: unknown): unknown {
  const isCut = server.draining && error instanceof RequestError && error.code === "E_HTTP_BODY" &&
    (error.cause as Error | undefined)?.name === "BadResource";
  return isCut ? stopping(error.cause) : error;
}

/** Answers an error in the protocol's style, with the headers that belong to its status. */
function errorResponse(
  server: Server,
  exchange: Exchange,
  error: unknown,
  errors: ErrorStyle,
): Response {
  const problem = problemOf(error, idOf(exchange));
  exchange.code = problem.code;
  countError(server.metrics, problem.code);
  if (problem.status >= 500 && !(error instanceof TreelineError)) {
    logFailure(server, exchange, error);
  }
  const response = errors(problem);
  const allow = problem.details?.allow;
  if (problem.status === 405 && typeof allow === "string") response.headers.set("allow", allow);
  if (problem.status === 401) response.headers.set("www-authenticate", "Bearer");
  if (problem.status === 429 || problem.status === 503) {
    response.headers.set("retry-after", String(problem.details?.retryAfterSeconds ?? 1));
  }
  return response;
}

/** Logs a failure of the server's own once: all requests for a model that cannot be loaded end with one. */
export function logFailure({ log, logged }: Server, exchange: Exchange, error: unknown): void {
  if (log === undefined) return;
  if (error instanceof Error) {
    if (logged.has(error)) return;
    logged.add(error);
  }
  log(failureLine(exchange, error));
}

function finish(server: Server, exchange: Exchange, status: number): void {
  exchange.done = true;
  const seconds = depart(server, exchange.route, exchange.started, status);
  server.log?.(logLine(exchange, status, seconds));
}

/** Counts an answered request, the counterpart of `arrive`; says how many seconds it took. */
export function depart(
  { metrics }: Server,
  route: string,
  started: number,
  status: number,
): number {
  const now = performance.now();
  const seconds = (now - started) / 1000;
  noteEnd(metrics.load, now);
  metrics.inFlight--;
  countRequest(metrics, route, status, seconds);
  return seconds;
}
