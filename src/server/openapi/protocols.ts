/**
 * The paths that are the same for all models, as OpenAPI describes them.
 *
 * @module
 */
import { ref } from "./shared.ts";

const JSON_OBJECT = { "application/json": { schema: { type: "object" } } };
const TEXT = { "text/plain": { schema: { type: "string" } } };
const NAME = { name: "name", in: "path", required: true, schema: { type: "string" } };
const VERSION = { name: "version", in: "path", required: true, schema: { type: "string" } };

function answer(description: string, content: object = JSON_OBJECT): object {
  return { "200": { description, content } };
}

function refusals(statuses: readonly string[]): object {
  return Object.fromEntries(statuses.map((status) => [status, {
    description: "Refused.",
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
      responses: { ...answer("Yes."), "503": { description: "Not now." } },
    },
  };
}

const POST_ERRORS = ["400", "401", "404", "413", "415", "422", "429", "503"];

/** By path. */
export const PROTOCOL_PATHS: { readonly [path: string]: object } = {
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
      responses: answer("Name and version.", TEXT),
    },
  },
  "/metrics": {
    get: {
      operationId: "metrics",
      summary: "Prometheus metrics",
      responses: { ...answer("Text exposition.", TEXT), ...refusals(["401", "429", "503"]) },
    },
  },
  "/v1/models": {
    get: {
      operationId: "listModels",
      summary: "Names and versions of the models",
      responses: { ...answer("All models."), ...refusals(["401", "429", "503"]) },
    },
  },
  "/v1/models/{name}": {
    parameters: [NAME],
    get: {
      operationId: "showModel",
      summary: "Columns, classes and story of a model",
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

function invokeOperation(operationId: string, summary: string): object {
  return {
    operationId,
    summary,
    requestBody: {
      required: true,
      content: {
        "application/json": { schema: { type: "object" } },
        "text/csv": { schema: { type: "string" } },
        "text/libsvm": { schema: { type: "string" } },
      },
    },
    responses: {
      ...answer("Predictions.", {
        ...JSON_OBJECT,
        "text/csv": { schema: { type: "string" } },
        "application/jsonlines": { schema: { type: "string" } },
      }),
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
      requestBody: {
        required: true,
        content: {
          "application/json": {
            schema: {
              oneOf: [
                {
                  type: "object",
                  properties: { instances: { type: "array", minItems: 1 } },
                  required: ["instances"],
                },
                {
                  type: "object",
                  properties: { inputs: { type: ["array", "object"] } },
                  required: ["inputs"],
                },
              ],
            },
          },
        },
      },
      responses: {
        ...answer("Predictions of instances, or outputs of inputs."),
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
        responses: { ...answer("Inputs and outputs."), ...refusals(["401", "404", "429", "503"]) },
      },
    },
    [`${path}/ready`]: {
      parameters,
      get: {
        operationId: `${id}ModelReady`,
        summary: "Open Inference Protocol: whether the model is ready",
        security: [],
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
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: {
            type: "object",
            properties: {
              id: { type: "string" },
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
      }),
      ...refusals(POST_ERRORS),
    },
  };
}
