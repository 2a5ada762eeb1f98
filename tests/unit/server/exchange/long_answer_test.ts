/** Long answers wait for their readers in a bounded room. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { createApp } from "../../../../src/server/app.ts";
import type { ServerApp } from "../../../../src/server/options.ts";
import { smallModel, smallRaw } from "../../../support/models/small.ts";

const ROWS = 9000;
const row = (i: number) => `{"age":${i % 60},"job":"b","__proto__":1}`;
const BODY = `[${Array.from({ length: ROWS }, (_, i) => row(i))}]`;

const ask = async (app: ServerApp, path = "predict", headers: Record<string, string> = {}) =>
  await app.fetch(
    new Request(`http://localhost/v1/models/small/${path}`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "content-length": `${BODY.length}`,
        ...headers,
      },
      body: BODY,
    }),
  );
const metric = (app: ServerApp, name: string) =>
  Number(new RegExp(`^${name} (.*)$`, "m").exec(app.metrics())?.[1]);
const inFlight = (app: ServerApp) => metric(app, "treeline_in_flight");
const start = (options = {}) => createApp({ models: { small: smallModel() }, ...options });

Deno.test("a long answer is in flight until it is read, whole and with its length", async () => {
  const app = start();
  for (const path of ["predict", "predict?kind=proba", "predict", "predict"]) {
    const answer = await ask(app, path);
    assertEquals(answer.status, 200);
    assertEquals(inFlight(app), 1);
    const bytes = new Uint8Array(await answer.arrayBuffer());
    assertEquals(Number(answer.headers.get("content-length")), bytes.length);
    assert(bytes.length > 1 << 18);
    const { predictions } = JSON.parse(new TextDecoder().decode(bytes));
    assertEquals(predictions.length, ROWS);
    assertEquals(inFlight(app), 0);
  }
  const csv = await ask(app, "predict?kind=proba", { accept: "text/csv" });
  assertEquals(inFlight(app), 1);
  assertEquals((await csv.text()).trimEnd().split("\n").length, ROWS + 1);
  assertEquals(inFlight(app), 0);
  const raw = await (await ask(app, "predict?kind=raw")).json(); // below 256 kB
  assertEquals(raw.predictions[61], smallRaw(1, "b", 1));
  const counted = /^treeline_requests_total\{[^}]*predict[^}]*200[^}]*\} (.*)$/m;
  assertEquals(Number(counted.exec(app.metrics())?.[1]), 6);
});

Deno.test("who reads to the end and who goes away gives the room back", async () => {
  const app = start({ maxUnreadBytes: 1 << 20 });
  for (let i = 0; i < 8; i++) {
    const answer = await ask(app);
    assertEquals(answer.status, 200);
    await answer.body!.cancel();
    assertEquals(inFlight(app), 0);
  }
  for (let i = 0; i < 4; i++) {
    assertEquals(JSON.parse(await (await ask(app)).text()).model, "small");
  }
  const reader = (await ask(app)).body!.getReader();
  await reader.read();
  await reader.cancel();
  assertEquals(inFlight(app), 0);
});

Deno.test("answers that nobody reads leave no room for others of their length, until they are cut off", async () => {
  const { byteLength } = await (await ask(start())).arrayBuffer();
  const maxUnreadBytes = 2.5 * byteLength;
  const patient = start({ maxUnreadBytes });
  const held = [await ask(patient), await ask(patient)];
  await held[1]!.body!.getReader().read();
  assertEquals(held.map(({ status }) => status), [200, 200]);
  const refused = await ask(patient);
  assertEquals([refused.status, (await refused.json()).code], [503, "E_HTTP_BUSY"]);
  assertEquals(inFlight(patient), 2);

  const strict = start({ maxUnreadBytes, maxBodyMillis: -1 });
  const readers: ReadableStreamDefaultReader<Uint8Array>[] = [];
  for (let i = 0; i < 5; i++) {
    const answer = await ask(strict);
    assertEquals(answer.status, 200, `${i}`);
    readers.push(answer.body!.getReader());
    await readers[i]!.read();
  }
  assert(inFlight(strict) < 5);
  const cut = await assertRejects(async () => {
    for (;;) if ((await readers[0]!.read()).done) return;
  });
  assertEquals((cut as { code?: string }).code, "E_HTTP_SLOW");
});
