/**
 * The order of the functions of `./predict`. gzip finds what repeats within the last half of the bundle, and
 * finds it cheaper the nearer it is: functions in a good order take 2 % less than in that of their files.
 * It stands in tools/build/order.json, which `search_order.ts` writes.
 *
 * @module
 */
import { parse } from "acorn";
import { lettered, withLetters } from "./letters.ts";
import letters from "./letters.json" with { type: "json" };
import { plainBundle, shorten } from "./minify.ts";
import written from "./order.json" with { type: "json" };

/** A module taken apart. */
export interface Parts {
  /** Texts of the functions declared in it, by name. */
  readonly functions: ReadonlyMap<string, string>;
  /** All other statements, but the last: what it exports. */
  readonly others: string;
  readonly exported: string;
}

/** Functions that are compiled ahead are variables. */
const AHEAD = /^var ([\w$]+)=\((async )?function/;

/** Takes a minified module apart. */
export function partsOf(text: string): Parts {
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
export function joined(functions: readonly string[], { others, exported }: Parts): string {
  return functions[0] + others + functions.slice(1).join("") + exported;
}

/** What is needed to tell functions apart: the same functions by their own names. */
export async function namesOf(entry: string, minified: string): Promise<Map<string, string>> {
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

/** Letters of the locals of functions, by the names of these. */
export type Letters = { readonly [name: string]: string | undefined };

/**
 * A minified bundle with its functions in order. Names are given before, so that what gzip makes of it is
 * what was searched for.
 */
export async function inOrder(
  entry: string,
  minified: string,
  lettersOf: Letters = letters,
): Promise<string> {
  const names = await namesOf(entry, minified);
  const parts = partsOf(minified);
  const rank = new Map(written.map((name: string, i) => [name, i]));
  // A new function comes after the one that is written before it.
  let last = 0;
  const functions = [...parts.functions].map(([name, text]) => {
    const own = names.get(name)!;
    last = rank.get(own) ?? last;
    return { last, text: withLetters(lettered(text), lettersOf[own]) };
  });
  return joined(functions.sort((a, b) => a.last - b.last).map(({ text }) => text), parts);
}
