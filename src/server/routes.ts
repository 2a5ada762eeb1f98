/**
 * A table of routes added to a Hono app, with 404 and 405 told apart.
 *
 * @module
 */
import type { Context, Hono } from "hono";
import { RequestError } from "../errors.ts";
import { quote } from "./body/encoder.ts";
import { problemOf, problemResponse } from "./answer/problem.ts";

/** Answers a request. */
export type Handler = (c: Context) => Response | Promise<Response>;

/** One route; `path` is a Hono path. */
export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  readonly handler: Handler;
  /** Paths that the route is for, where its pattern says too little. */
  readonly only?: RegExp;
}

/** Adds routes, and answers 405 with `Allow` for other methods on their paths, 404 elsewhere. */
export function addRoutes(app: Hono, routes: readonly Route[]): void {
  const allowed = new Map<string, Set<string>>();
  for (const { method, path, handler, only } of routes) {
    app.on(
      method,
      path,
      only === undefined
        ? handler
        : (c) => only.test(c.req.path) ? handler(c) : notFound(c.req.path, c.req.method),
    );
    if (only !== undefined) continue;
    const methods = allowed.get(path) ?? new Set<string>();
    methods.add(method);
    if (method === "GET") methods.add("HEAD");
    allowed.set(path, methods);
  }
  // Made when a path is not found: a cold start does without.
  let patterns: { readonly test: RegExp; readonly methods: ReadonlySet<string> }[] | undefined;
  function notFound(path: string, found: string): Response {
    const methods = new Set<string>();
    patterns ??= [...allowed].map(([path, methods]) => ({ test: patternOf(path), methods }));
    for (const pattern of patterns) {
      if (pattern.test.test(path)) {
        for (const method of pattern.methods) methods.add(method);
      }
    }
    if (methods.size > 0 && !methods.has(found)) {
      const allow = [...methods].sort().join(", ");
      const error = new RequestError(
        "E_HTTP_METHOD",
        `Cannot answer ${found} here: expected ${allow}`,
        { details: { allow } },
      );
      return problemResponse(problemOf(error), { allow });
    }
    return problemResponse(
      problemOf(new RequestError("E_HTTP_ROUTE", `Cannot find ${quote(path)}`)),
    );
  }
  app.notFound((c) => notFound(c.req.path, c.req.method));
}

/** A Hono path as an expression: `:name` is one segment, `:name{expression}` what it says. */
function patternOf(path: string): RegExp {
  const parts = path.split("/").map((part) => {
    const match = /^:[A-Za-z]+(?:\{(.+)\})?$/.exec(part);
    if (match === null) return part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    return match[1] ?? "[^/]+";
  });
  return new RegExp(`^${parts.join("/")}$`);
}
