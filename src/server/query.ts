/**
 * What a predict request asks for in its query.
 *
 * @module
 */
import { ParameterError, RequestError } from "../errors.ts";
import type { Model } from "../model/model.ts";
import { treesOfRounds } from "../model/rounds.ts";
import { nearest } from "../util/nearest.ts";
import { targetOf } from "./address.ts";
import { checkKind, kindOf, type PredictionKind } from "./answer/predict.ts";
import { quote } from "./body/encoder.ts";
import type { ColumnRule } from "./body/rules.ts";
import type { Exchange } from "./exchange.ts";

/** The members of a query. */
export interface PredictQuery {
  readonly kind: PredictionKind;
  readonly columns: ColumnRule;
  /**
   * What a row that cannot be read does: refuse the request, or be left out and named. Streams go
   * on by default, other requests are refused.
   */
  readonly onError: "fail" | "partial" | undefined;
  /** How many of the largest contributions each row gets; 0 for none. */
  readonly reasons: number;
  /** How many of the first rounds score; undefined for all. */
  readonly rounds: number | undefined;
}

/** A request that asks for nothing special. */
export const DEFAULT_QUERY: PredictQuery = {
  kind: "default",
  columns: "model",
  onError: undefined,
  reasons: 0,
  rounds: undefined,
};

/**
 * Reads the query of a predict request.
 *
 * @throws {ParameterError} `E_PARAM_RANGE` for values that are not known, `E_PARAM_UNKNOWN` for a member
 * that is nearly one of ours.
 * @throws {RequestError} `E_HTTP_AMBIGUOUS` for a member that is there twice.
 */
export function predictQuery(exchange: Exchange): PredictQuery {
  if (!exchange.request.url.includes("?")) return DEFAULT_QUERY;
  refuseTwice(exchange.request);
  refuseMisspelt(exchange.request);
  return {
    kind: kindOf(exchange.query("kind")),
    columns: oneOf(exchange, "columns", ["model", "strict", "lenient"]),
    onError: exchange.query("onError") === undefined
      ? undefined
      : oneOf<"fail" | "partial">(exchange, "onError", ["fail", "partial"]),
    reasons: reasonsOf(exchange.query("reasons")),
    rounds: roundsOf(exchange.query("rounds")),
  };
}

/** Members of a query, of which each means one thing. */
const MEMBERS = ["kind", "columns", "onError", "reasons", "rounds", "schema"];

function refuseTwice(request: Request): void {
  const { searchParams } = targetOf(request);
  for (const name of MEMBERS) {
    const [first, second] = searchParams.getAll(name);
    if (second === undefined) continue;
    throw new RequestError(
      "E_HTTP_AMBIGUOUS",
      `Cannot tell which ${name} is meant: is it ${quote(first)} or ${quote(second)}?`,
      { details: { param: name } },
    );
  }
}

/** Gateways add members of their own, which pass; one that is nearly ours would be asked for in vain. */
function refuseMisspelt(request: Request): void {
  for (const name of targetOf(request).searchParams.keys()) {
    if (MEMBERS.includes(name) || name.length > 20) continue;
    const right = nearest(name, MEMBERS);
    // Another beginning is another word: a season, what to find.
    if (right?.[0] !== name.charAt(0).toLowerCase()) continue;
    throw new ParameterError(
      "E_PARAM_UNKNOWN",
      `Cannot use the query ${quote(name)}: did you mean ${quote(right)}?`,
      { details: { param: name, nearest: right } },
    );
  }
}

function oneOf<T extends string>(exchange: Exchange, name: string, values: readonly T[]): T {
  const value = exchange.query(name);
  if (value === undefined) return values[0]!;
  if ((values as readonly string[]).includes(value)) return value as T;
  throw new ParameterError(
    "E_PARAM_RANGE",
    `Cannot use ${name}=${JSON.stringify(value.slice(0, 40))}: expected ${values.join(", ")}`,
    { details: { param: name } },
  );
}

/**
 * Reads how many reasons a request asks for; 0 where it does not.
 *
 * @throws {ParameterError} `E_PARAM_RANGE`.
 */
function reasonsOf(text: string | undefined): number {
  if (text === undefined) return 0;
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= 1000) return count;
  throw new ParameterError(
    "E_PARAM_RANGE",
    `Cannot give reasons=${JSON.stringify(text.slice(0, 40))}: expected a whole number from 1`,
    { details: { param: "reasons" } },
  );
}

/**
 * Reads how many of the first rounds are asked for; the model says how many it has.
 *
 * @throws {ParameterError} `E_PARAM_RANGE`.
 */
function roundsOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new ParameterError(
    "E_PARAM_RANGE",
    `Cannot use rounds=${JSON.stringify(text.slice(0, 40))}: expected a whole number`,
    { details: { param: "rounds" } },
  );
}

/**
 * Refuses what a model does not have, before a body is read or a row counted.
 *
 * @param needsScores Whether more than leaves is needed of the rounds.
 * @throws {ParameterError} `E_PARAM_CONFLICT` for a kind, `E_PARAM_RANGE` for rounds.
 */
export function checkQuery(
  { kind, rounds }: PredictQuery,
  model: Model,
  needsScores: boolean,
): void {
  checkKind(model, kind);
  if (rounds !== undefined) treesOfRounds(model, rounds, needsScores);
}

/** Whether leaves of some rounds are all that is asked for: not all rounds that have leaves have scores. */
export function isLeavesOnly({ kind, reasons, rounds }: PredictQuery): boolean {
  return kind === "leaf" && reasons === 0 && rounds !== undefined;
}
