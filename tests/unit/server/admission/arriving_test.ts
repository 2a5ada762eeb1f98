/** Bodies that arrive slowly: bytes that are kept of them are bounded in all. */
import { assertEquals } from "@std/assert";
import { createApp } from "../../../../src/server/app.ts";
import { withClock } from "../../../support/stand_ins/clock.ts";
import { numbersModel } from "../../../support/models/small.ts";

/** With a clock that stands still: no body takes too long, however slow the machine. */
function test(name: string, run: (pass: (millis: number) => void) => Promise<void>): void {
  Deno.test(name, () => withClock(run));
}

/** A request whose body comes as it is told. */
function upload(app: ReturnType<typeof createApp>, type?: string, length?: number) {
  let body: ReadableStreamDefaultController<Uint8Array>;
  let wanted = () => {};
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => void (body = controller),
    pull: () => wanted(), // the server waits for more
  }, { highWaterMark: 0 });
  const answer = Promise.resolve(app.request("/v1/models/m/predict", {
    method: "POST",
    headers: {
      "content-type": type ?? "application/json",
      ...(length && { "content-length": String(length) }),
    },
    body: stream,
  }));
  const encoder = new TextEncoder();
  return {
    answer,
    /** Spaces, which are no value. Resolves once the server has taken them and asks for more. */
    send(length: number): Promise<void> {
      body.enqueue(new Uint8Array(length).fill(0x20));
      return new Promise((resolve) => wanted = resolve);
    },
    /** The caller goes away. */
    fail: () => body.error(new Error("gone")),
    end(text: string) {
      body.enqueue(encoder.encode(text));
      body.close();
    },
  };
}

const LIMITED = { models: { m: numbersModel() }, maxBytes: 3000, maxUnreadBytes: 3000 };

const ROW = '{"a":1,"b":0}';

test("bodies that are still arriving have so many bytes in all, and no more", async () => {
  const app = createApp(LIMITED);
  const one = upload(app);
  const two = upload(app);
  await Promise.all([one.send(1500), two.send(1400)]);
  const three = upload(app);
  three.send(101);
  const { status, headers } = await three.answer;
  assertEquals([status, headers.get("retry-after")], [503, "1"]);
  one.end(ROW);
  assertEquals((await (await one.answer).json()).predictions, [10]);
  const four = upload(app);
  await four.send(1500);
  for (const last of [two, four]) {
    last.end(ROW);
    assertEquals((await last.answer).status, 200);
  }
});

test("what is held of lines counts, too, until they end", async () => {
  const app = createApp(LIMITED);
  const lines = upload(app, "application/x-ndjson");
  const reader = (await lines.answer).body!.getReader();
  await lines.send(2900);
  const other = upload(app);
  other.send(101);
  assertEquals((await other.answer).status, 503);
  lines.end(`${ROW}\n`);
  const { value } = await reader.read();
  assertEquals(JSON.parse(new TextDecoder().decode(value)).prediction, 10);
  assertEquals((await reader.read()).done, true);
  const next = upload(app);
  next.send(2900);
  next.end(ROW);
  assertEquals((await next.answer).status, 200);
});

test("bodies of a known length count where it is above 512 kB, and not below", async () => {
  const app = createApp({ ...LIMITED, maxBytes: 700_000 });
  for (const [length, status] of [[524_288, 200], [600_000, 503]]) {
    const known = upload(app, undefined, length);
    await known.send(length! - ROW.length);
    const other = upload(app);
    other.send(200_000);
    other.end(ROW);
    assertEquals([length, (await other.answer).status], [length, status]);
    known.end(ROW);
    assertEquals((await known.answer).status, 200);
  }
});

test("what is held of a line is held no longer once its caller is away", async () => {
  const app = createApp(LIMITED);
  for (let i = 0; i < 2; i++) {
    const lines = upload(app, "application/x-ndjson");
    const answer = (await lines.answer).text();
    await lines.send(2900);
    lines.fail();
    const told = (await answer).trim();
    assertEquals(JSON.parse(told).error.code, "E_HTTP_BODY", told);
  }
});

test("where there is no room, the body that has been arriving for too long gives up its place", async (pass) => {
  const app = createApp({ ...LIMITED, maxBodyMillis: 1000 });
  const slow = upload(app);
  await slow.send(3000);
  pass(1001);
  const other = upload(app);
  other.send(1);
  assertEquals((await other.answer).status, 503);
  assertEquals((await slow.answer).status, 408);
});

test("one body as long as may be is read, however few bytes may wait in all", async () => {
  const app = createApp({ models: { m: numbersModel() }, maxBytes: 3000, maxUnreadBytes: 1000 });
  const long = upload(app);
  await long.send(2900);
  const other = upload(app);
  other.send(101);
  assertEquals((await other.answer).status, 503);
  long.end(ROW);
  assertEquals((await long.answer).status, 200);
  const line = upload(app, "application/x-ndjson");
  const { body } = await line.answer;
  await line.send(2900);
  line.send(101);
  const [told] = (await new Response(body).text()).split("\n");
  assertEquals(JSON.parse(told!).error?.code, "E_DATA_LIMIT", told);
});
