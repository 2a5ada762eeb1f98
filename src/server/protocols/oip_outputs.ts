/**
 * Answers of the Open Inference Protocol: which tensors, and JSON or bytes for each.
 *
 * @module
 */
import type { InputReport } from "../../data/types.ts";
import { ParameterError } from "../../errors.ts";
import { quote } from "../body/encoder.ts";
import type { Batch } from "../body/batch.ts";
import { numbersText } from "../answer/json_text.ts";
import { checkKind, leavesOf } from "../answer/predict.ts";
import { probabilityAt, type Scores } from "../answer/scores.ts";
import type { Model } from "../../model/model.ts";
import type { Served } from "../models/types.ts";
import { type OutputTensor, tensorToBytes } from "./tensors.ts";

/** An output that was asked for. */
export interface OutputRequest {
  readonly name: string;
  /** Whether as bytes; undefined as the request says for all. */
  readonly binary: boolean | undefined;
}

/**
 * The tensors that were asked for.
 *
 * @throws {ParameterError} `E_PARAM_RANGE` for an unknown name.
 */
export function outputTensors(
  served: Served,
  batch: Batch,
  scores: Scores,
  wanted: readonly OutputRequest[],
): OutputTensor[] {
  const names = wanted.length > 0
    ? wanted.map(({ name }) => name)
    : scores.isProbability
    ? ["predict", "predict_proba"]
    : ["predict"];
  return names.map((name) => outputTensor(served, batch, scores, name));
}

function outputTensor(served: Served, batch: Batch, scores: Scores, name: string): OutputTensor {
  const { model } = served;
  const { classes } = model.schema;
  const { rows, numOutputs } = scores;
  switch (name) {
    case "predict":
      if (classes.length === 0) {
        return { name, datatype: "FP64", shape: [rows, numOutputs], data: scores.value };
      }
      return {
        name,
        datatype: "BYTES",
        shape: [rows, 1],
        data: Array.from(scores.labels, (label) => classes[label]),
      };
    case "predict_proba": {
      const data = new Float64Array(rows * classes.length);
      for (let i = 0; i < data.length; i++) {
        const row = Math.floor(i / classes.length);
        data[i] = probabilityAt(scores, classes.length, row, i % classes.length);
      }
      return { name, datatype: "FP64", shape: [rows, classes.length], data };
    }
    case "raw":
      return { name, datatype: "FP64", shape: [rows, numOutputs], data: scores.raw };
    case "leaf": {
      const { data, cols } = leavesOf(model, batch);
      return { name, datatype: "INT32", shape: [rows, cols], data };
    }
  }
  throw unknownOutput(name);
}

/**
 * Refuses outputs that there are not, before rows are scored.
 *
 * @throws {ParameterError} `E_PARAM_RANGE` for an unknown name, `E_PARAM_CONFLICT` for probabilities of
 * a model that gives none.
 */
export function checkOutputs(model: Model, wanted: readonly OutputRequest[]): void {
  for (const { name } of wanted) {
    if (!OUTPUTS.includes(name)) throw unknownOutput(name);
    if (name === "predict_proba") checkKind(model, "proba");
  }
}

const OUTPUTS: readonly string[] = ["predict", "predict_proba", "raw", "leaf"];

function unknownOutput(name: string): ParameterError {
  return new ParameterError(
    "E_PARAM_RANGE",
    `Cannot answer output ${quote(name)}: expected predict, predict_proba, raw or leaf`,
    { details: { param: "outputs" } },
  );
}

/** What the request says about the answer. */
export interface AnswerRequest {
  readonly id: string | undefined;
  readonly outputs: readonly OutputRequest[];
  readonly binaryOutput: boolean;
}

/** Writes the answer: JSON, or JSON followed by the bytes of the tensors that are wanted so. */
export function outputResponse(
  served: Served,
  request: AnswerRequest,
  tensors: readonly OutputTensor[],
  report: InputReport,
): Response {
  const parts: Uint8Array[] = [];
  const outputs = tensors.map((tensor, i) => {
    const { name, datatype, shape } = tensor;
    const head = `{"name":${JSON.stringify(name)},"datatype":"${datatype}","shape":[${shape}]`;
    if (!(request.outputs[i]?.binary ?? request.binaryOutput)) {
      return `${head},"data":${dataText(tensor)}}`;
    }
    const bytes = tensorToBytes(tensor);
    parts.push(bytes);
    return `${head},"parameters":{"binary_data_size":${bytes.byteLength}}}`;
  });
  const { name, label, version } = served;
  const id = request.id === undefined ? "" : `,"id":${JSON.stringify(request.id)}`;
  const text =
    `{"model_name":${JSON.stringify(name)},"model_version":${JSON.stringify(label)}${id}` +
    `,"parameters":${JSON.stringify({ version_hash: version, ...noticed(report) })}` +
    `,"outputs":[${outputs.join(",")}]}`;
  if (parts.length === 0) {
    return new Response(text, { headers: { "content-type": "application/json" } });
  }
  const json = new TextEncoder().encode(text);
  return new Response(new Blob([json, ...parts] as BlobPart[]), {
    headers: {
      "content-type": "application/octet-stream",
      "inference-header-content-length": String(json.length),
    },
  });
}

function dataText({ data }: OutputTensor): string {
  return data instanceof Float64Array || data instanceof Int32Array
    ? numbersText(data, 0, data.length)
    : JSON.stringify(data);
}

/** Parameters may only be scalars: the lists are JSON text. */
function noticed(report: InputReport): { readonly [name: string]: string } {
  const lists = {
    missing: [...report.missing.keys()],
    unknown: [...report.unknown.keys()],
    absent: report.absent,
    ignored: report.ignored,
  };
  return Object.fromEntries(
    Object.entries(lists).flatMap(([name, list]) =>
      list.length > 0 ? [[name, JSON.stringify(list)]] : []
    ),
  );
}
