/**
 * The package that `deno task pack` makes of a clone, in Deno and in Node, as the README says.
 *
 * @module
 */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
// deno-lint-ignore no-external-import
import { gzipSync } from "node:zlib";
import settings from "../../deno.json" with { type: "json" };
import { loadModel } from "../../src/predict.ts";
import { createApp } from "../../src/server/mod.ts";
import { answersAs } from "../support/processes/deployment.ts";
import { npmProject, output, packageFiles, packedOnce } from "../support/processes/npm_project.ts";
import { serving } from "../support/processes/process.ts";
import { tempFolder } from "../support/temp.ts";

const ROOT = decodeURIComponent(new URL("../../", import.meta.url).pathname);
const EXAMPLE = `${ROOT}docs/example.tlm`;

async function nodeVersion(): Promise<number> {
  try {
    return parseInt((await output("node", ["--version"], ".")).slice(1));
  } catch {
    return 0;
  }
}

const node = await nodeVersion();
const text = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes);

/** Files that a door reads before it runs. */
function readBy(files: ReadonlyMap<string, Uint8Array>, ...doors: readonly string[]): string[] {
  const found = new Set<string>();
  const visit = (name: string) => {
    if (found.has(name)) return;
    found.add(name);
    const code = text(files.get(`dist/${name}`));
    for (const [, other] of code.matchAll(/(?:\bfrom|\bimport)\s*"\.\/([^"]+)"/g)) visit(other!);
  };
  doors.forEach(visit);
  return [...found].sort();
}

Deno.test("the package for npm has code, types, its licence and what it needs", async () => {
  const files = await packageFiles();
  const manifest = JSON.parse(text(files.get("package.json")));
  const { name, version, license, type, engines, dependencies } = manifest;
  assertEquals({ name, version, license, type, engines }, {
    name: settings.name,
    version: settings.version,
    license: settings.license,
    type: "module",
    engines: { node: ">=20" },
  });
  assertEquals(Object.keys(dependencies), ["hono"]);
  assertEquals(Object.keys(manifest.exports), [
    ...Object.keys(settings.exports),
    "./predict.min.js",
  ]);
  for (const [door, to] of Object.entries<Record<string, string>>(manifest.exports)) {
    assert(files.has(to.default.slice(2)), door);
    if (door !== "./cli") assertStringIncludes(text(files.get(to.types.slice(2))), "export ", door);
  }
  assertStringIncludes(
    text(files.get("src/model/model_class.d.ts")),
    "predictValue(input: PredictInput, options?: PredictOptions): Float64Array",
  );
  for (const words of ["MIT License", "Treeline contributors", "the Deno authors"]) {
    assertStringIncludes(text(files.get("LICENSE")), words);
  }
  for (const path of ["README.md", "CHANGELOG.md"]) {
    assertEquals(text(files.get(path)), await Deno.readTextFile(ROOT + path));
  }
  // Nothing of the machine that packed it.
  for (const [path, bytes] of files) assert(!text(bytes).includes(ROOT), path);
});

Deno.test("the same clone gives the same package, wherever it lies", async () => {
  await using folder = await tempFolder();
  const copy = folder.file("another clone/of it");
  await Deno.mkdir(`${copy}/tests`, { recursive: true });
  const parts = ["deno.json", "deno.lock", ...settings.publish.include, "tools"];
  for (const path of new Set(parts)) await output("cp", ["-r", ROOT + path, copy], ".");
  await output("cp", ["-r", `${ROOT}tests/support`, `${copy}/tests`], ".");
  const file = folder.file("t.tgz");
  await output(Deno.execPath(), ["run", "-A", "tools/build/pack.ts", file], copy);
  assertEquals(await Deno.readFile(file), await packedOnce());
});

Deno.test("a server reads six files of the package, and ./predict three", async () => {
  const files = await packageFiles();
  const predict = ["base.js", "predict-core.js", "predict.js"];
  assertEquals(readBy(files, "predict.js"), predict);
  const zipped = predict.map((name) => gzipSync(files.get(`dist/${name}`)!, { level: 9 }).length);
  const bytes = zipped.reduce((sum, length) => sum + length, 0);
  assert(bytes <= 29_800, `${bytes} bytes by gzip -9`);
  assertEquals(
    readBy(files, "predict.js", "server.js"),
    [...predict, "common.js", "server-core.js", "server.js"].sort(),
  );
});

Deno.test("the scorer of the package that stands alone is that of the size gate, and scores", async () => {
  const alone = (await packageFiles()).get("dist/predict.min.js")!;
  assert(gzipSync(alone, { level: 9 }).length <= 24_000);
  assertEquals(readBy(await packageFiles(), "predict.min.js"), ["predict.min.js"]);
  await using project = await npmProject();
  await project.write(
    "main.ts",
    `import { loadModel, type Model } from "@treeline/treeline/predict.min.js";
     const model: Model = await loadModel(${JSON.stringify(EXAMPLE)});
     console.log(model.predictValue({ x: 1, c: "a" })[0]);`,
  );
  await output(Deno.execPath(), ["check", "main.ts"], project.path);
  assertEquals(await output(Deno.execPath(), ["run", "-A", "main.ts"], project.path), "2\n");
});

Deno.test("a bundle of each door of the package is as small as one of the clone's", async () => {
  await using project = await npmProject();
  const zipped = async (cwd: string, entry: string) => {
    const out = project.file("out.js");
    const args = ["bundle", "--quiet", "--minify", "--platform", "deno", "-o", out, entry];
    await output(Deno.execPath(), args, cwd);
    return gzipSync(await Deno.readFile(out), { level: 9 }).length;
  };
  for (const [door, path] of Object.entries(settings.exports)) {
    if (door === "./cli") continue;
    await project.write("own.js", `export * from "${settings.name}${door.slice(1)}";`);
    const [own, clone] = [await zipped(project.path, "own.js"), await zipped(ROOT, path)];
    // Names of classes; functions that are compiled ahead stand in parentheses.
    assert(own < clone * 1.03 + 300, `${door}: ${own} bytes by gzip -9, of the clone ${clone}`);
  }
});

const SHARED = `
import { loadModel, TreelineError } from "@treeline/treeline/predict";
import { importModel } from "@treeline/treeline/convert";
import { explainShap } from "@treeline/treeline/explain";
import { createApp } from "@treeline/treeline/server";
const row = { x: 1, c: "a" };
const model = await loadModel(process.argv[2]);
const app = createApp({ models: { m: model } });
const headers = { "content-type": "application/json" };
const asked = { method: "POST", headers, body: JSON.stringify(row) };
const answer = await (await app.request("/v1/models/m/predict", asked)).json();
const told = [];
for (const fail of [
  () => importModel(new Uint8Array(3)),
  () => explainShap(model, [row], { misspelt: 1 }),
  () => createApp({ models: { m: 1 } }),
  () => model.predictValue(row, { misspelt: 1 }),
]) {
  try {
    fail();
  } catch (error) {
    told.push(error instanceof TreelineError && [error.name, error.code]);
  }
}
const { features } = explainShap(model, [row], { background: [row] });
console.log(JSON.stringify([model.predictValue(row)[0], answer.predictions, features, told]));
`;
const SHARED_OUTPUT = JSON.stringify([
  2,
  [2],
  ["x", "c"],
  [
    ["ConversionError", "E_CONVERT_UNSUPPORTED"],
    ["ParameterError", "E_PARAM_UNKNOWN"],
    ["ParameterError", "E_PARAM_RANGE"],
    ["ParameterError", "E_PARAM_UNKNOWN"],
  ],
]) + "\n";

Deno.test("doors of the package share models and errors", async () => {
  await using project = await npmProject();
  await project.write(
    "main.js",
    `import process from "node:process";
     import { createModel, Model, TreelineError as Same } from "@treeline/treeline";
     ${SHARED}
     if (!(model instanceof Model) || TreelineError !== Same) throw new Error("two copies");
     const parts = { schema: model.schema, ensemble: model.ensemble };
     console.log(createModel({ ...parts, info: model.info }).predictValue(row)[0]);`,
  );
  assertEquals(
    await output(Deno.execPath(), ["run", "-A", "main.js", EXAMPLE], project.path),
    SHARED_OUTPUT + "2\n",
  );
});

Deno.test("the deployment on the package answers as its modules do", async () => {
  await using project = await npmProject();
  const example = new URL("examples/deploy/", `file://${ROOT}`);
  await Deno.copyFile(new URL("penguins.tlm", example), project.file("penguins.tlm"));
  const main = await Deno.readTextFile(new URL("main.ts", example));
  await project.write(
    "main.ts",
    main.replace("../../src/predict.ts", "@treeline/treeline/predict")
      .replace("../../src/server/mod.ts", "@treeline/treeline/server"),
  );
  const penguins = await loadModel(new URL("penguins.tlm", example));
  const env = { DENO_SERVE_ADDRESS: "tcp:127.0.0.1:0" };
  await using running = await serving(Deno.execPath(), ["run", "-A", "main.ts"], project.path, env);
  await answersAs(createApp({ models: { penguins }, maxRows: 1000 }), running.url);
});

Deno.test({
  name: `doors of the package share models and errors in Node${node >= 20 ? "" : " (no Node 20)"}`,
  ignore: node < 20,
  fn: async () => {
    await using project = await npmProject();
    await project.write("main.mjs", SHARED);
    assertEquals(await output("node", ["main.mjs", EXAMPLE], project.path), SHARED_OUTPUT);
    await project.write(
      "store.mjs",
      `import { DEFAULT_LIMITS, openModelStore } from "@treeline/treeline/server";
       openModelStore([process.argv[2]], DEFAULT_LIMITS).catch(({ code }) => console.log(code));`,
    );
    assertEquals(await output("node", ["store.mjs", EXAMPLE], project.path), "E_IO_READ\n");
    // A refusal that nobody hears while a part is read would end the process.
    await project.write(
      "first.mjs",
      `import { createApp } from "@treeline/treeline/server";
       const body = '{"instances":[[1]]}';
       const asked = createApp({ models: {} }).request("/v1/models/m:predict", { method: "POST", body });
       asked.then(({ status }) => console.log(status));`,
    );
    assertEquals(await output("node", ["first.mjs"], project.path), "404\n");
  },
});

Deno.test("types of the package are those of the doors", async () => {
  await using project = await npmProject();
  await project.write(
    "main.ts",
    `import { type Model, train } from "@treeline/treeline";
     import { type ClientModel, createClient } from "@treeline/treeline/client";
     import { type ImportOptions, importModel } from "@treeline/treeline/convert";
     import { explainShap, type ShapValues } from "@treeline/treeline/explain";
     import { loadModel, type TreelineError } from "@treeline/treeline/predict";
     import { createApp, type ServerApp } from "@treeline/treeline/server";
     import type { Hono } from "hono";
     export const model: Model = await loadModel("m.tlm");
     export const app: ServerApp & Hono = createApp({ models: { model, later: () => loadModel("m.tlm") } });
     export const shap: ShapValues = explainShap(model, [{ x: 1 }]);
     // @ts-expect-error: a model is no number
     createApp({ models: { model: 1 } });
     // @ts-expect-error: options have names
     model.predictValue([], { misspelt: 1 });
     export { createClient, importModel, train };
     export type { ClientModel, ImportOptions, TreelineError };`,
  );
  await output(Deno.execPath(), ["check", "main.ts"], project.path);
});

/** Everything that threads do, each by one and by two of them; prints which workers were started. */
const THREADS = `
import * as treeline from "@treeline/treeline";
const started = new Set();
const Own = globalThis.Worker;
globalThis.Worker = class extends Own {
  constructor(url, options) {
    super(url, options);
    started.add(String(url).split("/").at(-1));
  }
};
let csv = "age,job,kind,y\\n";
for (let i = 0; i < 150_000; i++) {
  const age = i * 7919 % 97, job = i * 31 % 4;
  csv += age + "," + "abcd"[job] + "," + "pqr"[(age + i) % 3] + "," + (age * 0.3 + job * 5 + i % 13 / 10) + "\\n";
}
Deno.writeTextFileSync("rows.csv", csv);
const found = [];
for (const threads of [1, 2]) {
  const told = [];
  const numbers = await treeline.readCsv("rows.csv", { target: "y", threads });
  const data = await treeline.readCsv("rows.csv", { target: "kind", threads });
  const few = treeline.selectRows(numbers, Int32Array.from({ length: 3000 }, (_, i) => i));
  const model = await treeline.train(numbers, { algorithm: "boost", rounds: 3 }, { threads });
  told.push(model.predictValue(few));
  for (const spec of [
    { algorithm: "boost", rounds: 2, linearTrees: true },
    { algorithm: "cart", maxDepth: 6 },
    { algorithm: "forest", trees: 4, maxDepth: 8 },
  ]) {
    told.push(treeline.encodeModel(await treeline.train(numbers, spec, { threads })));
  }
  told.push(treeline.encodeModel(
    await treeline.train(data, { algorithm: "boost", rounds: 2 }, { threads }),
  ));
  const binned = await treeline.readCsvBinned("rows.csv", { target: "y", threads });
  told.push(treeline.encodeModel(await treeline.train(binned, { rounds: 2 }, { threads })));
  told.push(JSON.stringify((await treeline.evaluateOnThreads(model, numbers, { threads })).metrics));
  using scorers = treeline.createScorerPool(model, { threads });
  told.push(await scorers.table("predictValue", numbers));
  using explainers = treeline.createShapPool(model, { threads });
  told.push((await explainers.explain(few)).values);
  const hash = async (part) => {
    const bytes = typeof part === "string" ? new TextEncoder().encode(part) : part;
    return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
  };
  found.push(await Promise.all(told.map(hash)));
}
console.log(JSON.stringify({ started: [...started].sort(), found }));
Deno.exit(0);
`;

/** Files that are started as workers. */
const WORKERS = [
  "bag_worker.js",
  "bin_worker.js",
  "evaluate_worker.js",
  "read_worker.js",
  "score_worker.js",
  "shap_worker.js",
  "split_worker.js",
  "worker.js",
  "worker_alone.js",
  "worker_more.js",
];

Deno.test("threads of the package start, and change nothing", async () => {
  await using project = await npmProject();
  await project.write("main.js", THREADS);
  const said = await output(Deno.execPath(), ["run", "-A", "main.js"], project.path);
  const { started, found: [one, two] } = JSON.parse(said);
  assertEquals(one, two);
  // Threads that read begin with files of 128 MB.
  assertEquals(started, WORKERS.filter((name) => !/^(bin|read)_/.test(name)));
});

Deno.test("each file of the package that is started as a worker loads as one", async () => {
  await using project = await npmProject();
  const folder = `node_modules/${settings.name}/dist/`;
  const names = [...(await packageFiles()).keys()].map((path) => path.replace("dist/", ""));
  assertEquals(names.filter((name) => /^\w*worker\w*\.js$/.test(name)), WORKERS);
  await project.write(
    "worker.js",
    `await import(${JSON.stringify("./" + folder)} + name); postMessage(name);`,
  );
  await project.write(
    "main.js",
    `for (const name of ${JSON.stringify(WORKERS)}) {
       const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module", name });
       await new Promise((resolve, reject) => {
         worker.onmessage = resolve;
         worker.onerror = reject;
       });
       console.log(name);
       worker.terminate();
     }`,
  );
  assertEquals(
    (await output(Deno.execPath(), ["run", "-A", "main.js"], project.path)).trim().split("\n"),
    WORKERS,
  );
});

Deno.test("the command line of the package runs in Deno", async () => {
  await using project = await npmProject();
  const cli = (...args: string[]) =>
    output(Deno.execPath(), ["run", "-A", `npm:${settings.name}/cli`, ...args], project.path);
  assertEquals(await cli("version"), `treeline ${settings.version}\n`);
  await project.write("rows.csv", "c,x\na,1\n");
  assertEquals(await cli("predict", EXAMPLE, "rows.csv"), "prediction\n2\n");
});
