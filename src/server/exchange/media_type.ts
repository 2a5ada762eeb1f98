/**
 * Media types: of the body that a caller sends, and of the answer that it asks for.
 *
 * @module
 */
import { RequestError } from "../../errors.ts";

/** Names of what is read as UTF-8. */
const CHARSETS: readonly (string | undefined)[] = [undefined, "utf-8", "utf8", "us-ascii"];

/**
 * Media type of a request in lower case without parameters; "" when there is none.
 *
 * @throws {RequestError} `E_HTTP_TYPE` for a charset other than UTF-8: names and categories would
 * be others.
 */
export function mediaTypeOf(request: Request): string {
  const header = request.headers.get("content-type");
  if (header === null) return "";
  const end = header.indexOf(";");
  if (end < 0) return header.trim().toLowerCase();
  if (!CHARSETS.includes(mediaParameter(request, "charset"))) {
    throw new RequestError("E_HTTP_TYPE", "Cannot read this charset: expected utf-8");
  }
  return header.slice(0, end).trim().toLowerCase();
}

/** Value of a parameter of the media type (`charset`, `header`), in lower case. */
function mediaParameter(request: Request, name: string): string | undefined {
  for (const part of (request.headers.get("content-type") ?? "").split(";").slice(1)) {
    const [key, value] = part.split("=");
    if (key!.trim().toLowerCase() === name) {
      return (value ?? "").trim().replace(/^"|"$/g, "").toLowerCase();
    }
  }
  return undefined;
}

/**
 * What the media type of CSV says of the first line (RFC 4180, 3); undefined where it says nothing.
 *
 * @throws {RequestError} `E_HTTP_TYPE` for another word: taken for either, a row could be lost, or names
 * scored.
 */
export function headerParameter(request: Request): "present" | "absent" | undefined {
  const value = mediaParameter(request, "header");
  if (value === undefined || value === "present" || value === "absent") return value;
  throw new RequestError(
    "E_HTTP_TYPE",
    `Cannot read CSV with header=${value.slice(0, 40)}: expected header=present or header=absent`,
  );
}

/** The error for a media type that a route does not read. */
export function wrongType(found: string, expected: readonly string[]): RequestError {
  return new RequestError(
    "E_HTTP_TYPE",
    `Cannot read a body of type ${
      found === "" ? "(none)" : JSON.stringify(found.slice(0, 100))
    }: ` +
      `expected ${expected.join(", ")}`,
    { details: { expected } },
  );
}

/**
 * The media type that a caller likes best (RFC 9110, 12.5.1): that of the highest weight, then the one whose range stands
 * first, then the first given. The first given as well where none is acceptable, since an answer that was
 * worked for is of more use than a refusal.
 *
 * @param accept The header, null where there is none.
 * @param types Media types in lower case, the usual one first.
 */
export function preferredType<T extends string>(
  accept: string | null,
  types: readonly [T, ...T[]],
): T {
  let best = types[0];
  if (accept === null || accept === "" || accept === "*/*") return best;
  const ranges = accept.toLowerCase().split(",").map((range) => {
    const [name, ...parameters] = range.split(";").map((part) => part.trim());
    const q = parameters.find((parameter) => /^q\s*=/.test(parameter));
    const weight = q === undefined ? 1 : Number(q.slice(q.indexOf("=") + 1));
    return { name, weight: weight >= 0 && weight <= 1 ? weight : 0 };
  });
  let bestWeight = 0;
  let bestAt = Infinity;
  for (const type of types) {
    // The most specific range is what holds for a type.
    const names = [type, type.replace(/\/.*/, "/*"), "*/*"];
    const name = names.find((name) => ranges.some((range) => range.name === name));
    const at = ranges.findIndex((range) => range.name === name);
    if (at < 0) continue;
    const { weight } = ranges[at];
    if (weight > bestWeight || (weight === bestWeight && weight > 0 && at < bestAt)) {
      best = type;
      bestWeight = weight;
      bestAt = at;
    }
  }
  return best;
}
