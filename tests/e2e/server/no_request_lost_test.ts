/**
 * Requests that run while the server is told to stop, or while its model is replaced, are answered.
 *
 * @module
 */
import { assert, assertEquals } from "@std/assert";
import { saveModel } from "../../../src/files/model_file.ts";
import { CLI_ARGS, serving } from "../../support/processes/process.ts";
import { numbersModel } from "../../support/models/small.ts";
import { tempFolder } from "../../support/temp.ts";
import { until } from "../../support/until.ts";

const root = new URL("../../../", import.meta.url).pathname;
const run = ["run", "-A", "--no-check", `${root}server.ts`];
const serve = ["serve", "-A", "--no-check", "--host=127.0.0.1", "--port=0", "server.ts"];
const json = { "content-type": "application/json" };

/** How a server is started: arguments, and its environment beside the models. */
const WAYS: readonly (readonly [string, readonly string[], { readonly [name: string]: string }])[] =
  [
    ["deno run", run, {}],
    ["deno serve", serve, {}],
    ...(Deno.build.os === "linux"
      ? [["two threads", run, { TREELINE_WORKERS: "2" }] as const]
      : []),
  ];

/** A body that is sent piece by piece. */
function slowBody() {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  return {
    readable,
    send: (text: string) => writer.write(new TextEncoder().encode(text)),
    end: () => writer.close(),
  };
}

/** Waits until so many requests are being answered, on all threads. */
const arrived = (url: string, requests: number) =>
  until(async () => {
    const metrics = await (await fetch(`${url}/metrics`)).text(); // one of them
    return metrics.includes(`\ntreeline_in_flight ${requests + 1}\n`);
  });

/** Waits until the server has heard that it is to stop: it refuses requests, or connections. */
const stopping = (url: string) =>
  until(() =>
    fetch(`${url}/readyz`).then(async (answer) => {
      await answer.body?.cancel();
      return answer.status === 503;
    }, () => true)
  );

Deno.test("treeline serve: what is running is answered after Ctrl-C", async () => {
  await using folder = await tempFolder();
  const path = folder.file("m.tlm");
  await saveModel(numbersModel(), path);
  const args = [...CLI_ARGS, "serve", path, "--port", "0"];
  await using server = await serving(Deno.execPath(), args, root);
  const body = slowBody();
  const answer = fetch(`${server.url}/v1/models/m/predict`, {
    method: "POST",
    headers: json,
    body: body.readable,
  });
  await body.send('{"a":');
  await arrived(server.url, 1);
  const stopped = server.stop();
  await stopping(server.url);
  await body.send('1,"b":2}');
  await body.end();
  assertEquals((await (await answer).json()).predictions, [10]);
  await stopped;
});

for (const [how, args, env] of WAYS) {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    Deno.test(`${how}: what is running is answered after ${signal}`, async () => {
      await using folder = await tempFolder();
      await saveModel(numbersModel(), folder.file("m.tlm"));
      await using server = await serving(Deno.execPath(), args, root, {
        TREELINE_MODELS: folder.path,
        PORT: "0",
        HOST: "127.0.0.1",
        ...env,
      });
      const url = `${server.url}/v1/models/m/predict`;
      const one = slowBody();
      const answer = fetch(url, { method: "POST", headers: json, body: one.readable });
      await one.send('{"a":');
      const lines = slowBody();
      const stream = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/x-ndjson" },
        body: lines.readable,
      }); // the answer begins before the request ends
      await lines.send('{"a":1,"b":2}\n');
      await arrived(server.url, 2);
      const stopped = server.stop(signal);
      await stopping(server.url);
      await one.send('1,"b":2}').then(() => one.end());
      await lines.send('{"a":9,"b":2}\n').then(() => lines.end());
      const response = await answer;
      const body = await response.json();
      const answered = await stream.text();
      assert(answered.startsWith('{"prediction":10}\n'), answered);
      assertEquals([response.status, body.predictions], [200, [10]], JSON.stringify(body));
      assertEquals(answered, '{"prediction":10}\n{"prediction":20}\n');
      assertEquals(await stopped, 0);
    });
  }

  Deno.test(`${how}: a model file that is replaced again and again loses no request`, async () => {
    await using folder = await tempFolder();
    const path = folder.file("m.tlm");
    await saveModel(numbersModel(1), path);
    await saveModel(numbersModel(77), folder.file("other.tlm"));
    await using server = await serving(Deno.execPath(), args, root, {
      TREELINE_MODELS: folder.path,
      TREELINE_RELOAD_SECONDS: "0.05",
      TREELINE_LOG: "off",
      PORT: "0",
      HOST: "127.0.0.1",
      ...env,
    });
    let wanted = 1;
    let done = false;
    let answered = 0;
    const seen = new Set<number>();
    const ask = async () => {
      while (!done) {
        const response = await fetch(`${server.url}/v1/models/m/predict`, {
          method: "POST",
          headers: json,
          body: '{"a":1,"b":1}',
        });
        const body = await response.json();
        assertEquals(response.status, 200, JSON.stringify(body));
        // A model that was saved, and never one that is not there yet.
        const [value] = body.predictions;
        assert(Number.isInteger(value) && value >= 1 && value <= wanted, `${value}`);
        seen.add(value);
        answered++;
      }
    };
    const callers = Promise.all(Array.from({ length: 8 }, ask));
    const swaps = (async () => {
      while (wanted < 8) {
        wanted++;
        await saveModel(numbersModel(wanted), path, { force: true });
        await until(
          () => seen.has(wanted) && answered > 8 * wanted,
          () => `${answered} answers, of ${[...seen]}`,
        );
      }
    })().finally(() => done = true);
    await Promise.all([callers, swaps]);
    const other = await fetch(`${server.url}/v1/models/other/predict`, {
      method: "POST",
      headers: json,
      body: '{"a":1,"b":1}',
    });
    assertEquals((await other.json()).predictions, [77]);
    assertEquals(await server.stop(), 0);
  });
}
