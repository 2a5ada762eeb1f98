// deno-lint-ignore-file no-console
/**
 * Checks that tests mirror the source: a unit test stands at the path of a source file (or of a
 * folder, or in one, for what several files do together), and every source file with code is loaded by some
 * test. Files without a test of their own are counted, and do not fail.
 *
 * @module
 */
import { relative } from "../paths.ts";

const root = new URL("../../", import.meta.url);

/** Whether a file has something to run: not only types and re-exports. */
function hasCode(source: string): boolean {
  const text = source.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/^\s*\/\/.*$/gm, "");
  return /^(export\s+)?(default\s+)?(async\s+)?(function|const|let|class|enum)\b/m.test(text) ||
    /^[a-z.]+\(|^if \(/m.test(text);
}

/** The test that belongs to a source file. */
export function testOf(path: string): string {
  return path.replace(/^src\//, "tests/unit/").replace(/\.ts$/, "_test.ts");
}

/** Relative modules that a source text imports or re-exports, or starts as a worker. */
function importsOf(source: string): string[] {
  const found = source.matchAll(/(?:from|import|import\(|new URL\()\s*"(\.{1,2}\/[^"]+\.ts)"/g);
  return [...found].map((match) => match[1]!);
}

/** Every file that the given ones lead to. */
export async function reachable(
  from: readonly string[],
  read: (path: string) => Promise<string>,
): Promise<Set<string>> {
  const seen = new Set(from);
  for (const path of seen) {
    for (const target of importsOf(await read(path).catch(() => ""))) {
      seen.add(new URL(target, `file:///${path}`).pathname.slice(1));
    }
  }
  return seen;
}

if (import.meta.main) {
  const read = (path: string) => Deno.readTextFile(new URL(path, root));
  const sources = await relative(root, "src", [".ts"]);
  const unit = await relative(root, "tests/unit", ["_test.ts"]);
  const loaded = await reachable(await relative(root, "tests", ["_test.ts"]), read);
  const known = new Set(sources.map(testOf));
  const folders = new Set(sources.map((path) => path.slice(0, path.lastIndexOf("/"))));
  const problems = unit.filter((test) =>
    !known.has(test) && !test.startsWith("tests/unit/tools/") &&
    !folders.has(test.replace("tests/unit/", "src/").replace("_test.ts", "")) &&
    !folders.has(test.replace("tests/unit/", "src/").replace(/\/[^/]+$/, ""))
  ).map((test) => `${test}: there is no source file or folder of that path`);
  let own = 0;
  for (const path of sources) {
    if (path.endsWith(".d.ts") || path.startsWith("src/kernels/assembly/")) continue;
    if (unit.includes(testOf(path))) own++;
    if (!hasCode(await read(path))) continue;
    if (!loaded.has(path)) problems.push(`${path}: no test loads it; ${testOf(path)} is missing`);
  }
  for (const problem of problems) console.error(problem);
  console.error(
    `${sources.length} source files, ${own} with a test of their own, ${problems.length} gaps`,
  );
  if (problems.length > 0) Deno.exit(1);
}
