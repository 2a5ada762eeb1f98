/**
 * What every protocol does with a filled batch: check, score, count, and let a shadow score too.
 *
 * @module
 */
import type { InputReport } from "../../data/types.ts";
import { RequestError } from "../../errors.ts";
import type { Model } from "../../model/model.ts";
import { once } from "../../util/once.ts";
import { countDrift } from "../observe/drift.ts";
import { type Encoder, quote } from "../body/encoder.ts";
import type { Batch } from "../body/batch.ts";
import { bodyLength } from "../body/read.ts";
import { logFailure, noteLength } from "./exchange.ts";
import type { Exchange, Server } from "./types.ts";
import type { RowErrors } from "../body/partial.ts";
import { takeTurn } from "../admission/load.ts";
import { countReport, countScores } from "../observe/metrics.ts";
import { checkLeaves, createScores, scoreBatch, scoreInto } from "../answer/predict.ts";
import type { Scores } from "../answer/scores.ts";
import type { ModelRegistry, Served } from "../models/types.ts";
import { type ColumnRule, reportBatch } from "../body/rules.ts";

/** A batch after scoring. */
export interface Scored {
  readonly batch: Batch;
  readonly scores: Scores;
  readonly report: InputReport;
}

/** The model of a path segment `name` or `name@version`, if it is loaded. */
export function findServed(registry: ModelRegistry, segment: string): Served | undefined {
  const served = registry.peek(segment);
  if (served !== undefined) return served;
  const at = segment.lastIndexOf("@");
  return at > 0 ? registry.peek(segment.slice(0, at), segment.slice(at + 1)) : undefined;
}

/** The model of a path segment `name` or `name@version`, loaded if need be. */
export function getServed(registry: ModelRegistry, segment: string): Promise<Served> {
  const at = segment.lastIndexOf("@");
  if (at <= 0 || registry.names().includes(segment.normalize())) return registry.get(segment);
  return registry.get(segment.slice(0, at), segment.slice(at + 1));
}

/** Checks, scores and counts a batch. */
export function scoreRequest(
  server: Server,
  exchange: Exchange,
  served: Served,
  batch: Batch,
  { columns, rounds, unscored }: Pick<RunOptions, "columns" | "rounds" | "unscored">,
  into?: Scores,
): Scored {
  exchange.model = served.name;
  exchange.version = served.version;
  exchange.rows += batch.rows;
  noteLength(exchange, batch.rows * served.model.numOutputs);
  if (server.logFeatures) exchange.features = shownFeatures(served, batch);
  const report = reportBatch(served.encoder, batch, columns ?? "model");
  const scores = unscored === true
    ? createScores(served.model, batch.rows)
    : scoreBatch(served.model, batch, {
      maxMillis: server.maxMillis,
      ...(into === undefined ? {} : { into }),
      ...(rounds === undefined ? {} : { rounds }),
    });
  countReport(served.meter, served.encoder.contract.byName, report);
  // Scores of some rounds are no scores of the model.
  if (rounds === undefined) countScored(served, batch, scores);
  return { batch, scores, report };
}

function countScored({ meter, model }: Served, batch: Batch, scores: Scores): void {
  countScores(meter, scores.value, scores.numOutputs);
  countDrift(meter.drift, model, batch.rows, batch.x, scores.raw);
}

/**
 * Scores and counts a batch in which there is nothing to notice, for requests that nobody logs.
 *
 * @throws {RequestError} `E_HTTP_BUSY` when the time budget is spent.
 */
export function scorePlain(server: Server, served: Served, batch: Batch): Scores {
  const { model, meter } = served;
  const scores = batch.rows === 1 ? served.single : createScores(model, batch.rows);
  scoreInto(model, served.scorer, batch, scores, server.maxMillis);
  meter.rows += batch.rows;
  countScored(served, batch, scores);
  return scores;
}

/** Fills a batch for a schema from a body that has been read. */
export type Refill = (encoder: Encoder, errors: RowErrors) => Batch;

/** How rows are read and scored. */
export interface RunOptions {
  /** @default "model" */
  readonly columns?: ColumnRule;
  readonly errors?: RowErrors;
  /** Refuses a batch before it is scored and counted. */
  readonly check?: ((batch: Batch, model: Model) => void) | undefined;
  /** Whether leaves are asked for: too many are refused before rows are scored. @default false */
  readonly leaves?: boolean;
  /** So many of the first rounds: not counted among the model's scores, nor compared with a shadow's. */
  readonly rounds?: number | undefined;
  /** Whether scores are left zero, for requests of leaves of some rounds alone. @default false */
  readonly unscored?: boolean;
}

/** Fills, checks, scores and counts, and lets the shadow do the same; notes when that ended. */
export function runRequest(...given: Parameters<typeof runNow>): Scored {
  const scored = runNow(...given);
  given[0].metrics.load.lastEnd = performance.now();
  return scored;
}

/** As `runRequest`, for who ends the exchange at once, which notes the time as well. */
export function runNow(
  server: Server,
  exchange: Exchange,
  served: Served,
  refill: Refill,
  options: RunOptions = {},
): Scored {
  const { errors, rounds } = options;
  const { load, inFlight } = server.metrics;
  takeTurn(load, exchange.started, inFlight - 1, server.maxWaitMillis);
  const batch = refill(served.encoder, errors);
  options.check?.(batch, served.model);
  if (options.leaves === true) noteLength(exchange, checkLeaves(served.model, batch, rounds));
  const shadow = rounds === undefined ? server.registry.shadow(served.name) : undefined;
  // It may fail before anyone listens, and after a refusal nobody does.
  shadow?.catch((error) => logFailure(server, exchange, error));
  const into = shadow === undefined && batch.rows === 1 ? served.single : undefined;
  const scored = scoreRequest(server, exchange, served, batch, options, into);
  exchange.report = scored.report;
  if (shadow !== undefined) {
    const { scores } = scored;
    const byteLength = bodyLength(exchange.request) ?? server.registry.limits.maxBytes;
    const refillAgain = (encoder: Encoder) => refill(encoder, errors && []);
    const isSent = () => exchange.done;
    const answered = { served, scores, refill: refillAgain, byteLength, isSent };
    loadShadow()
      .then(({ shadowRequest }) => shadowRequest(shadow, answered, server.maxMillis))
      .catch(() => served.meter.shadow.failures++);
  }
  return scored;
}

const loadShadow = once(() => import("./shadow.ts"));

/**
 * The model of a route that names none: the only one there is.
 *
 * @throws {RequestError} `E_HTTP_AMBIGUOUS` where there are several, `E_HTTP_ROUTE` where there is none.
 */
export function defaultServed(server: Server, wanted?: string): Promise<Served> {
  const { registry, defaultModel } = server;
  const names = registry.names();
  if (wanted !== undefined && names.includes(wanted.normalize())) return registry.get(wanted);
  if (defaultModel !== undefined) return registry.get(defaultModel);
  if (names.length === 1) return registry.get(names[0]);
  if (names.length === 0) {
    throw new RequestError("E_HTTP_ROUTE", "Cannot find a model: none is served");
  }
  throw new RequestError(
    "E_HTTP_AMBIGUOUS",
    `Cannot tell which model is meant: is it ${names.slice(0, 5).map(quote).join(" or ")}?`,
    { details: { models: names.slice(0, 100) } },
  );
}

/** First rows by name, for logs whose owner asked for values. */
function shownFeatures(served: Served, batch: Batch): unknown {
  const { features } = served.encoder.schema;
  return Array.from({ length: Math.min(3, batch.rows) }, (_, row) =>
    features.map((feature, f) => {
      const value = batch.x[row * features.length + f];
      const shown = feature.kind === "categorical" ? feature.categories[value] ?? null : value;
      return [feature.name, shown];
    }));
}
