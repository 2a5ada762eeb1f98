/**
 * The code of the package for npm: the doors, the workers, and the files that they share (doors.ts). A server
 * that imports `./predict` and `./server` reads six files until its first answer, where the clone has 110, and
 * the functions that run until then are compiled with them (ahead.ts).
 *
 * @module
 */
// deno-lint-ignore no-external-import
import { fileURLToPath } from "node:url";
import { callsIn, compileAhead } from "./ahead.ts";
import { writeSamples } from "./compile_served.ts";
import { closureOf, joinDoors, nameClasses, splitDoors } from "./doors.ts";
import { demandCalls, pointedAtWorkers, workerPaths } from "./workers.ts";

/** What is left to be loaded from other packages. */
const EXTERNAL = ["hono", "hono/*"];

/** Workers that score or train whole models; all others begin sooner for each kilobyte less. */
const HEAVY = ["evaluate_worker.js", "score_worker.js"];

/** Files whose functions are compiled ahead: of the others next to nothing runs until the first answer. */
const AHEAD = ["predict-core.js", "server-core.js"];

/**
 * Bundles the doors.
 *
 * @param doors Path of each, below the root, by the name of its file: `predict`.
 * @returns Files by name, for one folder.
 */
export async function packCode(
  doors: ReadonlyMap<string, string>,
  root: URL,
): Promise<Map<string, string>> {
  // Below the root, whose deno.json says where packages are; the name leaves no trace in what is made.
  const folder = new URL(`.cache/pack/${crypto.randomUUID()}/`, root);
  await Deno.mkdir(folder, { recursive: true });
  try {
    const workers = await workerPaths(root);
    const sources: string[] = [];
    const write = async (name: string, text: string) => {
      sources.push(fileURLToPath(new URL(`${name}.ts`, folder)));
      await Deno.writeTextFile(new URL(`${name}.ts`, folder), text);
    };
    for (const [name, path] of doors) {
      const url = new URL(path, root);
      const text = await Deno.readTextFile(url);
      // Of what is imported, deno bundle knows that it is not the main module.
      const program = text.replace(/(?<=from ")\.[^"]*/g, (from) => new URL(from, url).href);
      const door = `export * from ${JSON.stringify(url.href)};`;
      await write(name, text.includes("import.meta.main") ? program : door);
    }
    for (const path of workers) {
      const name = path.slice(path.lastIndexOf("/") + 1).replace(/\.ts$/, "");
      await write(name, `import ${JSON.stringify(new URL(path, root).href)};`);
    }
    const entries = sources.map((path) => path.slice(path.lastIndexOf("/") + 1, -3) + ".js");
    const split = nameClasses(await splitDoors(sources, EXTERNAL, root), entries);
    const joined = await joinDoors(split, grouping(split, entries));
    const called = new Set<string>();
    for (const [name, code] of joined) joined.set(name, pointedAtWorkers(code, called));
    demandCalls(workers, called);
    await markAhead(joined, new URL("run/", folder));
    return joined;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Says which file a file becomes a part of. */
function grouping(
  files: ReadonlyMap<string, string>,
  entries: readonly string[],
): (name: string) => string | undefined {
  const closures = new Map(entries.map((entry) => [entry, closureOf(files, entry)]));
  const has = (entry: string, name: string) => closures.get(entry)!.has(name);
  const atLast = new Map(entries.map((entry) => [entry, closureOf(files, entry, true)]));
  const light = entries.filter((entry) =>
    /^(client|cli)\.js$|_?worker\w*\.js$/.test(entry) && !HEAVY.includes(entry)
  );
  const others = entries.filter((entry) => !light.includes(entry) && entry !== "server.js");
  const groupOf = (name: string): string => {
    const isLight = light.some((entry) => has(entry, name));
    if (has("predict.js", name)) return isLight ? "base.js" : "predict-core.js";
    if (!has("server.js", name)) {
      // Else what a server reads later would lie among all that trains.
      const later = entries.filter((entry) => atLast.get(entry)!.has(name));
      const soon = entries.filter((entry) => has(entry, name));
      return soon.length === 0 ? "" : `${soon} ${later}`;
    }
    return isLight || others.some((entry) => has(entry, name)) ? "common.js" : "server-core.js";
  };
  const members = new Map<string, string[]>();
  for (const name of files.keys()) {
    const group = groupOf(name);
    if (entries.includes(name) || group === "") continue; // what is imported later stays as it is
    members.set(group, [...members.get(group) ?? [], name]);
  }
  const groups = new Map<string, string>();
  let shared = 0;
  for (const [group, names] of [...members].sort(([a], [b]) => a < b ? -1 : 1)) {
    const isNamed = /^[\w-]+-?\w*\.js$/.test(group) && !entries.includes(group);
    const file = isNamed ? group : names.length > 1 ? `shared-${++shared}.js` : undefined;
    for (const name of names) if (file !== undefined) groups.set(name, file);
  }
  return (name) => groups.get(name);
}

/** Marks the functions that run until a server has answered for the first time. */
async function markAhead(files: Map<string, string>, folder: URL): Promise<void> {
  await Deno.mkdir(folder);
  const path = fileURLToPath(folder);
  for (const [name, code] of files) await Deno.writeTextFile(new URL(name, folder), code);
  const main = driver(JSON.stringify(await writeSamples(path)));
  for (const name of AHEAD) {
    const ahead = await compileAhead(files.get(name)!, async (code) => {
      await Deno.writeTextFile(new URL(name, folder), code);
      return await callsIn(path, main, `/${name}`);
    }, true);
    await Deno.writeTextFile(new URL(name, folder), ahead);
    files.set(name, ahead);
  }
}

/** A program that asks each of the models for a row. */
function driver(asked: string): string {
  return `
  import { loadModel } from "./predict.js";
  import { createApp } from "./server.js";
  const asked = ${asked};
  const load = (name) => loadModel(new URL(name + ".tlm", import.meta.url));
  const app = createApp({
    models: Object.fromEntries(asked.map(({ name }) => [name, () => load(name)])),
  });
  for (const { name, body } of asked) {
    const headers = { "content-type": "application/json", "content-length": String(body.length) };
    const address = "http://localhost/v1/models/" + name + "/predict";
    const response = await app.fetch(new Request(address, { method: "POST", headers, body }));
    if (!response.ok) throw new Error(await response.text());
    await response.text();
  }
  Deno.exit(0);`;
}
