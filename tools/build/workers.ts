/**
 * Modules that are started as workers: nothing imports them, so whoever bundles what starts them bundles them, too.
 *
 * @module
 */
import { relative } from "../paths.ts";

/**
 * Their paths, found by their `new Worker(new URL(…))`; those of `server.ts`, which is bundled nowhere, are left
 * out.
 */
export async function workerPaths(root: URL): Promise<string[]> {
  const paths = new Map<string, string>();
  for (const path of await relative(root, "src", [".ts"])) {
    if (path.startsWith("src/server/process/")) continue;
    const module = await Deno.readTextFile(new URL(path, root));
    for (const [, target] of module.matchAll(/new Worker\(\s*new URL\("([^"]+)"/g)) {
      const found = new URL(target!, new URL(path, root)).href.slice(root.href.length);
      const name = found.slice(found.lastIndexOf("/") + 1);
      if ((paths.get(name) ?? found) !== found) {
        throw new Error(`Cannot bundle the worker ${target} of ${path}: there are two of its name`);
      }
      paths.set(name, found);
    }
  }
  return [...paths.values()];
}

/** Minified code with the addresses of workers changed to those of their bundles, which lie beside it. */
export function pointedAtWorkers(code: string, called: Set<string>): string {
  // Small code has no space behind the comma.
  const call = /(new URL\("\.\/(\w+))\.ts("\s*,\s*import\.meta\.url\))/g;
  return code.replace(call, (_, before: string, name: string, after: string) => {
    called.add(`${name}.ts`);
    return `${before}.js${after}`;
  });
}

/** Fails unless each of the workers that were bundled is called, and no other. */
export function demandCalls(paths: readonly string[], called: ReadonlySet<string>): void {
  const names = new Set(paths.map((path) => path.slice(path.lastIndexOf("/") + 1)));
  const odd = [...names.symmetricDifference(called)];
  if (odd.length > 0) throw new Error(`Cannot bundle the workers ${odd}: expected a call of each`);
}
