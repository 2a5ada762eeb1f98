// deno-lint-ignore-file no-console -- a report
/**
 * The cold start of the server beside a Hono handler that only parses the same body: from the start of
 * the process to its first answer, on one core, as files that `deno bundle --minify` and
 * `deno task bundle:app` make, from the package that `deno task pack` makes, beside Hono from npm, and as modules.
 *
 * In four cases: Deno has kept the compiled code of a start before; it has not, but knows the file
 * (`--no-code-cache`); only `deno cache` has run with a `DENO_DIR` that was empty; and it is empty (modules
 * would be fetched then, and are left out). Then the same files as binaries of `deno compile`, and
 * `treeline serve` of the binary of `deno task compile`, started before and with nothing kept. Starts take turns; others on the machine only ever make one longer, so
 * the shortest of each says most. Needs taskset.
 *
 * Usage: deno run -A bench/cold_app.ts MODEL.tlm ROWS.json [STARTS [DENO]]; `DENO` and `DENORT_BIN` name a
 * Deno and a denort of one version where the present one cannot fetch its own.
 *
 * @module
 */
import { npmProject } from "../tests/support/processes/npm_project.ts";
import { bundleApp } from "../tools/build/bundle_app.ts";
import { compile } from "../tools/build/compile.ts";

const [model, rowsPath, starts = "20", deno = Deno.execPath()] = Deno.args;
const body = JSON.stringify(JSON.parse(await Deno.readTextFile(rowsPath))[0]);
const folder = await Deno.makeTempDir();
const treeline = `${folder}/treeline`;
let port = 19500;

async function bundled(entry: string): Promise<string> {
  const out = `${folder}/${entry.replace("bench/runs/", "").replace(".ts", ".js")}`;
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: ["bundle", "-q", "--minify", "--platform", "deno", "-o", out, entry],
  }).output();
  if (!success) throw new Error(`cannot bundle ${entry}`);
  return out;
}

/** A binary of a bundle, with the folder of its parts. */
async function compiled(file: string): Promise<string> {
  const out = file.replace(/\.js$/, "");
  const later = `${out}.parts`;
  const inside = await Deno.stat(later).then(() => ["--include", later], () => []);
  const { success, stderr } = await new Deno.Command(deno, {
    args: ["compile", "-q", "-A", "--no-check", "--no-config", ...inside, "-o", out, file],
  }).output();
  if (!success) throw new Error(`cannot compile ${file}: ${new TextDecoder().decode(stderr)}`);
  return out;
}

/**
 * Milliseconds from the start of a program, which takes a port and the model, to its first answer.
 *
 * @param home Where Deno keeps what it keeps; binaries keep it in the folder of temporary files.
 */
async function timeOf(entry: string, flags: readonly string[], home?: string): Promise<number> {
  const at = ++port;
  const runs = /\.[jt]s$/.test(entry) ? [Deno.execPath(), "run", "-A", "--no-check", ...flags] : [];
  const given = entry === treeline ? ["serve", `m=${model}`, "--port", `${at}`] : [`${at}`, model];
  const began = performance.now();
  const child = new Deno.Command("taskset", {
    args: ["-c", "0", ...runs, entry, ...given],
    stdout: "null",
    stderr: "null",
    env: home === undefined ? {} : { DENO_DIR: home, TMPDIR: home },
  }).spawn();
  let ended = false;
  child.status.then(() => ended = true);
  const url = `http://127.0.0.1:${at}/v1/models/m/predict`;
  const headers = { "content-type": "application/json" };
  for (;;) {
    try {
      await (await fetch(url, { method: "POST", headers, body })).body?.cancel();
      break;
    } catch {
      if (ended) throw new Error(`${entry} ended before it answered`);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }
  const ms = performance.now() - began;
  child.kill("SIGKILL");
  await child.status;
  return ms;
}

const [hono, ours] = ["bench/runs/cold_hono.ts", "bench/runs/cold_serve.ts"];
const ahead = `${folder}/ahead.js`; // as docs/http.md says
await bundleApp(ours, ahead, ["0", model]);
await bundleApp(ours, `${folder}/package/`, ["0", model]);
const files = [
  ["Hono, deno bundle", await bundled(hono)],
  ["Treeline, deno bundle", await bundled(ours)],
  ["Treeline, bundle:app", ahead],
];
const inPackage = ["Treeline, bundle:app to a folder", `${folder}/package/main.js`];
const modules = [["Hono, modules", hono], ["Treeline, modules", ours]];
await using project = await npmProject();
await Deno.copyFile(hono, project.file("hono.ts"));
const main = (await Deno.readTextFile(ours))
  .replace("../../src/predict.ts", "@treeline/treeline/predict")
  .replace("../../src/server/app.ts", "@treeline/treeline/server");
await project.write("main.ts", main);
const npm = [
  ["Hono, from npm", project.file("hono.ts")],
  ["Treeline, the package", project.file("main.ts")],
];
const CASES: {
  name: string;
  entries: string[][];
  flags?: string[];
  home?: "cached" | "empty";
}[] = [
  { name: "code was kept", entries: [...files, inPackage, ...npm, ...modules] },
  { name: "no code was kept", flags: ["--no-code-cache"], entries: [...files, inPackage, ...npm] },
  { name: "after deno cache", home: "cached", entries: [...files, inPackage, ...npm] },
  { name: "never seen", home: "empty", entries: [...files, inPackage, ...npm] },
];
const binaries = [];
for (const [name, file] of files) binaries.push([`${name}, compiled`, await compiled(file)]);
await compile({
  out: treeline,
  deno,
  quiet: true,
  ...(deno !== Deno.execPath() && { denort: Deno.env.get("DENORT_BIN")! }),
});
binaries.push(["Treeline, treeline serve", treeline]);
CASES.push({ name: "code was kept", entries: binaries });
CASES.push({ name: "never seen", home: "empty", entries: binaries });
for (const { name, flags = [], home: kind, entries } of CASES) {
  const found: number[][] = entries.map(() => []);
  for (let i = -1; i < Number(starts); i++) {
    for (const [e, [, entry]] of entries.entries()) {
      const home = kind === undefined ? undefined : await Deno.makeTempDir();
      if (kind === "cached") {
        await new Deno.Command(Deno.execPath(), {
          args: ["cache", "--quiet", entry],
          env: { DENO_DIR: home! },
        }).output();
      }
      const ms = await timeOf(entry, flags, home);
      if (i >= 0) found[e].push(ms); // the first filled Deno's caches
      if (home !== undefined) await Deno.remove(home, { recursive: true });
    }
  }
  const least = (values: readonly number[]) => Math.min(...values);
  const median = (values: readonly number[]) =>
    values.toSorted((a, b) => a - b)[values.length >> 1];
  for (const [e, [entry]] of entries.entries()) {
    const base = found[entries.findLastIndex(([name], i) => i <= e && name.startsWith("Hono"))];
    const more = (of: typeof least) => (of(found[e]) - of(base)).toFixed(1);
    console.log(
      `${name}: ${entry} ${least(found[e]).toFixed(1)} ms at least, median ` +
        `${median(found[e]).toFixed(1)}; more than Hono ${more(least)}, ${more(median)}`,
    );
  }
}
await Deno.remove(folder, { recursive: true });
