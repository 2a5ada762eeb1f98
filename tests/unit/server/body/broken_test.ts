/**
 * Callers who go away while they send, or send what is no HTTP: nothing of that is a failure of the server.
 *
 * @module
 */
import { assert, assertEquals } from "@std/assert";
import { createApp } from "../../../../src/server/app.ts";
import { numbersModel } from "../../../support/models/small.ts";
import { until } from "../../../support/until.ts";

const START = '{"a":1,';

/** Heads and what follows them; then no more is sent. */
const BROKEN: readonly (readonly [string, string])[] = [
  ["content-length: 100", START],
  ["content-length: 100000", START],
  ["transfer-encoding: chunked", `7\r\n${START}\r\n`],
  ["transfer-encoding: chunked", `7\r\n${START}\r\nzz\r\n`],
  ["transfer-encoding: chunked", "-1\r\n"],
];

const PATHS: readonly (readonly [string, string])[] = [
  ["/v1/models/m/predict", "application/json"],
  ["/v1/models/m/predict", "text/csv"],
  ["/v1/models/m/predict", "application/octet-stream"],
  ["/v1/models/m/predict", "application/x-ndjson"],
  ["/v1/models/m/explain", "application/json"],
  ["/v2/models/m/infer", "application/json"],
  ["/invocations", "text/csv"],
  ["/v1/models/m:predict", "application/json"],
];

/** The status of an answer, or undefined where the connection is closed without one. */
async function ask(port: number, text: string): Promise<number | undefined> {
  using connection = await Deno.connect({ port, hostname: "127.0.0.1" });
  await connection.write(new TextEncoder().encode(text));
  await connection.closeWrite();
  let answer = "";
  const decoder = new TextDecoder();
  try {
    for await (const piece of connection.readable) answer += decoder.decode(piece);
  } catch {
    // Cut off.
  }
  const status = /^HTTP\/1\.1 (\d+)/.exec(answer)?.[1];
  return status === undefined ? undefined : Number(status);
}

Deno.test("a body that breaks off is refused, not a failure", async () => {
  const lines: string[] = [];
  const statuses = new Set<number | undefined>();
  const app = createApp({ models: { m: numbersModel() }, log: (line) => lines.push(line) });
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, app.fetch);
  for (const [path, type] of PATHS) {
    for (const [length, body] of BROKEN) {
      const head = `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: ${type}\r\n${length}\r\n\r\n`;
      const status = await ask(server.addr.port, head + body);
      // Lines are answered while they arrive, so their head says 200 and the last line says the rest.
      assert(status === undefined || status < 500, `${status} ${head}${body}`);
      statuses.add(status);
    }
  }
  assert(statuses.has(400));
  await until(() => /^treeline_in_flight 0$/m.test(app.metrics())); // those that got no answer
  const text = app.metrics();
  assertEquals(text.match(/^treeline_requests_total.*status="5.*$/gm), null);
  assert(/^treeline_errors_total\{code="E_HTTP_BODY"\} \d/m.test(text), text);
  assertEquals(lines.filter((line) => line.includes('"failure"')), []);
});
