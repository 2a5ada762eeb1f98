/**
 * Open Inference Protocol v2 (KServe, Triton, MLServer) with the binary tensor extension.
 *
 * Inputs are either one matrix `[N, F]` in the order of the model's columns, or one tensor a column,
 * named by it, `[N]` or `[N, 1]`. Outputs: `predict` (a label or a number), `predict_proba`, `raw`,
 * `leaf`; by default the first two.
 *
 * https://github.com/kserve/open-inference-protocol and
 * https://github.com/triton-inference-server/server/blob/main/docs/protocol/extension_binary_data.md
 *
 * @module
 */
import { DataError, RequestError } from "../../errors.ts";
import { parseJson } from "../body/parse_json.ts";
import { bodyText, readBytes } from "../body/read.ts";
import { columnOf, type Encoder, putCell, quote, startBatch } from "../body/encoder.ts";
import type { Batch } from "../body/batch.ts";
import type { Exchange, Server } from "../exchange/types.ts";
import { batchFromMatrix, refuseText } from "../body/float_rows.ts";
import { checkRows } from "../body/json_rows.ts";
import { checkBodyMembers, checkParams, checkQueryMembers } from "../native/members.ts";
import type { Served } from "../models/types.ts";
import { runRequest } from "../exchange/scoring.ts";
import { checkOutputs, type OutputRequest, outputResponse, outputTensors } from "./oip_outputs.ts";
import { type Tensor, tensorFromBytes, tensorFromJson, tensorHead } from "./tensors.ts";

/** A request once its tensors are read. */
interface InferRequest {
  readonly id: string | undefined;
  readonly inputs: readonly Tensor[];
  readonly outputs: readonly OutputRequest[];
  readonly binaryOutput: boolean;
}

/** Answers `POST /v2/models/:name[/versions/:version]/infer`. */
export async function inferOip(server: Server, exchange: Exchange): Promise<Response> {
  checkQueryMembers(exchange.request);
  const served = await oipServed(server, exchange);
  const { maxBytes } = server.registry.limits;
  const bytes = await readBytes(exchange.request, maxBytes, server.arriving);
  const request = readInfer(exchange.request, bytes, served.encoder);
  checkOutputs(served.model, request.outputs);
  const scored = runRequest(
    server,
    exchange,
    served,
    (encoder) => batchFromTensors(encoder, request.inputs),
    { leaves: request.outputs.some(({ name }) => name === "leaf") },
  );
  const tensors = outputTensors(served, scored.batch, scored.scores, request.outputs);
  return outputResponse(served, request, tensors, scored.report);
}

/** The model that a path of this protocol names. */
export function oipServed(server: Server, exchange: Exchange): Promise<Served> {
  const version = exchange.param("version");
  return server.registry.get(exchange.param("name") ?? "", version);
}

/** What `GET /v2/models/:name` tells. */
export function oipMetadata(server: Server, served: Served): object {
  const { features, classes } = served.encoder.schema;
  const numbers = features.every((f) => f.kind === "numeric" || f.coded === true);
  const { labels } = server.registry.versions(served.name);
  return {
    name: served.name,
    versions: labels,
    platform: "treeline_tlm",
    inputs: numbers ? [{ name: "input", datatype: "FP64", shape: [-1, features.length] }] : features
      .map(({ name, kind }) => ({
        name,
        datatype: kind === "numeric" ? "FP64" : "BYTES",
        shape: [-1, 1],
      })),
    outputs: classes.length === 0
      ? [{ name: "predict", datatype: "FP64", shape: [-1, served.model.numOutputs] }]
      : [
        { name: "predict", datatype: "BYTES", shape: [-1, 1] },
        { name: "predict_proba", datatype: "FP64", shape: [-1, classes.length] },
      ],
  };
}

/** Parameters of tensors that ask Triton for another input or output than the one in the message. */
const UNREAD = ["classification", "shared_memory_region"];

function readInfer(request: Request, bytes: Uint8Array, encoder: Encoder): InferRequest {
  const header = request.headers.get("inference-header-content-length");
  const jsonLength = header === null ? bytes.length : Number(header);
  if (!Number.isInteger(jsonLength) || jsonLength < 0 || jsonLength > bytes.length) {
    throw new RequestError(
      "E_HTTP_AMBIGUOUS",
      `Cannot find the JSON part: Inference-Header-Content-Length is ${quote(header ?? "")} and ` +
        `the body has ${bytes.length} bytes`,
    );
  }
  const body = parseJson(bodyText(bytes.subarray(0, jsonLength)), encoder);
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw new DataError(
      "E_DATA_SHAPE",
      "Cannot read the request: expected an object with inputs, a list of tensors",
    );
  }
  checkBodyMembers(body, ["id", "inputs", "outputs", "parameters"]);
  const { id, inputs, outputs, parameters } = body as Record<string, unknown>;
  checkParams(parameters, ["binary_data_output"]);
  if (!Array.isArray(inputs) || inputs.length === 0) {
    throw new DataError("E_DATA_SHAPE", "Cannot read the request: it has no inputs");
  }
  const binary = bytes.subarray(jsonLength);
  let at = 0;
  const tensors = inputs.map((input, index): Tensor => {
    const head = tensorHead(input, index);
    checkParams(input.parameters, ["binary_data_size"], UNREAD);
    const size = input.parameters?.binary_data_size;
    if (size === undefined) return tensorFromJson(head, input.data);
    if (input.data !== undefined && input.data !== null) {
      throw new RequestError(
        "E_HTTP_AMBIGUOUS",
        `Cannot tell which values ${quote(head.name)} has: is it data or binary_data_size?`,
        { details: { input: head.name.slice(0, 200) } },
      );
    }
    if (!Number.isInteger(size) || size < 0 || at + size > binary.length) {
      throw new DataError(
        "E_DATA_SHAPE",
        `Cannot read input ${quote(head.name)}: its binary data is not in the body`,
      );
    }
    return tensorFromBytes(head, binary.subarray(at, at += size));
  });
  if (at < binary.length) {
    throw new DataError(
      "E_DATA_SHAPE",
      `Cannot read the request: ${
        binary.length - at
      } bytes are left behind the inputs' binary data`,
    );
  }
  return {
    id: typeof id === "string" ? id : undefined,
    inputs: tensors,
    outputs: readOutputs(outputs),
    binaryOutput: isTrue(parameters, "binary_data_output"),
  };
}

function readOutputs(outputs: unknown): OutputRequest[] {
  // Clients that write what they leave out, as of pydantic, write null.
  if (outputs === undefined || outputs === null) return [];
  if (!Array.isArray(outputs)) {
    throw new DataError("E_DATA_SHAPE", "Cannot read outputs: expected an array");
  }
  const seen = new Set<string>();
  return outputs.map((output) => {
    const name = output?.name;
    if (typeof name !== "string") {
      throw new DataError("E_DATA_SHAPE", "Cannot read outputs: each needs a name");
    }
    // Each costs a tensor of its own: a body of names would be answered by gigabytes.
    if (seen.size === seen.add(name).size) {
      throw new DataError("E_DATA_SHAPE", `Cannot read outputs: ${quote(name)} occurs twice`);
    }
    checkParams(output.parameters, ["binary_data"], UNREAD);
    const given = output.parameters?.binary_data;
    return { name, binary: typeof given === "boolean" ? given : undefined };
  });
}

function isTrue(parameters: unknown, name: string): boolean {
  return typeof parameters === "object" && parameters !== null &&
    (parameters as Record<string, unknown>)[name] === true;
}

/** Tensors as a batch: a matrix by position, or columns by name. */
function batchFromTensors(encoder: Encoder, tensors: readonly Tensor[]): Batch {
  const width = encoder.schema.features.length;
  const [first] = tensors;
  const isColumn = encoder.contract.byName.has(first.name) && first.size === first.shape[0];
  if (tensors.length === 1 && !isColumn) {
    if (first.shape.length !== 2 || first.shape[1] !== width) {
      throw new DataError(
        "E_DATA_SHAPE",
        `Cannot match input ${quote(first.name)} of shape [${first.shape}]: expected ` +
          `[N, ${width}], or one tensor [N] for each column, named by it`,
        { details: { shape: first.shape, columns: width } },
      );
    }
    if (first.datatype !== "BYTES") refuseText(encoder);
    return batchFromMatrix(encoder, first.shape[0], width, first.at);
  }
  const [rows] = first.shape;
  checkRows(encoder, rows);
  const batch = startBatch(encoder, rows);
  const seen = new Set<string>();
  for (const tensor of tensors) {
    if (tensor.size !== rows || tensor.shape[0] !== rows || seen.has(tensor.name)) {
      throw new DataError(
        "E_DATA_SHAPE",
        `Cannot match input ${quote(tensor.name)} of shape [${tensor.shape}]: expected one ` +
          `tensor of ${rows} values for each column`,
        { details: { input: tensor.name.slice(0, 200), shape: tensor.shape } },
      );
    }
    seen.add(tensor.name);
    const feature = columnOf(encoder, batch, tensor.name);
    if (feature < 0) continue;
    for (let row = 0; row < rows; row++) putCell(encoder, batch, row, feature, tensor.at(row));
  }
  return batch;
}
