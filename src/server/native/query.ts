/**
 * What a request to predict or to explain asks for in its query, where it has one.
 *
 * @module
 */
import { ModelError, ParameterError, RequestError } from "../../errors.ts";
import type { Model } from "../../model/model.ts";
import { treesOfRounds } from "../../model/rounds.ts";
import { targetOf } from "../exchange/address.ts";
import { checkKind, kindOf, type PredictionKind } from "../answer/predict.ts";
import { quote } from "../body/encoder.ts";
import type { Exchange } from "../exchange/types.ts";
import { checkQueryMembers, EXPLAIN_QUERY, QUERY } from "./members.ts";
import type { ColumnRule } from "../body/rules.ts";

/** What the query of a request asks for. */
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
  /** Whether leaves of some rounds are all: not all rounds that have leaves have scores. */
  readonly leavesOnly: boolean;
  /** Hash of the columns that the caller takes the model to have; undefined where it does not say. */
  readonly schema: string | undefined;
}

/**
 * Reads the query of a request to predict.
 *
 * @throws {ParameterError} `E_PARAM_RANGE` for values that are not known; as `checkQueryMembers`;
 * `E_PARAM_CONFLICT` for a kind and `E_PARAM_RANGE` for rounds that the model does not have.
 * @throws {RequestError} `E_HTTP_AMBIGUOUS` for a member that occurs twice.
 * @throws {ModelError} `E_MODEL_SCHEMA` for other columns than the model's.
 */
export function predictQuery(exchange: Exchange, model: Model): PredictQuery {
  const query = readQuery(exchange, QUERY);
  checkQuery(query, model, !query.leavesOnly);
  return query;
}

/**
 * Reads the query of a request to explain: contributions are of scores, even where leaves are asked for.
 *
 * @throws {TreelineError} As `predictQuery`.
 */
export function explainQuery(exchange: Exchange, model: Model): PredictQuery {
  const query = readQuery(exchange, EXPLAIN_QUERY);
  checkQuery(query, model, true);
  return query;
}

function readQuery(exchange: Exchange, read: readonly string[]): PredictQuery {
  refuseTwice(exchange.request);
  checkQueryMembers(exchange.request, read);
  const kind = kindOf(exchange.query("kind"));
  const reasons = reasonsOf(exchange.query("reasons"));
  const rounds = roundsOf(exchange.query("rounds"));
  return {
    kind,
    columns: oneOf(exchange, "columns", ["model", "strict", "lenient"]),
    onError: exchange.query("onError") === undefined
      ? undefined
      : oneOf<"fail" | "partial">(exchange, "onError", ["fail", "partial"]),
    reasons,
    rounds,
    leavesOnly: kind === "leaf" && reasons === 0 && rounds !== undefined,
    schema: exchange.query("schema"),
  };
}

/** Each member means one thing. */
function refuseTwice(request: Request): void {
  const { searchParams } = targetOf(request);
  for (const name of QUERY) {
    const [first, second] = searchParams.getAll(name);
    if (second === undefined) continue;
    throw new RequestError(
      "E_HTTP_AMBIGUOUS",
      `Cannot tell which ${name} is meant: is it ${quote(first)} or ${quote(second)}?`,
      { details: { param: name } },
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
 */
function checkQuery(
  { kind, rounds, schema }: PredictQuery,
  model: Model,
  needsScores: boolean,
): void {
  if (schema !== undefined && schema !== model.schemaHash) {
    throw new ModelError(
      "E_MODEL_SCHEMA",
      `Cannot match the columns: schema ${quote(schema)} is not the model's`,
      { details: { expected: model.schemaHash } },
    );
  }
  checkKind(model, kind);
  if (rounds !== undefined) treesOfRounds(model, rounds, needsScores);
}
