/**
 * The OpenAPI 3.1 description of the served models: one path a model, with its own columns.
 *
 * @module
 */
import type { InputFeature, Schema } from "../../data/types.ts";
import { checkArgument, checkModel, checkOptions } from "../../door.ts";
import { ParameterError } from "../../errors.ts";
import type { Model } from "../../model/model.ts";
import { treesOfRounds } from "../../model/rounds.ts";
import { rowSchema as schemaOfRows } from "../../model/offset_column.ts";
import { VERSION } from "../../util/version.ts";
import { checkKind, givesProbabilities } from "../answer/predict.ts";
import {
  answerHeaders,
  headerParameters,
  refusalHeaders,
  requestHeaders,
  responseHeaders,
} from "./headers.ts";
import { protocolPaths } from "./protocols.ts";
import {
  EXPLANATION,
  KINDS,
  listOf,
  NUMBER,
  PROBLEM,
  REASON,
  ref,
  REPORT,
  ROW_ERROR,
  type SchemaObject,
} from "./shared.ts";

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

/** One row by column name. */
function rowSchema(schema: Schema): SchemaObject {
  const { features, extraColumns, absentColumns } = schema;
  const required = features.filter((f) => absentColumns === "error" || f.missing !== "learnt");
  return {
    type: "object",
    properties: Object.fromEntries(features.map((f) => [f.name, cellSchema(f)])),
    ...(required.length === 0 ? {} : { required: required.map(({ name }) => name) }),
    additionalProperties: extraColumns === "ignore",
  };
}

function columnsSchema(schema: Schema): SchemaObject {
  const row = rowSchema(schema);
  const entries = schema.features.map((f) =>
    [f.name, { type: "array", items: cellSchema(f) }] as const
  );
  return { ...row, properties: Object.fromEntries(entries) };
}

function cellSchema(feature: InputFeature): SchemaObject {
  const none = feature.missing === "error" ? [] : ["null"];
  if (feature.kind === "numeric" || feature.coded === true) {
    return { type: ["number", ...none] };
  }
  const { categories, unknown } = feature;
  if (unknown === "error") {
    return { enum: feature.missing === "error" ? categories : [...categories, null] };
  }
  return {
    type: ["string", ...none],
    description: `Other values are allowed and reported; they ${
      unknown === "missing" ? "count as missing" : "take the model's route for unknown values"
    }.`,
    ...(categories.length > 0 ? { examples: categories.slice(0, 50) } : {}),
  };
}

/** One default prediction. */
function predictionSchema(model: Model): SchemaObject {
  const { classes } = model.schema;
  if (classes.length === 0) return model.numOutputs === 1 ? NUMBER : listOf(NUMBER);
  const label = { class: { enum: classes } };
  if (!givesProbabilities(model)) return { type: "object", properties: label, required: ["class"] };
  const probabilities = {
    type: "object",
    properties: Object.fromEntries(classes.map((label) => [label, NUMBER])),
    required: classes,
    additionalProperties: false,
  };
  return {
    type: "object",
    properties: { ...label, probabilities },
    required: ["class", "probabilities"],
  };
}

/** What any `kind` of prediction may be, and `null` of a row that was left out. */
function anyPrediction({ schema }: Model, key: string): SchemaObject {
  const labels = schema.classes.length === 0 ? [] : [{ enum: schema.classes }];
  return { anyOf: [ref(`${key}Prediction`), NUMBER, listOf(NUMBER), ...labels] };
}

function bodyOf(key: string): object {
  const row = ref(`${key}Row`);
  const columns = ref(`${key}Columns`);
  const rows = { type: "array", items: row, minItems: 1 };
  const wrapped = (name: string, schema: SchemaObject) => ({
    type: "object",
    properties: { [name]: schema },
    required: [name],
    additionalProperties: false,
  });
  return {
    required: true,
    content: {
      "application/json": {
        schema: {
          anyOf: [row, rows, columns, wrapped("rows", rows), wrapped("columns", columns)],
        },
      },
      "text/csv": { schema: { type: "string" } },
      "application/octet-stream": { schema: { type: "string", contentMediaType: "float32" } },
    },
  };
}

const queryParameters = (model: Model) => [
  {
    name: "kind",
    in: "query",
    description:
      "What a prediction is; the default is a class with its probabilities, or a number.",
    schema: {
      enum: KINDS.filter((kind) => passes(() => checkKind(model, kind))),
      default: "default",
    },
  },
  {
    name: "columns",
    in: "query",
    description: "What absent and unknown columns do: the rules of the model, refuse, or accept.",
    schema: { enum: ["model", "strict", "lenient"], default: "model" },
  },
  {
    name: "schema",
    in: "query",
    description: "Hash of the model's columns, which rows by position must name.",
    schema: { const: model.schemaHash },
  },
];

function roundsParameter(model: Model): object {
  // Rounds after the best one have leaves, but no scores; DART has no first rounds but all.
  let maximum = model.numRounds;
  const takes = (rounds: number) => passes(() => treesOfRounds(model, rounds));
  while (!takes(maximum)) maximum--;
  const minimum = takes(0) ? 0 : maximum;
  const leaves = minimum > 0 || maximum < model.numRounds
    ? ` Leaves alone are answered of 0 to ${model.numRounds}, too.`
    : "";
  return {
    name: "rounds",
    in: "query",
    description: `Score with so many of the first rounds of trees; by default with all.${leaves}`,
    schema: { type: "integer", minimum, maximum },
  };
}

/** Whether a check throws nothing. */
function passes(check: () => void): boolean {
  try {
    check();
    return true;
  } catch {
    return false;
  }
}

function refusals(): object {
  return Object.fromEntries(
    ["400", "401", "404", "408", "413", "415", "422", "429", "503"].map((status) => [status, {
      description: "Refused; `code` says why.",
      ...refusalHeaders(status),
      content: { "application/problem+json": { schema: ref("Problem") } },
    }]),
  );
}

function predictOperation(name: string, model: Model, key: string, at: number): object {
  const body = bodyOf(key) as { readonly content: object };
  return {
    operationId: `predict_${at + 1}`,
    summary: `Scores rows with ${name}`,
    parameters: [
      ...queryParameters(model),
      roundsParameter(model),
      {
        name: "onError",
        in: "query",
        description:
          "Whether a row that cannot be read refuses the request or is left out and named.",
        schema: { enum: ["fail", "partial"], default: "fail" },
      },
      {
        name: "reasons",
        in: "query",
        description: "How many of the largest contributions each row gets.",
        schema: { type: "integer", minimum: 1, maximum: 1000 },
      },
      ...headerParameters("RequestId", "Encoding", "Report"),
    ],
    requestBody: {
      ...body,
      content: { ...body.content, "application/x-ndjson": { schema: { type: "string" } } },
    },
    responses: {
      "200": {
        description: "Predictions in the order of the rows, and what was noticed.",
        ...answerHeaders("Report", "Model", "Version"),
        content: {
          "application/json": {
            schema: {
              allOf: [REPORT, {
                type: "object",
                properties: {
                  predictions: listOf(anyPrediction(model, key)),
                  reasons: listOf({ type: ["array", "null"], items: REASON }),
                  classes: listOf({ type: "string" }),
                  errors: listOf(ROW_ERROR),
                },
                required: ["predictions"],
              }],
            },
          },
          "text/csv": { schema: { type: "string" } },
          "application/x-ndjson": { schema: { type: "string" } },
          "application/octet-stream": { schema: { type: "string" } },
        },
      },
      ...refusals(),
    },
  };
}

function explainOperation(name: string, model: Model, key: string, at: number): object {
  return {
    operationId: `explain_${at + 1}`,
    summary: `Explains scores of ${name}: contributions and bias add up to the raw score`,
    parameters: [
      ...queryParameters(model),
      roundsParameter(model),
      ...headerParameters("RequestId", "Encoding"),
    ],
    requestBody: bodyOf(key),
    responses: {
      "200": {
        description: "Contributions of every column to every raw score.",
        ...answerHeaders(),
        content: {
          "application/json": {
            schema: {
              allOf: [REPORT, {
                type: "object",
                properties: {
                  predictions: listOf(anyPrediction(model, key)),
                  raw: listOf(perOutput(model, NUMBER)),
                  explanations: listOf(perOutput(model, EXPLANATION)),
                },
                required: ["predictions", "raw", "explanations"],
              }],
            },
          },
        },
      },
      ...refusals(),
    },
  };
}

/** One where the model has one output, else a list. */
function perOutput({ numOutputs }: Model, one: SchemaObject): SchemaObject {
  return numOutputs === 1 ? one : listOf(one);
}
