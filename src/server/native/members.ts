/**
 * Members of a query, and of the `params` of other protocols' bodies: one that is ours is read, or
 * refused. An answer that it had no part in would be taken for the one that was asked for.
 *
 * @module
 */
import { ParameterError } from "../../errors.ts";
import { nearest } from "../../util/nearest.ts";
import { targetOf } from "../exchange/address.ts";
import { quote } from "../body/encoder.ts";

/** All that some route reads from its query. */
export const QUERY = ["kind", "columns", "onError", "reasons", "rounds", "schema"];

/** Of these, what `explain` reads: it refuses bad rows, and gives all contributions. */
export const EXPLAIN_QUERY = ["kind", "columns", "rounds", "schema"];

/**
 * Refuses members of a query that are ours, or nearly, and mean nothing to a route. Gateways add members
 * of their own, which pass.
 *
 * @param read Members that the route reads. @default none
 * @throws {ParameterError} `E_PARAM_CONFLICT` for those without effect, `E_PARAM_UNKNOWN` for one that is
 * misspelt.
 */
export function checkQueryMembers(request: Request, read: readonly string[] = []): void {
  if (!request.url.includes("?")) return;
  const { searchParams } = targetOf(request);
  checkMembers(searchParams.keys(), read, "the query");
  for (const [name, value] of searchParams) {
    if (read.includes(name)) continue;
    // An address that a gateway or a form passes on has a query of its own.
    const right = WITHIN.exec(ADDRESS.test(value) ? name : `${name}=${value}`)?.[1];
    if (right !== undefined) throw misspelt("the query", name, right);
  }
}

/** One of ours within another member, by a wrong joint or escape: `a=1?kind=raw`, `amp;kind=raw`. */
const WITHIN = new RegExp(`(?:^|[?&;])(${QUERY.join("|")})=`);

/** An address, or a path from the root of one. */
const ADDRESS = /^([a-z][a-z0-9+.-]*:\/)?\//i;

/**
 * As of a query, of a body's `params` or `parameters`.
 *
 * @param others What the protocol has beside ours, and the route does not do. @default none
 * @throws {ParameterError} `E_PARAM_RANGE` where they are no object.
 */
export function checkParams(
  params: unknown,
  read: readonly string[],
  others: readonly string[] = [],
): void {
  if (params === undefined || params === null) return;
  if (typeof params !== "object" || Array.isArray(params)) {
    throw new ParameterError("E_PARAM_RANGE", "Cannot read the parameters: expected an object", {
      details: { param: "parameters" },
    });
  }
  checkMembers(Object.keys(params), read, "the parameter", others);
}

/**
 * As of a query, of the members of a body of another protocol: `params` is MLflow's word for what
 * TensorFlow Serving calls `parameters`, and either may be taken for the other.
 */
export function checkBodyMembers(body: object, read: readonly string[]): void {
  checkMembers(Object.keys(body), read, "the member", BODY);
}

/** Members of bodies that mean something to some route. */
const BODY = ["params", "parameters", "report"];

function checkMembers(
  names: Iterable<string>,
  read: readonly string[],
  what: string,
  others: readonly string[] = [],
): void {
  const known = [...new Set([...QUERY, ...read, ...others])];
  const all = [...names];
  for (const name of all) {
    if (read.includes(name)) continue;
    const right = known.includes(name) ? name : all.length > MANY ? undefined : nearly(name, known);
    if (right === undefined) continue;
    if (read.includes(right)) {
      throw misspelt(what, name, right);
    }
    throw new ParameterError(
      "E_PARAM_CONFLICT",
      `Cannot use ${what} ${quote(name)}: it has no effect here, expected ${
        read.length === 0 ? "none" : read.join(", ")
      }`,
      { details: { param: name, expected: read } },
    );
  }
}

function misspelt(what: string, name: string, right: string): ParameterError {
  return new ParameterError(
    "E_PARAM_UNKNOWN",
    `Cannot use ${what} ${quote(name)}: did you mean ${quote(right)}?`,
    { details: { param: name, nearest: right } },
  );
}

/** Names that are looked at for what they were meant to be: thousands would take as long as a thousand rows. */
const MANY = 100;

/**
 * The one of ours that a name nearly is. Another beginning is another word (a season, what to find), and
 * so is one that goes on: `schema_version`, `report_type`.
 */
function nearly(name: string, known: readonly string[]): string | undefined {
  const right = name.length > 20 ? undefined : nearest(name, known);
  if (right === undefined || name.length > right.length + 2) return undefined;
  return right[0] === name.charAt(0).toLowerCase() ? right : undefined;
}
