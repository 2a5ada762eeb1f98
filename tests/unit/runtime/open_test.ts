import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { SourceError } from "../../../src/errors.ts";
import { openBytes, openStream } from "../../../src/runtime/open.ts";
import { openWriter } from "../../../src/runtime/write.ts";
import { streamOf } from "../../support/stand_ins/pieces.ts";

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const bytesOf = (value: string) => new TextEncoder().encode(value);

async function gzip(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function joined(...parts: Uint8Array[]): Uint8Array {
  return new Uint8Array(parts.flatMap((part) => [...part]));
}

async function withFile(bytes: Uint8Array, run: (path: string) => Promise<void>): Promise<void> {
  const path = await Deno.makeTempFile();
  try {
    await Deno.writeFile(path, bytes);
    await run(path);
  } finally {
    await Deno.remove(path);
  }
}

const long = bytesOf(Array.from({ length: 50_000 }, (_, i) => `${i},${i * i}\n`).join(""));

Deno.test("openBytes() reads a path, a file URL, a data URL, bytes and a stream alike", async () => {
  await withFile(bytesOf("a,b\n1,2\n"), async (path) => {
    assertEquals(text(await openBytes(path)), "a,b\n1,2\n");
    assertEquals(text(await openBytes(new URL(`file://${path}`))), "a,b\n1,2\n");
    assertEquals(text(await openBytes(`file://${path}`)), "a,b\n1,2\n");
    assertEquals(text(await openBytes((await Deno.open(path)).readable)), "a,b\n1,2\n");
  });
  assertEquals(text(await openBytes("data:text/csv,a%0A1")), "a\n1");
  assertEquals(text(await openBytes(bytesOf("x"))), "x");
  assertEquals((await openBytes(new Uint8Array(0))).length, 0);
});

Deno.test("openBytes() reads a file without streams, which Deno would have to load", async () => {
  await withFile(bytesOf("a,b\n1,2\n"), async (path) => {
    const streams = Object.getOwnPropertyDescriptor(globalThis, "ReadableStream")!;
    Object.defineProperty(globalThis, "ReadableStream", {
      configurable: true,
      get: () => {
        throw new Error("streams are asked for");
      },
    });
    try {
      assertEquals(text(await openBytes(path)), "a,b\n1,2\n");
      assertEquals(text(await openBytes(new URL(`file://${path}`))), "a,b\n1,2\n");
    } finally {
      Object.defineProperty(globalThis, "ReadableStream", streams);
    }
  });
});

Deno.test("openBytes() unpacks gzip by its first bytes, whatever the name", async () => {
  await withFile(await gzip(long), async (path) => {
    assertEquals(await openBytes(path), long);
  });
});

Deno.test("openBytes() leaves gzip packed when gunzip is false", async () => {
  const packed = await gzip(long);
  assertEquals(await openBytes(packed, { gunzip: false }), packed);
});

Deno.test("openBytes() reads every member of concatenated gzip", async () => {
  const packed = joined(await gzip(bytesOf("a\n1\n")), await gzip(bytesOf("2\n")));
  assertEquals(text(await openBytes(packed)), "a\n1\n2\n");
});

Deno.test("openBytes() takes zeros behind gzip for padding and refuses what stands behind them", async () => {
  const member = await gzip(bytesOf("a\n1\n"));
  const padded = joined(member, new Uint8Array(100));
  const lost = joined(padded, await gzip(bytesOf("2\n")));
  for (const size of [1, 7, member.length, member.length + 50, padded.length, 1000]) {
    assertEquals(text(await openBytes(streamOf(padded, size))), "a\n1\n");
    const error = await assertRejects(() => openBytes(streamOf(lost, size)), SourceError);
    assertEquals(error.code, "E_IO_READ");
    assertStringIncludes(error.message, `behind zeros at byte ${padded.length}`);
  }
});

Deno.test("openBytes() recognises gzip whose first chunk is one byte long", async () => {
  const packed = await gzip(long);
  const drips = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(packed.subarray(0, 1));
      controller.enqueue(packed.subarray(1, 9));
      controller.enqueue(packed.subarray(9));
      controller.close();
    },
  });
  assertEquals(await openBytes(drips), long);
});

Deno.test("openBytes() refuses truncated and damaged gzip with E_IO_READ", async () => {
  const packed = await gzip(long);
  const damaged = packed.slice();
  damaged.fill(7, 2000, 2100);
  for (const bad of [packed.subarray(0, packed.length >> 1), packed.subarray(0, 5), damaged]) {
    await withFile(bad, async (path) => {
      const error = await assertRejects(() => openBytes(path), SourceError);
      assertEquals(error.code, "E_IO_READ");
      assertStringIncludes(error.message, path);
    });
  }
});

Deno.test("openBytes() says that a file is not there, or is a folder", async () => {
  const gone = await assertRejects(() => openBytes("/no/such/file.csv"), SourceError);
  assertEquals(gone.code, "E_IO_NOT_FOUND");
  assertEquals(gone.message, `Cannot read "/no/such/file.csv": there is no such file`);
  const folder = await assertRejects(() => openBytes("."), SourceError);
  assertEquals(folder.code, "E_IO_READ");
});

Deno.test("openBytes() types the answers of a server", async () => {
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    (request) =>
      request.url.endsWith("/data")
        ? new Response("a\n1\n")
        : new Response("", { status: request.url.endsWith("/gone") ? 404 : 503 }),
  );
  const base = `http://127.0.0.1:${server.addr.port}`;
  try {
    assertEquals(text(await openBytes(`${base}/data`)), "a\n1\n");
    const gone = await assertRejects(() => openBytes(`${base}/gone`), SourceError);
    assertEquals(gone.code, "E_IO_NOT_FOUND");
    const broken = await assertRejects(() => openBytes(new URL(`${base}/x`)), SourceError);
    assertEquals([broken.code, broken.details.status], ["E_IO_READ", 503]);
  } finally {
    await server.shutdown();
  }
});

Deno.test("openStream() can be cancelled half way, packed or not", async () => {
  for (const bytes of [long, await gzip(long)]) {
    await withFile(bytes, async (path) => {
      const reader = (await openStream(path)).getReader();
      const { value } = await reader.read();
      assert(value !== undefined && value.length > 0);
      await reader.cancel();
    });
  }
});

Deno.test("files are refused with a code where there is no Deno", async () => {
  const { Deno: deno } = globalThis;
  try {
    Reflect.deleteProperty(globalThis, "Deno");
    const source = await openBytes(new Uint8Array([1]));
    const errors = await Promise.allSettled([openBytes("a.csv"), openBytes("-"), openWriter("a")]);
    globalThis.Deno = deno;
    assertEquals([...source], [1]);
    assertEquals(
      errors.map((one) => one.status === "rejected" && (one.reason as SourceError).code),
      ["E_IO_READ", "E_IO_READ", "E_IO_WRITE"],
    );
  } finally {
    globalThis.Deno = deno;
  }
});
