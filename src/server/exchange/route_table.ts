/**
 * A table of routes added to a Hono app, with 404 and 405 told apart.
 *
 * @module
 */
import type { Context, Hono, Next } from "hono";
import { RequestError } from "../../errors.ts";
import { once } from "../../util/once.ts";
import { quote } from "../body/encoder.ts";

const loadMatched = once(() => import("hono/route"));

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

/**
 * Adds routes, and answers 405 with `Allow` for other methods on their paths, 404 elsewhere. Each path is
 * one route of Hono's for all methods, which goes along where the app is mounted in another; what that one
 * says of paths that no route is for is its own business. Routes that are added to either app later have
 * the methods that these do not.
 *
 * @param wrap What is done around the answer to requests that no route is for.
 */
export function addRoutes(
  app: Hono,
  routes: readonly Route[],
  wrap: (answer: () => never) => Handler,
): void {
  const byPath = new Map<string, Route[]>();
  for (const route of routes) {
    const some = byPath.get(route.path);
    if (some === undefined) byPath.set(route.path, [route]);
    else some.push(route);
  }
  for (const [path, some] of byPath) {
    app.all(path, (c, next) => {
      const { path, method } = c.req;
      const here = some.filter(({ only }) => only?.test(path) !== false);
      const asked = method === "HEAD" ? "GET" : method;
      const route = here.find((route) => route.method === asked);
      return route === undefined ? passOn(c, next, here) : route.handler(c);
    });
  }
  const passOn = async (c: Context, next: Next, here: readonly Route[]) => {
    const { matchedRoutes } = await loadMatched();
    if (c.req.routeIndex === matchedRoutes(c).length - 1) return await refuse(c, here);
    await next();
    return c.res;
  };
  const refuse = (c: Context, others: readonly Route[]) =>
    wrap(() => {
      const { path, method } = c.req;
      if (others.length === 0) throw new RequestError("E_HTTP_ROUTE", `Cannot find ${quote(path)}`);
      const methods = others.map(({ method }) => method === "GET" ? "GET, HEAD" : method);
      const allow = methods.sort().join(", ");
      throw new RequestError("E_HTTP_METHOD", `Cannot answer ${method} here: expected ${allow}`, {
        details: { allow },
      });
    })(c);
  app.notFound((c) => refuse(c, []));
}
