// deno-lint-ignore-file camelcase no-console -- names of columns; says why nothing was compiled
/**
 * The worked deployment as `deno task bundle:app` writes it: what is compiled ahead answers as the
 * modules do, also where code is loaded later from files of its own, and compiled to a binary.
 *
 * @module
 */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { loadModel } from "../../../src/files/model_file.ts";
import { createApp } from "../../../src/server/app.ts";
import { bundleApp } from "../../../tools/bundle_app.ts";
import { findCompiler } from "../../support/denort.ts";
import { serving } from "../../support/process.ts";
import { tempFolder } from "../../support/temp.ts";

const example = new URL("../../../examples/deploy/", import.meta.url);
const PREDICT = "/v1/models/penguins/predict";
const bird = { island: "Biscoe", bill_length_mm: 39.1, bill_depth_mm: 18.7, sex: "FEMALE" };
const json = (body: unknown) => ({ type: "application/json", body: JSON.stringify(body) });

/** One request of each part that is loaded at first use. */
const ASKED: readonly (readonly [string, { type: string; body: string }?])[] = [
  [PREDICT, json(bird)],
  [PREDICT, json(bird)], // the second takes the short way
  [PREDICT, json(Array(200).fill({ ...bird, island: "Nowhere" }))],
  [`${PREDICT}?reasons=2`, json([bird, { sex: null }])],
  [PREDICT, { type: "text/csv", body: "island,bill_length_mm\nDream,50\n" }],
  [PREDICT, { type: "text/csv", body: "island\nDream,50\n" }], // an error of a part is one of the file's
  [PREDICT, { type: "application/x-ndjson", body: '{"sex":"MALE"}\n' }],
  [PREDICT, json({ bill_length_mm: "long" })],
  ["/v1/models/penguins/explain", json(bird)],
  ["/v1/models/penguins:predict", json({ instances: [bird] })],
  ["/v2/models/penguins"],
  ["/invocations", json({ dataframe_records: [bird] })],
  ["/v1/models/penguins"],
  ["/nowhere"],
];

async function answerOf(ask: () => Promise<Response>): Promise<unknown[]> {
  const response = await ask();
  // Numbers of requests differ between processes.
  const text = (await response.text()).replace(/"(requestId|instance)":"[^"]*"/g, "");
  return [response.status, response.headers.get("content-type"), text];
}

Deno.test("the deployment bundled by tools/bundle_app.ts answers as its modules do", async () => {
  await using folder = await tempFolder();
  await Deno.copyFile(new URL("penguins.tlm", example), folder.file("penguins.tlm"));
  const file = folder.file("app.js");
  const functions = await bundleApp(new URL("main.ts", example).pathname, file);
  const code = await Deno.readTextFile(file);
  const marked = code.match(/=\((async )?function\b/g)?.length ?? 0;
  assert(functions > 200 && marked > 100, `${functions} functions ran, ${marked} are marked`);
  // The page is a part, and what was there while the file was made is gone.
  const isPage = (code: string) => code.includes("prefers-color-scheme");
  assert(!isPage(code));
  const parts = await Array.fromAsync(Deno.readDir(folder.file("app.parts")), ({ name }) => name);
  const texts = parts.map((name) => Deno.readTextFileSync(folder.file(`app.parts/${name}`)));
  assertEquals(texts.filter(isPage).length, 1);
  const names = await Array.fromAsync(Deno.readDir(folder.path), ({ name }) => name);
  assertEquals(names.sort(), ["app.js", "app.parts", "penguins.tlm"]);

  const model = await loadModel(new URL("penguins.tlm", example));
  const app = createApp({ models: { penguins: model }, maxRows: 1000 });
  const env = { DENO_SERVE_ADDRESS: "tcp:127.0.0.1:0" };
  await using running = await serving(Deno.execPath(), ["run", "-A", file], folder.path, env);
  const missing = folder.file("gone.parts");
  await Deno.rename(folder.file("app.parts"), missing); // the first answers need none of them
  for (const [path, sent] of ASKED.slice(0, 3)) {
    assertEquals(
      (await fetch(running.url + path, {
        method: "POST",
        headers: { "content-type": sent!.type },
        body: sent!.body,
      })).status,
      200,
    );
  }
  await Deno.rename(missing, folder.file("app.parts"));
  await answersAs(app, running.url);

  const compiler = await findCompiler();
  if ("reason" in compiler) return console.log(`Not compiled: ${compiler.reason}`);
  const { deno, denort } = compiler;
  const inside = ["app.parts", "penguins.tlm"].flatMap((name) => ["--include", folder.file(name)]);
  const binary = folder.file("app");
  const { success, stderr } = await new Deno.Command(deno, {
    args: ["compile", "-q", "-A", "--no-check", "--no-config", ...inside, "-o", binary, file],
    env: denort === undefined ? {} : { DENORT_BIN: denort },
  }).output();
  assert(success, new TextDecoder().decode(stderr));
  for (const name of ["app.js", "app.parts", "penguins.tlm"]) {
    await Deno.remove(folder.file(name), { recursive: true });
  }
  // It does not say where it listens.
  const port = freePort();
  const child = new Deno.Command(binary, {
    cwd: folder.path,
    env: { DENO_SERVE_ADDRESS: `tcp:127.0.0.1:${port}` },
    stdout: "null",
    stderr: "null",
  }).spawn();
  try {
    const url = `http://127.0.0.1:${port}`;
    await untilListening(`${url}/livez`);
    await answersAs(app, url);
  } finally {
    child.kill();
    await child.status;
  }
});

/** Asks until there is an answer, a minute at most. */
async function untilListening(url: string): Promise<void> {
  const end = Date.now() + 60_000;
  for (;;) {
    try {
      return await (await fetch(url)).body?.cancel();
    } catch (error) {
      if (Date.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

/** Asks a server and the application all of {@linkcode ASKED}. */
async function answersAs(app: ReturnType<typeof createApp>, url: string): Promise<void> {
  for (const [path, sent] of ASKED) {
    const init = sent === undefined ? {} : {
      method: "POST",
      headers: { "content-type": sent.type },
      body: sent.body,
    };
    assertEquals(
      await answerOf(() => fetch(url + path, init)),
      await answerOf(async () => await app.request(path, init)),
      path,
    );
  }
  for (const path of ["/", "/openapi.json", "/metrics"]) {
    const response = await fetch(url + path);
    await response.body?.cancel();
    assertEquals(response.status, 200, path);
  }
}

Deno.test("an entry that fails when it is asked leaves no file, and the one of before as it was", async () => {
  await using folder = await tempFolder();
  await Deno.writeTextFile(
    folder.file("entry.ts"),
    `export default { fetch: () => new Response("full", { status: 503 }) };\n`,
  );
  await Deno.writeTextFile(folder.file("app.js"), "// before\n");
  const entry = folder.file("entry.ts");
  await assertRejects(() => bundleApp(entry, folder.file("app.js")), Error, "/v1/models: 503 full");
  await assertRejects(
    () => bundleApp(entry, folder.file("new/app.js")),
    Error,
    "/v1/models: 503 full",
  );
  assertEquals(await Deno.readTextFile(folder.file("app.js")), "// before\n");
  const names = await Array.fromAsync(Deno.readDir(folder.path), ({ name }) => name);
  assertEquals(names.sort(), ["app.js", "entry.ts", "new"]);
  assertEquals(await Array.fromAsync(Deno.readDir(folder.file("new"))), []);
});
