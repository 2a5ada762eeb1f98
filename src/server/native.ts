/**
 * Treeline's own protocol: JSON rows or columns, or CSV, to predictions and what was noticed.
 *
 * @module
 */
import type { Context } from "hono";
import type { InputReport } from "../data/types.ts";
import { ParameterError } from "../errors.ts";
import { mediaTypeOf, parseJson, readText, wrongType } from "./body.ts";
import type { Batch } from "./encoder.ts";
import { batchFromJson, type RowError, type RowErrors } from "./json_rows.ts";
import { namesText } from "./json_text.ts";
import { kindOf, type PredictionKind, predictionTexts } from "./predict.ts";
import type { Served } from "./registry.ts";
import type { Exchange, Server } from "./exchange.ts";
import { findServed, getServed, type Scored, scoreRequest, shadowRequest } from "./scoring.ts";
import type { ColumnRule } from "./rules.ts";

/** What a request asks for in its query. */
export interface PredictQuery {
  readonly kind: PredictionKind;
  readonly columns: ColumnRule;
  /** Whether rows that cannot be read are left out instead of refusing all. */
  readonly partial: boolean;
}

const DEFAULT_QUERY: PredictQuery = { kind: "default", columns: "model", partial: false };

/**
 * Reads the query of a predict request.
 *
 * @throws {ParameterError} `E_PARAM_RANGE` for values that are not known.
 */
export function predictQuery(c: Context): PredictQuery {
  if (!c.req.url.includes("?")) return DEFAULT_QUERY;
  return {
    kind: kindOf(c.req.query("kind")),
    columns: oneOf(c, "columns", ["model", "strict", "lenient"]),
    partial: oneOf(c, "onError", ["fail", "partial"]) === "partial",
  };
}

function oneOf<T extends string>(c: Context, name: string, values: readonly T[]): T {
  const value = c.req.query(name);
  if (value === undefined) return values[0]!;
  if ((values as readonly string[]).includes(value)) return value as T;
  throw new ParameterError(
    "E_PARAM_RANGE",
    `Cannot use ${name}=${JSON.stringify(value.slice(0, 40))}: expected ${values.join(", ")}`,
    { details: { param: name } },
  );
}

/** Answers `POST /v1/models/:name/predict`. */
export async function predictNative(server: Server, exchange: Exchange): Promise<Response> {
  const { registry } = server;
  const name = exchange.c.req.param("name") ?? "";
  const served = findServed(registry, name) ?? await getServed(registry, name);
  const query = predictQuery(exchange.c);
  const type = mediaTypeOf(exchange.request);
  if (type !== "application/json") throw wrongType(type, ["application/json", "text/csv"]);
  const body = parseJson(await readText(exchange.request, registry.limits.maxBytes));
  const errors: RowErrors = query.partial ? [] : undefined;
  const batch = batchFromJson(served.encoder, body, errors);
  const scored = scoreRequest(server, exchange, served, batch, query.columns);
  shadowRequest(server, served, scored, (encoder) => batchFromJson(encoder, body, errors && []));
  return jsonResponse(answerText(served, batch, scored, query, errors));
}

/** The whole answer as JSON text. */
export function answerText(
  served: Served,
  batch: Batch,
  { scores, report }: Scored,
  query: PredictQuery,
  errors: RowErrors,
): string {
  const texts = predictionTexts(served.model, batch, scores, query.kind);
  for (const error of errors ?? []) texts[error.row - 1] = "null";
  const classes = query.kind === "proba"
    ? `,"classes":${namesText(served.model.schema.classes)}`
    : "";
  return `${served.head}${classes},"predictions":[${texts.join(",")}]${reportText(report)}${
    errorsText(errors)
  }}`;
}

/** The four lists of what was noticed, each after a comma. */
export function reportText(report: InputReport): string {
  if (report.missing.size + report.unknown.size + report.ignored.length === 0) {
    return ',"missing":[],"unknown":[],"absent":[],"ignored":[]';
  }
  return `,"missing":${namesText(report.missing.keys())},"unknown":${
    namesText(report.unknown.keys())
  },"absent":${namesText(report.absent)},"ignored":${namesText(report.ignored)}`;
}

function errorsText(errors: readonly RowError[] | undefined): string {
  return errors === undefined ? "" : `,"errors":${JSON.stringify(errors)}`;
}

/** A JSON answer that nobody may store or sniff. */
export function jsonResponse(text: string, status = 200): Response {
  return new Response(text, { status, headers: JSON_HEADERS });
}

const JSON_HEADERS: [string, string][] = [
  ["content-type", "application/json"],
  ["cache-control", "no-store"],
  ["x-content-type-options", "nosniff"],
];
