/**
 * A table of routes added to a Hono app, with 404 and 405 told apart.
 *
 * @module
 */
import type { Context, Hono } from "hono";
import { RequestError } from "../errors.ts";
import { quote } from "./body/encoder.ts";

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

/** Methods of some paths. */
interface Allowed {
  readonly path: string;
  readonly only: RegExp | undefined;
  readonly methods: Set<string>;
}

/**
 * Adds routes, and answers 405 with `Allow` for other methods on their paths, 404 elsewhere.
 *
 * @param wrap What is done around the answer to requests that no route is for.
 */
export function addRoutes(
  app: Hono,
  routes: readonly Route[],
  wrap: (answer: () => never) => Handler,
): void {
  const allowed = new Map<string, Allowed>();
  for (const { method, path, handler, only } of routes) {
    app.on(
      method,
      path,
      only === undefined ? handler : (c) => only.test(c.req.path) ? handler(c) : notFound(c),
    );
    const key = `${path} ${only?.source ?? ""}`;
    const { methods } = allowed.get(key) ?? { methods: new Set<string>() };
    methods.add(method);
    if (method === "GET") methods.add("HEAD");
    allowed.set(key, { path, only, methods });
  }
  // Made when a path is not found: a cold start does without.
  let patterns: (Allowed & { readonly test: RegExp })[] | undefined;
  function notFound(c: Context): Response | Promise<Response> {
    const { path, method } = c.req;
    patterns ??= [...allowed.values()].map((one) => ({ ...one, test: patternOf(one.path) }));
    const methods = new Set<string>();
    for (const { test, only, methods: some } of patterns) {
      if (!test.test(path) || only?.test(path) === false) continue;
      for (const one of some) methods.add(one);
    }
    return wrap(() => {
      if (methods.size === 0 || methods.has(method)) {
        throw new RequestError("E_HTTP_ROUTE", `Cannot find ${quote(path)}`);
      }
      const allow = [...methods].sort().join(", ");
      throw new RequestError("E_HTTP_METHOD", `Cannot answer ${method} here: expected ${allow}`, {
        details: { allow },
      });
    })(c);
  }
  app.notFound(notFound);
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
