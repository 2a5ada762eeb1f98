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
import { parseArgs } from "../../src/deps/cli.ts";
import { bundleServed } from "./compile_served.ts";
import { demandCalls, pointedAtWorkers, workerPaths } from "./workers.ts";

const root = new URL("../../", import.meta.url);

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
    const inside = new URL("commands/", folder);
    await Deno.mkdir(inside);
    await Deno.writeTextFile(commands!, commandsSource(names));
    const workers = await workerPaths(root);
    const entries = [commands!, ...await workerSources(folder, workers)];
    await pointAtWorkers(await bundleSplit(entries, inside), workers);
    await pointAtServed(new URL("commands.js", inside));
    const models = names.map((name) => new URL(`${name}.tlm`, folder));
    await Deno.writeTextFile(served!, servedSource(names));
    const parts = await bundleServed(served!.pathname, served!.pathname.replace(/ts$/, "js"), root);
    await Deno.writeTextFile(new URL("main.js", folder), MAIN);
    const included = [inside, ...models].map(({ pathname }) => pathname);
    await runDeno(options, compileArguments(options, folder, [...included, parts]));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/**
 * Bundles what the entries need, so that what is compiled carries no packages of development and starts without
 * resolving two hundred modules.
 */
async function bundle(entries: readonly URL[], options: readonly string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "bundle",
      "--quiet",
      "--platform",
      "deno",
      ...options,
      ...entries.map(({ pathname }) => pathname),
    ],
    cwd: root,
  }).output();
  if (!success) throw new Error(`deno bundle: ${new TextDecoder().decode(stderr)}`);
}

/**
 * Bundles each entry to a module of its own name and those that it imports later, each with what some of them
 * share: a command then reads a tenth of the program.
 */
async function bundleSplit(entries: readonly URL[], folder: URL): Promise<URL[]> {
  const apart = ["--external", SERVE.replace(".", "*")];
  await bundle(entries, ["--minify", "--code-splitting", ...apart, "--outdir", folder.pathname]);
  const modules: URL[] = [];
  for await (const { name } of Deno.readDir(folder)) {
    if (name.endsWith(".js")) modules.push(new URL(name, folder));
  }
  return modules.sort((a, b) => a.href < b.href ? -1 : 1);
}

/**
 * Writes an entry for each worker. Bundled apart, each would hold what it needs of the program once more, and
 * every start reads all of the binary, at 1.2 ms for each MB.
 */
async function workerSources(folder: URL, paths: readonly string[]): Promise<URL[]> {
  return await Promise.all(paths.map(async (path) => {
    const { href } = new URL(path, root);
    const entry = new URL(href.slice(href.lastIndexOf("/") + 1), folder);
    await Deno.writeTextFile(entry, `import ${JSON.stringify(href)};`);
    return entry;
  }));
}

/** Changes the addresses of workers in modules. */
async function pointAtWorkers(modules: readonly URL[], workers: readonly string[]): Promise<void> {
  const called = new Set<string>();
  for (const url of modules) {
    const text = await Deno.readTextFile(url);
    const changed = pointedAtWorkers(text, called);
    if (changed !== text) await Deno.writeTextFile(url, changed);
  }
  demandCalls(workers, called);
}

/** The command that the binary carries apart. */
const SERVE = "./commands/serve.ts";

/** Changes the address of `treeline serve` in the table of commands, which say how it is used. */
async function pointAtServed(table: URL): Promise<void> {
  const text = await Deno.readTextFile(table);
  const [before, after, ...more] = text.split(`import("${SERVE}")`);
  if (after === undefined || more.length > 0) throw new Error(`Cannot find ${SERVE} in the table`);
  await Deno.writeTextFile(table, `${before}import("../served.js")${after}`);
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

/**
 * The program of the binary. Where the commands are is hidden from Deno, which knew the 150 files by what they
 * import otherwise, at 2 ms a start.
 */
const MAIN = `if (Deno.args[0] === "serve") (await import("./served.js")).serve();
else await import(import.meta.resolve("./commands/commands.js"));`;

/** `cli.ts` with the models it carries. */
function commandsSource(names: readonly string[]): string {
  return `import { runCli } from "../../../src/cli/mod.ts";
import { systemIo } from "../../../src/runtime/system_io.ts";
Deno.exit(await runCli(Deno.args, systemIo(${embedded(names, "../")})));
`;
}

/** The same for one command, which the others take from here to tell of it. */
function servedSource(names: readonly string[]): string {
  return `import { serveCommand } from "../../../src/cli/commands/serve.ts";
import { runCommand } from "../../../src/cli/dispatch.ts";
import { listed, SERVE } from "../../../src/cli/listed.ts";
import { systemIo } from "../../../src/runtime/system_io.ts";
export { serveCommand };
export function serve() {
  const command = listed(SERVE.name, SERVE.about, () => Promise.resolve(serveCommand));
  runCommand([command], Deno.args, systemIo(${embedded(names, "./")})).then(Deno.exit);
}
`;
}

function embedded(names: readonly string[], folder: string): string {
  const models = names.map((name) =>
    `${JSON.stringify(name)}: new URL(${JSON.stringify(`${folder}${name}.tlm`)}, import.meta.url)`
  );
  return `{ ${models.join(", ")} }`;
}

const USE =
  "Use: deno task compile [--model m.tlm]… [--out dist/treeline] [--target TRIPLE] [--deno PATH]";

/** What the arguments ask for; ends the process where they ask for help, or are not understood. */
function optionsOf(args: readonly string[]): CompileOptions {
  const stop = (text: string, code: number): never => {
    console.error(text);
    Deno.exit(code);
  };
  if (args.includes("--help") || args.includes("-h")) stop(USE, 0);
  const flags = parseArgs([...args], {
    string: ["out", "target", "deno", "model"],
    boolean: [],
    collect: ["model"],
    negatable: [],
    alias: { o: "out" },
    unknown: (argument) => stop(`Cannot use ${argument}\n${USE}`, 2),
  });
  const empty = Object.entries(flags).find(([, value]) => [value].flat().includes(""));
  if (empty !== undefined) stop(`Cannot use --${empty[0]}: a value must follow it\n${USE}`, 2);
  const text = (name: string) => flags[name] as string | undefined;
  const deno = text("deno");
  const target = text("target");
  return {
    out: text("out") ?? "dist/treeline",
    models: (flags["model"] ?? []) as string[],
    ...(deno === undefined ? {} : { deno }),
    ...(target === undefined ? {} : { target }),
  };
}

if (import.meta.main) {
  const options = optionsOf(Deno.args);
  try {
    await compile(options);
    console.error(`built ${options.out}`);
  } catch (error) {
    console.error(`Cannot build ${options.out}: ${error instanceof Error ? error.message : error}`);
    Deno.exit(1);
  }
}
