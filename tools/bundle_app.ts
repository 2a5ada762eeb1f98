// deno-lint-ignore-file no-console
/**
 * A server's entry as a file whose cold start is short: `deno bundle --minify` with what the first
 * answers do not need in files of their own, in the folder OUT.parts (parts.ts); then the functions
 * that run until the first answer are marked to be compiled with the file, which Deno keeps for the
 * next start (ahead.ts).
 *
 * Both are found by running the file: each of its models is asked to predict one row. Model files that
 * the entry reads from beside itself must lie beside OUT before.
 *
 * Use: deno task bundle:app ENTRY.ts OUT.js [ARGUMENT…], where arguments are the entry's own;
 * `TREELINE_TOKEN` is sent where the server wants a token.
 *
 * @module
 */
// deno-lint-ignore no-external-import
import { basename, dirname, join, resolve } from "node:path";
// deno-lint-ignore no-external-import
import { pathToFileURL } from "node:url";
import { type Called, callsIn, compileAhead, scriptsIn } from "./ahead.ts";
import { type Bundle, joinSplit, splitEntry } from "./parts.ts";

const root = new URL("../", import.meta.url);

/**
 * Bundles an entry that calls `Deno.serve`, or whose default export has `fetch`.
 *
 * @param args What the entry is started with.
 * @returns How many functions are compiled ahead.
 */
export async function bundleApp(
  entry: string,
  out: string,
  args: readonly string[] = [],
): Promise<number> {
  const path = await Deno.realPath(entry);
  // In the folder of OUT, since the entry may read what lies beside it; OUT is there once it is whole.
  const target = resolve(out);
  await Deno.mkdir(dirname(target), { recursive: true });
  const beside = await Deno.realPath(dirname(target));
  const trial = `.${crypto.randomUUID()}`;
  const file = join(beside, `${trial}.js`);
  const parts = join(beside, `${trial}.parts`);
  const folder = await Deno.makeTempDir();
  try {
    const split = await splitEntry(path, root);
    const { href: url } = pathToFileURL(file);
    const rows = `${folder}/rows.json`;
    const write = async ({ core, parts: files }: Bundle) => {
      await Deno.remove(parts, { recursive: true }).catch(() => {});
      if (files.size > 0) await Deno.mkdir(parts);
      for (const [name, code] of files) await Deno.writeTextFile(join(parts, name), code);
      await Deno.writeTextFile(file, core);
    };
    const early = new Set<string>();
    let functions = 0;
    const callsOf = async (code: string): Promise<Called> => {
      await Deno.writeTextFile(file, code);
      const called = await callsIn(folder, driver(url, ASK, rows), url, args);
      functions = called.size;
      return called;
    };
    let bundle: Bundle;
    for (;;) {
      bundle = await joinSplit(split, `${trial}.js`, `${trial}.parts`, early);
      await write(bundle);
      if (early.size === 0) await callsIn(folder, driver(url, LEARN, rows), url, args);
      await callsOf(bundle.core);
      const ran = await scriptsIn(folder);
      const found = [...bundle.parts.keys()].filter((part) =>
        ran.some((address) => address.endsWith(`/${trial}.parts/${part}`))
      );
      if (found.length === 0) break;
      for (const part of found) early.add(part);
    }
    // The last of the runs is of what is returned.
    const core = await compileAhead(bundle.core, callsOf, true);
    const name = basename(target);
    const later = name.replace(/\.[^.]*$/, "") + ".parts";
    await Deno.remove(join(beside, later), { recursive: true }).catch(() => {});
    if (bundle.parts.size > 0) {
      for (const [part, code] of bundle.parts) {
        await Deno.writeTextFile(
          join(parts, part),
          code.replaceAll(`from"../${trial}.js"`, `from"../${name}"`),
        );
      }
      await Deno.rename(parts, join(beside, later));
    }
    await Deno.writeTextFile(file, core.replaceAll(`"./${trial}.parts/`, `"./${later}/`));
    await Deno.rename(file, target);
    return functions;
  } finally {
    await Deno.remove(file).catch(() => {}); // gone where all went well
    await Deno.remove(parts, { recursive: true }).catch(() => {});
    await Deno.remove(folder, { recursive: true });
  }
}

/** Writes a row for each model: zeros and first categories. */
const LEARN = `
  const { models } = await (await ask("/v1/models")).json();
  const rows = {};
  for (const { name } of models) {
    const { features } = await (await ask("/v1/models/" + encodeURIComponent(name))).json();
    rows[name] = Object.fromEntries(
      features.map(({ name, kind, categories }) => [name, kind === "numeric" ? 0 : categories[0]]),
    );
  }
  Deno.writeTextFileSync(file, JSON.stringify(rows));`;

/** Scores those rows, in a process that has loaded no model before. */
const ASK = `
  for (const [name, row] of Object.entries(JSON.parse(Deno.readTextFileSync(file)))) {
    const body = new TextEncoder().encode(JSON.stringify(row));
    const headers = { "content-type": "application/json", "content-length": String(body.length) };
    await ask("/v1/models/" + encodeURIComponent(name) + "/predict", { method: "POST", headers, body });
  }`;

/** A program that takes the server's handler and asks it; nothing listens. */
function driver(url: string, work: string, file: string): string {
  return `
  let handler;
  Deno.serve = (...given) => {
    handler = given.find((each) => typeof each === "function") ?? given[0].handler;
    return { finished: Promise.resolve(), shutdown: async () => {}, ref() {}, unref() {} };
  };
  const file = ${JSON.stringify(file)};
  const entry = await import(${JSON.stringify(url)});
  handler ??= entry.default?.fetch;
  if (handler === undefined) throw new Error("the entry serves nothing");
  const token = Deno.env.get("TREELINE_TOKEN");
  async function ask(path, init = {}) {
    const headers = { ...init.headers, ...token && { authorization: "Bearer " + token } };
    const response = await handler(new Request("http://localhost" + path, { ...init, headers }));
    if (!response.ok) throw new Error(path + ": " + response.status + " " + await response.text());
    return response;
  }
  ${work}`;
}

if (import.meta.main) {
  const [entry, out, ...args] = Deno.args;
  if (out === undefined) {
    console.error("Use: deno task bundle:app ENTRY.ts OUT.js [ARGUMENT…]");
    Deno.exit(2);
  }
  try {
    const functions = await bundleApp(entry, out, args);
    const { size } = await Deno.stat(out);
    console.log(`${out}: ${size} bytes, ${functions} functions compiled ahead`);
  } catch (error) {
    console.error(`Cannot bundle ${entry}: ${error instanceof Error ? error.message : error}`);
    Deno.exit(1);
  }
}
