// deno-lint-ignore-file no-console
/**
 * The order of the functions of `./predict`. gzip finds what repeats within the last half of the bundle, and
 * finds it cheaper the nearer it is: functions in a good order take 2 % less than in that of their files.
 *
 * `deno task order [MOVES]` looks for a better order and writes it to tools/order.json: it moves
 * some functions to another place and keeps what is not worse, in the beginning also what is a little worse:
 * else it ends where no single move helps. 40,000 moves take 100 s. To run after larger changes; an old
 * order stays right, new functions go where they are written.
 *
 * @module
 */
// deno-lint-ignore no-external-import
import { gzipSync } from "node:zlib";
import { parse } from "acorn";
import { createRng } from "../src/util/rng.ts";
import { bundle, minifiedBundle, plainBundle, shorten } from "./bundle.ts";
import written from "./order.json" with { type: "json" };

/** A module taken apart. */
interface Parts {
  /** Texts of the functions declared in it, by name. */
  readonly functions: ReadonlyMap<string, string>;
  /** All other statements, but the last: what it exports. */
  readonly others: string;
  readonly exported: string;
}

/** Functions that are compiled ahead are variables. */
const AHEAD = /^var ([\w$]+)=\((async )?function/;

function partsOf(text: string): Parts {
  const { body } = parse(text, { ecmaVersion: "latest", sourceType: "module" });
  const exported = body.pop()!;
  const functions = new Map<string, string>();
  let others = "";
  for (const node of body) {
    const statement = text.slice(node.start, node.end);
    const name = node.type === "FunctionDeclaration" ? node.id.name : AHEAD.exec(statement)?.[1];
    if (name !== undefined) functions.set(name, statement);
    else others += statement;
  }
  return { functions, others, exported: text.slice(exported.start, exported.end) };
}

/** One function stands before what is no function, so that it may be the one with the kernel's text. */
function joined(functions: readonly string[], { others, exported }: Parts): string {
  return functions[0] + others + functions.slice(1).join("") + exported;
}

/** What is needed to tell functions apart: the same functions by their own names. */
async function namesOf(entry: string, minified: string): Promise<Map<string, string>> {
  const [text, named] = (await Promise.all([plainBundle(entry), plainBundle(entry, true)]))
    .map((bytes) => new TextDecoder().decode(bytes));
  const keys = (text: string) => [...partsOf(text).functions.keys()];
  const [short, own, kept, last] = [text, named, await shorten(text, false), minified].map(keys);
  // Neither esbuild nor terser changes the order; terser leaves out what it writes in place.
  if (own.length !== short.length || kept.length !== last.length) {
    throw new Error(`functions were lost: ${[short, own, kept, last].map((list) => list.length)}`);
  }
  return new Map(last.map((name, i) => [name, own[short.indexOf(kept[i])]]));
}

/**
 * A minified bundle with its functions in order. Names are given before, so that what gzip makes of it is
 * what was searched for.
 */
export async function inOrder(entry: string, minified: string): Promise<string> {
  const names = await namesOf(entry, minified);
  const parts = partsOf(minified);
  const rank = new Map(written.map((name: string, i) => [name, i]));
  // A new function comes after the one that is written before it.
  let last = 0;
  const functions = [...parts.functions].map(([name, text]) => {
    last = rank.get(names.get(name)!) ?? last;
    return { last, text };
  });
  return joined(functions.sort((a, b) => a.last - b.last).map(({ text }) => text), parts);
}

/** Bytes by which an order may be worse to begin with, at odds of 1 to e. */
const HEAT = 3;

/** Searches from the order that is written. */
async function improve(entry: string, moves: number): Promise<string[]> {
  const text = new TextDecoder().decode(await bundle(entry));
  const parts = partsOf(text);
  const texts = [...parts.functions.values()];
  const sizeOf = (places: readonly number[]) =>
    gzipSync(joined(places.map((i) => texts[i]), parts), { level: 9 }).length;
  const rng = createRng(1);
  let places = texts.map((_, i) => i);
  let size = sizeOf(places);
  let [best, least] = [places, size];
  console.log(`${texts.length} functions, ${least} bytes`);
  for (let i = 0; i < moves; i++) {
    const next = [...places];
    const moved = next.splice(rng.nextInt(next.length), 1 + rng.nextInt(1 + rng.nextInt(12)));
    next.splice(rng.nextInt(next.length + 1), 0, ...moved);
    const nextSize = sizeOf(next);
    const heat = HEAT * (1 - i / moves);
    if (nextSize > size && rng.nextFloat() >= Math.exp((size - nextSize) / heat)) continue;
    [places, size] = [next, nextSize];
    if (size < least) [best, least] = [places, size];
  }
  console.log(`${least} bytes after ${moves} moves`);
  const minified = await minifiedBundle(entry);
  const names = await namesOf(entry, minified);
  const keys = [...parts.functions.keys()];
  return best.map((i) => names.get(keys[i])!);
}

if (import.meta.main) {
  const found = await improve("src/predict.ts", Number(Deno.args[0] ?? 12_000));
  await Deno.writeTextFile(
    new URL("order.json", import.meta.url),
    JSON.stringify(found, null, 2) + "\n",
  );
}
