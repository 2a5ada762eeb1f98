/**
 * Bearer tokens. Several may be valid at a time, so that one is replaced while the other works.
 *
 * @module
 */
import { RequestError } from "../../errors.ts";

/** The valid bearer tokens, or a function that returns the tokens that are valid now. */
export type Tokens = readonly string[] | (() => readonly string[]);

const encoder = new TextEncoder();

/**
 * Lets a request with a valid token pass.
 *
 * @throws {RequestError} `E_HTTP_AUTH`.
 */
export function checkToken(tokens: Tokens, request: Request): void {
  const given = bearerToken(request);
  const valid = typeof tokens === "function" ? tokens() : tokens;
  let matches = 0;
  if (given !== undefined) {
    // Every token is compared in full, so that the time tells nothing about which or where.
    for (const token of valid) matches |= isSame(given, token) ? 1 : 0;
  }
  if (matches === 0) {
    throw new RequestError(
      "E_HTTP_AUTH",
      given === undefined
        ? "Cannot answer without a bearer token: send the header Authorization: Bearer …"
        : "Cannot answer with this bearer token: it is not valid",
    );
  }
}

/** The bearer token of a request, whatever the case and spaces before it. */
export function bearerToken(request: Request): string | undefined {
  return /^bearer +(\S+)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
}

/** Equality in time that depends only on the length given. */
function isSame(given: string, token: string): boolean {
  const a = encoder.encode(given);
  const b = encoder.encode(token);
  let difference = a.length ^ b.length;
  for (let i = 0; i < a.length; i++) difference |= a[i] ^ (b[i % Math.max(1, b.length)] ?? 0);
  return difference === 0 && token !== "";
}
