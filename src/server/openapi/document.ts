/**
 * The OpenAPI 3.1 description of the served models: one path a model, with its own columns.
 *
 * @module
 */
import { checkArgument, checkModel, checkOptions } from "../../door.ts";
import { ParameterError } from "../../errors.ts";
import type { Model } from "../../model/model.ts";
import { rowSchema as schemaOfRows } from "../../model/offset_column.ts";
import { VERSION } from "../../util/version.ts";
import { requestHeaders, responseHeaders } from "./headers.ts";
import { explainOperation, predictOperation } from "./model_operations.ts";
import { columnsSchema, predictionSchema, rowSchema } from "./model_schemas.ts";
import { protocolPaths } from "./protocols.ts";
import { PROBLEM, type SchemaObject } from "./shared.ts";

/** A model to describe. */
export interface DescribedModel {
  /** Name of the model in URLs. */
  readonly name: string;
  /** The model. */
  readonly model: Model;
}

/** Options of {@linkcode openapi}. */
export interface OpenApiOptions {
  /**
   * Address of the server: a URL (`https://host`, `https://host/ml`), or a path that begins with `/`,
   * on the host that the document comes from. Slashes at its end are ignored.
   *
   * @default "/"
   */
  readonly url?: string;
  /** Whether callers need a bearer token. @default false */
  readonly tokens?: boolean;
}

/**
 * Makes an OpenAPI 3.1 document with the paths of each model and the types of its rows and
 * predictions.
 *
 * @returns The document as plain JSON data.
 * @throws {ParameterError} `E_PARAM_RANGE` for a `url` that is not one; `E_PARAM_UNKNOWN` for an
 * unknown option.
 */
export function openapi(models: readonly DescribedModel[], options: OpenApiOptions = {}): object {
  checkArgument("openapi", "models", models, "list");
  for (const described of models) {
    checkArgument("openapi", "models", described, "object", "a list of names and models");
    checkArgument("openapi", "name", described.name, "text");
    checkModel("openapi", described.model);
  }
  checkOptions<OpenApiOptions>("openapi", options, { url: "text", tokens: "flag" });
  const url = serverUrl(options.url ?? "/");
  const schemas: Record<string, SchemaObject> = { Problem: PROBLEM };
  const paths: Record<string, object> = protocolPaths();
  models.forEach(({ name, model }, at) => {
    const key = componentName(name, at);
    const schema = schemaOfRows(model);
    schemas[`${key}Row`] = rowSchema(schema);
    schemas[`${key}Columns`] = columnsSchema(schema);
    schemas[`${key}Prediction`] = predictionSchema(model);
    const base = `/v1/models/${encodeURIComponent(name)}`;
    paths[`${base}/predict`] = { post: predictOperation(name, model, key, at) };
    paths[`${base}/explain`] = { post: explainOperation(name, model, key, at) };
  });
  return {
    openapi: "3.1.0",
    info: {
      title: "Treeline",
      version: VERSION,
      description: "Scores rows with ensembles of decision trees.",
    },
    servers: [{ url }],
    ...(options.tokens === true ? { security: [{ bearer: [] }] } : {}),
    paths,
    components: {
      schemas,
      parameters: requestHeaders(),
      headers: responseHeaders(),
      ...(options.tokens === true
        ? { securitySchemes: { bearer: { type: "http", scheme: "bearer" } } }
        : {}),
    },
  };
}

/** Paths are written behind it, so it has neither a slash at its end nor a query. */
function serverUrl(url: string): string {
  const isAddress = /^https?:\/\/[^/]/i.test(url) && URL.canParse(url);
  if (!(isAddress || /^\/(?!\/)/.test(url)) || /[?#\s{}\\]/.test(url)) {
    throw new ParameterError(
      "E_PARAM_RANGE",
      `Cannot name the server ${JSON.stringify(url.slice(0, 100))}: expected an address as ` +
        "https://host or https://host/path, or a path as /ml, without a query",
      { details: { param: "url", value: url } },
    );
  }
  return url.replace(/\/+$/, "") || "/";
}

/** Component names allow few characters; the position keeps two models apart. */
function componentName(name: string, at: number): string {
  return `Model${at + 1}_${name.replace(/[^A-Za-z0-9_.-]/g, "_")}`;
}
