/**
 * Bundles an entry as one file that holds what it imports and a file for each part that is imported later,
 * by `import()`: engines and Deno read all of a file before any of it runs, also what never will.
 *
 * `deno bundle --code-splitting` alone makes twenty files of what is needed at once, since each set of
 * modules that some parts share is a file. Here these are bundled once more, and the parts are told where
 * everything went. Deno reads with a file what that imports later, too, where the address is written out;
 * so it is not, and then needs the permission to read the folder of the parts.
 *
 * @module
 */
// deno-lint-ignore no-external-import
import { basename, join } from "node:path";
// deno-lint-ignore no-external-import
import { pathToFileURL } from "node:url";
import { type Node, parse } from "acorn";

/**
 * Files by name, of which `entry` is to be run; names are those by which files import each other, of
 * letters that mean nothing in addresses, patterns and strings.
 */
export interface Split {
  readonly entry: string;
  readonly files: ReadonlyMap<string, string>;
}

/** A file that is run, and those that it imports later, by name. */
export interface Bundle {
  readonly core: string;
  readonly parts: ReadonlyMap<string, string>;
}

/** What files of a split bundle say of each other. */
export interface Link {
  readonly start: number;
  readonly end: number;
  readonly keyword: "import" | "export";
  readonly from: string;
  readonly names: readonly { readonly there: string; readonly here: string }[];
}

/** Runs `deno bundle`. */
export async function denoBundle(
  args: readonly string[],
  cwd: string | URL,
  signal?: AbortSignal,
): Promise<void> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["bundle", "--quiet", "--minify", "--platform", "deno", ...args],
    cwd,
    ...(signal !== undefined && { signal }),
  }).output();
  signal?.throwIfAborted();
  if (!success) {
    throw new Error(`deno bundle ${args.at(-1)}: ${new TextDecoder().decode(stderr)}`);
  }
}

/** Bundles an entry as Deno splits it. */
export async function splitEntry(
  path: string,
  cwd: string | URL,
  signal?: AbortSignal,
): Promise<Split> {
  const folder = await Deno.makeTempDir();
  try {
    await denoBundle(["--code-splitting", "--outdir", folder, path], cwd, signal);
    const files = new Map<string, string>();
    for await (const { name } of Deno.readDir(folder)) {
      files.set(name, await Deno.readTextFile(`${folder}/${name}`));
    }
    // Deno names the entry's file as in its address, others as they are.
    const entry = [pathToFileURL(path).pathname, path]
      .map((name) => basename(name).replace(/\.[^.]*$/, "") + ".js")
      .find((name) => files.has(name));
    if (entry === undefined) throw new Error(`deno bundle made no file of ${path}`);
    return withPlainNames({ entry, files });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** The same files by other names, and their imports of each other. */
function withPlainNames({ entry, files }: Split): Split {
  const names = new Map<string, string>();
  for (const name of [...files.keys()].sort()) {
    const plain = name.replace(/[^\w.-]/g, "_");
    const isTaken = [...names.values()].includes(plain);
    names.set(name, isTaken ? `${names.size}-${plain}` : plain);
  }
  const renamed = [...files].map(([name, code]) => {
    let text = "";
    let at = 0;
    for (const { start, end, value } of importsIn(code)) {
      const plain = value.startsWith("./") ? names.get(value.slice(2)) : undefined;
      if (plain === undefined) continue;
      text += `${code.slice(at, start)}"./${plain}"`;
      at = end;
    }
    return [names.get(name)!, text + code.slice(at)] as const;
  });
  return { entry: names.get(entry)!, files: new Map(renamed) };
}

/** Strings that name what a module imports, now or later, in their order. */
export function importsIn(code: string): { start: number; end: number; value: string }[] {
  const found: { start: number; end: number; value: string }[] = [];
  const visit = (value: unknown) => {
    if (Array.isArray(value)) return value.forEach(visit);
    const node = value as Syntax | null;
    if (typeof node?.type !== "string") return;
    const { start, end, value: named } = (node.source ?? {}) as Partial<Syntax>;
    if (/^(Import|Export)/.test(node.type) && typeof named === "string") {
      found.push({ start: start!, end: end!, value: named });
    }
    Object.values(node).forEach(visit);
  };
  visit(program(code));
  return found.sort((a, b) => a.start - b.start);
}

/**
 * Joins what the entry needs to one file.
 *
 * @param file Name that this file will have, and
 * @param folder that of the folder beside it that the parts will be in: as in addresses.
 * @param early Parts that are to be in the file, too.
 */
async function joinSplit(
  { entry, files }: Split,
  file: string,
  folder: string,
  early: ReadonlySet<string>,
  signal?: AbortSignal,
): Promise<Bundle> {
  const links = new Map([...files].map(([name, code]) => [name, linksOf(code)]));
  const needed = new Set<string>();
  const need = (name: string) => {
    if (needed.has(name)) return;
    needed.add(name);
    for (const { from } of links.get(name)!) need(from.slice(2));
  };
  // What asks where it is has asked where the entry is, once all is in one file.
  const placed = [...files].filter(([, code]) => /\bimport\.meta\b/.test(code));
  [entry, ...early, ...placed.map(([name]) => name)].forEach(need);
  const later = [...files.keys()].filter((name) => !needed.has(name));

  // What parts import from the file, by where it was: each gets a name of its own.
  const exported = new Map<string, string>();
  const exportOf = (from: string, name: string) => {
    const key = `${name} ${from}`;
    if (!exported.has(key)) exported.set(key, `part${exported.size}`);
    return exported.get(key)!;
  };
  const parts = new Map(later.map((name) => {
    let code = "";
    let at = 0;
    for (const { start, end, keyword, from, names } of links.get(name)!) {
      if (!needed.has(from.slice(2))) continue;
      code += files.get(name)!.slice(at, start);
      at = end;
      const list = names.map(({ there, here }) => `${exportOf(from, there)} as ${here}`);
      if (list.length > 0) code += `${keyword}{${list}}from"../${file}";`;
    }
    return [name, code + files.get(name)!.slice(at)] as const;
  }));
  for (const [name, code] of parts) {
    const back = [...needed].find((other) => code.includes(`import("./${other}")`));
    if (back !== undefined) throw new Error(`${name} imports ${back} later, which is there before`);
  }

  const work = await Deno.makeTempDir();
  try {
    for (const name of needed) {
      const code = later.reduce(
        (code, part) =>
          code.replaceAll(
            `import("./${part}")`,
            () => `import(import.meta.resolve("./${folder}/${part}"))`,
          ),
        files.get(name)!,
      );
      await Deno.writeTextFile(`${work}/${name}`, code);
    }
    const lines = [`export * from "./${entry}";`];
    if (hasDefault(files.get(entry)!)) lines.push(`export { default } from "./${entry}";`);
    for (const [key, name] of exported) {
      const [there, from] = key.split(" ");
      lines.push(`export { ${there} as ${name} } from "${from}";`);
    }
    // No file that is split off has such a name.
    await Deno.writeTextFile(`${work}/@in.js`, lines.join("\n"));
    await denoBundle(["-o", `${work}/@out.js`, `${work}/@in.js`], work, signal);
    return { core: await Deno.readTextFile(`${work}/@out.js`), parts };
  } finally {
    await Deno.remove(work, { recursive: true });
  }
}

/**
 * As `joinSplit` with the parts that run early in the file, too. They are found by running it, from where it
 * is written to, until no further part runs.
 *
 * @param path Of the file, `….js`; its parts are written to `….parts`, which is emptied before.
 * @param run Runs what is written; gives the addresses of all scripts that ran.
 */
export async function joinEarly(
  split: Split,
  path: string,
  run: (bundle: Bundle, isFirst: boolean) => Promise<readonly string[]>,
  signal?: AbortSignal,
): Promise<Bundle> {
  const place = path.replace(/\.js$/, ".parts");
  const folder = basename(place);
  const early = new Set<string>();
  for (;;) {
    const bundle = await joinSplit(split, basename(path), folder, early, signal);
    await Deno.remove(place, { recursive: true }).catch(() => {});
    if (bundle.parts.size > 0) await Deno.mkdir(place);
    for (const [name, code] of bundle.parts) await Deno.writeTextFile(join(place, name), code);
    await Deno.writeTextFile(path, bundle.core);
    const ran = await run(bundle, early.size === 0);
    const found = [...bundle.parts.keys()].filter((part) =>
      ran.some((address) => address.endsWith(`/${folder}/${part}`))
    );
    if (found.length === 0) return bundle;
    for (const part of found) early.add(part);
  }
}

export type Syntax = Node & { readonly [key: string]: unknown };

/** Statements of a module. */
export function program(code: string): Syntax[] {
  const tree = parse(code, { ecmaVersion: "latest", sourceType: "module" }) as Node as Syntax;
  return tree.body as Syntax[];
}

/** Static imports, and exports from elsewhere, of files beside a file. */
export function linksOf(code: string): Link[] {
  return program(code).flatMap((node) => {
    const from = (node.source as { value?: string } | null | undefined)?.value;
    if (from?.startsWith("./") !== true) return [];
    if (node.type !== "ImportDeclaration" && node.type !== "ExportNamedDeclaration") {
      throw new Error(`Cannot read ${code.slice(node.start, node.end)}`);
    }
    const isImport = node.type === "ImportDeclaration";
    const names = (node.specifiers as Syntax[]).map((specifier) => {
      const nameOf = (key: string) => (specifier[key] as { name?: string } | undefined)?.name;
      const there = nameOf(isImport ? "imported" : "local");
      const here = nameOf(isImport ? "local" : "exported");
      if (there === undefined || here === undefined) {
        throw new Error(`Cannot read ${code.slice(node.start, node.end)}`);
      }
      return { there, here };
    });
    const keyword = isImport ? "import" as const : "export" as const;
    return [{ start: node.start, end: node.end, keyword, from, names }];
  });
}

function hasDefault(code: string): boolean {
  return program(code).some((node) =>
    node.type === "ExportDefaultDeclaration" ||
    (node.type === "ExportNamedDeclaration" && (node.specifiers as Syntax[]).some((each) =>
      (each.exported as { name?: string }).name === "default"
    ))
  );
}
