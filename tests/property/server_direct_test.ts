/**
 * The short ways of `POST /v1/models/:name/predict` against the long one, which goes through the router:
 * the same answers and the same counts for any body.
 */
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { createApp, type ServerApp, type ServerOptions } from "../../src/server/app.ts";
import { smallModel } from "../support/small_models.ts";

/** A server that had as many requests that its reader is at work. */
async function start(options: Omit<ServerOptions, "models"> = {}): Promise<ServerApp> {
  const app = createApp({ models: { m: smallModel() }, ...options });
  for (let i = 0; i < 20; i++) await answerOf(app, '{"age":1,"job":"a","__proto__":2}');
  return app;
}

async function answerOf(app: ServerApp, body: string, query = ""): Promise<[number, string]> {
  const bytes = new TextEncoder().encode(body);
  const answer = await app.fetch(
    new Request(`http://localhost/v1/models/m/predict${query}`, {
      method: "POST",
      headers: { "content-type": "application/json", "content-length": `${bytes.length}` },
      body: bytes,
    }),
  );
  const text = (await answer.text()).replace(/"requestId":"[^"]*"/, "");
  assertEquals(answer.headers.get("content-type")!.startsWith("application/"), true);
  return [answer.status, text];
}

/** Counts without times. */
const countsOf = (app: ServerApp) =>
  app.metrics().split("\n").filter((line) => !/seconds|wait/.test(line));

const cell = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: -60, max: 60 }).map(String) },
  { weight: 2, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }).map(String) },
  fc.constantFrom("null", '""', '"7"', "true", "[1]", '"x"', "1e999"),
);
const job = fc.constantFrom('"a"', '"b"', '"a"', '"new"', "null", "3");
const row = fc.tuple(cell, job, cell, fc.nat(19)).map(([age, job, proto, dice]) => {
  const cells = [`"age":${age}`, `"job":${job}`, `"__proto__":${proto}`];
  if (dice === 0) cells.pop();
  if (dice === 1) cells.push('"extra":1');
  if (dice === 2) cells.push('"age":5');
  return `{${cells.join()}}`;
});
const plain = fc.tuple(fc.integer({ min: 0, max: 90 }), fc.constantFrom("a", "b"), fc.nat(3))
  .map(([age, job, proto]) => `{"age":${age},"job":"${job}","__proto__":${proto}}`);
const list = (rows: fc.Arbitrary<string>) =>
  fc.array(rows, { maxLength: 5 }).map((rows) => `[${rows.join()}]`);
const body = fc.oneof(
  plain,
  list(plain),
  row,
  list(row),
  fc.tuple(row, fc.nat(), fc.constantFrom("", "}", '"', ",", "[")).map(([text, at, piece]) =>
    text.slice(0, at % text.length) + piece + text.slice(at % text.length + 1)
  ),
);

Deno.test("the short ways answer and count as the long way does", async () => {
  const apps = [
    await start(), // no exchange where there is nothing to notice
    await start({ log: () => {} }), // an exchange, but no router
    await start({ cors: "*" }), // the router
  ];
  const statuses = new Set<number>();
  await fc.assert(
    fc.asyncProperty(body, async (text) => {
      const [long, ...short] = await Promise.all(
        apps.toReversed().map((app) => answerOf(app, text)),
      );
      for (const answer of short) assertEquals([text, answer], [text, long]);
      statuses.add(long[0]);
    }),
    { numRuns: 1500 },
  );
  assert(statuses.has(200) && statuses.has(422), [...statuses].join());
  const [first, ...others] = apps.map(countsOf);
  for (const counts of others) assertEquals(counts, first);
});
