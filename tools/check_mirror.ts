// deno-lint-ignore-file no-console
/**
 * Reports source files without a unit test of the same path, and unit tests without a source file.
 *
 * Files that hold only types, doors that only re-export, and typed doors to packages need no test.
 *
 * @module
 */
import { relative } from "./paths.ts";

const root = new URL("../", import.meta.url);

/** Folders whose files are run through the command line or by another file's test. */
const TESTED_THROUGH: { readonly [prefix: string]: string } = {
  "src/cli/commands": "tests/unit/cli/main_test.ts and tests/e2e",
  "src/cli/global_flags.ts": "tests/unit/cli/main_test.ts",
  "src/cli/help.ts": "tests/unit/cli/main_test.ts",
  "src/cli/version.ts": "tests/unit/cli/main_test.ts",
  "src/runtime/system_io.ts": "tests/e2e",
  "src/kernels/assembly/": "tests/unit/kernels",
};

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

if (import.meta.main) {
  const sources = await relative(root, "src", [".ts", ".tsx"]);
  const tests = new Set(await relative(root, "tests/unit", ["_test.ts"]));
  const gaps: string[] = [];
  for (const path of sources) {
    if (path.endsWith(".d.ts") || path.endsWith("/types.ts") || path.startsWith("src/deps/")) {
      continue;
    }
    if (Object.keys(TESTED_THROUGH).some((prefix) => path.startsWith(prefix))) continue;
    if (!hasCode(await Deno.readTextFile(new URL(path, root)))) continue;
    if (!tests.has(testOf(path))) gaps.push(`${path}: ${testOf(path)} is missing`);
  }
  const known = new Set(sources.map(testOf));
  for (const test of tests) {
    if (!known.has(test)) gaps.push(`${test}: there is no source file of that path`);
  }
  for (const gap of gaps) console.error(gap);
  console.error(`${sources.length} source files, ${tests.size} unit tests, ${gaps.length} gaps`);
  if (gaps.length > 0) Deno.exit(1);
}
