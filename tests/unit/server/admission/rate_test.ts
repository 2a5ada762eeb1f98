/** How many requests of one caller are let through. */
import { assertEquals, assertThrows } from "@std/assert";
import { ParameterError, RequestError } from "../../../../src/errors.ts";
import { createApp } from "../../../../src/server/app.ts";
import type { ServerOptions } from "../../../../src/server/options.ts";
import { createRateLimiter } from "../../../../src/server/admission/rate.ts";
import { withClock } from "../../../support/stand_ins/clock.ts";
import { post } from "../../../support/processes/protocol_apps.ts";
import { numbersModel } from "../../../support/models/small.ts";

const start = (options: Omit<ServerOptions, "models">) =>
  createApp({ models: { m: numbersModel() }, ...options });
const predict = (app: ReturnType<typeof start>, headers: Record<string, string> = {}) =>
  post(app, "/v1/models/m/predict", { a: 1, b: null }, headers);

Deno.test("a rate limit answers 429 with Retry-After once the burst is spent, until time has passed", () =>
  withClock(async (pass) => {
    const app = start({ rateLimit: { perSecond: 0.5, burst: 2 } });
    assertEquals([(await predict(app)).status, (await predict(app)).status], [200, 200]);
    const third = await predict(app);
    assertEquals([third.status, third.headers.get("retry-after")], [429, "2"]);
    // Nobody checks the token, so it says nothing about who asks.
    assertEquals((await predict(app, { authorization: "Bearer other" })).status, 429);
    pass(2000);
    assertEquals([(await predict(app)).status, (await predict(app)).status], [200, 429]);
  }));

Deno.test("a rate limit without a burst lets a second's requests through, at least one", () => {
  const request = new Request("http://x/");
  const passed = (perSecond: number, at: readonly number[]) => {
    const take = createRateLimiter({ perSecond }, false);
    return at.map((now) => {
      try {
        take(request, now);
        return 0;
      } catch (error) {
        return (error as RequestError).details.retryAfterSeconds;
      }
    });
  };
  assertEquals(passed(3, [0, 0, 0, 0, 333, 334]), [0, 0, 0, 1, 1, 0]);
  assertEquals(passed(0.1, [0, 0, 9_999, 10_000]), [0, 10, 1, 0]);
  // What is not used up does not add up beyond a second's.
  assertEquals(passed(2, [0, 60_000, 60_000, 60_000]), [0, 0, 0, 1]);
});

Deno.test("a rate limit that lets nobody through is refused", () => {
  for (
    const [rateLimit, param] of [
      [{ perSecond: 0 }, "perSecond"],
      [{ perSecond: -1 }, "perSecond"],
      [{ perSecond: 1, burst: 0.5 }, "burst"],
    ] as const
  ) {
    const error = assertThrows(() => start({ rateLimit }), ParameterError);
    assertEquals([error.code, error.details.param], ["E_PARAM_RANGE", `rateLimit.${param}`]);
  }
});

Deno.test("a rate limit counts by valid token, however it is written", async () => {
  const app = start({ tokens: ["a", "b"], rateLimit: { perSecond: 0.001, burst: 2 } });
  const ask = async (authorization: string) => (await predict(app, { authorization })).status;
  assertEquals([await ask("Bearer a"), await ask("bearer a"), await ask("BEARER   a")], [
    200,
    200,
    429,
  ]);
  assertEquals([await ask("Bearer c"), await ask("Bearer b")], [401, 200]);
});

Deno.test("a rate limit remembers a megabyte of keys", () => {
  const keyOf = (request: Request) => request.headers.get("x-key")!;
  const take = createRateLimiter({ perSecond: 0.001, burst: 1, keyOf }, false);
  const ask = (key: string) => take(new Request("http://x/", { headers: { "x-key": key } }), 0);
  const long = (i: number) => `${i}`.padEnd(100_000, "k");
  for (let i = 0; i < 12; i++) ask(long(i));
  assertThrows(() => ask(long(11)), RequestError);
  ask(long(0)); // forgotten
});

Deno.test("a rate limit forgets the oldest of ten thousand callers, and nobody before there is need", () => {
  const keyOf = (request: Request) => request.url.slice("http://x/".length);
  const limiter = () => {
    const take = createRateLimiter({ perSecond: 0.001, burst: 1, keyOf }, false);
    return (key: string) => {
      try {
        take({ url: `http://x/${key}` } as Request, 0);
        return true;
      } catch {
        return false;
      }
    };
  };
  const short = limiter();
  const keys = Array.from({ length: 10_000 }, (_, i) => `${i}`);
  assertEquals(keys.filter(short).length, 10_000);
  assertEquals(keys.filter(short).length, 0);
  assertEquals([short("new"), short("1"), short("0"), short("1")], [true, false, true, true]);
  // A megabyte of keys: ten of 100,000 characters fit, whatever was there and was forgotten before.
  const long = limiter();
  for (let from = 0; from < 100; from += 10) {
    const ten = Array.from({ length: 10 }, (_, i) => `${from + i}`.padEnd(100_000, "k"));
    assertEquals(ten.map(long), new Array(10).fill(true), `${from}`);
    assertEquals(ten.map(long), new Array(10).fill(false), `${from}`);
  }
});
