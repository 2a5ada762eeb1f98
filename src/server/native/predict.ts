/**
 * Treeline's own protocol: JSON rows or columns, or CSV, to predictions and what was noticed.
 *
 * @module
 */
import { ParameterError } from "../../errors.ts";
import { once } from "../../util/once.ts";
import { headerParameter, mediaTypeOf, preferredType, wrongType } from "../exchange/media_type.ts";
import { readBytes } from "../body/read.ts";
import { LEAST_ROWS } from "../answer/lazy_writer.ts";
import { classesText, namesText, reportText } from "../answer/json_text.ts";
import type { Batch } from "../body/batch.ts";
import { batchFromBody } from "../body/json_rows.ts";
import { type RowError, type RowErrors, withNulls } from "../body/partial.ts";
import { predictionTexts } from "../answer/predict.ts";
import type { Scores } from "../answer/scores.ts";
import type { Served } from "../models/types.ts";
import { jsonAnswer } from "../exchange/exchange.ts";
import type { Exchange, Server } from "../exchange/types.ts";
import { forMany, LARGE_BODY } from "../body/for_many.ts";
import type { PredictQuery } from "./query.ts";
import {
  findServed,
  getServed,
  type Refill,
  runRequest,
  type Scored,
} from "../exchange/scoring.ts";

// What few requests need is loaded at first use: a cold start does not wait for it. It is awaited
// before rows are scored, never after: requests share the buffers of scores, so that another one may
// not run between scores and their text.
const loadCsv = once(() => import("./csv.ts"));
const loadCsvRows = once(() => import("../body/csv_rows.ts"));
const loadFloatRows = once(() => import("../body/float_rows.ts"));
const loadFloats = once(() => import("./floats.ts"));
const loadExplain = once(() => import("../answer/explain.ts"));
const loadQuery = once(() => import("./query.ts"));
const loadStream = once(() => import("./ndjson.ts"));

/** A request that asks for nothing special. */
export const DEFAULT_QUERY: PredictQuery = {
  kind: "default",
  columns: "model",
  onError: undefined,
  reasons: 0,
  rounds: undefined,
  leavesOnly: false,
  schema: undefined,
};

/** What reads the query is loaded for requests that have one. */
function hasQuery({ request }: Exchange): boolean {
  return request.url.includes("?");
}

/** Answers `POST /v1/models/:name/predict`. */
export function predictNative(server: Server, exchange: Exchange): Promise<Response> {
  const name = exchange.param("name") ?? "";
  const served = findServed(server.registry, name);
  if (served !== undefined) return predictWith(server, exchange, served);
  return getServed(server.registry, name).then((loaded) => predictWith(server, exchange, loaded));
}

async function predictWith(
  server: Server,
  exchange: Exchange,
  served: Served,
): Promise<Response> {
  const query = hasQuery(exchange)
    ? (await loadQuery()).predictQuery(exchange, served.model)
    : DEFAULT_QUERY;
  const explain = query.reasons > 0 ? await loadExplain() : undefined;
  explain?.checkExplainable(served.model);
  const type = mediaTypeOf(exchange.request);
  if (STREAMS.has(type)) return (await loadStream()).predictLines(server, exchange, served, query);
  const errors: RowErrors = query.onError === "partial" ? [] : undefined;
  const refill = await readBatch(server, exchange, served, type);
  const answer = await answerIn(server, exchange, served, query, explain);
  const { columns, rounds } = query;
  return answer(
    runRequest(server, exchange, served, refill, {
      columns,
      errors,
      check: explain?.checkExplained,
      leaves: query.kind === "leaf",
      rounds,
      unscored: query.leavesOnly,
    }),
    errors,
  );
}

/** Answers `POST /v1/models/:name/explain`: contributions to the raw score, which they add up to. */
export async function explainNative(server: Server, exchange: Exchange): Promise<Response> {
  const served = await getServed(server.registry, exchange.param("name") ?? "");
  const { columns, kind, rounds } = hasQuery(exchange)
    ? (await loadQuery()).explainQuery(exchange, served.model)
    : DEFAULT_QUERY;
  const explain = await loadExplain();
  explain.checkExplainable(served.model);
  const refill = await readBatch(server, exchange, served, mediaTypeOf(exchange.request));
  const { batch, scores, report } = runRequest(server, exchange, served, refill, {
    columns,
    check: explain.checkExplained,
    leaves: kind === "leaf",
    rounds,
  });
  const shap = explain.explainBatch(served.model, batch, server.maxMillis, rounds);
  const texts = predictionTexts(served.model, batch, scores, kind, rounds);
  const raw = predictionTexts(served.model, batch, scores, "raw");
  return jsonAnswer(
    server,
    exchange,
    `${served.head},"predictions":[${texts.join(",")}],"raw":[${raw.join(",")}],` +
      `"explanations":${explain.explanationsText(served.model, shap)}${reportText(report)}}`,
  );
}

const STREAMS: ReadonlySet<string> = new Set([
  "application/x-ndjson",
  "application/ndjson",
  "application/jsonlines",
  "application/jsonl",
]);

/** Body types of `predict`, for messages. */
const TYPES = ["application/json", "text/csv", "application/x-ndjson", "application/octet-stream"];

/** Reads a body of one of the types that hold all rows at once. */
function readBatch(
  server: Server,
  exchange: Exchange,
  served: Served,
  type: string,
): Promise<Refill> {
  const { request } = exchange;
  const { limits } = server.registry;
  if (type === "application/json") {
    return readBytes(request, limits.maxBytes, server.arriving).then((bytes) => {
      const refill: Refill = (encoder, errors) => batchFromBody(encoder, bytes, errors);
      return bytes.length < LARGE_BODY ? refill : forMany.load().then(() => refill, () => refill);
    });
  }
  if (type === "text/csv") return readCsv(server, exchange, served);
  if (type === "application/octet-stream") return readFloats(server, exchange, served);
  throw wrongType(type, TYPES);
}

async function readCsv(server: Server, exchange: Exchange, served: Served): Promise<Refill> {
  const { request } = exchange;
  const { maxBytes, maxRows } = server.registry.limits;
  const absent = headerParameter(request) === "absent";
  if (absent) await checkSchema(exchange, served);
  const names = absent ? served.encoder.schema.features.map(({ name }) => name) : undefined;
  const { batchFromCsv, csvTable } = await loadCsvRows();
  const table = csvTable(await readBytes(request, maxBytes, server.arriving), maxRows, names);
  return (encoder, errors) => batchFromCsv(encoder, table, errors);
}

async function readFloats(server: Server, exchange: Exchange, served: Served): Promise<Refill> {
  await checkSchema(exchange, served);
  const { batchFromFloats } = await loadFloatRows();
  const bytes = await readBytes(exchange.request, server.registry.limits.maxBytes, server.arriving);
  return (encoder) => batchFromFloats(encoder, bytes);
}

/** For rows whose columns have no names: the caller must know their order. */
async function checkSchema(exchange: Exchange, served: Served): Promise<void> {
  const { needSchemaHash } = await loadFloatRows();
  needSchemaHash(exchange.query("schema"), served.model.schemaHash);
}

/** Forms of an answer to `predict`. */
const FORMS = ["application/json", "text/csv", "application/octet-stream"] as const;

/** What writes the answer in the form that the caller accepts: JSON, CSV or float32. */
async function answerIn(
  server: Server,
  exchange: Exchange,
  served: Served,
  query: PredictQuery,
  explain: Explain | undefined,
): Promise<(scored: Scored, errors: RowErrors) => Response> {
  const form = preferredType(exchange.request.headers.get("accept"), FORMS);
  if (form !== "application/json" && query.reasons > 0) {
    throw new ParameterError("E_PARAM_CONFLICT", `Cannot give reasons as ${form}: accept JSON`, {
      details: { param: "reasons" },
    });
  }
  if (form === "text/csv") {
    const { csvAnswer } = await loadCsv();
    return ({ batch, scores }, errors) => csvAnswer(served, batch, scores, query, errors);
  }
  if (form === "application/octet-stream") {
    const { checkFloatKind, floatAnswer } = await loadFloats();
    checkFloatKind(query.kind);
    return ({ scores }, errors) => floatAnswer(served, scores, query.kind, errors);
  }
  return (scored, errors) => {
    const reasons = explain && reasonsIn(explain, server, served, scored, query);
    return jsonAnswer(server, exchange, answerText(served, scored, query, errors, reasons));
  };
}

type Explain = Awaited<ReturnType<typeof loadExplain>>;

/** The reasons of each row as JSON. */
function reasonsIn(
  { explainBatch, reasonsText }: Explain,
  server: Server,
  served: Served,
  { batch, scores }: Scored,
  query: PredictQuery,
): readonly string[] {
  return reasonsText(
    explainBatch(served.model, batch, server.maxMillis, query.rounds),
    scores,
    query.reasons,
  );
}

/** The whole answer as JSON text. */
export function answerText(
  served: Served,
  { batch, scores, report }: Scored,
  query: PredictQuery,
  errors: RowErrors,
  reasons?: readonly string[],
): string {
  const isUsual = query.kind === "default" && query.reasons === 0 && errors === undefined;
  const written = isUsual && scores.rows >= LEAST_ROWS
    ? served.writer.write(served.head, scores, `${reportText(report)}}`)
    : undefined;
  if (written !== undefined) return written;
  const predictions = query.kind === "default" && served.model.schema.classes.length > 0 &&
      !errors?.length
    ? classesText(scores, served.classTexts)
    : predictionsText(served, batch, scores, query, errors);
  const classes = query.kind === "proba"
    ? `,"classes":${namesText(served.model.schema.classes)}`
    : "";
  const reasonsMember = reasons === undefined
    ? ""
    : `,"reasons":[${withNulls(reasons, errors).join(",")}]`;
  return `${served.head}${classes},"predictions":[${predictions}]${reasonsMember}${
    reportText(report)
  }${errorsText(errors)}}`;
}

function predictionsText(
  served: Served,
  batch: Batch,
  scores: Scores,
  query: PredictQuery,
  errors: RowErrors,
): string {
  return withNulls(predictionTexts(served.model, batch, scores, query.kind, query.rounds), errors)
    .join(",");
}

function errorsText(errors: readonly RowError[] | undefined): string {
  return errors === undefined ? "" : `,"errors":${JSON.stringify(errors)}`;
}
