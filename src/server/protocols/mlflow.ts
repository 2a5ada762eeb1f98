// deno-lint-ignore-file camelcase -- the protocol's own names
/**
 * MLflow's scoring protocol: JSON with exactly one of four keys.
 *
 * https://mlflow.org/docs/latest/ml/deployment/deploy-model-locally/
 *
 * @module
 */
import { DataError, RequestError } from "../../errors.ts";
import { parseJson } from "../body/parse_json.ts";
import { readText } from "../body/read.ts";
import type { Exchange, Server } from "../exchange/types.ts";
import { checkBodyMembers, checkParams } from "../native/members.ts";
import { jsonResponse } from "../answer/json_text.ts";
import { checkKind, kindOf, type PredictionKind, predictionTexts } from "../answer/predict.ts";
import { reportIn } from "../answer/report_header.ts";
import { reportText } from "../answer/json_text.ts";
import type { Served } from "../models/types.ts";
import { modelHeaders } from "../models/version.ts";
import { type Refill, runRequest } from "../exchange/scoring.ts";
import { batchFromInputs, batchFromInstances, batchFromSplit } from "./tables.ts";

const SHAPES: { readonly [key: string]: (value: unknown) => Refill } = {
  dataframe_split: (value) => (encoder) => batchFromSplit(encoder, value),
  dataframe_records: (value) => (encoder) => batchFromInstances(encoder, value),
  instances: (value) => (encoder) => batchFromInstances(encoder, value),
  inputs: (value) => (encoder) => batchFromInputs(encoder, value),
};

/** Answers a JSON body in MLflow's form: `{"predictions": […]}`, labels where there are classes. */
export async function invokeMlflow(
  server: Server,
  exchange: Exchange,
  served: Served,
): Promise<Response> {
  const { maxBytes } = server.registry.limits;
  const text = await readText(exchange.request, maxBytes, server.arriving);
  const body = parseJson(text, served.encoder);
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw new DataError(
      "E_DATA_SHAPE",
      "Cannot read the request: expected an object with dataframe_split, dataframe_records, instances or inputs",
    );
  }
  const keys = Object.keys(SHAPES).filter((key) => Object.hasOwn(body, key));
  if (keys.length !== 1) {
    throw new RequestError(
      "E_HTTP_AMBIGUOUS",
      `Cannot tell where the rows are: found ${
        keys.length === 0 ? "none" : keys.join(" and ")
      }, expected exactly one of ${Object.keys(SHAPES).join(", ")}; which is meant?`,
    );
  }
  checkBodyMembers(body, [keys[0], "params"]);
  const { params } = body as { readonly params?: unknown };
  const refill = SHAPES[keys[0]]((body as Record<string, unknown>)[keys[0]]);
  checkParams(params, PARAMS);
  const kind = plainKind(served, kindIn(params));
  const report = reportIn(params);
  const scored = runRequest(server, exchange, served, refill, { leaves: kind === "leaf" });
  return predictionsResponse(served, scored, kind, { report });
}

/** How `{"predictions": […]}` is written. */
export interface PredictionsOptions {
  /** @default "predictions" */
  readonly key?: "predictions" | "outputs";
  /** Whether the lists of what was noticed follow. */
  readonly report: boolean;
}

/** `{"predictions": […]}`. */
export function predictionsResponse(
  served: Served,
  scored: ReturnType<typeof runRequest>,
  kind: PredictionKind,
  { key = "predictions", report }: PredictionsOptions,
): Response {
  const texts = predictionTexts(served.model, scored.batch, scored.scores, kind);
  const noticed = report ? reportText(scored.report) : "";
  const response = jsonResponse(`{"${key}":[${texts.join(",")}]${noticed}}`);
  for (const [name, value] of Object.entries(modelHeaders(served))) {
    response.headers.set(name, value);
  }
  return response;
}

/**
 * Other servers answer one label or number a row, not an object.
 *
 * @throws {ParameterError} `E_PARAM_CONFLICT` for a kind that the model does not have.
 */
export function plainKind(served: Served, kind: PredictionKind): PredictionKind {
  checkKind(served.model, kind);
  if (kind !== "default") return kind;
  return served.model.schema.classes.length > 0 ? "class" : "value";
}

/** What `params` or `parameters` of a body may ask for. */
export const PARAMS = ["kind", "report"];

/** The `kind` in a request's `params` or `parameters`. */
export function kindIn(params: unknown): PredictionKind {
  const kind = (params as { readonly kind?: unknown } | null | undefined)?.kind;
  // Not `String()`: an object of a body may hold a `toString` that is no function.
  return kindOf(kind === undefined || typeof kind === "string" ? kind : JSON.stringify(kind));
}
