/**
 * A bundle as a package in a folder of its own. Deno searches what it runs for imports the first time it sees a
 * file, at 9 MB a second; a file of `node_modules` beside a `package.json` it runs as it is.
 *
 * @module
 */
import { type Node, parse } from "acorn";

/** The file in the folder that is run. */
export const MAIN = "main.js";

/** Where in the folder the code is, under the same name. */
export const PACKAGE = "node_modules/treeline-app";

/** Whether a path is meant as a folder. */
export function isFolder(path: string): boolean {
  return /[/\\]$/.test(path);
}

/**
 * Splits a bundle into the file that is run and that of the package. `import.meta` is that of the former, so
 * that what the entry reads from beside itself lies in the folder.
 *
 * @param parts How addresses of parts begin, which lie beside the code.
 */
export function packageOf(core: string, parts: string): { main: string; core: string } {
  let meta = "meta";
  while (core.includes(meta)) meta += "_";
  const program = parse(core, { ecmaVersion: "latest", sourceType: "module" });
  let text = "";
  let at = 0;
  for (const { start, end } of metasIn(program)) {
    if (core.startsWith(`.resolve("${parts}`, end)) continue;
    text += `${core.slice(at, start)}${meta}()`;
    at = end;
  }
  if (at > 0) text = `import{${meta}}from"../../${MAIN}";${text}`;
  const code = `"./${PACKAGE}/${MAIN}"`;
  const exportsDefault = program.body.some((node) =>
    node.type === "ExportDefaultDeclaration" ||
    (node.type === "ExportNamedDeclaration" &&
      node.specifiers.some(({ exported }) => "name" in exported && exported.name === "default"))
  );
  const lines = [`export*from${code};`];
  if (exportsDefault) lines.push(`export{default}from${code};`);
  // A declaration, since the code runs before this file does.
  if (at > 0) lines.push(`export function ${meta}(){return import.meta}`);
  return { main: `${lines.join("\n")}\n`, core: text + core.slice(at) };
}

/** Places of `import.meta`, in their order. */
function metasIn(node: unknown): Node[] {
  if (typeof node !== "object" || node === null) return [];
  if ((node as Node).type === "MetaProperty") {
    const { meta } = node as { meta?: { name?: string } };
    return meta?.name === "import" ? [node as Node] : []; // the other is `new.target`
  }
  return Object.values(node).flatMap(metasIn).sort((a, b) => a.start - b.start);
}
