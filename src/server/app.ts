/**
 * The Hono application that serves models.
 *
 * @module
 */
import { type Context, Hono } from "hono";
import { modelCard } from "./card.ts";
import { jsonResponse, predictNative } from "./native.ts";
import { problemOf, problemResponse } from "./problem.ts";
import { createRegistry, type ModelRegistry, type ModelSource } from "./registry.ts";
import { addRoutes, type Route } from "./routes.ts";
import { DEFAULT_LIMITS, type Limits } from "./types.ts";

/** Options of {@linkcode createApp}. */
export interface ServerOptions extends Partial<Limits> {
  /** Models by name, or a registry that is changed while the server runs. */
  readonly models:
    | { readonly [name: string]: ModelSource }
    | ReadonlyMap<string, ModelSource>
    | ModelRegistry;
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
export function createApp(options: ServerOptions): Hono {
  const registry = registryOf(options);
  const app = new Hono();
  const routes: Route[] = [
    { method: "GET", path: "/healthz", handler: (c) => c.json({ status: "ok" }) },
    { method: "GET", path: "/v1/models", handler: (c) => listModels(c, registry) },
    { method: "GET", path: "/v1/models/:name", handler: (c) => showModel(c, registry) },
    {
      method: "POST",
      path: "/v1/models/:name/predict",
      handler: (c) => predictNative(c, registry),
    },
  ];
  addRoutes(app, routes);
  app.onError((error) => problemResponse(problemOf(error)));
  return app;
}

/** The registry given, or one made of the models given. */
function registryOf(options: ServerOptions): ModelRegistry {
  const { models } = options;
  if (isRegistry(models)) return models;
  const entries = models instanceof Map ? models : Object.entries(models);
  return createRegistry(entries, {
    maxRows: options.maxRows ?? DEFAULT_LIMITS.maxRows,
    maxBytes: options.maxBytes ?? DEFAULT_LIMITS.maxBytes,
    maxColumns: options.maxColumns ?? DEFAULT_LIMITS.maxColumns,
    maxString: options.maxString ?? DEFAULT_LIMITS.maxString,
  });
}

function isRegistry(models: ServerOptions["models"]): models is ModelRegistry {
  return !(models instanceof Map) && (models as { readonly kind?: unknown }).kind === "registry";
}

async function listModels(_c: Context, registry: ModelRegistry): Promise<Response> {
  const models = await Promise.all(
    registry.names().map(async (name) => {
      const served = registry.peek(name) ?? await registry.get(name);
      const { schema } = served.model;
      return { name, version: served.version, task: schema.task, features: schema.features.length };
    }),
  );
  return jsonResponse(JSON.stringify({ models }));
}

async function showModel(c: Context, registry: ModelRegistry): Promise<Response> {
  return jsonResponse(JSON.stringify(modelCard(await registry.get(c.req.param("name") ?? ""))));
}
