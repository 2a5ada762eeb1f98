// deno-lint-ignore-file no-console
/**
 * `deno task order [MOVES]` looks for a better order of the functions of `./predict` and writes it to
 * tools/build/order.json: it moves some functions to another place and keeps what is not worse, in the
 * beginning also what is a little worse: else it ends where no single move helps. 40,000 moves take
 * 100 s. To run after larger changes; an old order stays right, new functions go where they are written.
 *
 * @module
 */
// deno-lint-ignore no-external-import
import { gzipSync } from "node:zlib";
import { createRng } from "../../src/util/rng.ts";
import { bundle } from "./bundle.ts";
import { minifiedBundle } from "./minify.ts";
import { joined, namesOf, partsOf } from "./order.ts";

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
