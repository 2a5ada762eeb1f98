/**
 * What is told of a request: its id, one JSON line with no feature values unless asked and nothing that
 * can break it, and the name of its span.
 *
 * @module
 */

// Ids: the caller's where it is a plain one, else a new one, made when somebody asks for it.
let lastId = 0;
const prefix = Math.floor(performance.timeOrigin).toString(36) + "-";

/** The id that a request came with; "" where it has none, or one that could break a line. */
export function givenId(request: Request): string {
  const given = request.headers.get("x-request-id");
  return given !== null && /^[\w.:-]{1,128}$/.test(given) ? given : "";
}

/** The id of a request. */
export function idOf(exchange: { requestId: string }): string {
  if (exchange.requestId === "") exchange.requestId = prefix + (++lastId).toString(36);
  return exchange.requestId;
}

/** What a line says of a request. */
export interface Logged {
  readonly method: string;
  readonly route: string;
  /** "" until it is asked for: see `idOf`. */
  requestId: string;
  readonly model: string | undefined;
  readonly version: string | undefined;
  readonly rows: number;
  readonly code: string | undefined;
  readonly features: unknown;
}

/** Writes a line of the log. The argument does not end in a newline. */
export type WriteLine = (line: string) => void;

/** The line of an answered request. JSON escapes whatever the request put into it. */
export function logLine(exchange: Logged, status: number, seconds: number): string {
  const { method, route, model, version, rows, code, features } = exchange;
  return JSON.stringify({
    time: new Date().toISOString(),
    level: status >= 500 ? "error" : status >= 400 ? "warn" : "info",
    message: "request",
    requestId: idOf(exchange),
    method,
    route,
    status,
    milliseconds: Math.round(seconds * 1e6) / 1e3,
    ...(model === undefined ? {} : { model, version, rows }),
    ...(code === undefined ? {} : { code }),
    ...(features === undefined ? {} : { features }),
  });
}

/** The line of a failure that is the server's own. */
export function failureLine(exchange: Logged, error: unknown): string {
  let stack = error instanceof Error ? error.stack ?? error.message : String(error);
  if (error instanceof Error && error.cause instanceof Error) stack += `\n${error.cause.stack}`;
  return JSON.stringify({
    time: new Date().toISOString(),
    level: "error",
    message: "failure",
    requestId: idOf(exchange),
    route: exchange.route,
    error: stack.slice(0, 4000),
  });
}

/**
 * The span that Deno's own OpenTelemetry support opened for a request (`OTEL_DENO=true`): it only knows
 * the method; the route is what makes spans comparable.
 */
interface Span {
  updateName(name: string): unknown;
  setAttribute(key: string, value: string | number): unknown;
}

/**
 * The global that every copy of `@opentelemetry/api` shares: no dependency is needed, and nothing happens
 * where telemetry is off.
 */
interface OtelApi {
  readonly context?: { active(): { getValue(key: symbol): unknown } };
}

const API = Symbol.for("opentelemetry.js.api.1");
const SPAN = Symbol.for("OpenTelemetry Context Key SPAN");

/** `POST /v1/models/:name/predict`, and `http.route`, on the active span. */
export function nameSpan(method: string, route: string): void {
  const api = (globalThis as { readonly [API]?: OtelApi })[API];
  if (api?.context === undefined) return;
  const span = api.context.active().getValue(SPAN) as Span | undefined;
  if (span === undefined) return;
  span.updateName(`${method} ${route}`);
  span.setAttribute("http.route", route);
}
