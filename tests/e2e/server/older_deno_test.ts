// deno-lint-ignore-file no-console
/**
 * `server.ts` on Deno 2.5.0, the version that Deno Deploy's documentation names: every part of the
 * server is loaded there and answers.
 *
 * Needs npx (it fetches that Deno from npm); skipped without.
 *
 * @module
 */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { saveModel } from "../../../src/files/model_file.ts";
import { serving } from "../../support/processes/process.ts";
import { smallModel, smallRaw } from "../../support/models/small.ts";
import { tempFolder } from "../../support/temp.ts";

const root = new URL("../../../", import.meta.url).pathname;
const VERSION = "2.5.0";

/** Path of the older Deno, or undefined where it cannot be had. */
async function olderDeno(): Promise<string | undefined> {
  const script = "console.log(JSON.stringify([Deno.version.deno, Deno.execPath()]))";
  try {
    const { stdout } = await new Deno.Command("npx", {
      args: ["-y", `deno@${VERSION}`, "eval", script],
      env: { NO_COLOR: "1" },
    }).output();
    const [version, path] = JSON.parse(new TextDecoder().decode(stdout).trim().split("\n").at(-1)!);
    assertEquals(version, VERSION);
    return path;
  } catch {
    return undefined;
  }
}

const deno = await olderDeno();
if (deno === undefined) console.log(`skipped: Deno ${VERSION}: it cannot be had through npx`);

async function askEverything(url: string): Promise<void> {
  const ask = async (path: string, body?: string, type = "application/json") => {
    const init = body === undefined
      ? {}
      : { method: "POST", body, headers: { "content-type": type } };
    const response = await fetch(url + path, init);
    const text = await response.text();
    assertEquals(response.status, 200, `${path}: ${text}`);
    return text;
  };
  const predict = "/v1/models/small/predict";
  const row = { age: 20, job: "b", ["__proto__"]: 1 };
  const raw = smallRaw(20, "b", 1);
  // More than the first few, so that the kernel that reads bodies takes part, text with accents too.
  for (let i = 0; i < 12; i++) {
    const body = JSON.stringify([row, { ...row, job: "é\u{1F600}" }]);
    const { predictions, unknown } = JSON.parse(await ask(`${predict}?kind=raw`, body));
    assertEquals(predictions, [raw, smallRaw(20, "?", 1)]);
    assertEquals(unknown, ["job"]);
  }
  const one = JSON.stringify(row);
  for (let i = 0; i < 12; i++) assertStringIncludes(await ask(predict, one), '"class":"yes"');
  assertStringIncludes(await ask(predict, "age,job,__proto__\n20,b,1\n", "text/csv"), '"yes"');
  assertStringIncludes(await ask(predict, one + "\n", "application/x-ndjson"), '"yes"');
  assertStringIncludes(await ask("/v1/models/small/explain", one), '"contributions"');
  const infer = {
    inputs: [
      { name: "age", shape: [1], datatype: "FP32", data: [20] },
      { name: "job", shape: [1], datatype: "BYTES", data: ["b"] },
      { name: "__proto__", shape: [1], datatype: "FP32", data: [1] },
    ],
  };
  assertStringIncludes(await ask("/v2/models/small/infer", JSON.stringify(infer)), "yes");
  const records = JSON.stringify({ dataframe_records: [row] });
  assertEquals(JSON.parse(await ask("/invocations", records)), { predictions: ["yes"] });
  const instances = JSON.stringify({ instances: [row] });
  assertEquals(JSON.parse(await ask("/v1/models/small:predict", instances)), {
    predictions: ["yes"],
  });
  assertStringIncludes(await ask("/"), "<form");
  assertStringIncludes(await ask("/openapi.json"), '"openapi":"3.1.0"');
  assertStringIncludes(await ask("/metrics"), "treeline_rows_total");
  assertStringIncludes(await ask("/v1/models"), '"small"');
}

for (
  const [how, args, env] of [
    ["deno run", ["run", "-A", "--no-check", "server.ts"], {}],
    ["deno serve", ["serve", "-A", "--no-check", "--host=127.0.0.1", "--port=0", "server.ts"], {}],
    ["deno run, two threads", ["run", "-A", "--no-check", "server.ts"], { TREELINE_WORKERS: "2" }],
  ] as const
) {
  Deno.test({
    name: `Deno ${VERSION}: everything answers under ${how}`,
    ignore: deno === undefined,
    async fn() {
      await using folder = await tempFolder();
      await saveModel(smallModel(), folder.file("small.tlm"));
      await using server = await serving(deno!, args, root, {
        TREELINE_MODELS: folder.path,
        PORT: "0",
        HOST: "127.0.0.1",
        ...env,
      });
      await askEverything(server.url);
      assertEquals(await server.stop(), 0);
    },
  });
}
