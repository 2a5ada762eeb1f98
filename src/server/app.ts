/**
 * The Hono application that serves models.
 *
 * @module
 */
import { Hono } from "hono";
import { ParameterError } from "../errors.ts";
import { once } from "../util/once.ts";
import { createArriving } from "./admission/load.ts";
import { createRateLimiter } from "./admission/rate.ts";
import { endpoint } from "./exchange/exchange.ts";
import type { Exchange, Server } from "./exchange/types.ts";
import { createMetrics } from "./observe/metrics.ts";
import { metricsText } from "./observe/metrics_text.ts";
import { jsonResponse } from "./answer/json_text.ts";
import { explainNative, predictNative } from "./native/predict.ts";
import { problemOf, problemResponse } from "./answer/problem.ts";
import { type MakeRoute, protocolRoutes } from "./protocols/routes.ts";
import { createRegistry } from "./models/registry.ts";
import type { ModelRegistry } from "./models/types.ts";
import { addRoutes, type Route } from "./exchange/route_table.ts";
import { directFetch } from "./native/direct.ts";
import { getServed } from "./exchange/scoring.ts";
import { DEFAULT_LIMITS } from "./admission/limits.ts";
import type { ServerApp, ServerOptions } from "./options.ts";

// Loaded at first use: a cold start that only scores does not wait for these.
const loadCors = once(() => import("hono/cors"));
const loadCard = once(() => import("./models/card.ts"));
const loadGather = once(() => import("./observe/gather.ts"));
const loadDocument = once(() => import("./openapi/route.ts"));
const loadPage = once(() => import("./page/route.ts"));

/**
 * Makes the application; mount it, or pass its `fetch` to a server.
 *
 * @example One model in process
 * ```ts ignore
 * const app = createApp({ models: { adult: await loadModel("adult.tlm") } });
 * const answer = await app.request("/v1/models/adult/predict", {
 *   method: "POST",
 *   headers: { "content-type": "application/json" },
 *   body: JSON.stringify({ age: 39, education: "Bachelors" }),
 * });
 * ```
 */
export function createApp(options: ServerOptions): ServerApp {
  const registry = registryOf(options);
  const maxUnread = options.maxUnreadBytes ?? 1 << 28;
  // One body as long as may be always has room, or nobody could ever send it.
  const maxArriving = Math.max(maxUnread, registry.limits.maxBytes);
  const server: Server = {
    registry,
    metrics: createMetrics(),
    tokens: options.tokens,
    takeToken: options.rateLimit &&
      createRateLimiter(options.rateLimit, options.tokens !== undefined),
    defaultModel: options.defaultModel,
    sagemakerOutput: options.sagemakerOutput,
    basePath: basePathOf(options.basePath),
    maxConcurrent: options.maxConcurrent ?? 1024,
    arriving: createArriving(options.maxBodyMillis ?? 10_000, maxArriving),
    unread: { bytes: 0, most: maxUnread },
    maxWaitMillis: options.maxWaitMillis ?? 2000,
    maxMillis: options.maxMillis ?? 10_000,
    log: options.log,
    logged: new WeakSet(),
    logFeatures: options.logFeatures ?? false,
    draining: false,
  };
  const app = new Hono();
  if (options.cors !== undefined) {
    const origin = options.cors as string | string[];
    const allowMethods = ["GET", "HEAD", "POST"];
    const load = once(async () =>
      (await loadCors()).cors({ origin, allowMethods, maxAge: 600, exposeHeaders: EXPOSED })
    );
    app.use(async (c, next) => (await load())(c, next));
  }
  const route: MakeRoute = (method, path, handler, more = {}) => ({
    method,
    path,
    handler: endpoint(server, { route: path, ...more }, handler),
  });
  addRoutes(app, [
    ...["/healthz", "/livez"].map((path) =>
      route("GET", path, () => jsonResponse('{"status":"ok"}'), { open: true })
    ),
    route("GET", "/readyz", () => ready(server), { open: true }),
    route("GET", "/metrics", () => metrics(server, options.otherMetrics)),
    route("GET", "/v1/models", () => showModels(server)),
    route("GET", "/v1/models/:name", (exchange) => showModel(server, exchange)),
    route(
      "POST",
      "/v1/models/:name/predict",
      (exchange) => predictNative(server, exchange),
    ),
    route(
      "POST",
      "/v1/models/:name/explain",
      (exchange) => explainNative(server, exchange),
    ),
    route("GET", "/openapi.json", async (exchange) => {
      const { describe } = await loadDocument();
      return await describe(server, exchange);
    }),
    ...(options.playground ?? options.tokens === undefined ? playgroundRoutes(server, route) : []),
    ...protocolRoutes(server, route, options.routes ?? {}),
  ], (answer) => endpoint(server, { route: "(none)", open: true }, answer));
  app.onError((error) => problemResponse(problemOf(error)));
  if (options.cors === undefined) app.fetch = directFetch(server, app.fetch);
  return Object.assign(app, {
    drain: (maxMillis: number) => drain(server, maxMillis),
    metrics: () => textOfMetrics(server),
  });
}

/** @throws {ParameterError} `E_PARAM_RANGE` for what is no path. */
function basePathOf(path: string = ""): string {
  if (path === "" || /^\/[^?#\s"<>]*$/.test(path)) return path.replace(/\/+$/, "");
  throw new ParameterError(
    "E_PARAM_RANGE",
    `Cannot use basePath ${JSON.stringify(path)}: expected a path, as "/ml"`,
    { details: { param: "basePath" } },
  );
}

/** Headers that pages of other origins may read. */
const EXPOSED = [
  "treeline-model",
  "treeline-version",
  "treeline-report",
  "x-request-id",
  "retry-after",
  "inference-header-content-length",
];

/** The registry given, or one made of the models given. */
function registryOf(options: ServerOptions): ModelRegistry {
  const { models } = options;
  if (isRegistry(models)) return models;
  return createRegistry(models instanceof Map ? models : Object.entries(models), {
    maxRows: options.maxRows ?? DEFAULT_LIMITS.maxRows,
    maxBytes: options.maxBytes ?? DEFAULT_LIMITS.maxBytes,
    maxColumns: options.maxColumns ?? DEFAULT_LIMITS.maxColumns,
    maxString: options.maxString ?? DEFAULT_LIMITS.maxString,
    maxDepth: options.maxDepth ?? DEFAULT_LIMITS.maxDepth,
  });
}

function isRegistry(models: ServerOptions["models"]): models is ModelRegistry {
  return !(models instanceof Map) && (models as { readonly kind?: unknown }).kind === "registry";
}

function ready(server: Server): Response {
  return server.draining
    ? jsonResponse('{"status":"stopping"}', 503)
    : jsonResponse('{"status":"ready"}');
}

async function metrics(
  server: Server,
  others: ServerOptions["otherMetrics"],
): Promise<Response> {
  const own = textOfMetrics(server);
  const text = others === undefined
    ? own
    : (await loadGather()).addMetrics([own, ...await others()]);
  return new Response(text, {
    headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" },
  });
}

function textOfMetrics({ metrics, registry }: Server): string {
  return metricsText(metrics, registry.loaded());
}

async function showModels({ registry }: Server): Promise<Response> {
  const { modelList } = await loadCard();
  return jsonResponse(JSON.stringify({ models: modelList(registry) }));
}

async function showModel({ registry }: Server, exchange: Exchange): Promise<Response> {
  const served = await getServed(registry, exchange.param("name") ?? "");
  const { modelCard } = await loadCard();
  return jsonResponse(JSON.stringify(modelCard(served)));
}

async function drain(server: Server, maxMillis: number): Promise<void> {
  server.draining = true;
  const until = performance.now() + maxMillis;
  while (server.metrics.inFlight > 0 && performance.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

function playgroundRoutes(server: Server, route: MakeRoute): Route[] {
  const handler = async (exchange: Exchange) => {
    const { playground } = await loadPage();
    return await playground(server, exchange);
  };
  return [route("GET", "/", handler), route("POST", "/", handler)];
}
