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
 * Use: deno task bundle:app ENTRY.ts OUT/|OUT.js [ARGUMENT…], where arguments are the entry's own;
 * `TREELINE_TOKEN` is sent where the server wants a token.
 *
 * @module
 */
// deno-lint-ignore no-external-import
import { basename, dirname, join, resolve } from "node:path";
// deno-lint-ignore no-external-import
import { pathToFileURL } from "node:url";
import { type Called, callsIn, compileAhead, scriptsIn } from "./ahead.ts";
import { isFolder, MAIN, PACKAGE, packageOf } from "./package.ts";
import { type Bundle, joinEarly, splitEntry } from "./parts.ts";

const root = new URL("../../", import.meta.url);

/**
 * Bundles an entry that calls `Deno.serve`, or whose default export has `fetch`.
 *
 * @param out A file `.js` or `.mjs`, or a folder, whose name ends with a slash (package.ts): it gets the file
 * `main.js`. OUT.parts keeps what else is in it; parts are called by what they
 * hold, and those of the file that is replaced go once the new one is there. So the old file works until
 * then, whatever ends this, and a server that still runs it never takes a part of the new one.
 * @param args What the entry is started with.
 * @param signal Stops, and leaves nothing behind.
 * @returns How many functions are compiled ahead.
 */
export async function bundleApp(
  entry: string,
  out: string,
  args?: readonly string[],
  signal?: AbortSignal,
): Promise<number> {
  const path = await Deno.realPath(entry);
  const target = await checkedTarget(path, out);
  // In the folder of OUT, since the entry may read what lies beside it; OUT is there once it is whole.
  await Deno.mkdir(dirname(target), { recursive: true });
  const beside = await Deno.realPath(dirname(target));
  const trial = `.${crypto.randomUUID()}`;
  const file = join(beside, `${trial}.js`);
  const parts = join(beside, `${trial}.parts`);
  const folder = await Deno.makeTempDir();
  try {
    const split = await splitEntry(path, root, signal);
    const { href: url } = pathToFileURL(file);
    const rows = `${folder}/rows.json`;
    let functions = 0;
    const callsOf = async (code: string): Promise<Called> => {
      await Deno.writeTextFile(file, code);
      const called = await callsIn(folder, driver(url, ASK, rows), url, args, signal);
      functions = called.size;
      return called;
    };
    const bundle = await joinEarly(split, file, async ({ core }, isFirst) => {
      if (isFirst) await callsIn(folder, driver(url, LEARN, rows), url, args, signal);
      await callsOf(core);
      return await scriptsIn(folder);
    }, signal);
    // The last of the runs is of what is returned.
    const core = await compileAhead(bundle.core, callsOf, true);
    signal?.throwIfAborted();
    if (isFolder(out)) await putInPackage(core, bundle.parts, trial, beside);
    else await putInPlace(core, bundle.parts, trial, join(beside, basename(target)));
    return functions;
  } finally {
    await Deno.remove(file).catch(() => {}); // gone where all went well
    await Deno.remove(parts, { recursive: true }).catch(() => {});
    await Deno.remove(folder, { recursive: true });
  }
}

/** Where OUT is to be; refused at once where it cannot be, since making it takes a while. */
async function checkedTarget(entry: string, out: string): Promise<string> {
  const target = isFolder(out) ? join(resolve(out), MAIN) : resolve(out);
  if (!isFolder(out) && !/[^/\\]\.m?js$/.test(out)) {
    throw new Error(`OUT is ${out}: expected a file .js or .mjs, or a folder, as in dist/`);
  }
  const old = await Deno.stat(target).catch(() => undefined);
  if (old === undefined) return target;
  if (!old.isFile) throw new Error(`OUT is ${out}, which is there and is no file`);
  if (await Deno.realPath(target) === entry) {
    throw new Error(`OUT is ${out}, the entry itself: expected another file`);
  }
  return target;
}

/** Writes a folder whose code Deno does not search for imports. */
async function putInPackage(
  core: string,
  parts: Bundle["parts"],
  trial: string,
  folder: string,
): Promise<void> {
  const files = packageOf(core, `./${trial}.parts/`);
  const inside = join(folder, PACKAGE);
  await Deno.mkdir(inside, { recursive: true });
  const settings = '{"type":"module"}\n';
  await writeWhole(join(inside, "package.json"), settings);
  // One that is there says the same of the folder: that packages lie in it.
  if (await Deno.stat(join(folder, "package.json")).catch(() => undefined) === undefined) {
    await writeWhole(join(folder, "package.json"), settings);
  }
  await putInPlace(files.core, parts, trial, join(inside, MAIN));
  await writeWhole(join(folder, MAIN), files.main);
}

/** Writes the parts, then the file, then removes the parts of the file that it has replaced. */
async function putInPlace(
  core: string,
  parts: Bundle["parts"],
  trial: string,
  target: string,
): Promise<void> {
  const name = basename(target);
  const later = name.replace(/\.[^.]*$/, "") + ".parts";
  const place = join(dirname(target), later);
  const digest = await digestOf([core, ...parts.values()], trial);
  const names = new Map([...parts.keys()].map((part) => [part, `${digest}-${part}`]));
  const rename = (code: string, before: string, after: string) => {
    for (const [part, final] of names) {
      code = code.replaceAll(`"./${before}${part}"`, () => `"./${after}${final}"`);
    }
    return code;
  };
  if (parts.size > 0) await Deno.mkdir(place, { recursive: true });
  const written: string[] = [];
  try {
    for (const [part, code] of parts) {
      const own = `from"../${trial}.js"`;
      const text = code.replaceAll(own, () => `from"../${encodeURIComponent(name)}"`);
      written.push(join(place, names.get(part)!));
      await writeWhole(written.at(-1)!, rename(text, "", ""));
    }
    const before = await partsOf(target, later);
    await writeWhole(target, rename(core, `${trial}.parts/`, `${encodeURIComponent(later)}/`));
    const gone = before.filter((part) => ![...names.values()].includes(part));
    for (const part of gone) await Deno.remove(join(place, part)).catch(() => {});
  } catch (error) {
    const kept = await partsOf(target, later);
    for (const path of written) if (!kept.includes(basename(path))) await Deno.remove(path);
    throw error;
  }
  // Where no parts are left the folder goes, too, unless somebody else has put something there.
  if (parts.size === 0) await Deno.remove(place).catch(() => {});
}

/** What tells one bundle's parts from another's, in the names of its files. */
async function digestOf(texts: readonly string[], trial: string): Promise<string> {
  const text = texts.join("\n").replaceAll(trial, "");
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return [...new Uint8Array(bytes, 0, 4)].map((byte) => byte.toString(16).padStart(2, "0")).join(
    "",
  );
}

/** Whoever reads the file has the old one or the new one. */
async function writeWhole(path: string, text: string): Promise<void> {
  const temporary = join(dirname(path), `.${crypto.randomUUID()}.tmp`);
  try {
    await Deno.writeTextFile(temporary, text);
    await Deno.rename(temporary, path);
  } finally {
    await Deno.remove(temporary).catch(() => {});
  }
}

/** Names of the parts of a bundle in a folder; none where there is no bundle. */
async function partsOf(file: string, later: string): Promise<string[]> {
  const code = await Deno.readTextFile(file).catch(() => "");
  const prefix = `"./${encodeURIComponent(later)}/`;
  const named = [...code.matchAll(/import\.meta\.resolve\(("\.\/[^"\\]*)"\)/g)]
    .filter(([, address]) => address.startsWith(prefix))
    .map(([, address]) => address.slice(prefix.length));
  // Parts have parts that the file does not name.
  const digests = new Set(named.map((name) => /^[\da-f]{8}-/.exec(name)?.[0]));
  const there: string[] = [];
  try {
    for await (const { name } of Deno.readDir(join(dirname(file), later))) {
      if (named.includes(name) || digests.has(name.slice(0, 9))) there.push(name);
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return there;
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
    return {
      addr: { transport: "tcp", hostname: "localhost", port: 80 },
      finished: Promise.resolve(),
      shutdown: async () => {},
      ref() {},
      unref() {},
      async [Symbol.asyncDispose]() {},
    };
  };
  const file = ${JSON.stringify(file)};
  const entry = await import(${JSON.stringify(url)});
  handler ??= entry.default?.fetch;
  // Nobody waits for a main() that is not awaited. Looks are counted: a machine may stand still.
  for (let looks = 0; handler === undefined && looks < 250; looks++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  if (typeof handler !== "function") throw new Error("the entry serves nothing");
  const token = Deno.env.get("TREELINE_TOKEN");
  async function ask(path, init = {}) {
    const headers = { ...init.headers, ...token && { authorization: "Bearer " + token } };
    const response = await handler(new Request("http://localhost" + path, { ...init, headers }));
    if (!response.ok) throw new Error(path + ": " + response.status + " " + await response.text());
    return response;
  }
  ${work}
  Deno.exit(0); // timers of the entry would keep the process`;
}

if (import.meta.main) {
  const [entry, out, ...args] = Deno.args;
  if (out === undefined) {
    console.error("Use: deno task bundle:app ENTRY.ts OUT/|OUT.js [ARGUMENT…]");
    Deno.exit(2);
  }
  const stop = new AbortController();
  const signals = ["SIGINT", ...Deno.build.os === "windows" ? [] : ["SIGTERM"]] as Deno.Signal[];
  for (const signal of signals) {
    Deno.addSignalListener(signal, () => stop.abort(new Error(`stopped by ${signal}`)));
  }
  try {
    const functions = await bundleApp(entry, out, args, stop.signal);
    const { size } = await Deno.stat(isFolder(out) ? `${out}${PACKAGE}/${MAIN}` : out);
    console.log(`${out}: ${size} bytes, ${functions} functions compiled ahead`);
    Deno.exit(); // listeners keep the process
  } catch (error) {
    console.error(`Cannot bundle ${entry}: ${error instanceof Error ? error.message : error}`);
    Deno.exit(stop.signal.aborted ? 130 : 1);
  }
}
