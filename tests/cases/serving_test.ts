/** CASES N1, N3, N6, N8: small, alone, one schema of requests, nothing to free. */
import { assert, assertEquals } from "@std/assert";
import { encodeModel } from "../../mod.ts";
import { createModel } from "../../src/model/model.ts";
import { createApp } from "../../src/server/app.ts";
import { bundle, gzipLength } from "../../tools/build/bundle.ts";
import { randomParts } from "../support/models/random.ts";
import { smallModel } from "../support/models/small.ts";
import { tempFolder } from "../support/temp.ts";

const root = new URL("../../", import.meta.url);

async function deno(...args: string[]): Promise<string> {
  const run = await new Deno.Command(Deno.execPath(), { args, cwd: root }).output();
  const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  assert(run.success, decode(run.stderr));
  return decode(run.stdout);
}

Deno.test("CASES N1: the scorer is made of files of its own alone, at most 24,000 bytes gzipped", async () => {
  const graph = JSON.parse(await deno("info", "--json", "src/predict.ts"));
  const modules: { specifier: string }[] = graph.modules;
  assert(modules.length > 10);
  const foreign = modules.filter(({ specifier }) =>
    !specifier.startsWith(new URL("src/", root).href)
  );
  assertEquals(foreign, []);
  const library = await bundle("src/predict.ts");
  const size = gzipLength(library);
  assert(size <= 24_000, `${size} bytes`);
  // V8 keeps a text in two bytes a character as soon as one is beyond Latin-1, and starts later.
  assertEquals(library.findIndex((byte) => byte > 127), -1);
});

Deno.test("CASES N3: the scorer and a model of 1 MB fit every platform of docs/distributed.md", async () => {
  const model = encodeModel(createModel(randomParts({ seed: 3, trees: 1800, depth: 8 })));
  assert(model.length > 1e6, `${model.length} bytes`);
  const library = await bundle("src/predict.ts");
  // The least of each kind in the table there: 3 MB of script after compression, 25 MiB a file.
  assert(gzipLength(library) + gzipLength(model) < 3e6);
  assert(library.length + model.length < 25 * 2 ** 20);
});

Deno.test("CASES N6: one object and a list of one are one request, as the document says", async () => {
  const app = createApp({ models: { small: smallModel() } });
  const row = '{"age":20,"job":"b","__proto__":null}';
  const answers = await Promise.all([row, `[${row}]`].map(async (body) => {
    const headers = { "content-type": "application/json" };
    const answer = await app.request("/v1/models/small/predict", { method: "POST", headers, body });
    assertEquals(answer.status, 200);
    return await answer.json();
  }));
  assertEquals(answers[0].predictions.length, 1);
  assertEquals(answers[0], answers[1]);
  const document = await (await app.request("/openapi.json")).json();
  const { schema } = document.paths["/v1/models/small/predict"].post.requestBody
    .content["application/json"];
  const row1 = schema.anyOf[0];
  assertEquals(Object.keys(row1), ["$ref"]);
  const { type, items } = schema.anyOf[1];
  assertEquals([type, items], ["array", row1]);
  const { components } = document;
  const { properties } = components.schemas[row1.$ref.split("/").at(-1)];
  assertEquals(Object.keys(properties), ["age", "job", "__proto__"]);
});

const LOAD = `
import { decodeModel } from "./src/predict.ts";
const bytes = await Deno.readFile(Deno.args[0]);
const rows = Array.from({ length: 300 }, (_, i) => ({ x0: i, x1: -i, x2: 0, x3: 1 }));
const once = () => decodeModel(bytes).predictRaw(rows).data[0];
const settled = async () => {
  for (let i = 0; i < 3; i++) {
    globalThis.gc();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const { rss, heapUsed, external } = Deno.memoryUsage();
  return [heapUsed + external, rss];
};
for (let i = 0; i < 100; i++) once();
const before = await settled();
for (let i = 0; i < 1000; i++) once();
const after = await settled();
console.log(JSON.stringify([bytes.length, after[0] - before[0], after[1] - before[1]]));
`;

Deno.test("CASES N8: 1,000 models are loaded and scored in a loop, and nobody frees them", async () => {
  await using folder = await tempFolder();
  const [file, script] = [folder.file("m.tlm"), folder.file("load.ts")];
  const model = createModel(randomParts({ seed: 8, trees: 400, depth: 6 }));
  await Deno.writeFile(file, encodeModel(model));
  await Deno.writeTextFile(script, LOAD.replace("./src/", new URL("src/", root).href));
  const args = ["--allow-read", "--no-check", "--v8-flags=--expose-gc", script, file];
  const [size, heap, resident] = JSON.parse(await deno("run", ...args));
  assert(size > 1e5);
  // 1,000 models kept would be 136 MB of file bytes alone. The heap may vary by 1 MB; what the
  // process holds back of freed memory does not grow with the number of models.
  assert(heap < 1e6, `${heap} bytes are still reachable`);
  assert(resident < 0.6 * 1000 * size, `${resident} bytes more after 1,000 models of ${size}`);
});
