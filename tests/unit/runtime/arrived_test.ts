/** What is taken past the web's `Request` against what the web's `Request` says of an equal one. */
import { assert, assertEquals } from "@std/assert";
import { arrivedOf, takeText } from "../../../src/runtime/arrived.ts";
import { rawConnection } from "../../support/processes/raw_http.ts";

const utf8 = new TextEncoder();
const NAMES = ["content-type", "content-encoding", "accept", "content-length", "x-request-id"];

const BODIES: readonly Uint8Array[] = [
  utf8.encode('{"a":1}'),
  utf8.encode('{"a":"ä😀\\u0000"}'),
  utf8.encode('\ufeff{"a":1}'),
  utf8.encode("\ufeff\ufeff"),
  new Uint8Array(0),
  Uint8Array.of(0x22, 0xff, 0xed, 0xa0, 0x80, 0xc3, 0x22), // no UTF-8
  Uint8Array.of(0x22, 0, 0x0a, 0x0d, 0x22),
];
const HEADS: readonly (readonly string[])[] = [
  ["content-type: application/json"],
  ["Content-Type: application/json", "CONTENT-ENCODING: gzip", "Accept: */*, text/csv"],
  [
    "content-type: application/json",
    "Content-Type: text/csv",
    "x-request-id: a",
    "X-Request-Id: b",
  ],
  ["X-Request-Id:   \xe4  ", "accept:"],
];

Deno.test("a request says the same as it arrived and as the web's Request", async () => {
  const seen: unknown[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    const headers = (get: (name: string) => string | null) => NAMES.map(get);
    if (request.url.endsWith("/web")) {
      const text = await request.text();
      seen.push([text, headers((name) => request.headers.get(name))]);
      return new Response(text);
    }
    const arrived = arrivedOf(request);
    assert(arrived !== undefined, "this version of Deno keeps requests elsewhere: see arrived.ts");
    const found = headers((name) => arrived.header(name));
    const text = takeText(arrived)!;
    seen.push([text.replace(/^\ufeff/, ""), found]);
    assertEquals(takeText(arrived), undefined);
    assert(request.bodyUsed);
    return new Response(text);
  });
  try {
    using connection = await rawConnection(server.addr.port);
    for (const head of HEADS) {
      for (const body of BODIES) {
        for (const path of ["web", "arrived"]) {
          await connection.ask([`POST /${path} HTTP/1.1`, "host: a", ...head], body);
        }
        assertEquals(seen[1], seen[0]);
        seen.length = 0;
      }
    }
  } finally {
    await server.shutdown();
  }
});

Deno.test("a body that is still to come stays with the request", async () => {
  const looked = Promise.withResolvers<void>();
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    const text = takeText(arrivedOf(request)!);
    looked.resolve();
    return new Response(`${text} ${await request.text()}`);
  });
  try {
    using connection = await rawConnection(server.addr.port);
    const head = ["POST / HTTP/1.1", "host: a"];
    const late = await connection.ask(head, utf8.encode('{"a":1}'), looked.promise);
    assertEquals(late.body, 'undefined {"a":1}');
    const long = "x".repeat(300_000);
    assertEquals((await connection.ask(head, utf8.encode(long))).body, `undefined ${long}`);
  } finally {
    await server.shutdown();
  }
});

Deno.test("nothing is taken past a request that was made by hand, or is none of Deno's", () => {
  assertEquals(arrivedOf(new Request("http://a/", { method: "POST", body: "x" })), undefined);
  assertEquals(arrivedOf({ url: "http://a/" } as Request), undefined);
});
