/**
 * The operations of one model: to predict and to explain.
 *
 * @module
 */
import type { Model } from "../../model/model.ts";
import { treesOfRounds } from "../../model/rounds.ts";
import { checkKind } from "../answer/predict.ts";
import { answerHeaders, headerParameters, refusalHeaders } from "./headers.ts";
import { anyPrediction, perOutput } from "./model_schemas.ts";
import {
  EXPLANATION,
  KINDS,
  listOf,
  NUMBER,
  REASON,
  ref,
  REPORT,
  ROW_ERROR,
  type SchemaObject,
} from "./shared.ts";

/** `POST /v1/models/NAME/predict`, of the model at a position among all. */
export function predictOperation(name: string, model: Model, key: string, at: number): object {
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

/** `POST /v1/models/NAME/explain`. */
export function explainOperation(name: string, model: Model, key: string, at: number): object {
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
