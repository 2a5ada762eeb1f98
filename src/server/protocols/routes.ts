/**
 * Routes of the protocols that are not our own, and errors as those write them.
 *
 * @module
 */
import { once } from "../../util/once.ts";
import { VERSION } from "../../util/version.ts";
import { RequestError } from "../../errors.ts";
import { quote } from "../body/encoder.ts";
import type { EndpointOptions, Exchange, ExchangeHandler, Server } from "../exchange/types.ts";
import { jsonResponse } from "../answer/json_text.ts";
import type { Route } from "../exchange/route_table.ts";
import { defaultServed } from "../exchange/scoring.ts";
import type { Problem } from "../answer/problem.ts";

// Loaded at first use: a cold start that speaks our own protocol does not wait for the others.
const loadOip = once(() => import("./oip.ts"));
const loadInvocations = once(() => import("./invocations.ts"));
const loadTf = once(() => import("./tf_serving.ts"));

/** Makes a route with everything that is done around handlers. */
export type MakeRoute = (
  method: Route["method"],
  path: string,
  handler: ExchangeHandler,
  more?: Partial<EndpointOptions>,
) => Route;

/** Additional paths that a platform chooses, as Vertex AI does. */
export interface PlatformRoutes {
  /** Path of the health check (AIP_HEALTH_ROUTE). @default none */
  readonly health?: string;
  /** Path of predictions (AIP_PREDICT_ROUTE). @default none */
  readonly predict?: string;
}

/** All of them. */
export function protocolRoutes(
  server: Server,
  route: MakeRoute,
  platform: PlatformRoutes,
): Route[] {
  return [
    ...oipRoutes(server, route),
    ...invocationRoutes(server, route),
    ...tfRoutes(server, route),
    ...platformRoutes(server, route, platform),
  ];
}

function oipRoutes(server: Server, route: MakeRoute): Route[] {
  const errors = errorMember;
  const models = ["/v2/models/:name", "/v2/models/:name/versions/:version"];
  return [
    route("GET", "/v2", () =>
      json({
        name: "treeline",
        version: VERSION,
        extensions: ["binary_tensor_data"],
      }), { errors }),
    route("GET", "/v2/health/live", () => json({ live: true }), { open: true }),
    route(
      "GET",
      "/v2/health/ready",
      () => json({ live: true, ready: !server.draining }, server.draining ? 503 : 200),
      { open: true },
    ),
    ...models.flatMap((path) => [
      route(
        "GET",
        path,
        async (exchange) => {
          const { oipMetadata, oipServed } = await loadOip();
          return json(oipMetadata(server, await oipServed(server, exchange)));
        },
        { errors },
      ),
      route("GET", `${path}/ready`, async (exchange) => {
        const { name } = await (await loadOip()).oipServed(server, exchange);
        return json({ name, ready: !server.draining }, server.draining ? 503 : 200);
      }, { errors, open: true }),
      route(
        "POST",
        `${path}/infer`,
        async (exchange) => (await loadOip()).inferOip(server, exchange),
        {
          errors,
        },
      ),
    ]),
  ];
}

function invocationRoutes(server: Server, route: MakeRoute): Route[] {
  const errors = mlflowErrors;
  return [
    ...["/ping", "/health"].map((path) =>
      route("GET", path, () => json({ status: "ok" }, server.draining ? 503 : 200), { open: true })
    ),
    route("GET", "/version", () => text(`treeline ${VERSION}`), { open: true }),
    ...["/invocations", "/endpoints/:name/invocations"].map((path) =>
      route("POST", path, async (exchange) => (await loadInvocations()).invoke(server, exchange), {
        errors,
      })
    ),
  ];
}

function tfRoutes(server: Server, route: MakeRoute): Route[] {
  const errors = errorMember;
  const predict = (last: "name" | "version"): ExchangeHandler => async (exchange) => {
    // The router is fastest without expressions in paths, so the suffix is looked for here.
    const target = exchange.param(last) ?? "";
    if (!target.endsWith(":predict")) {
      throw new RequestError("E_HTTP_ROUTE", `Cannot find ${quote(target)}: expected :predict`);
    }
    const plain = target.slice(0, -":predict".length);
    const { predictTf } = await loadTf();
    const served = last === "name"
      ? await server.registry.get(plain)
      : await server.registry.get(exchange.param("name") ?? "", plain);
    return predictTf(server, exchange, served);
  };
  return [
    { path: "/v1/models/:name", last: "name" as const },
    { path: "/v1/models/:name/versions/:version", last: "version" as const },
    { path: "/v1/models/:name/labels/:version", last: "version" as const },
  ].map(({ path, last }) => {
    const made = route("POST", path, predict(last), { errors, route: `${path}:predict` });
    return { ...made, only: /:predict$/ };
  });
}

function platformRoutes(
  server: Server,
  route: MakeRoute,
  { health, predict }: PlatformRoutes,
): Route[] {
  return [
    ...(health === undefined ? [] : [
      route("GET", health, () => json({ status: "ok" }), { open: true }),
    ]),
    ...(predict === undefined ? [] : [
      route(
        "POST",
        predict,
        async (exchange: Exchange) => {
          const { predictTf } = await loadTf();
          return predictTf(server, exchange, await defaultServed(server));
        },
        { errors: errorMember },
      ),
    ]),
  ];
}

function json(value: unknown, status = 200): Response {
  return jsonResponse(JSON.stringify(value), status);
}

function text(value: string): Response {
  return new Response(value, { headers: { "content-type": "text/plain; charset=utf-8" } });
}

/** `{"error": message}` beside our own members: TensorFlow Serving's, KServe's and Triton's form. */
function errorMember(problem: Problem): Response {
  return jsonResponse(JSON.stringify({ error: problem.detail, ...problem }), problem.status);
}

/** MLflow answers what it cannot read with 400, other media types with 415. */
function mlflowErrors(problem: Problem): Response {
  const status = problem.status === 422 ? 400 : problem.status;
  const title = status === problem.status ? problem.title : "Bad Request";
  const code = status === 400 ? "BAD_REQUEST" : status >= 500 ? "INTERNAL_ERROR" : problem.code;
  return jsonResponse(
    JSON.stringify({ error_code: code, message: problem.detail, ...problem, status, title }),
    status,
  );
}
