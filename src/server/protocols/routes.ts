/**
 * Routes of the protocols that are not our own.
 *
 * @module
 */
import { VERSION } from "../../util/version.ts";
import type { EndpointOptions, Exchange, ExchangeHandler, Server } from "../exchange.ts";
import { jsonResponse } from "../native.ts";
import type { Route } from "../routes.ts";
import { defaultServed } from "../scoring.ts";
import { invoke } from "./invocations.ts";
import { mlflowErrors } from "./mlflow.ts";
import { inferOip, oipMetadata, oipServed } from "./oip.ts";
import { errorMember, predictTf } from "./tf_serving.ts";

/** Makes a route with everything that is done around handlers. */
export type MakeRoute = (
  method: Route["method"],
  path: string,
  handler: ExchangeHandler,
  more?: Partial<EndpointOptions>,
) => Route;

/** Paths that the platform chooses (Vertex AI's AIP_HEALTH_ROUTE and AIP_PREDICT_ROUTE). */
export interface PlatformRoutes {
  readonly health?: string;
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
        async (exchange) => json(oipMetadata(server, await oipServed(server, exchange))),
        { errors },
      ),
      route("GET", `${path}/ready`, async (exchange) => {
        const { name } = await oipServed(server, exchange);
        return json({ name, ready: !server.draining }, server.draining ? 503 : 200);
      }, { errors, open: true }),
      route("POST", `${path}/infer`, (exchange) => inferOip(server, exchange), { errors }),
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
      route("POST", path, (exchange) => invoke(server, exchange), { errors })
    ),
  ];
}

function tfRoutes(server: Server, route: MakeRoute): Route[] {
  const errors = errorMember;
  const predict = (versioned: boolean): ExchangeHandler => async (exchange) => {
    const target = (exchange.c.req.param("target") ?? "").slice(0, -":predict".length);
    const name = versioned ? exchange.c.req.param("name") ?? "" : target;
    const version = versioned ? target : undefined;
    return predictTf(server, exchange, await server.registry.get(name, version));
  };
  return [
    route("POST", "/v1/models/:target{[^/]+:predict}", predict(false), { errors }),
    ...["versions", "labels"].map((kind) =>
      route("POST", `/v1/models/:name/${kind}/:target{[^/]+:predict}`, predict(true), { errors })
    ),
  ];
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
        async (exchange: Exchange) => predictTf(server, exchange, await defaultServed(server)),
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
