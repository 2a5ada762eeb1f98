/**
 * The short ways of `POST /v1/models/:name/predict` against the long one, which goes through the router:
 * the same answers and the same counts for any body.
 */
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { createApp } from "../../../src/server/app.ts";
import type { ServerApp, ServerOptions } from "../../../src/server/options.ts";
import { rawConnection } from "../../support/processes/raw_http.ts";
import { smallModel } from "../../support/models/small.ts";
import { forMany } from "../../../src/server/body/for_many.ts";

await forMany.load(); // what answers many rows is tested, too

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

Deno.test("the short way as requests arrive answers and counts as the long way does", async () => {
  const heads = [
    ["content-type: application/json"],
    ["Content-Type: application/json", "accept: */*", "X-Request-Id: abc"],
    ["content-type: application/json", "accept: text/csv"],
    ["content-type: text/csv"],
    ["content-type: application/json; charset=utf-8"],
    ["content-type: application/json", "content-encoding: gzip"],
    ["content-type: application/json", "content-type: application/json"],
    ["accept: application/json"],
  ];
  const bodies = [
    '{"age":3,"job":"a","__proto__":2}',
    '\ufeff{"age":3,"job":"a","__proto__":2}',
    '{"age":3,"job":"\u00e4","__proto__":2}',
    '[{"age":3,"job":"a","__proto__":2},{"age":4,"job":"b","__proto__":null}]',
    '{"age":3,"age":4}',
    '{"age":3',
    "",
  ].map((text) => new TextEncoder().encode(text));
  const [before, after] = [bodies[0].subarray(0, 16), bodies[0].subarray(17)];
  // In the place of a category: no UTF-8, twice; then a character that is the mark itself.
  for (
    const bytes of [[0xff], [0xfc, 0xe4], [0xe2, 0x82], [0xed, 0xa0, 0x80], [0xef, 0xbf, 0xbd]]
  ) {
    bodies.push(Uint8Array.of(...before, ...bytes, ...after));
    bodies.push(Uint8Array.of(0xef, 0xbb, 0xbf, ...before, ...bytes, ...after));
  }

  for (const options of [{}, { log: () => {} }]) {
    const [direct, byHand] = [await start(options), await start({ cors: "*", ...options })];
    let isAtOnce = false;
    const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => {
      const answer = direct.fetch(request);
      isAtOnce = answer instanceof Response;
      return answer;
    });
    try {
      using connection = await rawConnection(server.addr.port);
      for (const head of heads) {
        for (const body of bodies) {
          const line = "POST /v1/models/m/predict HTTP/1.1";
          const found = await connection.ask([line, "host: localhost", ...head], body);
          // Nothing was waited for where the head says that there is nothing to wait for.
          assertEquals(isAtOnce, head === heads[0] || head === heads[1], head.join());
          const answer = await byHand.fetch(
            new Request("http://localhost/v1/models/m/predict", {
              method: "POST",
              headers: [
                ...head.map((line) => line.split(": ") as [string, string]),
                ["content-length", `${body.length}`],
              ],
              body,
            }),
          );
          const said = (text: string) => text.replace(/"requestId":"[^"]*"/, "");
          assertEquals(
            [found.status, found.headers.get("content-type"), said(found.body)],
            [answer.status, answer.headers.get("content-type"), said(await answer.text())],
          );
          const named = (headers: Headers) => headers.get("x-request-id")?.replace(/-.*/, "-");
          assertEquals(named(found.headers), named(answer.headers), head.join());
        }
      }
    } finally {
      await server.shutdown();
    }
    assertEquals(countsOf(direct), countsOf(byHand));
  }
});

for (const query of ["", "?"]) {
  Deno.test(`a body in chunks is held to the limit whatever length stands beside it: predict${query}`, async () => {
    const app = createApp({ models: { m: smallModel() }, maxBytes: 100 });
    for (const [spaces, status] of [[60, 200], [300, 413]]) {
      const answer = await app.fetch(
        new Request(`http://localhost/v1/models/m/predict${query}`, {
          method: "POST",
          // As Deno 2.5 gives them; Deno 2.9 refuses such requests.
          headers: {
            "content-type": "application/json",
            "content-length": "5",
            "transfer-encoding": "chunked",
          },
          body: '{"age":1,"job":"a","__proto__":2}' + " ".repeat(spaces),
        }),
      );
      await answer.body?.cancel();
      assertEquals(answer.status, status);
    }
  });
}
