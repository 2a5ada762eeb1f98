import { assertEquals } from "@std/assert";
import { createApp } from "../../../src/server/app.ts";
import { numbersModel } from "../../support/models/small.ts";
import { numbers, post } from "../../support/processes/protocol_apps.ts";

/** A gzip member of a text. */
async function member(text: string): Promise<Uint8Array> {
  const packed = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(packed).arrayBuffer());
}

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

Deno.test("gzip of several members is read to its end, and nothing else may follow", async () => {
  const [a, b, none] = await Promise.all(['{"instances":[[1,', "2]]}", ""].map(member));
  const garbage = new TextEncoder().encode("more");
  const zeros = new Uint8Array(40);
  const cases: readonly (readonly [body: Uint8Array, status: number])[] = [
    [joined(a, b), 200],
    [joined(none, a, none, none, b, none), 200],
    [joined(a, b, zeros), 200], // padding, as gzip(1) takes it
    [joined(a, b, garbage), 422],
    [joined(a, b, zeros, b), 422], // what stands behind padding would be lost
    [joined(a, b.subarray(0, b.length - 3)), 422],
    [joined(a, b, b.subarray(0, 1)), 422],
    [a, 422], // the end of the text is missing
  ];
  for (const encoding of ["gzip", "x-gzip", "GZIP"]) {
    for (const [index, [body, status]] of cases.entries()) {
      const headers = { "content-encoding": encoding };
      const answer = await post(numbers, "/v1/models/numbers:predict", body, headers);
      assertEquals([index, answer.status], [index, status], answer.text);
      if (status === 200) assertEquals(answer.body, { predictions: [10] });
      else assertEquals(answer.body.code, "E_DATA_PARSE");
    }
  }
});

Deno.test("a body that says deflate is read to its end, or refused: rows would be missing unnoticed", async () => {
  const rows = Array.from({ length: 3000 }, (_, row) => `${row % 7},${(row * 7919) % 3000}\n`);
  const stream = new Blob(["a,b\n", ...rows]).stream();
  const packed = new Uint8Array(
    await new Response(stream.pipeThrough(new CompressionStream("deflate"))).arrayBuffer(),
  );
  const ask = (body: Uint8Array) =>
    post(numbers, "/v1/models/numbers/predict", body, {
      "content-type": "text/csv",
      "content-encoding": "deflate",
    });
  const whole = await ask(packed);
  assertEquals([whole.status, whole.body.predictions.length], [200, 3000]);
  const damaged = packed.slice();
  damaged[packed.length - 1] ^= 1;
  const cut = Array.from({ length: 40 }, (_, i) => packed.subarray(0, packed.length * i / 40));
  const cases = [...cut, packed.subarray(0, -1), packed.subarray(0, -4), damaged];
  for (const body of [...cases, joined(packed, new TextEncoder().encode("more"))]) {
    const { status, body: problem } = await ask(body);
    assertEquals([body.length, status, problem.code], [body.length, 422, "E_DATA_PARSE"]);
  }
});

Deno.test("lines in several members are answered as they come", async () => {
  const body = joined(await member('{"a":1,"b":2}\n{"a":9,'), await member('"b":2}\n'));
  const headers = { "content-encoding": "gzip", "content-type": "application/x-ndjson" };
  const { text } = await post(numbers, "/v1/models/numbers/predict", body, headers);
  assertEquals(text, '{"prediction":10}\n{"prediction":20}\n');
});

Deno.test("a packed body has a bound of its own: members that hold nothing would never end", async () => {
  const app = createApp({ models: { numbers: numbersModel() }, maxBytes: 1000 });
  const none = await member("");
  let sent = 0;
  const endless = new ReadableStream({
    pull(controller) {
      sent += none.length;
      controller.enqueue(none);
    },
  });
  const response = await app.request("/v1/models/numbers/predict", {
    method: "POST",
    headers: { "content-type": "application/json", "content-encoding": "gzip" },
    body: endless,
  });
  assertEquals([response.status, (await response.json()).details.limit], [413, "maxBytes"]);
  assertEquals(sent < 3000, true);
});

Deno.test("blank lines are read up to maxBytes at a time: a few bytes may unpack to gigabytes of them", async () => {
  const app = createApp({ models: { numbers: numbersModel() }, maxBytes: 100_000 });
  const row = '{"a":1,"b":2}\n';
  const blank = (count: number) => "\n".repeat(count);
  const headers = { "content-encoding": "gzip", "content-type": "application/x-ndjson" };
  const ask = async (text: string) => {
    const body = await member(text);
    const answer = await post(app, "/v1/models/numbers/predict", body, headers);
    const lines = answer.text.trim().split("\n").map((line) => JSON.parse(line));
    return lines.map(({ prediction, error }) => prediction ?? error.code);
  };
  assertEquals(await ask(row + blank(60_000) + row + blank(60_000) + row), [10, 10, 10]);
  assertEquals(await ask(row + blank(1_000_000) + row), [10, "E_DATA_LIMIT"]);
});

Deno.test("a packed body that breaks off is no damage of what was packed", async () => {
  const start = (await member('{"instances":[[1,2]]}')).subarray(0, 12);
  const broken = ReadableStream.from((function* () {
    yield start;
    throw new TypeError("connection reset");
  })());
  const response = await numbers.request("/v1/models/numbers/predict", {
    method: "POST",
    headers: { "content-type": "application/json", "content-encoding": "gzip" },
    body: broken,
  });
  assertEquals([response.status, (await response.json()).code], [400, "E_HTTP_BODY"]);
});

Deno.test("bodies may be gzipped; damaged or unknown encodings are refused", async () => {
  const text = '{"instances":[[1,2]]}';
  const zipped = new Uint8Array(
    await new Response(
      new Blob([text]).stream().pipeThrough(new CompressionStream("gzip")),
    ).arrayBuffer(),
  );
  const send = (body: BodyInit, encoding: string) =>
    post(numbers, "/v1/models/numbers:predict", body, { "content-encoding": encoding });
  assertEquals((await send(zipped, "gzip")).body, { predictions: [10] });
  assertEquals((await send(zipped.slice(0, 20), "gzip")).status, 422);
  assertEquals((await send(zipped, "br")).status, 415);
  const bomb = new Uint8Array(
    await new Response(
      new Blob([new Uint8Array(20 << 20)]).stream().pipeThrough(new CompressionStream("gzip")),
    ).arrayBuffer(),
  );
  assertEquals((await send(bomb, "gzip")).status, 413);
});
