// deno-lint-ignore-file no-console
/**
 * Checks that no file needs itself by way of others: static imports and re-exports, those of types
 * too, go one way. What is loaded when it is wanted (`import()`, workers) does not count.
 *
 * @module
 */
import { relative } from "../paths.ts";

const root = new URL("../../", import.meta.url);

/** Relative modules that a source text imports or re-exports by a statement. */
export function staticImports(source: string): string[] {
  const code = source.replaceAll(/\/\*[\s\S]*?\*\//g, "");
  const found = code.matchAll(
    /^(?:import|export)\s(?:[^;"'`=]*?\sfrom\s)?\s*"(\.{1,2}\/[^"]+)"/gm,
  );
  return [...found].map((match) => match[1]!);
}

/** A file that leads back to itself, with the files between; undefined where there is none. */
export function circleIn(needs: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const done = new Set<string>();
  const path: string[] = [];
  const from = (file: string): string[] | undefined => {
    const at = path.indexOf(file);
    if (at >= 0) return [...path.slice(at), file];
    if (done.has(file)) return undefined;
    path.push(file);
    for (const other of needs.get(file) ?? []) {
      const circle = from(other);
      if (circle !== undefined) return circle;
    }
    path.pop();
    done.add(file);
    return undefined;
  };
  for (const file of needs.keys()) {
    const circle = from(file);
    if (circle !== undefined) return circle;
  }
  return undefined;
}

if (import.meta.main) {
  const files = ["mod.ts", "cli.ts", "server.ts"];
  for (const folder of ["src", "tools", "bench", "examples", "tests"]) {
    files.push(...await relative(root, folder, [".ts"]));
  }
  const needs = new Map<string, string[]>();
  for (const file of files) {
    const source = await Deno.readTextFile(new URL(file, root));
    const targets = staticImports(source);
    needs.set(file, targets.map((one) => new URL(one, `file:///${file}`).pathname.slice(1)));
  }
  const circle = circleIn(needs);
  if (circle !== undefined) {
    console.error(`files need themselves: ${circle.join(" -> ")}`);
    Deno.exit(1);
  }
  console.log(`${files.length} files, none needs itself by way of others`);
}
