/**
 * `createApp` and `createRegistry` for callers, whose options nobody has looked at; the server of the
 * command line, which makes its own, starts without these checks.
 *
 * @module
 */
import { checkArgument, checkOptions, checkParts } from "../door.ts";
import { createApp as create } from "./app.ts";
import type { ServerApp, ServerOptions } from "./options.ts";
import { createRegistry as register } from "./models/registry.ts";
import type { ModelEntry, ModelRegistry, ModelVersions } from "./models/types.ts";
import type { PlatformRoutes } from "./protocols/routes.ts";
import type { RateLimit } from "./admission/rate.ts";
import type { Limits } from "./admission/limits.ts";
import { SAGEMAKER_OUTPUTS } from "./answer/sagemaker_outputs.ts";

const LIMITS = {
  maxRows: "number",
  maxBytes: "number",
  maxColumns: "number",
  maxString: "number",
  maxDepth: "number",
} as const;

/**
 * Makes a Hono application that serves models over HTTP (docs/http.md). Mount it in another
 * application, or pass its `fetch` to a server.
 *
 * @throws {ParameterError} `E_PARAM_UNKNOWN` with the nearest name, or `E_PARAM_RANGE`, for a wrong
 * option; `E_PARAM_CONFLICT` for two models of the same name.
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
  checkOptions<ServerOptions>("createApp", options, {
    ...LIMITS,
    models: "any",
    tokens: "any",
    playground: "flag",
    cors: "any",
    defaultModel: "text",
    sagemakerOutput: "texts",
    routes: "object",
    basePath: "text",
    rateLimit: "object",
    maxConcurrent: "number",
    maxWaitMillis: "number",
    maxBodyMillis: "number",
    maxUnreadBytes: "number",
    maxMillis: "number",
    log: "function",
    logFeatures: "flag",
    otherMetrics: "function",
  });
  const { models, tokens, cors, routes, rateLimit, sagemakerOutput = [] } = options;
  checkModels("createApp", models);
  // A text is a list of letters, each of which would be a token.
  if (tokens !== undefined && typeof tokens !== "function") {
    checkArgument("createApp", "tokens", tokens, "texts", "a list of texts, or a function");
  }
  if (cors !== undefined && typeof cors !== "string") {
    checkArgument("createApp", "cors", cors, "texts", "text or a list of texts");
  }
  for (const name of sagemakerOutput) {
    checkArgument("createApp", "sagemakerOutput", name, SAGEMAKER_OUTPUTS);
  }
  if (routes !== undefined) {
    checkParts<PlatformRoutes>("createApp", "routes", routes, { health: "text", predict: "text" });
  }
  if (rateLimit !== undefined) {
    checkParts<RateLimit>("createApp", "rateLimit", rateLimit, {
      perSecond: "number",
      burst: "number",
      keyOf: "function",
    });
    checkArgument("createApp", "rateLimit.perSecond", rateLimit.perSecond, "number");
  }
  return create(options);
}

/**
 * Makes a registry of models, which may change while a server runs. Pass it to `createApp`.
 *
 * @param models Pairs of a name and a model, a loader, or versions.
 * @param limits Limits of requests, as {@linkcode DEFAULT_LIMITS}.
 * @throws {ParameterError} `E_PARAM_UNKNOWN` with the nearest name, or `E_PARAM_RANGE`, for a wrong
 * argument; `E_PARAM_CONFLICT` for two models, or versions of one, of the same name.
 */
export function createRegistry(
  models: Iterable<readonly [string, ModelEntry]>,
  limits: Limits,
): ModelRegistry {
  const call = "createRegistry";
  checkParts<Limits>(call, "limits", limits, LIMITS);
  for (const name of Object.keys(LIMITS)) {
    checkArgument(call, `limits.${name}`, limits[name as keyof Limits], "number");
  }
  const given: unknown = models;
  const isIterable = typeof given === "object" && given !== null && Symbol.iterator in given;
  if (!isIterable) {
    checkArgument(call, "models", given, "list", "a list of [name, model], or a Map");
  }
  const entries = [...models];
  entries.forEach((pair, i) => {
    checkArgument(call, `models[${i}]`, pair, "list", "[name, model]");
    checkArgument(call, `models[${i}][0]`, pair[0], "text");
    checkEntry(call, `models[${i}][1]`, pair[1]);
  });
  return register(entries, limits);
}

function checkModels(call: string, models: ServerOptions["models"]): void {
  if (models instanceof Map) {
    for (const [name, entry] of models) checkEntry(call, `models ${name}`, entry);
    return;
  }
  checkArgument(call, "models", models, "object", "models by name, or a registry");
  if ((models as { readonly kind?: unknown }).kind === "registry") return;
  for (const [name, entry] of Object.entries(models)) checkEntry(call, `models.${name}`, entry);
}

/** Checks what a name stands for: a model, a function that loads one, or versions of it. */
function checkEntry(call: string, at: string, entry: ModelEntry): void {
  if (typeof entry === "function" || isModel(entry)) return;
  const expected = "a model, a function that gives one, or { versions }";
  checkArgument(call, at, entry, "object", expected);
  checkParts<ModelVersions>(call, at, entry as ModelVersions, {
    versions: "any",
    current: "text",
    aliases: "any",
    shadow: "text",
  });
  const { versions } = entry as ModelVersions;
  const all = versions instanceof Map ? [...versions] : Object.entries(versions ?? {});
  if (!(versions instanceof Map)) {
    checkArgument(call, `${at}.versions`, versions, "object", "models by label");
  }
  const labels = all.map(([label]) => label);
  const { current, shadow, aliases } = entry as ModelVersions;
  const named = aliases instanceof Map ? [...aliases] : Object.entries(aliases ?? {});
  const names = named.flatMap(([alias, label]) => labels.includes(label) ? [alias] : []);
  if (current !== undefined) checkArgument(call, `${at}.current`, current, [...labels, ...names]);
  if (shadow !== undefined) checkArgument(call, `${at}.shadow`, shadow, [...labels, ...names]);
  for (const [label, source] of all) {
    if (typeof source === "function" || isModel(source)) continue;
    checkArgument(call, `${at}.versions ${label}`, source, "function", "a model, or a function");
  }
}

function isModel(entry: unknown): boolean {
  return typeof (entry as { readonly predictRaw?: unknown } | null)?.predictRaw === "function";
}
