// deno-lint-ignore-file no-console
/**
 * Makes the package for npm, for Node and for Deno: the types that `deno pack` makes, and code in few files, as
 * pack_code.ts bundles it, since each module costs 0.1 ms at every start. The same clone gives the same bytes.
 *
 * Use: deno task pack [FILE.tgz], by default NAME-VERSION.tgz in dist/
 *
 * @module
 */
// deno-lint-ignore no-external-import
import { gunzipSync, gzipSync } from "node:zlib";
import settings from "../../deno.json" with { type: "json" };
import { bundle } from "./bundle.ts";
import { packCode } from "./pack_code.ts";
import { readTar, writeTar } from "./tar.ts";

const root = new URL("../../", import.meta.url);

/** What `deno pack` says of the package. */
interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly dependencies: { readonly [name: string]: string };
  readonly exports: { readonly [door: string]: { readonly types: string } };
}

/** The code that is bundled and not ours: its licence wants to be named. */
const NOTICE = `
The files in dist/ hold parts of the Deno standard library (csv, cli), under the same terms:
Copyright 2018-2026 the Deno authors.
`;

/** The scorer as one file, which shares nothing with the other doors: for pages, and for the smallest bundles. */
const ALONE = "./predict.min.js";

/** Makes the package. @returns The bytes of its archive. */
export async function pack(): Promise<Uint8Array<ArrayBuffer>> {
  const packed = await denoPack();
  const manifest: Manifest = JSON.parse(textOf(packed, "package.json"));
  const doors = new Map(
    Object.entries(settings.exports).map(([door, path]) => [fileOf(door), path]),
  );
  const files = new Map<string, string>();
  for (const [name, code] of await packCode(doors, root)) files.set(`dist/${name}`, code);
  files.set(`dist/${ALONE.slice(2)}`, new TextDecoder().decode(await bundle("src/predict.ts")));
  const opened = { ...manifest.exports, [ALONE]: manifest.exports["./predict"]! };
  const exports = Object.entries(opened).map(([door, { types }]) => {
    const code = `./dist/${fileOf(door)}.js`;
    const isProgram = textOf(packed, types.slice(2)).trim() === "";
    return [door, isProgram ? { default: code } : { types, default: code }] as const;
  });
  const typed = exports.flatMap(([, { types }]) => types === undefined ? [] : [types.slice(2)]);
  for (const [path, text] of typesOf(packed, typed)) files.set(path, text);
  for (const path of ["README.md", "CHANGELOG.md"]) files.set(path, textOf(packed, path));
  files.set("LICENSE", textOf(packed, "LICENSE") + NOTICE);
  const { "deno-std": _bundled, ...dependencies } = manifest.dependencies;
  const described = {
    name: manifest.name,
    version: manifest.version,
    description: "Decision-tree ensembles: train, score, explain and serve them",
    type: "module",
    license: manifest.license,
    engines: { node: ">=20" },
    main: exports[0]![1].default,
    types: exports[0]![1].types,
    exports: Object.fromEntries(exports),
    dependencies,
  };
  files.set("package.json", `${JSON.stringify(described, null, 2)}\n`);
  const archive = writeTar(
    new Map([...files].map(([path, text]) => [`package/${path}`, new TextEncoder().encode(text)])),
  );
  const bytes = new Uint8Array(gzipSync(archive, { level: 9 }));
  bytes[9] = 255; // of the system that packed it, nothing is told
  return bytes;
}

/** Name of a door's file, without its ending. */
function fileOf(door: string): string {
  return door === "." ? "mod" : door.slice(2).replace(/\.js$/, "");
}

/** What `deno pack` makes: each module as JavaScript, and types. */
async function denoPack(): Promise<Map<string, Uint8Array>> {
  const path = await Deno.makeTempFile({ suffix: ".tgz" });
  try {
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["pack", "--quiet", "--allow-dirty", "--no-source-maps", "-o", path],
      cwd: root,
    }).output();
    if (!success) throw new Error(`deno pack: ${new TextDecoder().decode(stderr)}`);
    return readTar(gunzipSync(await Deno.readFile(path)));
  } finally {
    await Deno.remove(path);
  }
}

function textOf(packed: ReadonlyMap<string, Uint8Array>, path: string): string {
  const bytes = packed.get(`package/${path}`);
  if (bytes === undefined) throw new Error(`deno pack made no ${path}`);
  return new TextDecoder().decode(bytes);
}

/** Types of the doors, and all that they name. */
function typesOf(
  packed: ReadonlyMap<string, Uint8Array>,
  doors: readonly string[],
): Map<string, string> {
  const found = new Map<string, string>();
  const visit = (path: string) => {
    if (found.has(path)) return;
    const text = textOf(packed, path);
    found.set(path, text);
    // Examples in comments name modules, which end with .ts.
    for (const [, name] of text.matchAll(/(?:\bfrom|\bimport\()\s*"(\.[^"]*)\.js"/g)) {
      visit(new URL(`${name}.d.ts`, `file:///${path}`).pathname.slice(1));
    }
  };
  doors.forEach(visit);
  return found;
}

if (import.meta.main) {
  const name = `${settings.name.replace("@", "").replace("/", "-")}-${settings.version}.tgz`;
  const path = Deno.args[0] ?? `dist/${name}`;
  const bytes = await pack();
  if (Deno.args.length === 0) await Deno.mkdir("dist", { recursive: true });
  await Deno.writeFile(path, bytes);
  console.log(`${path}: ${bytes.length} bytes`);
}
