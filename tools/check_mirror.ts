// deno-lint-ignore-file no-console
/**
 * Checks that tests mirror the source: every unit test stands at the path of a source file, every
 * folder has unit tests, and every source file has a test of its path or is imported by some test.
 * Files that only a test of their folder's main file reaches are listed, and do not fail.
 *
 * @module
 */
import { relative } from "./paths.ts";

const root = new URL("../", import.meta.url);

/** Whether a file has something to run: not only types and re-exports. */
export function hasCode(source: string): boolean {
  const text = source.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/^\s*\/\/.*$/gm, "");
  return /^(export\s+)?(default\s+)?(async\s+)?(function|const|let|class|enum)\b/m.test(text) ||
    /^[a-z.]+\(|^if \(/m.test(text);
}

/** The test that belongs to a source file. */
export function testOf(path: string): string {
  return path.replace(/^src\//, "tests/unit/").replace(/\.tsx?$/, "_test.ts");
}

/** Paths below `src/` that a test imports. */
export function importedBy(source: string): string[] {
  return [...source.matchAll(/from "(?:\.\.\/)+(src\/[^"]+)"/g)].map((match) => match[1]!);
}

if (import.meta.main) {
  const sources = await relative(root, "src", [".ts", ".tsx"]);
  const unit = await relative(root, "tests/unit", ["_test.ts"]);
  const read = (path: string) => Deno.readTextFile(new URL(path, root));
  const imported = new Set<string>();
  for (const test of await relative(root, "tests", [".ts"])) {
    for (const path of importedBy(await read(test))) imported.add(path);
  }
  const problems: string[] = [];
  const known = new Set(sources.map(testOf));
  for (const test of unit) {
    const tool = test.startsWith("tests/unit/tools/");
    if (!known.has(test) && !tool) problems.push(`${test}: there is no source file of that path`);
  }
  const reached: string[] = [];
  const folderOf = (path: string) => path.slice(0, path.lastIndexOf("/"));
  const tested = new Set(unit.map(folderOf));
  for (const path of sources) {
    if (path.endsWith(".d.ts") || path.startsWith("src/deps/")) continue;
    if (path.startsWith("src/kernels/assembly/") || !hasCode(await read(path))) continue;
    if (unit.includes(testOf(path)) || imported.has(path)) continue;
    if (!tested.has(folderOf(testOf(path)))) problems.push(`${path}: its folder has no unit test`);
    else reached.push(path);
  }
  if (reached.length > 0) {
    console.error(`tested through their folder only (${reached.length}): ${reached.join(" ")}`);
  }
  for (const problem of problems) console.error(problem);
  console.error(
    `${sources.length} source files, ${unit.length} unit tests, ${problems.length} gaps`,
  );
  if (problems.length > 0) Deno.exit(1);
}
