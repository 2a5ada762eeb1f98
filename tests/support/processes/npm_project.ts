/**
 * A project that uses the package of npm, as `npm install` leaves it.
 *
 * @module
 */
// deno-lint-ignore no-external-import
import { gunzipSync } from "node:zlib";
import { pack } from "../../../tools/build/pack.ts";
import { readTar } from "../../../tools/build/tar.ts";
import { type TempFolder, tempFolder } from "../temp.ts";

let packed: ReturnType<typeof pack> | undefined;

/** The package, made once. */
export function packedOnce(): ReturnType<typeof pack> {
  return packed ??= pack();
}

/** Files of the package by their paths in it. */
export async function packageFiles(): Promise<Map<string, Uint8Array>> {
  const files = readTar(gunzipSync(await packedOnce()));
  return new Map([...files].map(([path, bytes]) => [path.replace("package/", ""), bytes]));
}

/** Runs a command; its output, or an error with what it said. */
export async function output(
  command: string,
  args: readonly string[],
  cwd: string,
): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(command, {
    args: [...args],
    cwd,
    env: { NO_COLOR: "1" },
  }).output();
  const text = new TextDecoder();
  if (!success) throw new Error(`${command} ${args.join(" ")}: ${text.decode(stderr)}`);
  return text.decode(stdout);
}

/** Makes the project; the package is in `node_modules`, and so is what it needs. */
export async function npmProject(): Promise<TempFolder> {
  const project = await tempFolder();
  const files = await packageFiles();
  const manifest = JSON.parse(new TextDecoder().decode(files.get("package.json")));
  const settings = { type: "module", dependencies: manifest.dependencies };
  await project.write("package.json", JSON.stringify(settings));
  await output(Deno.execPath(), ["install", "--quiet", "--node-modules-dir=auto"], project.path);
  const own = { ...settings.dependencies, [manifest.name]: manifest.version };
  await project.write("package.json", JSON.stringify({ ...settings, dependencies: own }));
  await Deno.remove(project.file("deno.lock"));
  const folder = project.file(`node_modules/${manifest.name}`);
  await Deno.mkdir(folder, { recursive: true });
  await project.write("package.tgz", await packedOnce());
  await output(
    "tar",
    ["xzf", project.file("package.tgz"), "-C", folder, "--strip-components=1"],
    ".",
  );
  return project;
}
