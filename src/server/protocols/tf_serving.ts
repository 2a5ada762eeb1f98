/**
 * TensorFlow Serving's REST protocol, which KServe v1 and Vertex AI speak too:
 * `{"instances": […]}` → `{"predictions": […]}`, `{"inputs": {…}}` → `{"outputs": …}`.
 *
 * @module
 */
import { DataError, RequestError } from "../../errors.ts";
import { mediaTypeOf, wrongType } from "../exchange/media_type.ts";
import { parseJson } from "../body/parse_json.ts";
import { readText } from "../body/read.ts";
import type { Exchange, Server } from "../exchange/types.ts";
import { checkBodyMembers, checkParams, checkQueryMembers } from "../native/members.ts";
import type { Served } from "../models/types.ts";
import { reportIn } from "../answer/report_header.ts";
import { runRequest } from "../exchange/scoring.ts";
import { kindIn, PARAMS, plainKind, predictionsResponse } from "./mlflow.ts";
import { batchFromInputs, batchFromInstances } from "./tables.ts";

/** Answers `:predict`. */
export async function predictTf(
  server: Server,
  exchange: Exchange,
  served: Served,
): Promise<Response> {
  checkQueryMembers(exchange.request);
  const type = mediaTypeOf(exchange.request);
  // TensorFlow's own examples send no type at all (curl then says it is a form).
  const accepted = ["", "application/json", "text/plain", "application/x-www-form-urlencoded"];
  if (!accepted.includes(type)) throw wrongType(type, ["application/json"]);
  const { maxBytes } = server.registry.limits;
  const text = await readText(exchange.request, maxBytes, server.arriving);
  const body = parseJson(text, served.encoder);
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw new DataError(
      "E_DATA_SHAPE",
      "Cannot read the request: expected an object with instances or inputs",
    );
  }
  const { instances, inputs, parameters } = body as Record<string, unknown>;
  if ((instances === undefined) === (inputs === undefined)) {
    throw new RequestError(
      "E_HTTP_AMBIGUOUS",
      `Cannot tell where the rows are: found ${
        instances === undefined ? "neither instances nor inputs" : "both instances and inputs"
      }; which is meant?`,
    );
  }
  checkBodyMembers(body, ["instances", "inputs", "parameters"]);
  checkParams(parameters, PARAMS);
  const kind = plainKind(served, kindIn(parameters));
  const report = reportIn(parameters);
  const scored = runRequest(
    server,
    exchange,
    served,
    (encoder) =>
      inputs === undefined
        ? batchFromInstances(encoder, instances)
        : batchFromInputs(encoder, inputs),
    { leaves: kind === "leaf" },
  );
  const key = inputs === undefined ? "predictions" : "outputs";
  return predictionsResponse(served, scored, kind, { key, report });
}
