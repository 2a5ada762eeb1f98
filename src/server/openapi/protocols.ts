/**
 * The paths that are the same for all models, as OpenAPI describes them.
 *
 * @module
 */
import { answerHeaders, headerParameters, refusalHeaders } from "./headers.ts";
import { KINDS, ref, type SchemaObject } from "./shared.ts";

const JSON_OBJECT = { "application/json": { schema: { type: "object" } } };
const TEXT = { "text/plain": { schema: { type: "string" } } };
const NAME = { name: "name", in: "path", required: true, schema: { type: "string" } };
const VERSION = { name: "version", in: "path", required: true, schema: { type: "string" } };

function answer(
  description: string,
  content: object = JSON_OBJECT,
  headers: readonly string[] = [],
): object {
  return { "200": { description, ...answerHeaders(...headers), content } };
}

function refusals(statuses: readonly string[]): object {
  return Object.fromEntries(statuses.map((status) => [status, {
    description: "Refused; `code` says why.",
    ...refusalHeaders(status),
    content: {
      "application/problem+json": { schema: ref("Problem") },
      "application/json": { schema: { type: "object" } },
    },
  }]));
}

function probe(id: string, summary: string): object {
  return {
    get: {
      operationId: id,
      summary,
      security: [],
      parameters: headerParameters("RequestId"),
      responses: {
        ...answer("Yes."),
        "503": { description: "Not now: the process is stopping.", ...answerHeaders() },
      },
    },
  };
}

const POST_ERRORS = ["400", "401", "404", "408", "413", "415", "422", "429", "503"];

/** What MLflow's `params` and TensorFlow Serving's `parameters` ask for. */
const PARAMETERS: SchemaObject = {
  type: ["object", "null"],
  properties: {
    kind: { enum: KINDS, description: "What a prediction is." },
    report: { type: "boolean", description: "Whether the lists of what was noticed follow." },
  },
};

/** Predictions, and on request what was noticed. */
const PREDICTIONS: SchemaObject = {
  type: "object",
  properties: Object.fromEntries(
    ["predictions", "outputs", "missing", "unknown", "absent", "ignored"].map((key) => [key, {
      type: "array",
    }]),
  ),
  anyOf: [{ required: ["predictions"] }, { required: ["outputs"] }],
};

/** By path; made when it is asked for, since every server loads this module. */
export function protocolPaths(): { readonly [path: string]: object } {
  return {
    "/healthz": probe("healthz", "Whether the process lives"),
    "/livez": probe("livez", "The same"),
    "/readyz": probe("readyz", "Whether requests are welcome"),
    "/ping": probe("ping", "SageMaker and MLflow's health check"),
    "/health": probe("health", "MLflow's health check"),
    "/version": {
      get: {
        operationId: "version",
        summary: "MLflow: name and version of the server",
        security: [],
        parameters: headerParameters("RequestId"),
        responses: answer("Name and version.", TEXT),
      },
    },
    "/metrics": {
      get: {
        operationId: "metrics",
        summary: "Prometheus metrics",
        parameters: headerParameters("RequestId"),
        responses: { ...answer("Text exposition.", TEXT), ...refusals(["401", "429", "503"]) },
      },
    },
    "/openapi.json": {
      get: {
        operationId: "describe",
        summary: "This document",
        parameters: headerParameters("RequestId"),
        responses: { ...answer("OpenAPI 3.1."), ...refusals(["401", "429", "503"]) },
      },
    },
    "/v1/models": {
      get: {
        operationId: "listModels",
        summary: "Names and versions of the models",
        parameters: headerParameters("RequestId"),
        responses: { ...answer("All models."), ...refusals(["401", "429", "503"]) },
      },
    },
    "/v1/models/{name}": {
      parameters: [NAME],
      get: {
        operationId: "showModel",
        summary: "Columns, classes and story of a model",
        parameters: headerParameters("RequestId"),
        responses: { ...answer("The model's card."), ...refusals(["401", "404", "429", "503"]) },
      },
    },
    "/v1/models/{name}:predict": tfPath("tfPredict", [NAME]),
    "/v1/models/{name}/versions/{version}:predict": tfPath("tfPredictVersion", [NAME, VERSION]),
    "/v1/models/{name}/labels/{version}:predict": tfPath("tfPredictLabel", [NAME, VERSION]),
    "/v2": {
      get: {
        operationId: "oipServer",
        summary: "Open Inference Protocol: the server",
        parameters: headerParameters("RequestId"),
        responses: { ...answer("Name and extensions."), ...refusals(["401", "429", "503"]) },
      },
    },
    "/v2/health/live": probe("oipLive", "Open Inference Protocol: whether the process lives"),
    "/v2/health/ready": probe("oipReady", "Open Inference Protocol: whether requests are welcome"),
    ...oipPaths("/v2/models/{name}", "oip", [NAME]),
    ...oipPaths("/v2/models/{name}/versions/{version}", "oipVersion", [NAME, VERSION]),
    "/invocations": { post: invokeOperation("invoke", "MLflow and SageMaker") },
    "/endpoints/{name}/invocations": {
      parameters: [NAME],
      post: invokeOperation("invokeEndpoint", "SageMaker, as the AWS SDK asks"),
    },
  };
}

/** An object with exactly one of some members, and what it asks for beside them. */
function oneMember(
  members: { readonly [name: string]: SchemaObject },
  more: { readonly [name: string]: SchemaObject },
): SchemaObject {
  return {
    type: "object",
    properties: { ...members, ...more },
    oneOf: Object.keys(members).map((name) => ({ required: [name] })),
  };
}

function invokeOperation(operationId: string, summary: string): object {
  return {
    operationId,
    summary,
    parameters: headerParameters("RequestId", "Encoding", "Report", "Attributes", "TargetModel"),
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: oneMember({
            dataframe_split: { type: "object" },
            dataframe_records: { type: "array" },
            instances: { type: "array" },
            inputs: { type: ["array", "object"] },
          }, { params: PARAMETERS }),
        },
        "text/csv": { schema: { type: "string" } },
        "text/libsvm": { schema: { type: "string" } },
      },
    },
    responses: {
      ...answer("Predictions.", {
        "application/json": { schema: PREDICTIONS },
        "text/csv": { schema: { type: "string" } },
        "application/jsonlines": { schema: { type: "string" } },
      }, ["Report", "Attributes", "Model", "Version"]),
      ...refusals(POST_ERRORS),
    },
  };
}

function tfPath(operationId: string, parameters: readonly object[]): object {
  return {
    parameters,
    post: {
      operationId,
      summary: "TensorFlow Serving, KServe v1 and Vertex AI",
      parameters: headerParameters("RequestId", "Encoding", "Report"),
      requestBody: {
        required: true,
        content: {
          "application/json": {
            schema: oneMember({
              instances: { type: "array", minItems: 1 },
              inputs: { type: ["array", "object"] },
            }, { parameters: PARAMETERS }),
          },
        },
      },
      responses: {
        ...answer(
          "Predictions of instances, or outputs of inputs.",
          { "application/json": { schema: PREDICTIONS } },
          ["Report", "Model", "Version"],
        ),
        ...refusals(POST_ERRORS),
      },
    },
  };
}

function oipPaths(path: string, id: string, parameters: readonly object[]): object {
  return {
    [path]: {
      parameters,
      get: {
        operationId: `${id}Metadata`,
        summary: "Open Inference Protocol: metadata",
        parameters: headerParameters("RequestId"),
        responses: { ...answer("Inputs and outputs."), ...refusals(["401", "404", "429", "503"]) },
      },
    },
    [`${path}/ready`]: {
      parameters,
      get: {
        operationId: `${id}ModelReady`,
        summary: "Open Inference Protocol: whether the model is ready",
        security: [],
        parameters: headerParameters("RequestId"),
        responses: { ...answer("Yes."), ...refusals(["404", "503"]) },
      },
    },
    [`${path}/infer`]: { parameters, post: inferOperation(`${id}Infer`) },
  };
}

function inferOperation(operationId: string): object {
  return {
    operationId,
    summary: "Open Inference Protocol: infer",
    parameters: headerParameters("RequestId", "Encoding", "Report", "HeaderLength"),
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: {
            type: "object",
            properties: {
              id: { type: "string" },
              parameters: {
                type: "object",
                properties: { binary_data_output: { type: "boolean" } },
              },
              outputs: {
                type: "array",
                items: {
                  type: "object",
                  properties: {
                    name: { enum: ["predict", "predict_proba", "raw", "leaf"] },
                    parameters: {
                      type: "object",
                      properties: { binary_data: { type: "boolean" } },
                    },
                  },
                  required: ["name"],
                },
              },
              inputs: {
                type: "array",
                minItems: 1,
                items: {
                  type: "object",
                  properties: {
                    name: { type: "string" },
                    shape: { type: "array", items: { type: "integer", minimum: 0 } },
                    datatype: { type: "string" },
                    data: { type: "array" },
                    parameters: {
                      type: "object",
                      properties: { binary_data_size: { type: "integer", minimum: 0 } },
                    },
                  },
                  required: ["name", "shape", "datatype"],
                },
              },
            },
            required: ["inputs"],
          },
        },
        "application/octet-stream": { schema: { type: "string" } },
      },
    },
    responses: {
      ...answer("Output tensors.", {
        ...JSON_OBJECT,
        "application/octet-stream": { schema: { type: "string" } },
      }, ["Report", "HeaderLength"]),
      ...refusals(POST_ERRORS),
    },
  };
}
