/**
 * `server.ts` as people start it: `deno serve` and `deno run`.
 *
 * @module
 */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { encodeModel } from "../../src/format/binary.ts";
import { smallModel } from "../support/models/small.ts";
import { serving } from "../support/processes/process.ts";
import { tempFolder } from "../support/temp.ts";

const server = new URL("../../server.ts", import.meta.url).pathname;
const config = new URL("../../deno.json", import.meta.url).pathname;

for (
  const [how, args] of [
    ["deno serve", [
      "serve",
      "-A",
      "--no-check",
      "--config",
      config,
      "--host",
      "127.0.0.1",
      "--port",
      "0",
      server,
    ]],
    ["deno run", ["run", "-A", "--no-check", server]],
  ] as const
) {
  Deno.test(`server.ts under ${how} listens once and scores`, async () => {
    await using folder = await tempFolder();
    await Deno.mkdir(folder.file("models"));
    await folder.write("models/small.tlm", encodeModel(smallModel()));
    const env = { PORT: "0", HOST: "127.0.0.1", TREELINE_MODELS: "" }; // as if not set
    await using running = await serving(Deno.execPath(), args, folder.path, env);
    const health = await fetch(`${running.url}/healthz`);
    assertEquals(health.status, 200);
    await health.body?.cancel();
    const scored = await fetch(`${running.url}/v1/models/small/predict`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '[{"age": 20, "job": "b", "__proto__": 1}]',
    });
    const body = await scored.text();
    assertEquals(scored.status, 200, body);
    // raw = 0.25 − 1 + 0.5 + 2 = 1.75; P(yes) = 1 / (1 + e^−1.75)
    assertStringIncludes(body, String(1 / (1 + Math.exp(-1.75))).slice(0, 12));
  });
}
