/**
 * Lint rule `treeline/layers`: a file imports its own folder and folders of strictly lower rank.
 *
 * The ranks and the walls are those of docs/architecture.md; when the drawing changes, change both.
 *
 * @module
 */

/** Rank of each place under `src/`; a lower rank knows less. */
const RANKS: { readonly [folder: string]: number } = {
  "errors.ts": 0,
  deps: 0,
  util: 0,
  "small_door.ts": 0.4,
  "door.ts": 0.5,
  params: 1,
  runtime: 1,
  data: 1,
  kernels: 1,
  binning: 2,
  model: 2,
  loss: 3,
  metric: 3,
  grow: 3,
  format: 3,
  ensemble: 4,
  explain: 4,
  convert: 4,
  files: 4,
  algorithms: 5,
  parallel: 3.5,
  plot: 5,
  evaluate: 6,
  tune: 7,
  server: 9,
  cli: 10,
};

/** Wall 1: what serves a model never imports what trains one. */
const SERVING = new Set(["model", "format", "files", "explain", "convert", "plot"]);
const TRAINING = new Set(["grow", "loss", "ensemble"]);

/** Wall 3: only these may name `Deno`. */
const FENCED = new Set(["runtime", "parallel"]);

/** The folder (or top-level file) under `src/` that a path belongs to, or undefined. */
function placeOf(path: string): string | undefined {
  const match = /(?:^|\/)src\/([^/]+)/.exec(path.replaceAll("\\", "/"));
  return match?.[1];
}

/** Resolves a relative specifier against the importing file. */
function resolve(from: string, specifier: string): string {
  const parts = from.replaceAll("\\", "/").split("/").slice(0, -1);
  for (const part of specifier.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== ".") parts.push(part);
  }
  return parts.join("/");
}

/** Says what is wrong with an import, or nothing. */
function importProblem(from: string, specifier: string): string | undefined {
  if (!specifier.startsWith(".")) return undefined;
  const here = placeOf(from);
  const there = placeOf(resolve(from, specifier));
  if (here === undefined || there === undefined || here === there) return undefined;
  if (here === "predict.ts" || from.endsWith("/mod.ts")) return undefined; // doors only re-export
  const low = RANKS[there];
  const high = RANKS[here];
  if (low === undefined || high === undefined) {
    return `"${
      low === undefined ? there : here
    }" has no rank: add it to tools/check/lint_plugin.ts`;
  }
  if (low >= high) return `"${here}" (rank ${high}) cannot import "${there}" (rank ${low})`;
  if (SERVING.has(here) && TRAINING.has(there)) {
    return `"${here}" serves and cannot import "${there}"`;
  }
  return undefined;
}

export default {
  name: "treeline",
  rules: {
    layers: {
      create(context) {
        const report = (node: Deno.lint.Node, specifier: unknown) => {
          const message = importProblem(context.filename, String(specifier));
          if (message !== undefined) context.report({ node, message });
        };
        return {
          ImportDeclaration: (node) => report(node, node.source.value),
          ExportNamedDeclaration: (node) => node.source && report(node, node.source.value),
          ExportAllDeclaration: (node) => report(node, node.source.value),
          "MemberExpression[object.name='Deno']"(node: Deno.lint.MemberExpression) {
            const here = placeOf(context.filename);
            if (here !== undefined && RANKS[here] !== undefined && !FENCED.has(here)) {
              context.report({
                node,
                message: `"${here}" cannot name Deno: go through src/runtime`,
              });
            }
          },
        };
      },
    },
  },
} satisfies Deno.lint.Plugin;
