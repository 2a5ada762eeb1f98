/**
 * The headers that requests and answers have beside their media types, as OpenAPI describes them.
 *
 * @module
 */
import type { SchemaObject } from "./shared.ts";

const TEXT: SchemaObject = { type: "string" };

function given(name: string, description: string, schema: SchemaObject = TEXT): object {
  return { name, in: "header", description, schema };
}

/** Headers of requests, by the name of the component. */
export function requestHeaders(): { readonly [key: string]: object } {
  return {
    RequestId: given(
      "X-Request-Id",
      "Names the request in its answer and in logs: up to 128 letters, digits and `_.:-`; another " +
        "name is replaced.",
    ),
    Encoding: given(
      "Content-Encoding",
      "How the body is packed; other ways are refused with 415.",
      {
        enum: ["identity", "gzip", "deflate"],
        default: "identity",
      },
    ),
    Report: given(
      "Treeline-Report",
      "`true` asks for the lists of what was noticed in the header of that name, where the answer " +
        "has no place for them.",
    ),
    Attributes: given(
      "X-Amzn-SageMaker-Custom-Attributes",
      "`treeline-report` in it asks for the same, in the header of that name: SageMaker hands on no " +
        "other.",
    ),
    TargetModel: given(
      "X-Amzn-SageMaker-Target-Model",
      "The model that is meant, where there are several.",
    ),
    HeaderLength: given(
      "Inference-Header-Content-Length",
      "Bytes of the JSON in front of binary tensors; without it all is JSON.",
      { type: "integer", minimum: 0 },
    ),
  };
}

/** Headers of answers, by the name of the component. */
export function responseHeaders(): { readonly [key: string]: object } {
  return {
    RequestId: {
      description: "The name of the request; native answers have it where it was given or logged.",
      schema: TEXT,
    },
    Report: {
      description:
        "What was noticed, on request: `missing`, `unknown`, `absent` and `ignored`, and " +
        "in `more` how many names had no room.",
      content: {
        "application/json": {
          schema: {
            type: "object",
            properties: {
              ...Object.fromEntries(
                ["missing", "unknown", "absent", "ignored"].map((list) => [list, {
                  type: "array",
                  items: TEXT,
                }]),
              ),
              more: { type: "integer", minimum: 1 },
            },
            required: ["missing", "unknown", "absent", "ignored"],
          },
        },
      },
    },
    Model: { description: "Name of the model that answered, percent-encoded.", schema: TEXT },
    Version: {
      description: "Its version hash.",
      schema: { type: "string", pattern: "^[0-9a-f]{16}$" },
    },
    HeaderLength: {
      description: "Bytes of the JSON in front of binary tensors.",
      schema: { type: "integer", minimum: 0 },
    },
    RetryAfter: {
      description: "Seconds after which to try again.",
      schema: { type: "integer", minimum: 1 },
    },
    Authenticate: { description: "`Bearer`: a token is needed.", schema: TEXT },
  };
}

/** Places of {@linkcode requestHeaders} in the document. */
export function headerParameters(...keys: readonly string[]): object[] {
  return keys.map((key) => ({ $ref: `#/components/parameters/${key}` }));
}

const NAMES: { readonly [key: string]: string } = {
  RequestId: "X-Request-Id",
  Report: "Treeline-Report",
  Attributes: "X-Amzn-SageMaker-Custom-Attributes",
  Model: "Treeline-Model",
  Version: "Treeline-Version",
  HeaderLength: "Inference-Header-Content-Length",
  RetryAfter: "Retry-After",
  Authenticate: "WWW-Authenticate",
};

/** Headers of an answer; those of the report are the same in both. */
export function answerHeaders(...keys: readonly string[]): object {
  return {
    headers: Object.fromEntries(
      ["RequestId", ...keys].map((key) => [NAMES[key], {
        $ref: `#/components/headers/${key === "Attributes" ? "Report" : key}`,
      }]),
    ),
  };
}

/** Headers of a refusal. */
export function refusalHeaders(status: string): object {
  return answerHeaders(
    ...(status === "401"
      ? ["Authenticate"]
      : status === "429" || status === "503"
      ? ["RetryAfter"]
      : []),
  );
}
