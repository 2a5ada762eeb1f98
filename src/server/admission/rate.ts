/**
 * Token buckets: so many requests a second for each caller, with a burst. Counts are per process.
 *
 * @module
 */
import { ParameterError, RequestError } from "../../errors.ts";
import { bearerToken } from "./auth.ts";

/** A rate limit for each caller and process, as a token bucket. */
export interface RateLimit {
  /** Average number of requests per second. */
  readonly perSecond: number;
  /** Largest number of requests at once. @default perSecond, or 1 if that is less */
  readonly burst?: number;
  /**
   * Identifies the caller of a request.
   *
   * @default the bearer token if the server checks tokens; otherwise all callers share one limit,
   * since a caller could send another token each time
   */
  readonly keyOf?: (request: Request) => string;
}

/** Callers whose buckets are remembered; the oldest are forgotten, which only lets them burst. */
const MAX_KEYS = 10_000;
/** Characters of all their keys, which may be whole headers. */
const MAX_CHARACTERS = 1 << 20;

/** Takes one token or throws `E_HTTP_RATE`. */
export type TakeToken = (request: Request, now: number) => void;

/**
 * Makes the check of a rate limit; `now` is in milliseconds.
 *
 * @param checksTokens Whether the bearer tokens of all requests that come here are valid ones.
 * @throws {ParameterError} `E_PARAM_RANGE` for a limit that nobody could ever keep.
 */
export function createRateLimiter(limit: RateLimit, checksTokens: boolean): TakeToken {
  const burst = limit.burst ?? Math.max(1, limit.perSecond);
  if (!(limit.perSecond > 0 && burst >= 1)) {
    const param = limit.perSecond > 0 ? "burst" : "perSecond";
    throw new ParameterError(
      "E_PARAM_RANGE",
      `Cannot use rateLimit.${param} ${limit[param]}: expected ${
        param === "burst" ? "1 or more" : "more than 0"
      }`,
      { details: { param: `rateLimit.${param}` } },
    );
  }
  const keyOf = limit.keyOf ?? (checksTokens ? (request) => bearerToken(request) ?? "" : () => "");
  let characters = 0;
  const buckets = new Map<string, { tokens: number; at: number }>();
  return (request, now) => {
    const key = keyOf(request);
    let bucket = buckets.get(key);
    if (bucket === undefined) {
      bucket = { tokens: burst, at: now };
      buckets.set(key, bucket);
      characters += key.length;
      while (buckets.size > MAX_KEYS || (characters > MAX_CHARACTERS && buckets.size > 1)) {
        const oldest = buckets.keys().next().value!;
        characters -= oldest.length;
        buckets.delete(oldest);
      }
    }
    const gained = (now - bucket.at) / 1000 * limit.perSecond;
    bucket.tokens = Math.min(burst, bucket.tokens + gained);
    bucket.at = now;
    if (bucket.tokens < 1) {
      const seconds = Math.max(1, Math.ceil((1 - bucket.tokens) / limit.perSecond));
      throw new RequestError(
        "E_HTTP_RATE",
        `Cannot answer more than ${limit.perSecond} requests a second: try again later`,
        { details: { retryAfterSeconds: seconds } },
      );
    }
    bucket.tokens--;
  };
}
