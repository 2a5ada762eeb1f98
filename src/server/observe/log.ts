/**
 * One JSON line a request: no feature values unless asked, and nothing that can break a line.
 *
 * @module
 */
import { idOf } from "./request_id.ts";

/** What a line says of a request. */
export interface Logged {
  readonly method: string;
  readonly route: string;
  /** "" until it is asked for: see request_id.ts. */
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
