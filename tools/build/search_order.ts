// deno-lint-ignore-file no-console
/**
 * `deno task order [MOVES]` looks for a better order of the functions of `./predict`, and for better letters of
 * their locals, and writes them to tools/build/order.json and letters.json: it moves some functions to another
 * place, or exchanges letters of one, and keeps what is not worse, in the beginning also what is a little worse:
 * else it ends where no single move helps. 40,000 moves take 100 s. To run after larger changes; old ones stay
 * right, new functions go where they are written and keep their letters.
 *
 * @module
 */
// deno-lint-ignore no-external-import
import { gzipSync } from "node:zlib";
import { createRng } from "../../src/util/rng.ts";
import { compileAhead } from "./ahead.ts";
import { lettered, withLetters } from "./letters.ts";
import letters from "./letters.json" with { type: "json" };
import { minifiedBundle } from "./minify.ts";
import { inOrder, joined, type Letters, namesOf, partsOf } from "./order.ts";

/** Bytes by which a move may be worse to begin with, at odds of 1 to e. */
const HEAT = 0.5;

/** Share of the moves that move functions. */
const ORDER = 0.1;

/** Letters that a local may get: what terser gives them, by how often it does, comes first. */
const ALL = "terniloaKfsuchdbLwmMyAkgpSvTNOECFRBDGHIJPQUVWXYZjqxz_$";

/** Searches from the order and the letters that are written. */
async function improve(
  entry: string,
  moves: number,
): Promise<{ order: string[]; letters: Letters }> {
  const minified = await minifiedBundle(entry);
  const names = await namesOf(entry, minified);
  const parts = partsOf(await compileAhead(await inOrder(entry, minified, {})));
  const functions = Array.from(parts.functions, ([key, text]) => {
    const own = names.get(key)!;
    const taken = lettered(text);
    const written = (letters as Letters)[own];
    const free = [...ALL].filter((letter) => !taken.taken.has(letter));
    const now = written?.length === taken.letters.length ? written : taken.letters.join("");
    return { own, taken, free, now, text: withLetters(taken, now) };
  });
  const rng = createRng(1);
  let places = functions.map((_, i) => i);
  const sizeOf = (order: readonly number[]) =>
    gzipSync(joined(order.map((i) => functions[i].text), parts), { level: 9 }).length;
  let size = sizeOf(places);
  const found = () => ({
    order: places.map((i) => functions[i].own),
    letters: Object.fromEntries(
      functions.flatMap(({ own, taken, now }) =>
        now === taken.letters.join("") ? [] : [[own, now]]
      ),
    ),
  });
  let [best, least] = [found(), size];
  console.log(`${functions.length} functions, ${least} bytes`);
  for (let i = 0; i < moves; i++) {
    const heat = HEAT * (1 - i / moves);
    const isKept = (nextSize: number) =>
      nextSize <= size || rng.nextFloat() < Math.exp((size - nextSize) / heat);
    if (rng.nextFloat() < ORDER) {
      const next = [...places];
      const moved = next.splice(rng.nextInt(next.length), 1 + rng.nextInt(1 + rng.nextInt(12)));
      next.splice(rng.nextInt(next.length + 1), 0, ...moved);
      const nextSize = sizeOf(next);
      if (!isKept(nextSize)) continue;
      [places, size] = [next, nextSize];
    } else {
      const one = functions[rng.nextInt(functions.length)];
      if (one.now === "") continue;
      const { now, text } = one;
      const from = now[rng.nextInt(now.length)];
      const to = one.free[Math.min(rng.nextInt(one.free.length), rng.nextInt(one.free.length))];
      const swap = (letter: string) => letter === from ? to : letter === to ? from : letter;
      one.now = [...now].map(swap).join("");
      one.text = withLetters(one.taken, one.now);
      const nextSize = from === to ? Infinity : sizeOf(places);
      if (isKept(nextSize)) size = nextSize;
      else Object.assign(one, { now, text });
    }
    if (size < least) [best, least] = [found(), size];
  }
  console.log(`${least} bytes after ${moves} moves`);
  return best;
}

if (import.meta.main) {
  const found = await improve("src/predict.ts", Number(Deno.args[0] ?? 40_000));
  for (const [name, value] of Object.entries(found)) {
    const file = new URL(`${name}.json`, import.meta.url);
    await Deno.writeTextFile(file, JSON.stringify(value, null, 2) + "\n");
  }
}
