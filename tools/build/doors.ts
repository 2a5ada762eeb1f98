/**
 * Bundles the doors of the library, and the modules that are started as workers, as few files that share their
 * code: what two doors need is there once, so that a model of one is a model of the other.
 *
 * `deno bundle --code-splitting` makes a file of each set of modules that the same doors and parts need: a door
 * then reads sixty. Here those that the same doors need are one file, and what a server reads until its first
 * answer is three.
 *
 * @module
 */
// deno-lint-ignore no-external-import
import { basename } from "node:path";
import { denoBundle, importsIn, linksOf, program, type Syntax } from "./parts.ts";

/** Files by name; they lie in one folder. */
export type Files = ReadonlyMap<string, string>;

/** Bundles each entry to a file of its name, those that are imported later, and what several of them share. */
export async function splitDoors(
  entries: readonly string[],
  external: readonly string[],
  cwd: URL,
): Promise<Files> {
  const folder = await Deno.makeTempDir();
  try {
    const apart = external.flatMap((name) => ["--external", name]);
    await denoBundle(["--code-splitting", ...apart, "--outdir", folder, ...entries], cwd);
    const names = await Array.fromAsync(Deno.readDir(folder), ({ name }) => name);
    const files = new Map<string, string>();
    for (const name of names.sort()) files.set(name, await Deno.readTextFile(`${folder}/${name}`));
    for (const entry of entries) {
      const name = basename(entry).replace(/\.ts$/, ".js");
      if (!files.has(name)) throw new Error(`deno bundle made no file of ${entry}`);
    }
    return await withOwnNames(files);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Names that `deno bundle` gives: `chunk-2BCSNGUT.js`. */
const NAMED = /^(.+)-[A-Z\d]{8}\.js$/;

/**
 * The same files named by what they hold: the names that they have tell where the packages in them lie on this
 * machine, too, and what is made of the files would depend on it.
 */
async function withOwnNames(files: Files): Promise<Map<string, string>> {
  let names = new Map([...files.keys()].map((name) => [name, NAMED.exec(name)?.[1] ?? name]));
  const renamed = (code: string) =>
    code.replace(
      /"\.\/([^"]+)"/g,
      (text, name) => names.has(name) ? `"./${names.get(name)}"` : text,
    );
  // Names of what a file imports tell it from others that are the same but for these.
  for (let round = 0; round < 4; round++) {
    names = new Map(
      await Promise.all([...files].map(async ([name, code]): Promise<[string, string]> => {
        const [, start] = NAMED.exec(name) ?? [];
        if (start === undefined) return [name, name];
        const text = new TextEncoder().encode(renamed(code));
        const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", text));
        return [name, `${start}-${digest.subarray(0, 4).toHex()}.js`];
      })),
    );
  }
  const own = new Map([...files].map(([name, code]) => [names.get(name)!, renamed(code)]));
  if (own.size < files.size) throw new Error("deno bundle made two files of one content");
  return new Map([...own].sort(([a], [b]) => a < b ? -1 : 1));
}

/**
 * Files that a file reads before it runs, itself among them.
 *
 * @param later Whether those count, too, that it imports later. @default false
 */
export function closureOf(files: Files, name: string, later = false): Set<string> {
  const found = new Set<string>();
  const visit = (name: string) => {
    if (found.has(name)) return;
    found.add(name);
    const code = files.get(name)!;
    const read = later ? importsIn(code).map(({ value }) => value) : fromOf(code);
    for (const other of read) if (files.has(other.slice(2))) visit(other.slice(2));
  };
  visit(name);
  return found;
}

/** What a file reads before it runs. */
function fromOf(code: string): string[] {
  return linksOf(code).map(({ from }) => from);
}

/**
 * Joins files.
 *
 * @param groupOf Name of the file that a file becomes a part of; undefined where it stays. A file must be in no
 * group that is read before one which it needs. Those that are imported later remain and pass on what they
 * were.
 */
export async function joinDoors(
  files: Files,
  groupOf: (name: string) => string | undefined,
): Promise<Map<string, string>> {
  const groups = new Map<string, string[]>();
  for (const name of files.keys()) {
    const group = groupOf(name);
    if (group !== undefined) groups.set(group, [...groups.get(group) ?? [], name]);
  }
  const placeOf = (name: string) => groupOf(name) ?? name;

  // What others take from a file of a group, by where it was: each gets a name of its own there.
  const taken = new Map<string, Map<string, string>>([...groups.keys()].map((g) => [g, new Map()]));
  const takenFrom = (file: string, name: string) => {
    const names = taken.get(groupOf(file)!)!;
    const key = `${name} ${file}`;
    if (!names.has(key)) names.set(key, `_${names.size.toString(36)}`);
    return names.get(key)!;
  };
  const out = new Map<string, string>();
  const inner = new Map<string, string>();
  for (const [name, code] of files) {
    const text = withMovedLinks(
      code,
      (from) => placeOf(from) !== placeOf(name),
      placeOf,
      takenFrom,
    );
    (groupOf(name) === undefined ? out : inner).set(name, text);
  }
  // Within its group esbuild finds a file that is imported later.
  const known = new Set<string>();
  for (const [name, code] of files) {
    const later = importsIn(code).map(({ value }) => value.slice(2)).filter((to) => files.has(to));
    const links = new Set(fromOf(code).map((from) => from.slice(2)));
    for (const to of later) if (!links.has(to) && placeOf(to) !== placeOf(name)) known.add(to);
  }
  for (const name of known) {
    const group = groupOf(name);
    if (group === undefined) continue;
    const list = exportsOf(files.get(name)!).map(({ there }) =>
      `${takenFrom(name, there)} as ${there}`
    );
    out.set(name, `export{${list.join(",")}}from"./${group}";`);
  }
  for (const [group, names] of groups) {
    out.set(group, await joined(names.map((name) => [name, inner.get(name)!]), taken.get(group)!));
  }
  return out;
}

/** A file with what it takes from others that have moved taken from where they are. */
function withMovedLinks(
  code: string,
  isElsewhere: (from: string) => boolean,
  placeOf: (from: string) => string,
  takenFrom: (from: string, name: string) => string,
): string {
  let text = "";
  let at = 0;
  /** Lists of names, by what is done with those of a place. */
  const moved = new Map<string, string[]>();
  for (const { start, end, keyword, from, names } of linksOf(code)) {
    const file = from.slice(2);
    if (!isElsewhere(file) || placeOf(file) === file) continue;
    text += code.slice(at, start);
    at = end;
    const key = `"./${placeOf(file)}";${names.length > 0 ? keyword : "import"}`;
    const list = names.map(({ there, here }) => `${takenFrom(file, there)} as ${here}`);
    moved.set(key, [...moved.get(key) ?? [], ...list]);
  }
  const links = [...moved].map(([key, list]) => {
    const [from, keyword] = key.split(";");
    return list.length > 0 ? `${keyword}{${list}}from${from};` : `${keyword}${from};`;
  });
  return links.join("") + text + code.slice(at);
}

/** One file of several, which exports what others take. */
async function joined(
  files: readonly (readonly [name: string, code: string])[],
  taken: ReadonlyMap<string, string>,
): Promise<string> {
  const work = await Deno.makeTempDir();
  try {
    const own = new Set(files.map(([name]) => `./${name}`));
    const others = new Set<string>();
    for (const [name, code] of files) {
      await Deno.writeTextFile(`${work}/${name}`, code);
      for (const { value } of importsIn(code)) if (!own.has(value)) others.add(value);
    }
    const lines = files.map(([name]) => `import "./${name}";`);
    for (const [key, name] of taken) {
      const [there, from] = key.split(" ");
      lines.push(`export { ${there} as ${name} } from "./${from}";`);
    }
    // No file that is split off has such a name.
    await Deno.writeTextFile(`${work}/@in.js`, lines.join("\n"));
    const apart = [...others].sort().flatMap((name) => ["--external", name]);
    await denoBundle([...apart, "-o", `${work}/@out.js`, `${work}/@in.js`], work);
    return await Deno.readTextFile(`${work}/@out.js`);
  } finally {
    await Deno.remove(work, { recursive: true });
  }
}

/** Names that a file exports, and what they are called in it. */
function exportsOf(code: string): { readonly there: string; readonly here: string }[] {
  return program(code).flatMap((node) => {
    if (node.type === "ExportNamedDeclaration" && node.declaration === null) {
      const nameOf = (name: unknown) => (name as { readonly name?: string }).name!;
      return (node.specifiers as Syntax[])
        .map(({ exported, local }) => ({ there: nameOf(exported), here: nameOf(local) }));
    }
    if (/^Export/.test(node.type)) {
      throw new Error(`Cannot read ${code.slice(node.start, node.end)}`);
    }
    return [];
  });
}

/**
 * Gives classes the names back under which entries export them: errors tell theirs, and minified code has other
 * names.
 */
export function nameClasses(files: Files, entries: readonly string[]): Map<string, string> {
  /** Names of classes by file and by the name that each has there. */
  const names = new Map<string, Map<string, string>>();
  /** Where an export comes from: the file, and its name in it. */
  const find = (file: string, exported: string): [file: string, local: string] => {
    const code = files.get(file)!;
    for (const { keyword, from, names } of linksOf(code)) {
      const name = keyword === "export" && names.find(({ here }) => here === exported);
      if (name) return find(from.slice(2), name.there);
    }
    const local = exportsOf(code).find(({ there }) => there === exported)!.here;
    for (const { keyword, from, names } of linksOf(code)) {
      const name = keyword === "import" && names.find(({ here }) => here === local);
      if (name) return find(from.slice(2), name.there);
    }
    return [file, local];
  };
  for (const entry of entries) {
    for (const { there } of exportsOf(files.get(entry)!)) {
      const [file, local] = find(entry, there);
      names.set(file, (names.get(file) ?? new Map()).set(local, there));
    }
  }
  return new Map([...files].map(([file, code]) => [file, withNames(code, names.get(file))]));
}

function withNames(code: string, names: ReadonlyMap<string, string> = new Map()): string {
  let text = "";
  let at = 0;
  const visit = (id: unknown, node: Syntax) => {
    const name = names.get((id as { readonly name: string } | null)?.name ?? "");
    if (name === undefined || !/^Class/.test(node.type)) return;
    const start = (node.body as Syntax).start + 1;
    text += `${code.slice(at, start)}static name=${JSON.stringify(name)};`;
    at = start;
  };
  for (const node of program(code)) {
    visit(node.id, node);
    for (const { id, init } of (node.declarations ?? []) as readonly Syntax[]) {
      if (init !== null) visit(id, init as Syntax);
    }
  }
  return text + code.slice(at);
}
