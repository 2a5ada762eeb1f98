// deno-lint-ignore-file no-console
/**
 * Builds the single binary with `deno bundle` and `deno compile`: the command line, the wasm kernels
 * and the workers, with models inside when asked. It needs no files beside it.
 *
 * Use: deno task compile [--model m.tlm]… [--out dist/treeline] [--target TRIPLE] [--deno PATH]
 *
 * The runtime part comes from where Deno downloads it, or from `DENORT_BIN` (then `--deno` must name
 * a Deno of the same version).
 *
 * @module
 */
import { parseArgs } from "../src/deps/cli.ts";
import { bundleServed } from "./compile_served.ts";
import { relative } from "./paths.ts";

const root = new URL("../", import.meta.url);

/** What is built. */
export interface CompileOptions {
  /** Path of the binary. */
  readonly out: string;
  /** Model files to embed; each is served under its file name without ending. */
  readonly models?: readonly string[];
  /** The Deno that compiles. @default this one */
  readonly deno?: string;
  /** Path of a denort of the same version. */
  readonly denort?: string;
  readonly target?: string;
  /** Without the list of what is inside. @default false */
  readonly quiet?: boolean;
}

/** Builds the binary. */
export async function compile(options: CompileOptions): Promise<void> {
  const folder = new URL(`.cache/compile/${crypto.randomUUID()}/`, root);
  await Deno.mkdir(folder, { recursive: true });
  try {
    const names: string[] = [];
    for (const path of options.models ?? []) {
      const name = path.replaceAll("\\", "/").split("/").at(-1)!.replace(/\.tlm$/, "");
      await Deno.copyFile(path, new URL(`${name}.tlm`, folder));
      names.push(name);
    }
    const [commands, served] = ["commands.ts", "served.ts"].map((name) => new URL(name, folder));
    await Deno.writeTextFile(commands!, commandsSource(names));
    const modules = await bundleSplit(commands!, folder);
    const models = names.map((name) => new URL(`${name}.tlm`, folder));
    const workers = await bundleWorkers(modules, folder);
    await Deno.writeTextFile(served!, servedSource(names));
    const parts = await bundleServed(served!.pathname, served!.pathname.replace(/ts$/, "js"), root);
    await Deno.writeTextFile(new URL("main.js", folder), MAIN);
    const included = [...workers, ...models].map(({ pathname }) => pathname);
    await runDeno(options, compileArguments(options, folder, [...included, parts]));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/**
 * Bundles what `entry` needs, so that what is compiled carries no packages of development and starts without
 * resolving two hundred modules.
 */
async function bundle(entry: URL, options: readonly string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["bundle", "--quiet", "--platform", "deno", ...options, entry.pathname],
    cwd: root,
  }).output();
  if (!success) throw new Error(`deno bundle: ${new TextDecoder().decode(stderr)}`);
}

/**
 * Bundles `entry` to a module of its own name and those that it imports later, each with what some of them share:
 * a command then reads a tenth of the program.
 */
async function bundleSplit(entry: URL, folder: URL): Promise<URL[]> {
  await bundle(entry, ["--minify", "--code-splitting", "--outdir", folder.pathname]);
  const modules: URL[] = [];
  for await (const { name } of Deno.readDir(folder)) {
    if (name.endsWith(".js")) modules.push(new URL(name, folder));
  }
  return modules.sort((a, b) => a.href < b.href ? -1 : 1);
}

/**
 * Bundles the modules that are started as workers (nothing imports them, so they are found by their
 * `new Worker(new URL(…))`) beside the modules of the program, and points these at the bundles.
 */
async function bundleWorkers(modules: readonly URL[], folder: URL): Promise<URL[]> {
  const bundles: URL[] = [];
  const texts = await Promise.all(modules.map((url) => Deno.readTextFile(url)));
  for (const path of await relative(root, "src", [".ts"])) {
    const module = await Deno.readTextFile(new URL(path, root));
    for (const [, target] of module.matchAll(/new Worker\(\s*new URL\("([^"]+)"/g)) {
      const out = new URL(target!.replace(/\.ts$/, ".js"), folder);
      // Small code has no space behind the comma.
      const call = new RegExp(`(new URL\\("${target!.replace(".ts", "")})\\.ts("\\s*,)`, "g");
      const callers = texts.flatMap((text, i) => Array(text.match(call)?.length ?? 0).fill(i));
      if (callers.length === 0) continue; // not of this program
      if (callers.length > 1 || bundles.some((url) => url.href === out.href)) {
        throw new Error(`Cannot bundle the worker ${target} of ${path}: its call must be unique`);
      }
      // Each holds what it needs of the program once more.
      await bundle(new URL(target!, new URL(path, root)), ["--minify", "-o", out.pathname]);
      const [caller] = callers;
      texts[caller] = texts[caller]!.replace(call, "$1.js$2");
      bundles.push(out);
    }
  }
  const lost = texts.flatMap((text) =>
    text.match(/new URL\("[^"]+\.ts"\s*,\s*import\.meta/g) ?? []
  );
  if (lost.length > 0) throw new Error(`Cannot bundle the worker of ${lost[0]}: it is not found`);
  await Promise.all(modules.map((url, i) => Deno.writeTextFile(url, texts[i]!)));
  // Workers start workers, too: those of a fold that is trained on several threads.
  for (const url of bundles) {
    const text = await Deno.readTextFile(url);
    const call = /(new URL\("\.\/\w+)\.ts("\s*,\s*import\.meta\.url\))/g;
    await Deno.writeTextFile(url, text.replaceAll(call, "$1.js$2"));
  }
  return bundles;
}

function compileArguments(
  options: CompileOptions,
  folder: URL,
  included: readonly string[],
): string[] {
  return [
    "compile",
    // The lock and the import map would bring every package of development into the binary.
    "--no-config",
    "--no-lock",
    "--no-npm",
    "--unstable-net",
    "--no-check",
    "--no-prompt",
    ...(options.quiet ? ["--quiet"] : []),
    // A command line reads, writes and listens where its user says; scoping would refuse that.
    "--allow-read",
    "--allow-write",
    "--allow-net",
    "--allow-env",
    "--allow-sys=cpus",
    // What serves keeps a young generation of 2 MB (docs/http.md); training and scoring files take
    // the same time with it as without.
    "--v8-flags=--max-old-space-size=6000,--max-semi-space-size=2",
    ...(options.target === undefined ? [] : ["--target", options.target]),
    ...included.flatMap((path) => ["--include", path]),
    "-o",
    options.out,
    new URL("main.js", folder).pathname,
  ];
}

async function runDeno(options: CompileOptions, args: readonly string[]): Promise<void> {
  const denort = options.denort ?? Deno.env.get("DENORT_BIN");
  const { success } = await new Deno.Command(options.deno ?? Deno.execPath(), {
    args: [...args],
    cwd: root,
    env: denort === undefined ? {} : { DENORT_BIN: denort },
    stdout: "inherit",
    stderr: "inherit",
  }).output();
  if (!success) throw new Error("deno compile failed");
}

/** The program of the binary. */
const MAIN = `await (Deno.args[0] === "serve" ? import("./served.js") : import("./commands.js"));`;

/** `cli.ts` with the models it carries. */
function commandsSource(names: readonly string[]): string {
  return `import { runCli } from "../../../src/cli/mod.ts";
import { systemIo } from "../../../src/runtime/system_io.ts";
Deno.exit(await runCli(Deno.args, systemIo(${embedded(names)})));
`;
}

/** The same for one command; not awaited here, since parts import the file that they are of. */
function servedSource(names: readonly string[]): string {
  return `import { runCommand } from "../../../src/cli/dispatch.ts";
import { SERVE } from "../../../src/cli/listed.ts";
import "../../../src/cli/commands/serve.ts"; // not later: there is nothing else to do
import { systemIo } from "../../../src/runtime/system_io.ts";
runCommand([SERVE], Deno.args, systemIo(${embedded(names)})).then(Deno.exit);
`;
}

function embedded(names: readonly string[]): string {
  const models = names.map((name) =>
    `${JSON.stringify(name)}: new URL(${JSON.stringify(`./${name}.tlm`)}, import.meta.url)`
  );
  return `{ ${models.join(", ")} }`;
}

if (import.meta.main) {
  const flags = parseArgs(Deno.args, {
    string: ["out", "target", "deno", "model"],
    boolean: [],
    collect: ["model"],
    negatable: [],
    alias: { o: "out" },
    unknown: (argument) => {
      throw new Error(`Cannot use ${argument}: expected --model, --out, --target or --deno`);
    },
  });
  const text = (name: string) => flags[name] as string | undefined;
  const out = text("out") ?? "dist/treeline";
  const deno = text("deno");
  const target = text("target");
  await compile({
    out,
    models: (flags["model"] ?? []) as string[],
    ...(deno === undefined ? {} : { deno }),
    ...(target === undefined ? {} : { target }),
  });
  console.error(`built ${out}`);
}
