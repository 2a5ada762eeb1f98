/**
 * The Hono application that serves models.
 *
 * @module
 */
import { Hono } from "hono";
import { ParameterError } from "../errors.ts";
import { once } from "../util/once.ts";
import { createArriving } from "./admission/load.ts";
import type { Tokens } from "./admission/auth.ts";
import { createRateLimiter, type RateLimit } from "./admission/rate.ts";
import { endpoint, logFailure } from "./exchange/exchange.ts";
import type { Exchange, Server } from "./exchange/types.ts";
import type { WriteLine } from "./observe/log.ts";
import { createMetrics } from "./observe/metrics.ts";
import { metricsText } from "./observe/metrics_text.ts";
import { explainNative, jsonResponse, predictNative } from "./native/predict.ts";
import { problemOf, problemResponse } from "./answer/problem.ts";
import { type MakeRoute, type PlatformRoutes, protocolRoutes } from "./protocols/routes.ts";
import type { SagemakerOutput } from "./answer/sagemaker_outputs.ts";
import { createRegistry } from "./models/registry.ts";
import type { ModelEntry, ModelRegistry } from "./models/types.ts";
import { addRoutes, type Route } from "./exchange/route_table.ts";
import { directFetch } from "./native/direct.ts";
import { getServed } from "./exchange/scoring.ts";
import { DEFAULT_LIMITS, type Limits } from "./admission/limits.ts";

// Loaded at first use: a cold start that only scores does not wait for these.
const loadCors = once(() => import("hono/cors"));
const loadCard = once(() => import("./models/card.ts"));
const loadGather = once(() => import("./observe/gather.ts"));
const loadPage = once(() => import("./page/route.ts"));

/** Options of {@linkcode createApp}. */
export interface ServerOptions extends Partial<Limits> {
  /** Models by name, or a registry that may change while the server runs. */
  readonly models:
    | { readonly [name: string]: ModelEntry }
    | ReadonlyMap<string, ModelEntry>
    | ModelRegistry;
  /** Bearer tokens, one of which callers must send; probes need none. @default no token is needed */
  readonly tokens?: Tokens;
  /** Whether `/` shows the playground page. @default true, or false if there are tokens */
  readonly playground?: boolean;
  /** Origins whose pages may call the server: `"*"` or a list. @default none */
  readonly cors?: string | readonly string[];
  /** Model that answers on routes without a model name (`/invocations`). @default the only model */
  readonly defaultModel?: string;
  /** Contents of answers in SageMaker's protocol. @default the score */
  readonly sagemakerOutput?: readonly SagemakerOutput[];
  /** Additional paths for health checks and predictions, as Vertex AI chooses them. */
  readonly routes?: PlatformRoutes;
  /**
   * Public path of the application, such as `"/ml"`, if it is removed from requests before they arrive
   * here, as Hono's `mount()` and some proxies do. Links of the page and of the OpenAPI document use
   * it.
   *
   * @default the path of the requests
   */
  readonly basePath?: string;
  /** Requests per second for each caller. @default unlimited */
  readonly rateLimit?: RateLimit;
  /** Number of concurrent requests; further ones are answered with 503 at once. @default 1024 */
  readonly maxConcurrent?: number;
  /**
   * Milliseconds that a request may wait for others; one that would wait longer is answered with 503
   * at once.
   *
   * @default 2000
   */
  readonly maxWaitMillis?: number;
  /**
   * Milliseconds after which slow callers lose their place to a new request, if `maxConcurrent`
   * requests are in flight: a body that is still arriving is answered with 408, and a stream of lines
   * that is not read is cut off.
   *
   * @default 10000
   */
  readonly maxBodyMillis?: number;
  /**
   * Total number of bytes of long answers (256 kB and more) that may wait to be read. Beyond it,
   * callers who have not read for `maxBodyMillis` are cut off, and new answers of this length become
   * 503. The same limit, but at least `maxBytes`, holds for incomplete bodies (those above 512 kB or
   * of unknown length) and unfinished lines.
   *
   * @default 268435456
   */
  readonly maxUnreadBytes?: number;
  /** Milliseconds that the scoring of a request may take. @default 10000 */
  readonly maxMillis?: number;
  /** Receives a line of JSON for each request. @default no log */
  readonly log?: WriteLine;
  /** Whether log lines contain feature values. @default false */
  readonly logFeatures?: boolean;
  /** Returns the text of `/metrics` of other threads, to be added to this one's. @default none */
  readonly otherMetrics?: () => Promise<readonly string[]>;
}

/** A Hono application with a way to shut down gracefully. */
export interface ServerApp extends Hono {
  /**
   * Makes readiness probes fail, and resolves when no request is in flight, or after `maxMillis`
   * milliseconds.
   */
  drain(maxMillis: number): Promise<void>;
  /** The counters of this application as Prometheus text. */
  metrics(): string;
}

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
    route("GET", "/v1/models", () => listModels(server)),
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
    route("GET", "/openapi.json", (exchange) => describe(server, exchange)),
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

/** Names and versions; models that nobody asked for yet are not loaded for it. */
function listModels({ registry }: Server): Response {
  const models = registry.names().map((name) => {
    const served = registry.peek(name);
    const schema = served?.encoder.schema;
    return {
      name,
      ...registry.versions(name),
      loaded: served !== undefined,
      ...(served === undefined ? {} : {
        version: served.version,
        task: schema!.task,
        features: schema!.features.length,
      }),
    };
  });
  return jsonResponse(JSON.stringify({ models }));
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

/** Every model is loaded for this: its columns are what is described. A damaged one hides no other. */
async function describe(server: Server, exchange: Exchange): Promise<Response> {
  const { registry } = server;
  const unread: string[] = [];
  const loaded = await Promise.all(
    registry.names().map((name) =>
      registry.get(name).catch((error) => {
        logFailure(server, exchange, error);
        unread.push(name);
      })
    ),
  );
  const models = loaded.filter((one) => one !== undefined);
  const [{ openapi }, { addressOf, publicPath, targetOf }] = await Promise.all([
    import("./openapi/document.ts"),
    import("./exchange/address.ts"),
  ]);
  // Where the application is mounted, which is before the document's own path.
  const { pathname } = targetOf(exchange.request);
  const mounted = publicPath(server.basePath, pathname).slice(0, -"/openapi.json".length);
  // Relative to where the document is, for a host that is none.
  const url = `${addressOf(exchange.request)?.origin ?? ""}${mounted}` || "/";
  const document = openapi(models, { url, tokens: server.tokens !== undefined });
  const { info } = document as { readonly info: { description: string } };
  if (unread.length > 0) info.description += ` Cannot be loaded: ${unread.sort().join(", ")}.`;
  return jsonResponse(JSON.stringify(document));
}

function playgroundRoutes(server: Server, route: MakeRoute): Route[] {
  const handler = async (exchange: Exchange) => {
    const { playground } = await loadPage();
    return await playground(server, exchange);
  };
  return [route("GET", "/", handler), route("POST", "/", handler)];
}
