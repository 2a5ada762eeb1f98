/** Models behind addresses: read once they are asked for, and again when their server has others. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { encodeModel } from "../../../../src/format/binary.ts";
import { openModelStore } from "../../../../src/server/models/store.ts";
import { DEFAULT_LIMITS } from "../../../../src/server/admission/limits.ts";
import { numbersModel } from "../../../support/models/small.ts";

const row = { a: 1, b: 0 };

/** A server of files that answers conditional requests by one of the two headers, or by none. */
function fileServer(header?: "etag" | "last-modified") {
  let tag = "";
  let body: Uint8Array<ArrayBuffer> | number = 404;
  const told: number[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, (request) => {
    const known = request.headers.get(header === "etag" ? "if-none-match" : "if-modified-since");
    const isKnown = header !== undefined && known === tag;
    const status = typeof body === "number" ? body : isKnown ? 304 : 200;
    told.push(status);
    const headers: HeadersInit = header === undefined ? {} : { [header]: tag };
    return new Response(status === 200 ? body as Uint8Array<ArrayBuffer> : null, {
      status,
      headers,
    });
  });
  return {
    address: `http://127.0.0.1:${server.addr.port}/m.tlm`,
    /** Status of each answer since the last call. */
    told: () => told.splice(0),
    put(next: Uint8Array<ArrayBuffer> | number, nextTag: string) {
      body = next;
      tag = nextTag;
    },
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

const bytesOf = (value: number) => new Uint8Array(encodeModel(numbersModel(value)));

for (
  const [header, tags] of [
    ["etag", ['"1"', 'W/"2"', '"3"']],
    [
      "last-modified",
      [1, 2, 3].map((day) => new Date(Date.UTC(2026, 10, day)).toUTCString()),
    ],
  ] as const
) {
  Deno.test(`refresh() follows an address by its ${header}`, async () => {
    await using web = fileServer(header);
    web.put(bytesOf(5), tags[0]!);
    const { registry, refresh } = await openModelStore([web.address], DEFAULT_LIMITS);
    assertEquals([await refresh(), web.told()], [[], []]);
    const { model } = await registry.get("m");
    const first = model.predictValue(row)[0];
    web.told();
    assertEquals([await refresh(), web.told()], [[], [304]]);
    web.put(bytesOf(7), tags[1]!);
    const [line] = await refresh();
    const second = await registry.get("m");
    assertEquals(line, `replaced m: ${second.version}`);
    assertEquals(first === second.model.predictValue(row)[0], false);
    web.told();
    assertEquals([await refresh(), web.told()], [[], [304]]);
    // One that is damaged is told once, and not read again until another is there.
    web.put(new TextEncoder().encode("damaged"), tags[2]!);
    assertStringIncludes((await refresh()).join(), "kept m: ");
    web.told();
    assertEquals([await refresh(), web.told()], [[], [304]]);
    assertEquals((await registry.get("m")).version, second.version);
  });
}

Deno.test("refresh() keeps a model whose address is away, says so once, and tries it again", async () => {
  await using web = fileServer("etag");
  web.put(bytesOf(5), '"1"');
  const { registry, refresh } = await openModelStore([web.address], DEFAULT_LIMITS);
  const { version } = await registry.get("m");
  web.put(503, "");
  assertEquals(await refresh(), [`kept m: Cannot read "${web.address}": the server answered 503`]);
  assertEquals([await refresh(), await refresh()], [[], []]);
  assertEquals((await registry.get("m")).version, version);
  web.put(bytesOf(7), '"2"');
  const [line] = await refresh();
  const now = await registry.get("m");
  assertEquals([line, now.version === version], [`replaced m: ${now.version}`, false]);
  assertEquals(await refresh(), []);
});

Deno.test("two models of one address are followed each for itself", async () => {
  await using web = fileServer("etag");
  web.put(bytesOf(5), '"1"');
  const sources = [web.address, `n=${web.address}`];
  const { registry, refresh } = await openModelStore(sources, DEFAULT_LIMITS);
  await registry.get("m");
  await registry.get("n");
  web.put(bytesOf(7), '"2"');
  const { length } = await refresh();
  assertEquals([length, await refresh()], [2, []]);
  assertEquals((await registry.get("m")).version, (await registry.get("n")).version);
});

Deno.test("an address whose server says nothing of its version is read once", async () => {
  await using web = fileServer();
  web.put(bytesOf(5), "");
  const { registry, refresh } = await openModelStore([web.address], DEFAULT_LIMITS);
  await registry.get("m");
  web.told();
  assertEquals([await refresh(), web.told()], [[], []]);
});
