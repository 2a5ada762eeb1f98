/**
 * Errors as `application/problem+json` (RFC 9457) with Treeline's codes.
 *
 * @module
 */
import { httpStatusOf, TreelineError } from "../../errors.ts";

/** Body of an answer that reports an error, as `application/problem+json` (RFC 9457). */
export interface Problem {
  /** `urn:treeline:error:` followed by the code. */
  readonly type: string;
  /** Reason phrase of the status. */
  readonly title: string;
  /** HTTP status of the answer. */
  readonly status: number;
  /** Message for people. */
  readonly detail: string;
  /** Code for programs; `E_INTERNAL` is a bug of the server. */
  readonly code: string;
  /** The place and values of the error: column, row, limit. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** Id of the request, the same as in the header of the answer and in the log. */
  readonly requestId?: string;
}

const TITLES: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  404: "Not Found",
  405: "Method Not Allowed",
  408: "Request Timeout",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  422: "Unprocessable Content",
  429: "Too Many Requests",
  500: "Internal Server Error",
  503: "Service Unavailable",
};

/** What an error answers; anything that is not a Treeline error is 500 and says nothing more. */
export function problemOf(error: unknown, requestId?: string): Problem {
  const status = httpStatusOf(error);
  const known = error instanceof TreelineError && status < 500 || status === 503;
  const code = known && error instanceof TreelineError ? error.code : "E_INTERNAL";
  const details = known && error instanceof TreelineError ? error.details : {};
  return {
    type: `urn:treeline:error:${code}`,
    title: TITLES[status] ?? "Error",
    status,
    detail: known && error instanceof Error ? error.message : "The server failed; see its log",
    code,
    ...(Object.keys(details).length > 0 ? { details } : {}),
    ...(requestId === undefined ? {} : { requestId }),
  };
}

/** A problem as a response. */
export function problemResponse(problem: Problem, headers: HeadersInit = {}): Response {
  const response = new Response(JSON.stringify(problem), { status: problem.status, headers });
  response.headers.set("content-type", "application/problem+json");
  response.headers.set("x-content-type-options", "nosniff");
  return response;
}
