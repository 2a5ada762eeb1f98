/**
 * Marks the functions of a bundle that run at a cold start. Engines compile a function when it is
 * first called; V8 compiles one in parentheses at once, with its module, and Deno keeps what was
 * compiled then for the next start. With all functions marked, the kept code would take longer to read
 * than it saves; those that run are found by running them.
 *
 * @module
 */
import { type Node, parse } from "acorn";
import { encodeModel } from "../../src/format/binary.ts";
import { createModel } from "../../src/model/model.ts";
import { randomParts } from "../../tests/support/models/random.ts";

/** Layouts H and Z, each in a file large enough for every way of loading, numbers and classes. */
const SAMPLES = [
  { seed: 1, trees: 4000, depth: 2 },
  { seed: 2, trees: 60, depth: 9, numeric: 8, outputs: 2 },
] as const;

/** Starts of the functions that were called, by their ends. */
export type Called = ReadonlyMap<number, readonly number[]>;

/** A node of the syntax tree, with whatever members its type has. */
type Syntax = Node & { readonly [key: string]: unknown };

/**
 * Rewrites a minified module: declarations become variables, methods become properties, at the start
 * of the function that they stand in, and functions get parentheses.
 *
 * @param callsOf Runs the module and says what was called. @default loads models with `./predict`
 * @param hoistsAll Whether those of the module move to its start, too, as they must where something
 * calls them before they are declared; it packs 2 % worse. @default false
 */
export async function compileAhead(
  code: string,
  callsOf = predictCalls,
  hoistsAll = false,
): Promise<string> {
  const called = await callsOf(code);
  const wasCalled = (node: Syntax, body: unknown) =>
    called.get(node.end)?.some((at) => at >= node.start && at < (body as Syntax).start) === true;

  /** Text of a node; `owner` is what stands around it. */
  function textOf(node: Syntax, owner: Syntax | undefined): string {
    if (node.type === "FunctionDeclaration" && isAhead(node, owner)) {
      const { name, start, end } = node.id as Syntax & { name: string };
      return `var ${name}=(${code.slice(node.start, start).trim()}${inner(node, end)});`;
    }
    if (node.type === "Property" && node.method === true) {
      const value = node.value as Syntax;
      const plain = !value.async && !value.generator && !node.computed;
      const text = inner(value, value.start);
      if (!plain || !wasCalled(node, value.body)) return code.slice(node.start, value.start) + text;
      return `${code.slice(node.start, value.start)}:(function${text})`;
    }
    if (node.type === "Property" || node.type === "MethodDefinition") {
      const value = node.value as Syntax;
      const isAccessor = node.type === "MethodDefinition" || node.kind !== "init";
      if (isAccessor) return code.slice(node.start, value.start) + inner(value, value.start);
    }
    const isExpression = node.type === "FunctionExpression" ||
      node.type === "ArrowFunctionExpression";
    const text = inner(node, node.start);
    return isExpression && wasCalled(node, node.body) ? `(${text})` : text;
  }

  /** Whether a declaration is made a variable: it may be hoisted where it stands in a function. */
  function isAhead(node: Syntax, owner: Syntax | undefined): boolean {
    return wasCalled(node, node.body) &&
      (owner?.type === "Program" || owner?.isFunctionBody === true);
  }

  /** The text of a node from `from` on, with the texts of the nodes in it. */
  function inner(node: Syntax, from: number): string {
    let text = "";
    let at = from;
    let first = "";
    const owner = ownerOf(node);
    for (const child of childrenOf(node)) {
      if (child.start < at) continue; // of `{ i }`, key and value are one
      const hoists = (owner?.isFunctionBody === true || (hoistsAll && owner !== undefined)) &&
        child.type === "FunctionDeclaration" && isAhead(child, owner);
      text += code.slice(at, child.start);
      if (hoists) first += textOf(child, owner);
      else text += textOf(child, owner);
      at = child.end;
    }
    text += code.slice(at, node.end);
    if (node.type === "Program") return first + text;
    return first === "" ? text : `{${first}${text.slice(1)}`;
  }

  const bodies = new Set<Syntax>();
  function ownerOf(node: Syntax): Syntax | undefined {
    if (/Function/.test(node.type)) bodies.add(node.body as Syntax);
    if (node.type === "Program") return node;
    return bodies.has(node) ? { ...node, isFunctionBody: true } as Syntax : undefined;
  }

  const program = parse(code, { ecmaVersion: "latest", sourceType: "module" }) as Node as Syntax;
  const ahead = inner(program, 0);
  await callsOf(ahead); // what declares its functions later than it needs them fails here
  return ahead;
}

/** Nodes in a node, in their order. */
function childrenOf(node: Syntax): Syntax[] {
  const children = Object.entries(node).flatMap(([key, value]) => key === "parent" ? [] : value)
    .filter((value) => typeof (value as Syntax | null)?.type === "string") as Syntax[];
  return [...new Set(children)].sort((a, b) => a.start - b.start);
}

/** Which functions of `./predict` run when a process loads the samples and scores a row. */
async function predictCalls(code: string): Promise<Called> {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/predict.js`, code);
    for (const [i, sample] of SAMPLES.entries()) {
      await Deno.writeFile(`${folder}/${i}.tlm`, encodeModel(createModel(randomParts(sample))));
    }
    const main = `import { loadModel } from "./predict.js";
       for (const i of [${SAMPLES.map((_, i) => i)}]) {
         const model = await loadModel(import.meta.dirname + "/" + i + ".tlm");
         const row = new Float64Array(model.schema.features.length);
         model.positional(model.schemaHash).rawInto(row, new Float64Array(model.numOutputs));
       }`;
    return await callsIn(folder, main, "/predict.js");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/**
 * Which functions of a module run when a process runs a program.
 *
 * @param folder Where the program is written to.
 * @param main Text of the program.
 * @param script How the address of the module ends.
 */
export async function callsIn(
  folder: string,
  main: string,
  script: string,
  args?: readonly string[],
  signal?: AbortSignal,
): Promise<Called> {
  await Deno.writeTextFile(`${folder}/main.js`, main);
  const calls = `${folder}/calls`;
  await Deno.remove(calls, { recursive: true }).catch(() => {}); // of a run before
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-check", "-A", `--coverage=${calls}`, `${folder}/main.js`, ...args ?? []],
    stdout: "null",
    ...(signal !== undefined && { signal }),
  }).output();
  signal?.throwIfAborted();
  if (!success) throw new Error(`the bundle fails: ${new TextDecoder().decode(stderr)}`);
  const called = new Map<number, number[]>();
  for await (const { name } of Deno.readDir(calls)) {
    if (!name.endsWith(".json")) continue;
    const { url, functions } = JSON.parse(await Deno.readTextFile(`${calls}/${name}`));
    if (!url.endsWith(script)) continue;
    for (const { ranges: [{ startOffset, endOffset, count }] } of functions) {
      if (count === 0) continue;
      called.set(endOffset, [...called.get(endOffset) ?? [], startOffset]);
    }
  }
  if (called.size < 50) throw new Error(`only ${called.size} functions were seen to run`);
  return called;
}

/** Addresses of what ran in the last program of a folder. */
export async function scriptsIn(folder: string): Promise<string[]> {
  const files = await Array.fromAsync(Deno.readDir(`${folder}/calls`), ({ name }) => name);
  return await Promise.all(
    files.filter((name) => name.endsWith(".json")).map(async (name) =>
      JSON.parse(await Deno.readTextFile(`${folder}/calls/${name}`)).url as string
    ),
  );
}
