// deno-lint-ignore-file no-console -- says why nothing was compiled
/**
 * The worked deployment as `deno task bundle:app` writes it: what is compiled ahead answers as the
 * modules do, also where code is loaded later from files of its own, and compiled to a binary.
 *
 * @module
 */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { loadModel } from "../../../src/files/model_file.ts";
import { createApp } from "../../../src/server/app.ts";
import { bundleApp } from "../../../tools/build/bundle_app.ts";
import { packageOf } from "../../../tools/build/package.ts";
import { findCompiler } from "../../support/processes/denort.ts";
import { answersAs, ASKED, PREDICT } from "../../support/processes/deployment.ts";
import { freePort } from "../../support/processes/free_port.ts";
import { serving } from "../../support/processes/process.ts";
import { tempFolder } from "../../support/temp.ts";
import { until } from "../../support/until.ts";

const example = new URL("../../../examples/deploy/", import.meta.url);
Deno.test("the deployment bundled by tools/build/bundle_app.ts answers as its modules do", async () => {
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
    await until(() => fetch(`${url}/livez`).then(({ ok }) => ok, () => false));
    await answersAs(app, url);
  } finally {
    child.kill();
    await child.status;
  }
});

Deno.test("a deployment bundled to a folder answers alike, and Deno does not search its code", async () => {
  await using folder = await tempFolder();
  const [out, home] = [folder.file("app/"), folder.file("home")];
  await Deno.mkdir(out);
  await Deno.copyFile(new URL("penguins.tlm", example), `${out}penguins.tlm`);
  for (let i = 0; i < 2; i++) await bundleApp(new URL("main.ts", example).pathname, out);
  const names = await Array.fromAsync(Deno.readDir(out), ({ name }) => name);
  assertEquals(names.sort(), ["main.js", "node_modules", "package.json", "penguins.tlm"]);
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", "main.js"],
    cwd: out,
    env: { DENO_DIR: home },
  }).output();
  const { modules } = JSON.parse(new TextDecoder().decode(stdout)) as {
    modules: { kind: string; specifier: string }[];
  };
  assertEquals(modules.map(({ kind, specifier }) => [kind, specifier.split("/").at(-2)]), [
    ["esm", "app"],
    ["external", "treeline-app"],
  ]);
  const model = await loadModel(new URL("penguins.tlm", example));
  const app = createApp({ models: { penguins: model }, maxRows: 1000 });
  const env = { DENO_SERVE_ADDRESS: "tcp:127.0.0.1:0", DENO_DIR: home };
  // From elsewhere: the model lies beside the file, wherever one is.
  const args = ["run", "--allow-net", "--allow-read", "--no-prompt", `${out}main.js`];
  await using running = await serving(Deno.execPath(), args, folder.path, env);
  await answersAs(app, running.url);
});

Deno.test("code in a package has the import.meta of the file that is run, but for its parts", async () => {
  await using folder = await tempFolder();
  const code = `class A { static own = new.target }
    const meta = "import.meta"; await import(import.meta.resolve("./x.parts/a.js"));
    console.log(meta, import.meta.main, import.meta.url, new URL("m.tlm", import.meta.url).pathname);
    export const five = 5; export default 6;`;
  const { main, core } = packageOf(code, "./x.parts/");
  await Deno.mkdir(folder.file("node_modules/treeline-app/x.parts"), { recursive: true });
  await folder.write("node_modules/treeline-app/x.parts/a.js", "console.log(import.meta.url);");
  await folder.write("node_modules/treeline-app/main.js", core);
  await folder.write("package.json", '{"type":"module"}');
  await folder.write(
    "main.js",
    `${main}\nimport own, { five } from "./main.js"; console.log(own, five);`,
  );
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "main.js"],
    cwd: folder.path,
    env: { NO_COLOR: "1" },
  }).output();
  const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  const place = await Deno.realPath(folder.path);
  assertEquals(decode(stdout).split("\n"), [
    `file://${place}/node_modules/treeline-app/x.parts/a.js`,
    `import.meta true file://${place}/main.js ${place}/m.tlm`,
    "6 5",
    "",
  ], decode(stderr));
});

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

/** An entry that serves penguins, and at `/later` what a module says that is loaded then. */
const ENTRY = (later: string) =>
  `import { createApp } from "${new URL("../../../src/server/mod.ts", import.meta.url)}";
import { loadModel } from "${new URL("../../../src/predict.ts", import.meta.url)}";
setInterval(() => {}, 1000); // the process does not end by itself
async function main() {
  const penguins = await loadModel(new URL("penguins.tlm", import.meta.url));
  const app = createApp({ models: { penguins } });
  await new Promise((resolve) => setTimeout(resolve, 20));
  const server = Deno.serve({ port: 0 }, async (request) =>
    request.url.endsWith("/later")
      ? new Response((await import(${JSON.stringify(later)})).text())
      : await app.fetch(request));
  if (typeof server.addr.port !== "number") throw new Error("no port");
}
main(); // not awaited
`;
const LATER = "export const text = () => new URL('.', import.meta.url).href;\n";

/** Files in a folder, those in folders in it too. */
function filesIn(folder: string): string[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) =>
    isDirectory
      ? [`${name}/`, ...filesIn(`${folder}/${name}`).map((each) => `${name}/${each}`)]
      : [name]
  ).sort();
}

Deno.test("names that mean something in addresses and patterns are only names", async () => {
  await using temporary = await tempFolder();
  const folder = temporary.file("w ü#%41$&'");
  const out = `${folder}/$1 é`;
  await Deno.mkdir(out, { recursive: true });
  await Deno.copyFile(new URL("penguins.tlm", example), `${out}/penguins.tlm`);
  await Deno.writeTextFile(`${folder}/my $& äpp#1.ts`, ENTRY("./la ter$&%23é.ts"));
  await Deno.writeTextFile(`${folder}/la ter$&#é.ts`, LATER);
  const file = `${out}/o $& ü#%41.js`;
  await bundleApp(`${folder}/my $& äpp#1.ts`, file);
  await using running = await serving(Deno.execPath(), ["run", "-A", file], out);
  // What asks where it is gets the folder of OUT, as the entry does.
  assertEquals(
    decodeURIComponent(new URL(await (await fetch(`${running.url}/later`)).text()).pathname),
    `${await Deno.realPath(out)}/`,
  );
  const csv = { method: "POST", headers: { "content-type": "text/csv" }, body: "island\nDream\n" };
  const answer = await fetch(running.url + PREDICT, csv);
  assertEquals([answer.status, (await answer.json()).predictions.length], [200, 1]);
});

Deno.test("a bundle takes the place of another with its parts, and of nothing else", async () => {
  await using folder = await tempFolder();
  await Deno.copyFile(new URL("penguins.tlm", example), folder.file("penguins.tlm"));
  const main = new URL("main.ts", example).pathname;
  const file = folder.file("app.mjs");
  await bundleApp(main, file);
  const first = filesIn(folder.path);
  await Deno.writeTextFile(folder.file("app.parts/mine.txt"), "mine");
  // Another program, whose parts are called otherwise though they come from the same modules.
  await Deno.writeTextFile(folder.file("later.ts"), "export const text = () => 'later';\n");
  await Deno.writeTextFile(folder.file("entry.ts"), ENTRY("./later.ts"));
  // Two at once, and none takes parts from the other.
  await Promise.all([
    bundleApp(folder.file("entry.ts"), file),
    bundleApp(folder.file("entry.ts"), file),
  ]);
  const second = filesIn(folder.path).filter((name) => !first.includes(name));
  const parts = second.filter((name) => /^app\.parts\/\w{8}-/.test(name));
  assert(parts.length > 5, parts.join());
  assertEquals(second.filter((name) => !parts.includes(name)), [
    "app.parts/mine.txt",
    "entry.ts",
    "later.ts",
  ]);
  assertEquals(filesIn(folder.path).length, second.length + 3); // app.mjs, app.parts/, penguins.tlm
  await using running = await serving(Deno.execPath(), ["run", "-A", file], folder.path);
  assertEquals(await (await fetch(`${running.url}/later`)).text(), "later");
});

Deno.test("OUT that cannot be is refused before anything is made", async () => {
  await using folder = await tempFolder();
  const entry = folder.file("entry.js");
  await Deno.writeTextFile(entry, "export default {};\n");
  await Deno.mkdir(folder.file("folder.js"));
  for (
    const [out, why] of [
      [folder.file("entry.js"), "the entry itself"],
      [folder.file("./x/../entry.js"), "the entry itself"],
      [folder.file("folder.js"), "is no file"],
      [folder.file("app"), "expected a file .js"],
      [folder.file("new/.js"), "expected a file .js"],
      [folder.file("app.parts"), "expected a file .js"],
    ]
  ) {
    await assertRejects(() => bundleApp(entry, out), Error, why, out);
  }
  assertEquals(filesIn(folder.path), ["entry.js", "folder.js/"]);
  assertEquals(await Deno.readTextFile(entry), "export default {};\n");
});

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.test(`${signal} ends bundling and leaves nothing behind`, async () => {
    await using folder = await tempFolder();
    const started = folder.file("started");
    await Deno.writeTextFile(
      folder.file("entry.ts"),
      `Deno.writeTextFileSync(${
        JSON.stringify(started)
      }, ""); await new Promise((end) => setTimeout(end, 60_000));\n`,
    );
    await Deno.mkdir(folder.file("out"));
    await Deno.mkdir(folder.file("tmp"));
    const tool = new URL("../../../tools/build/bundle_app.ts", import.meta.url).pathname;
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", tool, folder.file("entry.ts"), folder.file("out/app.js")],
      env: { TMPDIR: folder.file("tmp") },
      stdout: "null",
      stderr: "piped",
    }).spawn();
    const said = new Response(child.stderr).text();
    await until(() => Deno.stat(started).then(() => true, () => false));
    child.kill(signal);
    assertEquals([(await child.status).code, /stopped by SIG/.test(await said)], [130, true]);
    assertEquals(filesIn(folder.file("out")), []);
    assertEquals(filesIn(folder.file("tmp")), []);
  });
}
