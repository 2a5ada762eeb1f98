/**
 * What SageMaker's built-in XGBoost container speaks: CSV without header or LIBSVM in; CSV, JSON or
 * JSON lines out.
 *
 * https://docs.aws.amazon.com/sagemaker/latest/dg/xgboost.html, section "Input/Output interface".
 *
 * @module
 */
import { DataError } from "../../errors.ts";
import { type Encoder, featureOf, putCell, quote, startBatch, twice } from "../body/encoder.ts";
import type { Batch } from "../body/batch.ts";
import type { Exchange, Server } from "../exchange/types.ts";
import { batchFromCsv, type CsvTable } from "../body/csv_rows.ts";
import { refuseText } from "../body/float_rows.ts";
import { checkRows, tooManyRows } from "../body/json_rows.ts";
import { preferredType } from "../exchange/media_type.ts";
import { numbersText, numberText } from "../answer/json_text.ts";
import { probabilityAt, type Scores } from "../answer/scores.ts";
import type { Served } from "../models/types.ts";
import { modelHeaders } from "../models/version.ts";
import { runRequest } from "../exchange/scoring.ts";
import type { SagemakerOutput } from "../answer/sagemaker_outputs.ts";

/** Answers CSV without header: as many cells as the model has columns, in its order. */
export function invokeCsv(
  server: Server,
  exchange: Exchange,
  served: Served,
  table: CsvTable,
): Response {
  const expected = served.encoder.schema.features.length;
  if (table.names.length !== expected) {
    throw new DataError(
      "E_DATA_SHAPE",
      `Cannot match ${table.names.length} columns by position: the model has ${expected}`,
      { details: { expected, found: table.names.length } },
    );
  }
  const names = served.encoder.schema.features.map(({ name }) => name);
  const { scores } = runRequest(
    server,
    exchange,
    served,
    (encoder) => batchFromCsv(encoder, { ...table, names }),
  );
  return sagemakerAnswer(server, exchange, served, scores);
}

/** Answers LIBSVM: `[label] index:value …` a line; see `batchFromLibsvm`. */
export function invokeLibsvm(
  server: Server,
  exchange: Exchange,
  served: Served,
  text: string,
): Response {
  const { scores } = runRequest(
    server,
    exchange,
    served,
    (encoder) => batchFromLibsvm(encoder, text),
  );
  return sagemakerAnswer(server, exchange, served, scores);
}

/**
 * Lines of LIBSVM as a batch. Indices count from 0 as XGBoost's do. A model that learnt from LIBSVM
 * knows what an entry means that a line does not name, and its columns by their indices, some of which
 * may have been left out; elsewhere such an entry is missing and the index is the position.
 */
function batchFromLibsvm(encoder: Encoder, text: string): Batch {
  refuseText(encoder);
  const lines = libsvmLines(text, encoder.limits.maxRows);
  checkRows(encoder, lines.length);
  const batch = startBatch(encoder, lines.length);
  batch.named.fill(1);
  const width = encoder.schema.features.length;
  const absentIsZero = encoder.schema.sparse === "zero";
  const byName = isNamedByIndex(encoder);
  // The line that named each index last, from 1.
  const lastNamed = new Uint32Array(width);
  lines.forEach((line, row) => {
    for (const { 0: part, index: at } of line.matchAll(/\S+/g)) {
      const match = /^(\d+):(\S+)$/.exec(part);
      if (match === null) {
        if (at === 0 && Number.isFinite(Number(part))) continue; // a label, which is not used
        throw lineError(row, `${quote(part)} is not index:value`);
      }
      const index = Number(match[1]);
      const feature = byName ? featureOf(encoder, batch, `f${index}`) : index;
      if (feature < 0) continue; // noted as ignored
      if (feature >= width) throw lineError(row, `the model has no column ${index}`);
      if (lastNamed[feature] === row + 1) throw twice(encoder, feature, row);
      lastNamed[feature] = row + 1;
      putCell(encoder, batch, row, feature, match[2]);
    }
    for (let f = 0; absentIsZero && f < width; f++) {
      if (lastNamed[f] !== row + 1) putCell(encoder, batch, row, f, 0);
    }
  });
  return batch;
}

/**
 * Lines without the blank ones, and without the spaces that they begin with.
 *
 * @throws {DataError} `E_DATA_LIMIT` at the first line too many: a body may have millions.
 */
function libsvmLines(text: string, maxRows: number): string[] {
  const lines: string[] = [];
  for (const [line] of text.matchAll(/\S[^\r\n]*/g)) {
    if (lines.length === maxRows) throw tooManyRows(maxRows);
    lines.push(line);
  }
  return lines;
}

/** Whether the model learnt from LIBSVM and its columns are called by their indices. */
function isNamedByIndex({ schema }: Encoder): boolean {
  return schema.sparse !== undefined && schema.features.every(({ name }) => /^f\d+$/.test(name));
}

function lineError(row: number, problem: string): DataError {
  return new DataError("E_DATA_PARSE", `Cannot read row ${row + 1}: ${problem}`, {
    details: { row: row + 1 },
  });
}

/** Forms of an answer. */
const FORMS = ["text/csv", "application/json", "application/jsonlines"] as const;

/** Writes scores as the `Accept` header asks: CSV by default. */
function sagemakerAnswer(
  server: Server,
  exchange: Exchange,
  served: Served,
  scores: Scores,
): Response {
  const keys = server.sagemakerOutput ?? [];
  const form = preferredType(exchange.request.headers.get("accept"), FORMS);
  const rows = Array.from({ length: scores.rows }, (_, row) => row);
  const headers = modelHeaders(served);
  const record = (row: number) =>
    keys.length === 0
      ? `{"score":${outputText(served, scores, row, "predicted_score")}}`
      : `{${keys.map((key) => `"${key}":${outputText(served, scores, row, key)}`).join(",")}}`;
  if (form === "application/jsonlines") {
    return new Response(rows.map((row) => record(row) + "\n").join(""), {
      headers: { ...headers, "content-type": "application/jsonlines" },
    });
  }
  if (form === "application/json") {
    return new Response(`{"predictions":[${rows.map(record).join(",")}]}`, {
      headers: { ...headers, "content-type": "application/json" },
    });
  }
  const line = (row: number) =>
    (keys.length === 0 ? ["predicted_score" as const] : keys)
      .map((key) => csvText(outputText(served, scores, row, key), keys.length > 0)).join(",");
  return new Response(rows.map(line).join("\n") + "\n", {
    headers: { ...headers, "content-type": "text/csv; charset=utf-8" },
  });
}

/** A list alone on its line is plain cells; beside others it is one quoted cell. */
function csvText(json: string, beside: boolean): string {
  if (json === "null") return "";
  if (json.startsWith("[") && !beside) return json.slice(1, -1);
  if (json.startsWith('"') && !/[",\\]/.test(json.slice(1, -1))) return json.slice(1, -1);
  return /[",]/.test(json) ? `"${json.replaceAll('"', '""')}"` : json;
}

/** One output of one row as JSON text; null where the model has no such thing. */
function outputText(
  served: Served,
  scores: Scores,
  row: number,
  key: SagemakerOutput,
): string {
  const { classes } = served.model.schema;
  const { numOutputs, raw, value } = scores;
  const proba = scores.isProbability
    ? classes.map((_, k) => probabilityAt(scores, classes.length, row, k))
    : undefined;
  switch (key) {
    case "predicted_label":
      return classes.length > 0 ? JSON.stringify(classes[scores.labels[row]]) : "null";
    case "labels":
      return classes.length > 0 ? JSON.stringify(classes) : "null";
    case "probability":
      if (proba === undefined) return "null";
      return numberText(proba.length === 2 ? proba[1] : proba[scores.labels[row]]);
    case "probabilities":
      return proba === undefined ? "null" : numbersText(proba, 0, proba.length);
    case "raw_score":
      return numberText(raw[row * numOutputs + (numOutputs === 1 ? 0 : scores.labels[row])]);
    case "raw_scores":
      return numbersText(raw, row * numOutputs, numOutputs);
    case "predicted_score":
      return numOutputs === 1
        ? numberText(value[row])
        : numbersText(value, row * numOutputs, numOutputs);
  }
}
